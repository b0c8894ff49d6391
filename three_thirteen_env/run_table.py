"""What runs save in one suit, for every choice of its cards: the table that makes the solver fast.

A suit without twins is thirteen bits, bit r - 1 for the card of rank r. For each of the 8,192 choices of cards,
`RUN_POINTS` has the most points that its runs can save with 0, 1, ... 6 wild cards, a byte each, lowest first, in one
integer. A single card that two wild cards complete counts as a run: it costs no more than a set with them.

Any run is a row of runs of three, four or five positions, so the table is built from the high end of the suit down,
position by position, from the choices of its upper part.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import ACE, KING, NUM_RANKS
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import COURT_POINTS, HIGH_ACE_POINTS, MIN_MELD, Rules

MAX_TABLE_WILD = 6
LANE_BITS = 8
LANE = (1 << LANE_BITS) - 1


def _rank_points() -> npt.NDArray[np.int64]:
    ranks = np.arange(KING + 1)
    points = np.stack([ranks, np.minimum(ranks, COURT_POINTS)] * 2)
    points[2:, ACE] = HIGH_ACE_POINTS
    return points


# What a natural card of a rank costs: by `table_index`, then by rank, (4, 14) int64.
RANK_POINTS = _rank_points()


def _most_saved(aces_high: bool) -> npt.NDArray[np.uint8]:
    """The most that runs save, court cards at face value and at ten, ``(2 ** positions, 2, MAX_TABLE_WILD + 1)``."""
    points = RANK_POINTS[2 * aces_high : 2 * aces_high + 2, ACE:].T.astype(np.uint8)
    if aces_high:  # a fourteenth position, for the ace above the king
        points = np.concatenate([points, points[:1]])
    num_positions = len(points)
    best = {num_positions: np.zeros((1, 2, MAX_TABLE_WILD + 1), np.uint8)}
    for first in range(num_positions - 1, -1, -1):
        most = np.repeat(best[first + 1], 2, axis=0)
        for length in range(MIN_MELD, min(2 * MIN_MELD, num_positions - first + 1)):
            above = best[first + length]
            for held in range(2**length):
                positions = [offset for offset in range(length) if held >> offset & 1]
                num_wild = length - len(positions)
                if num_wild > MAX_TABLE_WILD:
                    continue
                saved = points[first:][positions].sum(axis=0, dtype=np.uint8)[:, None]
                old = most[held :: 2**length, :, num_wild:]
                np.maximum(old, saved + above[:, :, : MAX_TABLE_WILD + 1 - num_wild], out=old)
        best[first] = most
    return best[0]


def _run_points() -> npt.NDArray[np.int64]:
    masks = np.arange(2**NUM_RANKS)
    low, high = _most_saved(False), _most_saved(True)
    high = np.maximum(high[masks], high[masks & ~1 | (masks & 1) << NUM_RANKS])  # the ace at one end, or at the other
    most = np.stack([low, high]).transpose(0, 2, 1, 3).astype(np.int64)
    table: npt.NDArray[np.int64] = (most << LANE_BITS * np.arange(MAX_TABLE_WILD + 1)).sum(axis=-1)
    return table.reshape(4, -1)


# What runs save: by `table_index`, then by the cards of the suit, (4, 8192) int64.
RUN_POINTS = _run_points()


@compiled
def table_index(rules: Rules) -> int:
    """Where the tables have what the rules say."""
    return 2 * rules.aces_high + rules.court_cards_ten


@compiled
def points_saved(row: int, num_wild: int) -> int:
    """What a row of `RUN_POINTS` says with so many wild cards."""
    return row >> LANE_BITS * num_wild & LANE
