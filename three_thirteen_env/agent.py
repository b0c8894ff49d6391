"""Who decides for a seat: the protocol of agents, and the simplest of them."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from three_thirteen_env.compiled import compiled
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
        return pick_each(masks, rng)


def pick_each(masks: Masks, rng: np.random.Generator) -> Actions:
    """Trusts its caller: one action for every mask ``(n, 106)``, each that it allows equally likely, at least one.

    >>> pick_each(np.eye(3, dtype=np.int8), np.random.default_rng(0))
    array([0, 1, 2])
    """
    actions = np.empty(len(masks), np.int64)
    _pick_each(masks, rng.random(len(masks)), actions)
    return actions


@compiled
def _pick_each(masks: Masks, shares: npt.NDArray[np.float64], actions: Actions) -> None:
    """Write of every mask the action that lies so far in the row of those that it allows, from 0 to less than 1."""
    for index in range(len(masks)):
        num_before = int(shares[index] * masks[index].sum())
        for action in range(masks.shape[1]):
            if masks[index, action]:
                if num_before == 0:
                    actions[index] = action
                    break
                num_before -= 1


def one_for_each_other_seat(opponents: Agent | Sequence[Agent] | None, num_players: int) -> list[Agent]:
    """The opponents of a learner in the order of their seats, clockwise from it; by default they play at random.

    Raises ValueError unless they are one agent, which plays all other seats, or one for each of them.
    """
    if opponents is None:
        opponents = RandomAgent()
    agents = list(opponents) if isinstance(opponents, Sequence) else [opponents] * (num_players - 1)
    for agent in agents:
        if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
            raise ValueError(f"an opponent is an object with a method act(views, masks, rng), not {agent!r}")
    if len(agents) != num_players - 1:
        raise ValueError(
            f"opponents must be one agent, or {num_players - 1}, one for each other seat, not {len(agents)}"
        )
    return agents
