"""Rounds as episodes: the points of the rounds add up, so each can be learned by itself, and that is far quicker."""

from typing import Any

import gymnasium
import numpy as np

from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.observation import Observation
from three_thirteen_env.state import State

Info = dict[str, Any]


class RoundEpisodes(gymnasium.Wrapper[Observation, np.int64, Observation, np.int64]):
    """Ends an episode with every round; the reset after it goes on with the game, until that is over.

    The last info of an episode tells of the round: `points` that it cost the learner, and whether it `went_out` (1, 0).
    """

    def __init__(self, env: ThreeThirteenEnv) -> None:
        super().__init__(env)
        self.table = env
        self._next: tuple[Observation, Info] | None = None  # what the next round begins with

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """The next round; with a seed, or when the game is over, the first round of another game."""
        begun, self._next = self._next, None
        if begun is None or seed is not None:
            return self.table.reset(seed=seed, options=options)
        return begun

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """As `ThreeThirteenEnv.step`, but it is over when the round is."""
        round_number = self.table.game.get_state().round_number
        observation, reward, game_is_over, truncated, info = self.table.step(action)
        state = self.table.game.get_state()
        if not game_is_over and state.round_number == round_number:
            return observation, reward, False, truncated, info
        self._next = None if game_is_over else (observation, info)
        return observation, reward, True, truncated, info | self._result(state, round_number)

    def _result(self, state: State, round_number: int) -> Info:
        seat = self.table.game.possible_agents.index(self.table.learner)
        return {
            "points": int(state.round_points[round_number - 1, seat]),
            "went_out": int(state.went_out[round_number - 1] == seat),
        }
