"""Many games at once: each function of the game over an array of records, in one compiled call."""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import legal_actions, start, step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import States


@compiled
def start_each(states: States, seeds: npt.NDArray[np.int64], rules: Rules) -> None:
    """Trusts its caller: change every state ``(n,)`` into the first deal of the game of its seed ``(n,)``."""
    for index in range(len(states)):
        start(states[index], seeds[index], rules)


@compiled
def legal_actions_each(states: States, rules: Rules, masks: npt.NDArray[np.int8]) -> None:
    """Trusts its caller: write the legal actions of every state ``(n,)`` into ``(n, 106) int8``."""
    for index in range(len(states)):
        legal_actions(states[index], rules, masks[index])


@compiled
def step_each(states: States, actions: npt.NDArray[np.int64], rules: Rules) -> None:
    """Trusts its caller: change every state ``(n,)`` by its action ``(n,)``, which must be legal."""
    for index in range(len(states)):
        step(states[index], actions[index], rules)
