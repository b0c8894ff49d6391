"""Many games through Gymnasium for the tests: random play, opponents that do not play at random, what comes back."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from agents.greedy import Greedy
from agents.selective import Selective
from tests.playing import COMPILED
from three_thirteen_env.agent import pick_each
from three_thirteen_env.rules import Rules

SHORT = {"last_round": 2, "turn_limit": 3}  # fields of `Rules`: a game of a few dozen steps
NUM_ENVS = 5
NUM_STEPS = 120 if COMPILED else 12


class Last:
    """Chooses the last legal action (it goes out when it can), and keeps the views and masks that it was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[Any, Any]] = []

    def act(self, views: Any, masks: Any, rng: Any) -> Any:  # noqa: ARG002
        self.shown.append((views.copy(), masks.copy()))
        actions = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        views["phase"], masks[:] = 2, 0  # what an agent does to what it is shown is its own business
        return actions


def opponents_of(choices: dict[str, Any]) -> list[Any]:
    """An opponent for every other seat, each of another kind, none of which plays at random."""
    rules = Rules(num_players=choices.get("num_players", 2))
    kinds = [Greedy(rules), Last(), Selective(rules)]
    return [kinds[seat % 3] for seat in range(rules.num_players - 1)]


def make(num_envs: int = NUM_ENVS, **choices: Any) -> Any:
    """Games of two short rounds in Gymnasium's vector form."""
    return gymnasium.make_vec("ThreeThirteen-v0", num_envs=num_envs, **{**SHORT, **choices})


def choose(masks: Any, rng: np.random.Generator) -> Any:
    """A legal action of every game, going out more often than chance would; one that is none in games that are over."""
    last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    legal = np.where(masks.any(axis=1, keepdims=True), masks, np.ones_like(masks))
    actions = np.where(rng.random(len(masks)) < 0.3, last, pick_each(legal, rng))
    return np.where(masks.any(axis=1), actions, -3)


def play(envs: Any, num_steps: int = NUM_STEPS, **reset: Any) -> Iterator[tuple[Any, ...]]:
    """Play at random from a reset on; gives what comes back from it and from every step."""
    rng = np.random.default_rng(0)
    observations, infos = envs.reset(**reset)
    yield observations, np.zeros(envs.num_envs), np.zeros(envs.num_envs, bool), np.zeros(envs.num_envs, bool), infos
    for _ in range(num_steps):
        observations, rewards, terminations, truncations, infos = envs.step(choose(infos["action_mask"], rng))
        yield observations, rewards, terminations, truncations, infos
        if envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED and terminations.any():
            masks = infos["action_mask"]
            _, infos = envs.reset(options={"reset_mask": terminations})
            infos["action_mask"] = np.where(infos["_action_mask"][:, np.newaxis], infos["action_mask"], masks)


def trace(envs: Any, **reset: Any) -> list[list[bytes]]:
    """What comes back from a reset on, as values that can be compared."""
    return [
        [array.tobytes() for array in (*arrays, infos["action_mask"])]
        for *arrays, infos in play(envs, NUM_STEPS // 3, **reset)
    ]
