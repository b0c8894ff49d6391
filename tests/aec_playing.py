"""Games through PettingZoo for the tests: random play, and what its agents see."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

SHORT_GAME = {"last_round": 2, "turn_limit": 4}  # fields of `Rules`: a game of a few dozen steps

each_number_of_players = pytest.mark.parametrize("num_players", [2, 3, 4, 8])


def play(game: Any, seed: int = 0) -> Iterator[tuple[Any, ...]]:
    """Play a game to its end by PettingZoo's loop; gives what every agent saw each time that it was selected."""
    rng = np.random.default_rng(seed)
    for agent in game.agent_iter():
        observation, *rest = game.last()
        yield agent, observation, *rest
        actions = np.flatnonzero(observation["action_mask"])
        if len(actions):
            game.step(actions[-1] if rng.random() < 0.3 else rng.choice(actions))
        else:
            game.step(None)


def trace(game: Any, seed: int = 0) -> list[tuple[Any, ...]]:
    """All that the agents see from here to the end of the game, as values that can be compared."""
    return [
        (agent, observation["observation"].tobytes(), observation["action_mask"].tobytes(), *rest)
        for agent, observation, *rest in play(game, seed)
    ]
