"""What a hand is worth after each discard, and with which of them a seat may go out: compiled.

All of it rests on one look at the whole hand. A card that no meld of the best arrangement needs is deadwood, and
without it that arrangement stays the best; only a card that a meld needs takes a look of its own.

Every function here trusts its caller.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS, Hand, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import MAX_HAND, Rules, card_points
from three_thirteen_env.run_table import table_index
from three_thirteen_env.search import MAX_MELDS, NO_BOUND, take_out_melds
from three_thirteen_env.solver import (
    ACES,
    BEST_LEFT,
    BEST_SETS,
    BEST_WILD_LEFT,
    BOARD,
    IS_FOR_TABLE,
    NATURAL_POINTS,
    NUM_NATURAL,
    NUM_WILD,
    WHOLE_DEADWOOD,
    WHOLE_LEFT,
    WHOLE_RUNS,
    WHOLE_SETS,
    WHOLE_WILD_LEFT,
    WORK_SIZE,
    Integers,
    deadwood_beyond_table,
    deadwood_by_table,
    in_reach_of_runs,
    is_for_table,
    least_deadwood,
    melds_completely,
    saved_by_runs,
    take_in,
)
from three_thirteen_env.state import NO_CARD


@compiled
def deadwood_after_discards(hand: Hand, wild_rank: int, rules: Rules, points: npt.NDArray[np.int16]) -> None:
    """Write the least deadwood after each possible discard, ``(52,) int16``; -1: no such card."""
    work = np.empty(WORK_SIZE, np.int64)
    spare = np.empty(NUM_CARDS, np.int8)
    board = _look_at_whole(hand, wild_rank, rules, work, spare)
    for card in range(NUM_CARDS):
        points[card] = -1
        if hand[card] > 0:
            points[card] = _deadwood_without(card, hand, board, wild_rank, rules, work, spare)


@compiled
def best_discard(hand: Hand, mask: npt.NDArray[np.int8], wild_rank: int, rules: Rules) -> tuple[int, int]:
    """The discard that leaves the least deadwood, and how much that is in points.

    Only cards that the mask ``(52,)`` allows are thrown; among equals it is the dearest, and a natural card before a
    wild one. Where the mask allows none it is `NO_CARD`, and `NO_BOUND`.
    """
    work = np.empty(WORK_SIZE, np.int64)
    spare = np.empty(NUM_CARDS, np.int8)
    board = _look_at_whole(hand, wild_rank, rules, work, spare)
    best, least = NO_CARD, NO_BOUND
    for card in _dearest_first(hand, wild_rank, rules):
        # What is left over without the card and the card itself are an arrangement of the whole hand.
        if work[WHOLE_DEADWOOD] - card_points(card, wild_rank, rules) >= least:
            break
        if mask[card]:
            points = _deadwood_without(card, hand, board, wild_rank, rules, work, spare)
            if points < least:
                best, least = card, points
    return best, least


@compiled
def cards_to_go_out_with(hand: Hand, wild_rank: int, rules: Rules, is_way_out: npt.NDArray[np.int8]) -> None:
    """Write for every card whether a hand melds completely without it, ``(52,) int8``; 0 for a card not held."""
    is_way_out[:] = 0
    if not _is_near_going_out(hand, wild_rank, rules):
        return
    dearest = 0
    for card in range(NUM_CARDS):
        if hand[card] > 0:
            dearest = max(dearest, card_points(card, wild_rank, rules))
    work = np.empty(WORK_SIZE, np.int64)
    spare = np.empty(NUM_CARDS, np.int8)
    board = _look_at_whole(hand, wild_rank, rules, work, spare)
    # A way out leaves the whole hand arranged but for the discard, so its deadwood costs no more than one card.
    if work[WHOLE_DEADWOOD] > dearest:
        return
    rest = hand.copy()
    for card in range(NUM_CARDS):
        if hand[card] > 0 and _deadwood_without(card, hand, board, wild_rank, rules, work, spare) == 0:
            rest[card] -= 1
            is_way_out[card] = melds_completely(rest, wild_rank, rules)
            rest[card] += 1


@compiled
def _is_near_going_out(hand: Hand, wild_rank: int, rules: Rules) -> bool:
    """False only if more than one card is left over however a hand is melded; a cheap look before the search.

    A natural card that has none of its rank beside it, and none of its suit within reach of the wild cards, takes two
    wild cards for itself. One such card may be the discard.
    """
    board, twins, num_wild = 0, 0, 0
    for card in range(NUM_CARDS):
        board |= int(hand[card] > 0) << card
        twins |= int(hand[card] > 1) << card
    for suit in range(NUM_SUITS):
        num_wild += int(hand[NUM_RANKS * suit + wild_rank - 1])
    board &= ~(ACES << wild_rank - 1)
    same_rank = 0
    for num_suits in range(1, NUM_SUITS):  # the other suits, one after the other, as the board is turned round
        same_rank |= board << NUM_RANKS * num_suits & BOARD | board >> NUM_RANKS * num_suits
    alone = board & ~(same_rank | twins | in_reach_of_runs(board, num_wild, rules.aces_high))
    num_alone = 0
    while alone:
        alone &= alone - 1
        num_alone += 1
    return 2 * (num_alone - 1) <= num_wild


@compiled
def _look_at_whole(hand: Hand, wild_rank: int, rules: Rules, work: Integers, spare: Hand) -> int:
    """Write what `_deadwood_without` has to know of the whole hand, and give its board.

    For a hand that is not for the table that is how many of each card its best melds can spare, ``(52,) int8``.
    """
    board = take_in(hand, wild_rank, rules, work)
    work[IS_FOR_TABLE] = work[NUM_NATURAL] > 1 and is_for_table(hand, wild_rank, rules, work)
    if work[IS_FOR_TABLE]:
        work[WHOLE_DEADWOOD] = deadwood_by_table(board, work, wild_rank, rules)
        work[WHOLE_LEFT], work[WHOLE_WILD_LEFT] = work[BEST_LEFT], work[BEST_WILD_LEFT]
        work[WHOLE_SETS] = work[BEST_SETS]
        work[WHOLE_RUNS] = saved_by_runs(work[BEST_LEFT], work[BEST_WILD_LEFT], table_index(rules))
        return board
    melds = np.empty(MAX_MELDS, np.int64)
    work[WHOLE_DEADWOOD], num_melds = deadwood_beyond_table(hand, board, work, wild_rank, rules, melds)
    take_out_melds(hand, melds, num_melds, wild_rank, spare)
    return board


@compiled
def _deadwood_without(
    card: int, hand: Hand, board: int, wild_rank: int, rules: Rules, work: Integers, spare: Hand
) -> int:
    """The least deadwood of a hand without one of its cards, after `_look_at_whole`.

    A card that no meld needs is deadwood: without it the best arrangement of the whole hand stays the best.
    """
    rank = rank_of(card)
    cost = card_points(card, wild_rank, rules)
    if not work[IS_FOR_TABLE]:
        if rank != wild_rank and spare[card] > 0:
            return work[WHOLE_DEADWOOD] - cost
        rest = hand.copy()
        rest[card] -= 1
        return least_deadwood(rest, wild_rank, rules)
    if rank == wild_rank:
        work[NUM_WILD] -= 1
        points = deadwood_by_table(board, work, wild_rank, rules)
        work[NUM_WILD] += 1
        return points
    bit, is_twin = 1 << card, hand[card] > 1
    if is_twin:
        is_melded = work[WHOLE_SETS] >> rank & 1 == 1
    else:
        left, wild_left = work[WHOLE_LEFT], work[WHOLE_WILD_LEFT]
        is_melded = left & bit == 0 or saved_by_runs(left & ~bit, wild_left, table_index(rules)) < work[WHOLE_RUNS]
    if not is_melded:
        return work[WHOLE_DEADWOOD] - cost
    work[NUM_NATURAL] -= 1
    work[NATURAL_POINTS] -= cost
    work[rank] -= is_twin
    points = deadwood_by_table(board if is_twin else board & ~bit, work, wild_rank, rules)
    work[rank] += is_twin
    work[NATURAL_POINTS] += cost
    work[NUM_NATURAL] += 1
    return points


@compiled
def _dearest_first(hand: Hand, wild_rank: int, rules: Rules) -> Integers:
    """The cards of a hand, twins once, by what they cost left over; a natural card before a wild one."""
    cards = np.empty(MAX_HAND + 1, np.int64)
    costs = np.empty(MAX_HAND + 1, np.int64)
    num_cards = 0
    for card in range(NUM_CARDS):
        if hand[card] == 0:
            continue
        cost = 2 * card_points(card, wild_rank, rules) + (rank_of(card) != wild_rank)
        place = num_cards
        while place > 0 and costs[place - 1] < cost:
            cards[place], costs[place] = cards[place - 1], costs[place - 1]
            place -= 1
        cards[place], costs[place] = card, cost
        num_cards += 1
    return cards[:num_cards]
