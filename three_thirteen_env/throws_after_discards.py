"""The least deadwood after each discard, a draw and the best throw: compiled, and every discard at once.

H is the hand with the draw, d the card discarded. Two facts answer for most discards with one look at H:

- H without d costs, after the best throw, no less than H after the best throw, less the points of d; and just that if
  the best arrangement of H leaves d over.
- A draw may be thrown again, or left over, or take two wild cards for itself; the least deadwood cannot exceed that.

Every function here trusts its caller.
"""

from typing import NamedTuple

import numpy as np

from three_thirteen_env.cards import NUM_CARDS, Hand, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard
from three_thirteen_env.rules import card_points
from three_thirteen_env.run_table import table_index
from three_thirteen_env.search import MAX_MELDS, NO_BOUND, search, take_out_melds
from three_thirteen_env.solver import (
    BEST_LEFT,
    BEST_SETS,
    BEST_WILD_LEFT,
    HAS_TWINS,
    NATURAL_POINTS,
    NUM_NATURAL,
    NUM_WILD,
    Integers,
    in_reach_of_runs,
    is_for_table,
    saved_by_runs,
)
from three_thirteen_env.state import NO_CARD
from three_thirteen_env.throws import (
    NO_SETS_KNOWN,
    UNUSED_WILD_POINTS,
    Sheet,
    least_after_throw,
    least_without,
    list_choices,
    throw_of_best,
)

NO_DISCARD = NUM_CARDS  # in the place of a card that is discarded
NUM_DISCARDS = NUM_CARDS + 1

# What can be done with any natural draw, and the least deadwood then, by discard: rows of an array, (3, NUM_DISCARDS).
# It is thrown again; or left over, which costs its points on top; or it takes two wild cards for itself.
THROWN, LEFT_OVER, WITH_WILD = 0, 1, 2


class Question(NamedTuple):
    """A hand, and what is asked about it: the least deadwood after each of some discards, a draw and the best throw."""

    hand: Hand  # with the draw, while one is looked at
    discards: Integers  # cards, or NO_DISCARD; of the wild cards one
    sheet: Sheet  # the hand as the solver has it
    bounds: Integers  # (3, NUM_DISCARDS)
    least: Integers  # the answers, by discard, (NUM_DISCARDS,); before a look, what they cannot exceed


@compiled
def begin_with_bounds(draw: int, question: Question) -> None:
    """Write what the least deadwood cannot exceed after a draw; it is just that if the draw fits no natural card."""
    bounds, least = question.bounds, question.least
    points = card_points(draw, question.sheet.wild_rank, question.sheet.rules)
    is_natural = rank_of(draw) != question.sheet.wild_rank
    for discard in range(NUM_DISCARDS):
        least[discard] = min(bounds[THROWN, discard], bounds[LEFT_OVER, discard] + points)
        if is_natural:
            least[discard] = min(least[discard], bounds[WITH_WILD, discard])


@compiled
def write_bounds(board: int, question: Question) -> bool:
    """Write what can be done with any draw, but to throw it again; False: no list of choices of sets will do."""
    work, least, bounds = question.sheet.work, question.least, question.bounds
    # Whatever is discarded and thrown, a natural card must remain.
    if work[NUM_NATURAL] < 3 or not is_for_table(question.hand, question.sheet.wild_rank, question.sheet.rules, work):
        return False
    unused_wild_points = work[UNUSED_WILD_POINTS]
    is_listed = True
    for row in range(LEFT_OVER, WITH_WILD + 1):
        num_used = 2 * (row == WITH_WILD)
        if not is_listed or work[NUM_WILD] < num_used:
            continue
        for card in range(NUM_DISCARDS):
            least[card] = NO_BOUND
        work[NUM_WILD] -= num_used
        if row == WITH_WILD:
            work[UNUSED_WILD_POINTS] = 0  # the draw makes a meld that uses them
        is_listed = _look(board, question)
        work[UNUSED_WILD_POINTS] = unused_wild_points
        work[NUM_WILD] += num_used
        for card in range(NUM_DISCARDS):
            bounds[row, card] = least[card]
    return is_listed


@compiled
def write_least(draw: int, board: int, question: Question) -> bool:
    """Write what is less than the bounds after a draw; False: no list of choices of sets will do.

    The hand has the draw already, its board and the work array do not.
    """
    hand, sheet = question.hand, question.sheet
    work, rank = sheet.work, rank_of(draw)
    points = card_points(draw, sheet.wild_rank, sheet.rules)
    is_wild, is_twin, had_twins = rank == sheet.wild_rank, hand[draw] > 1, work[HAS_TWINS]
    if is_wild:
        work[NUM_WILD] += 1
    else:
        board |= 1 << draw
        work[rank] += is_twin
        work[HAS_TWINS] = had_twins or is_twin
        work[NUM_NATURAL] += 1
        work[NATURAL_POINTS] += points
    is_listed = is_for_table(hand, sheet.wild_rank, sheet.rules, work) and _look(board, question)
    if is_wild:
        work[NUM_WILD] -= 1
    else:
        work[rank] -= is_twin
        work[HAS_TWINS] = had_twins
        work[NUM_NATURAL] -= 1
        work[NATURAL_POINTS] -= points
    return is_listed


@compiled
def _look(board: int, question: Question) -> bool:
    """Write the least deadwood of a hand after each discard and the best throw, if it is less than what is written.

    False if the list of choices of sets is too long.
    """
    sheet, least = question.sheet, question.least
    natural = sheet.work[NATURAL_POINTS]
    more_than = natural - least[NO_DISCARD]
    for card in question.discards:
        if card != NO_DISCARD and rank_of(card) == sheet.wild_rank:
            more_than = min(more_than, natural - least[card])
        elif card != NO_DISCARD:
            more_than = min(more_than, natural - card_points(card, sheet.wild_rank, sheet.rules) - least[card])
    in_reach = in_reach_of_runs(board, sheet.work[NUM_WILD], sheet.rules.aces_high)
    if not list_choices(board, in_reach, more_than, sheet):
        return False
    _answer_each(board, question)
    return True


@compiled
def _answer_each(board: int, question: Question) -> None:
    """Do what `_look` says, the choices of sets listed."""
    hand, sheet, least = question.hand, question.sheet, question.least
    work, table = sheet.work, table_index(sheet.rules)
    whole = least_after_throw(board, least[NO_DISCARD], sheet)
    least[NO_DISCARD] = whole
    left, wild_left, sets = 0, 0, NO_SETS_KNOWN
    thrown = throw_of_best(whole, sheet)
    if thrown != NO_CARD:
        left, wild_left, sets = work[BEST_LEFT] & ~(1 << thrown), work[BEST_WILD_LEFT], work[BEST_SETS]
    saved = saved_by_runs(left, wild_left, table)
    for card in question.discards:
        if card == NO_DISCARD:
            continue
        rank, points = rank_of(card), card_points(card, sheet.wild_rank, sheet.rules)
        is_wild, is_twin = rank == sheet.wild_rank, hand[card] > 1
        rest = board if is_twin else board & ~(1 << card)  # the board has no wild cards
        if not is_wild:
            if least[card] <= whole - points:
                continue
            if is_twin:
                is_left_over = not sets >> rank & 1
            else:
                is_left_over = left >> card & 1 == 1 and saved_by_runs(left & rest, wild_left, table) == saved
            if is_left_over:
                least[card] = whole - points
                continue
        elif work[NUM_WILD] == 0:
            continue
        lost_points, lost_twins = 0 if is_wild else points, int(is_twin and not is_wild)
        work[NUM_WILD] -= is_wild
        work[NUM_NATURAL] -= not is_wild
        work[NATURAL_POINTS] -= lost_points
        work[rank] -= lost_twins
        least[card] = least_without(rest, card, least[card], sheet)
        work[NUM_WILD] += is_wild
        work[NUM_NATURAL] += not is_wild
        work[NATURAL_POINTS] += lost_points
        work[rank] += lost_twins


@compiled
def write_least_by_trying(question: Question) -> None:
    """Write the least deadwood of any hand after each discard and the best throw; most take a look of their own."""
    hand, least = question.hand, question.least
    wild_rank, rules = question.sheet.wild_rank, question.sheet.rules
    everything = np.ones(NUM_CARDS, np.int8)
    melds, spare = np.empty(MAX_MELDS, np.int64), np.empty(NUM_CARDS, np.int8)
    for index in range(-1, len(question.discards)):
        card = NO_DISCARD if index < 0 else question.discards[index]
        if card != NO_DISCARD:
            at_least = least[NO_DISCARD] - card_points(card, wild_rank, rules)
            if rank_of(card) != wild_rank and (least[card] <= at_least or spare[card] > 0):
                least[card] = at_least
                continue
            hand[card] -= 1
        thrown, least[card] = best_discard(hand, everything, wild_rank, rules)
        if card != NO_DISCARD:
            hand[card] += 1
        elif index < 0:
            hand[thrown] -= 1
            num_melds = search(hand, wild_rank, rules, least[NO_DISCARD] + 1, melds)[1]
            take_out_melds(hand, melds, num_melds, wild_rank, spare)
            hand[thrown] += 1
