"""Who decides for a seat: the protocol of agents, and the simplest of them."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from three_thirteen_env.state import States

Masks = npt.NDArray[np.int8]
Actions = npt.NDArray[np.int64]


class Agent(Protocol):
    """Anything that chooses actions. It is asked about many games at once; one game is ``n = 1``."""

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:
        """The action ``(n,)`` chosen in each of the views ``(n,)``, each one that its mask ``(n, 106)`` allows.

        A view is what the seat to act, `view.seat`, may know. All randomness comes from `rng`.
        """
        ...


class RandomAgent:
    """Chooses uniformly among the legal actions."""

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:  # noqa: ARG002
        """A random legal action in each view."""
        return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)
