"""Batches of games for the tests: random play, and all that a batch tells, as bytes."""

from collections.abc import Sequence

import numpy as np

from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.batch import Batch
from three_thirteen_env.rules import Rules

TURN_LIMIT = 3
SHORT = Rules(last_round=2, turn_limit=TURN_LIMIT)


class Players:
    """Choose the actions of every game, each by the game's own dice: going out more often than chance would."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self.dice = [np.random.default_rng(seed) for seed in seeds]

    def choose(self, masks: Masks) -> Actions:
        """An action of every game; one that is none in a game that is over."""
        return np.array([self._choose(mask, dice) for mask, dice in zip(masks, self.dice, strict=True)])

    def _choose(self, mask: Masks, dice: np.random.Generator) -> int:
        legal = np.flatnonzero(mask)
        if len(legal) == 0:
            return -7  # in a game that is over it is no matter
        return legal[-1] if dice.random() < 0.3 else dice.choice(legal)


def arrays(batch: Batch) -> list[bytes]:
    """All that a batch tells, as bytes."""
    told = [batch.states, batch.masks, batch.rewards, batch.done]
    return [array.tobytes() for array in told] + [np.array(batch.observations).tobytes()]


def trace(batch: Batch, num_steps: int) -> list[list[list[bytes]]]:
    """What a batch tells of every game after each of so many steps: ``trace[game][step]``."""
    players = Players(batch.states["seed"].tolist())
    steps = []
    for _ in range(num_steps):
        batch.step(players.choose(batch.masks))
        told = (batch.states, batch.masks, batch.rewards, batch.done, batch.observations)
        steps.append([[array[game].tobytes() for array in told] for game in range(batch.num_games)])
    return [list(of_one_game) for of_one_game in zip(*steps, strict=True)]
