"""Random legal play, sampled the same way for the game and for its peers: uniformly, and the sampling counts."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt


def pick(legal: Sequence[int] | npt.NDArray[np.integer[Any]], rng: Random) -> int:
    """One of the legal actions."""
    return int(legal[int(rng.random() * len(legal))])


def pick_each(masks: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """One legal action for every row of masks ``(n, num_actions)``, each with at least one; the fastest way in NumPy.

    >>> pick_each(np.eye(3, dtype=bool), np.random.default_rng(0))
    array([0, 1, 2])
    """
    num_rows, num_actions = masks.shape
    legal = np.flatnonzero(masks.view(bool))
    starts = np.searchsorted(legal, np.arange(num_rows + 1) * num_actions)
    chosen = starts[:-1] + (rng.random(num_rows) * np.diff(starts)).astype(np.int64)
    return legal[chosen] % num_actions


def play_aec_game(env: Any, rng: Random) -> int:
    """Play one game of a PettingZoo environment as its documentation shows; gives the number of steps."""
    env.reset()
    num_steps = 0
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        env.step(pick(np.flatnonzero(observation["action_mask"]), rng))
        num_steps += 1
    return num_steps
