"""Many games for stable-baselines3: one seat learns in each, and agents play the others, with no Python code a game.

    games = ThreeThirteenVecEnv(1024, opponents=Greedy(Rules()), observation="melds", episode="round")
    MaskablePPO("MlpPolicy", games).learn(1_000_000)

Game i after ``seed(s)`` is that of ``ThreeThirteenEnv`` from ``reset(seed=s + i)`` on, as in `gym_vector_env`. What a
`DummyVecEnv` of such environments, each in a `Monitor`, gives back is given back here, about twenty times as fast.
"""

import time
from collections.abc import Sequence
from typing import Any, Literal, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Actions, Agent
from three_thirteen_env.checks import checked_choice
from three_thirteen_env.learner_games import LearnerGames
from three_thirteen_env.observation import Kind, Observation
from three_thirteen_env.rewards import Reward
from three_thirteen_env.rules import Rules

Episode = Literal["game", "round"]
Infos = list[dict[str, Any]]
Results = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]
Step = tuple[Observation, npt.NDArray[np.float32], npt.NDArray[np.bool_], Infos]


class ThreeThirteenVecEnv(VecEnv):
    """The games as their learners see them, whose legal actions `action_masks` gives to sb3-contrib's MaskablePPO.

    `games` are the games that are played. At the end of an episode its info has the ``"terminal_observation"``, and in
    ``"episode"`` its rewards added up, ``r``, its length in decisions, ``l``, the seconds since the games were made,
    ``t``, the ``points`` that it cost the learner, and in how many rounds the learner ``went_out``.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | None = None,
        *,
        opponents: Agent | Sequence[Agent] | None = None,
        seat: int | None = None,
        observation: Kind = "cards",
        reward: Reward = "points",
        reward_scale: float = 1.0,
        episode: Episode = "game",
        **choices: Any,
    ) -> None:
        """The arguments are those of `ThreeThirteenEnv`, and:

        num_games: how many games there are.
        reward_scale: the rewards that `step` gives are so many times those of the game; ``r`` is not scaled.
        episode: what ends an episode: a game, or every round, and the next one of its game is the next episode.
        """
        self.games = LearnerGames(
            num_games, rules, opponents=opponents, seat=seat, observation=observation, reward=reward, **choices
        )
        self.rules, self.reward_scale = self.games.rules, reward_scale
        self.episode = checked_choice("episode", episode, get_args(Episode))
        self.render_mode = None
        super().__init__(
            self.games.num_games,
            spaces.Box(-1, 1, (self.games.size,), np.float32),
            spaces.Discrete(NUM_ACTIONS),
        )
        self._actions: Actions = np.zeros(self.num_envs, np.int64)
        self._started = time.time()
        self._results: npt.NDArray[np.float64]  # (2, num_opponents): see `take_results`
        self._begin_episodes()

    def reset(self) -> Observation:
        """Deal the games of the seeds that `seed` gave, or else those that follow, in all games."""
        self.games.reset(None if self._seeds[0] is None else np.array(self._seeds))
        self._reset_seeds()
        self._reset_options()
        self._begin_episodes()
        return self.games.observations

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take note of an action of the learner in every game, ``(num_envs,)``."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Play these actions, and go on until the learner is to act again; a game that ends is followed by the next.

        Raises ValueError, which names the game, and changes nothing, unless each action is legal.
        """
        self.games.step(self._actions)
        learners = self.games.learners
        rewards = learners["reward"]
        self._episodes += rewards, np.ones(self.num_envs), learners["points"], learners["went_out"]
        self._note_rounds()
        is_over = learners["is_round_over" if self.episode == "round" else "is_game_over"].copy()
        infos: Infos = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(is_over).tolist():
            infos[game] = self._end_episode(game)
        return self.games.observations, (self.reward_scale * rewards).astype(np.float32), is_over, infos

    def draw_opponents(self, opponents: Sequence[Agent], weights: npt.ArrayLike) -> None:
        """From now on a game has one of these opponents, as `LearnerGames.draw_opponents` says."""
        self.games.draw_opponents(opponents, weights)

    def take_results(self) -> Results:
        """Against each opponent, the rounds since it was last asked, and by how many points they were won in all.

        Both are ``(num_opponents,)``. A table of several opponents counts for the one to the learner's left.
        """
        num_rounds, margins = _widened(self._results, len(self.games.opponents))
        self._results = np.zeros((2, 0))
        return num_rounds, margins

    def save(self) -> dict[str, Any]:
        """All that decides how the games go on, but for the opponents and their weights."""
        arrays, generator = self.games.save()
        return {"arrays": arrays, "generator": generator, "episodes": self._episodes.copy()}

    def load(self, saved: dict[str, Any]) -> Observation:
        """Trusts its caller: go on from what `save` gave of games made with the same arguments; the observations."""
        self.games.load((saved["arrays"], saved["generator"]))
        self._begin_episodes()
        self._episodes[:] = saved["episodes"]
        return self.games.observations

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal for the learner, ``(num_envs, 106)``: at least one in every game."""
        return self.games.masks.astype(np.bool_)

    def close(self) -> None:
        """Nothing is to be closed."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """What all games have in common, for every one of them."""
        return [getattr(self, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set what all games have in common. Raises ValueError for only some of them."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"the games have {attr_name} in common: set it in all of them")
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """The rows of `action_masks`; the games have no other methods of their own."""
        if method_name != "action_masks":
            raise AttributeError(f"a game has the method action_masks, and no {method_name}")
        masks = self.action_masks(*args, **kwargs)
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Whether the games tell of episodes as a `Monitor` does: they do, and nothing else wraps them."""
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def _begin_episodes(self) -> None:
        self._episodes = np.zeros(
            (4, self.num_envs)
        )  # rewards, decisions, points, rounds in which the learner went out
        self._results = np.zeros((2, 0))

    def _note_rounds(self) -> None:
        """Add the rounds that ended in a step to the results against each opponent."""
        ended = self.games.learners[self.games.learners["is_round_over"]]
        size = max(self._results.shape[1], len(self.games.opponents))
        num_rounds = np.bincount(ended["opponent"], minlength=size)
        margins = np.bincount(ended["opponent"], ended["margin"], minlength=size)
        self._results = _widened(self._results, size)
        self._results += num_rounds, margins

    def _end_episode(self, game: int) -> dict[str, Any]:
        """What is told of the episode of a game that is over; the next one begins."""
        rewards, length, points, went_out = self._episodes[:, game].tolist()
        episode = {
            "r": round(rewards, 6),
            "l": int(length),
            "t": round(time.time() - self._started, 6),
            "points": int(points),
            "went_out": int(went_out),
        }
        self._episodes[:, game] = 0
        is_game_over = self.games.learners[game]["is_game_over"]
        last = (self.games.last_observations if is_game_over else self.games.observations)[game]
        return {"terminal_observation": last.copy(), "episode": episode}


def _widened(results: npt.NDArray[np.float64], size: int) -> npt.NDArray[np.float64]:
    """The results ``(2, num_opponents)`` with no rounds yet against further opponents."""
    return np.pad(results, ((0, 0), (0, size - results.shape[1])))
