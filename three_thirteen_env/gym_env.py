"""Three Thirteen for Gymnasium: one seat learns, and agents play the others.

    import gymnasium
    import three_thirteen_env

    env = gymnasium.make("ThreeThirteen-v0")
    observation, info = env.reset(seed=42)
    terminated = False
    while not terminated:
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

Observations and rewards are those of `aec_env`. A step plays an action of the learner, and then the others until the
learner is to act again or the game is over; its reward is the sum over the rounds that ended meanwhile.

The legal actions are ``info["action_mask"]``, ``(106,) int8``, and `action_masks`, where sb3-contrib looks for them.
``action_space.sample()`` gives a legal action even without a mask, so that the loop that everyone writes first plays.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from three_thirteen_env.actions import DRAW_STOCK, NUM_ACTIONS, TAKE_UPCARD
from three_thirteen_env.aec_env import RENDER_FPS, RENDER_MODES, raw_env
from three_thirteen_env.agent import Agent, one_for_each_other_seat
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED, learner_seat, next_seed
from three_thirteen_env.checks import checked_integer
from three_thirteen_env.game import Mask
from three_thirteen_env.observation import Kind, Observation
from three_thirteen_env.rewards import Reward
from three_thirteen_env.rules import Rules

LEGAL_AT_FIRST: Mask = np.zeros(NUM_ACTIONS, np.int8)  # in the first turn of a game
LEGAL_AT_FIRST[[DRAW_STOCK, TAKE_UPCARD]] = 1


class ThreeThirteenEnv(gymnasium.Env[Observation, np.int64]):
    """The game as its learner sees it. Rules are given as `rules`, or field by field: ``num_players=4``.

    `opponents` is one agent that plays all other seats, or one for each of them, clockwise from the learner; by default
    they play at random. The learner sits in `seat`, or in a seat drawn anew for every game.

    `game` is the `raw_env` that is played, and `learner` who of its agents learns.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as Gymnasium declares it
        "render_modes": RENDER_MODES,
        "render_fps": RENDER_FPS,
    }

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        opponents: Agent | Sequence[Agent] | None = None,
        seat: int | None = None,
        observation: Kind = "cards",
        reward: Reward = "points",
        render_mode: str | None = None,
        **choices: Any,
    ) -> None:
        self.game = raw_env(rules, observation=observation, reward=reward, render_mode=render_mode, **choices)
        self.rules, self.render_mode = self.game.rules, render_mode
        self.seat = None if seat is None else checked_integer("seat", seat, 0, self.rules.num_players - 1)
        self.opponents = one_for_each_other_seat(opponents, self.rules.num_players)
        self.learner = self.game.possible_agents[self.seat or 0]
        self.observation_space = self.game.observation_space(self.learner)["observation"]
        self.action_space: _LegalActions = _LegalActions()
        self._rng = self.np_random
        self._seed = int(self.np_random.integers(EVALUATION_SEEDS))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal the game of a seed, 0 to 2**63 - 1, or without one the game that `next_seed` has follow the last.

        The seed also decides where the learner sits, and what is random about its opponents. There are no options.
        """
        if seed is not None:
            seed = checked_integer("seed", seed, 0, MAX_SEED)
        super().reset(seed=seed, options=options)
        self._seed = int(next_seed(self._seed)) if seed is None else seed
        seat = learner_seat(self._seed, self.rules.num_players) if self.seat is None else self.seat
        self.learner = self.game.possible_agents[seat]
        self._rng = np.random.default_rng(self.np_random.integers(2**63))
        self.game.reset(seed=self._seed)
        self._play_opponents()
        observation, _, _, info = self._seen()
        return observation, info

    def step(self, action: int | np.integer) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action of the learner, and go on until it is to act again or the game is over.

        Raises ValueError, and changes nothing, if the action is no integer or not legal, or the game is over.
        """
        if self.game.terminations[self.learner] or self.game.agent_selection != self.learner:
            raise ValueError("the game is over, or not begun: call reset()")
        self.game.step(action)
        self._play_opponents()
        observation, reward, terminated, info = self._seen()
        return observation, reward, terminated, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal for the learner, ``(106,)``: at least one until the game is over."""
        return self.action_space.legal.astype(bool)

    def render(self) -> Any:
        """Show the table with all hands open, as `raw_env.render` does."""
        return self.game.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.game.close()

    def _play_opponents(self) -> None:
        while not self.game.terminations[self.learner] and self.game.agent_selection != self.learner:
            self._play_opponent(self.game.agent_selection)

    def _play_opponent(self, name: str) -> None:
        seats = self.game.possible_agents
        after_learner = (seats.index(name) - seats.index(self.learner)) % len(seats)
        opponent = self.opponents[after_learner - 1]
        mask = self.game.action_mask(name)
        actions = np.asarray(opponent.act(self.game.views(name), mask[np.newaxis], self._rng))
        try:
            if actions.shape != (1,):
                raise ValueError(f"actions of shape {actions.shape}, not (1,), came from act()")
            self.game.step(actions[0])
        except ValueError as error:
            state = self.game.get_state()
            raise ValueError(
                f"opponent {type(opponent).__name__} in round {state.round_number}, turn {state.num_turns + 1} of the "
                f"game of seed {state.seed}: {error}"
            ) from error

    def _seen(self) -> tuple[Observation, float, bool, dict[str, Any]]:
        """What the learner gets: its observation, its reward, whether the game is over, and its info."""
        seen = self.game.observe(self.learner)
        mask: Mask = seen["action_mask"]
        self.action_space.legal = mask.copy()
        reward = self.game._cumulative_rewards[self.learner]
        return seen["observation"], reward, self.game.terminations[self.learner], {"action_mask": mask}


class _LegalActions(spaces.Discrete):
    """The 106 actions, of which a sample without a mask is one that is legal for the learner.

    Seeding forgets the state of the game: until the next reset or step, samples are what is legal in a first turn.
    """

    def __init__(self) -> None:
        super().__init__(NUM_ACTIONS)
        self.legal = LEGAL_AT_FIRST

    def seed(self, seed: int | None = None) -> int | list[int]:
        self.legal = LEGAL_AT_FIRST
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        if mask is None and probability is None:
            mask = self.legal
        return super().sample(mask, probability)
