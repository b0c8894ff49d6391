"""Three Thirteen for Gymnasium, many games at once: one seat learns in each, and agents play the others.

    import gymnasium
    import three_thirteen_env

    envs = gymnasium.make_vec("ThreeThirteen-v0", num_envs=64)
    observations, infos = envs.reset(seed=42)
    for _ in range(1000):
        actions = envs.action_space.sample(infos["action_mask"])
        observations, rewards, terminations, truncations, infos = envs.step(actions)

Game i of ``reset(seed=s)`` is the game of seed s + i, and then those that follow it: the very games, seats of the
learner and rewards that ``gymnasium.make("ThreeThirteen-v0")`` has from ``reset(seed=s + i)`` on. Only what opponents
choose at random is not the same, for an opponent is asked about many games at once; it too follows from the seed.

The legal actions are ``infos["action_mask"]``, ``(num_envs, 106) int8``. ``action_space.sample()`` gives legal actions
even without a mask.
"""

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.aec_env import RENDER_FPS
from three_thirteen_env.agent import Actions, Agent, Masks, pick_each
from three_thirteen_env.chance import MAX_SEED
from three_thirteen_env.checks import checked_choice, checked_integer
from three_thirteen_env.gym_env import LEGAL_AT_FIRST
from three_thirteen_env.learner_games import LearnerGames
from three_thirteen_env.learners import Games, Seeds
from three_thirteen_env.observation import Kind, Observation
from three_thirteen_env.rewards import Reward
from three_thirteen_env.rules import Rules

Infos = dict[str, Any]
Flags = npt.NDArray[np.bool_]  # (num_envs,)

RENDER_MODES = ["ansi", "rgb_array"]


class ThreeThirteenVectorEnv(VectorEnv[Observation, Actions, npt.NDArray[Any]]):
    """The games as their learners see them. The arguments are those of `ThreeThirteenEnv`, and:

    num_envs: how many games there are.
    autoreset_mode: what follows the end of a game, as in `gymnasium.vector.SyncVectorEnv`: the next game in the same
        step (its end is in ``infos["final_obs"]`` and ``infos["final_info"]``), in the next step (whose action is not
        looked at), or nothing until ``reset(options={"reset_mask": ...})``.

    `games` are the games that are played.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | None = None,
        *,
        opponents: Agent | Sequence[Agent] | None = None,
        seat: int | None = None,
        observation: Kind = "cards",
        reward: Reward = "points",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        **choices: Any,
    ) -> None:
        self.games = LearnerGames(
            num_envs,
            rules,
            opponents=opponents,
            seat=seat,
            observation=observation,
            reward=reward,
            autoreset_mode=autoreset_mode,
            **choices,
        )
        self.num_envs, self.rules = self.games.num_games, self.games.rules
        self.autoreset_mode = self.games.autoreset_mode
        self.metadata = {
            "render_modes": RENDER_MODES,
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.render_mode = None if render_mode is None else checked_choice("render_mode", render_mode, RENDER_MODES)
        self.single_observation_space = spaces.Box(-1, 1, (self.games.size,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.action_space: _LegalActions = _LegalActions(self.num_envs)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Infos]:
        """Deal the games of the seeds s, s + 1, and so on, or of a list of seeds, one a game.

        Where none is given, the game that follows is dealt. ``options={"reset_mask": (num_envs,) bool}`` deals only
        some games. Raises ValueError, and changes nothing, for seeds or a mask that do not fit.
        """
        games = None if options is None else self._checked_mask(options.get("reset_mask"))
        seeds = None if seed is None else self._seeds(seed)
        self.games.reset(seeds if seeds is None or games is None else seeds[games], games)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        self.action_space.legal = self.games.masks
        return self.games.observations, _masks_of(self.games.masks)

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, npt.NDArray[np.float64], Flags, Flags, Infos]:
        """Play an action of the learner in every game, ``(num_envs,)`` integers.

        Raises ValueError, which names the game, and changes nothing, unless each action is legal.
        """
        games = self.games
        games.step(actions)
        self.action_space.legal = games.masks
        is_over = games.learners["is_game_over"].copy()
        infos = _masks_of(games.masks)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and is_over.any():
            final_observations = np.full(self.num_envs, None, object)
            for game in np.flatnonzero(is_over):
                final_observations[game] = games.last_observations[game].copy()
            infos["final_obs"], infos["_final_obs"] = final_observations, is_over.copy()
            final_info = {"action_mask": np.zeros_like(games.masks), "_action_mask": is_over.copy()}
            infos["final_info"], infos["_final_info"] = final_info, is_over.copy()
        rewards = games.learners["reward"].copy()
        return games.observations, rewards, is_over, np.zeros(self.num_envs, np.bool_), infos

    def render(self) -> tuple[Any, ...] | None:
        """Show every table with all hands open: as text, or as a picture ``(height, width, 3) uint8``."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"nothing to render: make the environment with a render_mode of {RENDER_MODES}")
            return None
        from three_thirteen_env import render

        show: Callable[..., Any] = render.text if self.render_mode == "ansi" else render.picture
        return tuple(show(state, self.rules) for state in self.games.states)

    def _seeds(self, seed: int | Sequence[int | None]) -> Seeds:
        """The seed of every game; where a list of seeds has None, that of the game that follows."""
        if isinstance(seed, int | np.integer):
            return checked_integer("seed", seed, 0, MAX_SEED - self.num_envs + 1) + np.arange(self.num_envs)
        given = list(seed)
        if len(given) != self.num_envs:
            raise ValueError(f"seed must be one integer, or {self.num_envs}, one a game, not {len(given)}")
        seeds = self.games.next_seeds()
        for game, number in enumerate(given):
            if number is not None:
                seeds[game] = checked_integer("seed", number, 0, MAX_SEED)
        return seeds

    def _checked_mask(self, mask: Any) -> Games | None:
        """Which games a mask picks; all of them if it is None."""
        if mask is None:
            return None
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"reset_mask must be an array of {self.num_envs} booleans, one a game")
        if not mask.any():
            raise ValueError("reset_mask must pick at least one game")
        return np.flatnonzero(mask)


class _LegalActions(spaces.MultiDiscrete[np.int64]):
    """An action for every game, of which a sample without a mask is one that is legal for its learner.

    A mask is ``(num_envs, 106) int8``, or a tuple of its rows as Gymnasium has it. In games that have not begun or are
    over, and after seeding in all until the next reset or step, samples are what is legal in a first turn.
    """

    def __init__(self, num_envs: int) -> None:
        super().__init__(np.full(num_envs, NUM_ACTIONS))
        self.legal = np.zeros((num_envs, NUM_ACTIONS), np.int8)

    def seed(self, seed: Any = None) -> Any:
        self.legal = np.zeros_like(self.legal)
        return super().seed(seed)

    def sample(self, mask: Any = None, probability: Any = None) -> Actions:
        if probability is not None:
            return super().sample(mask, probability)
        masks = self.legal.copy() if mask is None else np.array(mask, np.int8)
        if masks.shape != self.legal.shape:
            raise ValueError(f"the mask of a sample has shape {self.legal.shape}, not {masks.shape}")
        masks[~masks.any(axis=1)] = LEGAL_AT_FIRST
        return pick_each(masks, self.np_random)


def _masks_of(masks: Masks) -> Infos:
    """The infos that tell of the masks of all games."""
    return {"action_mask": masks.copy(), "_action_mask": np.ones(len(masks), np.bool_)}
