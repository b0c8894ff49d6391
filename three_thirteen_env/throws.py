"""The least deadwood after the best card is thrown, of a hand and of the same hand without one of its cards: compiled.

An arrangement that leaves natural cards over throws the dearest of them, so melds and throw are chosen together:
`THROW_POINTS` has for every choice of cards of a suit what its runs save and one thrown card costs. Only where no
natural card is left over must a meld be broken or a wild card thrown, and only there every card is tried.

The choices of sets are listed once for a hand. Without one of its cards they are the same, but that a set of which it
was does with one card less, or with a wild card for it, or is no set if only two natural cards remain.

Every function here trusts its caller.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import ACE, KING, NUM_CARDS, NUM_RANKS, NUM_SUITS, card_of, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import MIN_MELD, Rules
from three_thirteen_env.run_table import LANE, LANE_BITS, MAX_TABLE_WILD, RANK_POINTS, RUN_POINTS, table_index
from three_thirteen_env.search import NO_BOUND
from three_thirteen_env.solver import (
    ACES,
    BEST_LEFT,
    BEST_SAVED,
    BEST_SETS,
    BEST_WILD_LEFT,
    CHOICE_SIZE,
    CHOICES,
    DECIDED,
    HAS_TWINS,
    LEFT,
    NATURAL_POINTS,
    NUM_WILD,
    SAVED,
    SETS,
    SUIT,
    WILD_LEFT,
    Integers,
    choose_sets,
    decide_next_rank,
    list_candidates,
    num_of_rank,
    push_choice,
    saved_by_rows,
    saved_by_runs,
)
from three_thirteen_env.state import NO_CARD

# A listed choice of sets is a row as on the stack of the solver, but that its last number is the most that it keeps:
# that it saves with its runs, and that its thrown card costs. The list falls, and a row that keeps nothing ends it.
KEPT = DECIDED
MAX_CHOICES = 512
ALL_MELDED = NO_BOUND  # in the place of what a choice keeps: it leaves no natural card over

# Of the work array, where `discards` would keep what it knows of the whole hand: what each wild card costs in a hand
# that makes no meld.
UNUSED_WILD_POINTS = 22
NO_SETS_KNOWN = -1  # in the place of the best choice's sets


class Sheet(NamedTuple):
    """What a hand is worked out on."""

    work: Integers  # as in the solver
    choices: Integers  # the list of choices, (MAX_CHOICES + 1, CHOICE_SIZE)
    wild_rank: int
    rules: Rules


def _throw_points() -> npt.NDArray[np.int64]:
    masks = np.arange(2**NUM_RANKS)
    lanes = LANE_BITS * np.arange(MAX_TABLE_WILD + 1)
    saved = RUN_POINTS[:, :, None] >> lanes & LANE
    most = np.zeros_like(saved)
    for rank in range(ACE, KING + 1):
        held = masks[masks >> rank - 1 & 1 == 1]
        points = RANK_POINTS[:, rank][:, None, None]
        most[:, held] = np.maximum(most[:, held], saved[:, held ^ 1 << rank - 1] + points)
    table: npt.NDArray[np.int64] = (most << lanes).sum(axis=-1)
    return table


# What runs save and one thrown card of theirs costs: as `RUN_POINTS`, (4, 8192) int64; 0 where there is no card.
THROW_POINTS = _throw_points()


@compiled
def list_choices(board: int, in_reach: int, more_than: int, sheet: Sheet) -> bool:
    """List the choices of sets that keep more than so many points; False if they are too many."""
    work, choices, table = sheet.work, sheet.choices, table_index(sheet.rules)
    dearest = _dearest(board, table)
    num_candidates, num_choices = list_candidates(board, work), 0
    top = push_choice(work, CHOICES, board, work[NUM_WILD], 0, 0, 0)
    while top > CHOICES:
        top -= CHOICE_SIZE
        if work[top + DECIDED] < num_candidates:
            top = decide_next_rank(work, top, in_reach, table)
            continue
        left, wild_left, saved = work[top + LEFT], work[top + WILD_LEFT], work[top + SAVED]
        sets = work[top + SETS]
        kept = _kept(left, wild_left, saved, sets, work, table, dearest, more_than)
        if kept > more_than:
            if num_choices == MAX_CHOICES:
                return False
            place = num_choices
            while place > 0 and choices[place - 1, KEPT] < kept:
                for column in range(CHOICE_SIZE):
                    choices[place, column] = choices[place - 1, column]
                place -= 1
            choices[place, LEFT], choices[place, WILD_LEFT], choices[place, SAVED] = left, wild_left, saved
            choices[place, SETS], choices[place, KEPT] = sets, kept
            num_choices += 1
    choices[num_choices, KEPT] = -NO_BOUND
    return True


@compiled
def least_after_throw(board: int, at_most: int, sheet: Sheet) -> int:
    """The least deadwood of a hand after the best throw, or `at_most` if that is less. Writes the best choice."""
    work, choice = sheet.work, sheet.choices[0]
    kept = choice[KEPT]
    work[BEST_SETS] = NO_SETS_KNOWN
    if work[NATURAL_POINTS] - kept >= at_most:
        return at_most
    if kept == ALL_MELDED or _may_make_no_meld(board, kept, sheet):
        return min(at_most, _least_by_trying(board, sheet))
    work[BEST_LEFT], work[BEST_WILD_LEFT] = choice[LEFT], choice[WILD_LEFT]
    work[BEST_SETS], work[BEST_SAVED] = choice[SETS], choice[SAVED]
    return work[NATURAL_POINTS] - kept


@compiled
def least_without(board: int, lost: int, at_most: int, sheet: Sheet) -> int:
    """The same of a hand that has lost a card since its choices were listed; writes no best choice.

    The board and the work array are without the card, the list is not.
    """
    work, choices, table = sheet.work, sheet.choices, table_index(sheet.rules)
    natural, dearest = work[NATURAL_POINTS], _dearest(board, table)
    at_first = most = natural - at_most
    is_to_try = False
    rank = rank_of(lost)
    points = RANK_POINTS[table, rank]
    index = 0
    while choices[index, KEPT] > most and not is_to_try:
        left, wild_left, saved = choices[index, LEFT], choices[index, WILD_LEFT], choices[index, SAVED]
        sets, num_ways = choices[index, SETS], 1
        if rank == sheet.wild_rank:
            wild_left -= 1
        elif not _is_in_set(lost, left, sets, board):
            left &= board
        else:
            size = work[rank] + num_of_rank(board & ~left, rank)
            saved -= points
            wild_left -= size < MIN_MELD
            num_ways += size == MIN_MELD - 1
            num_ways *= choices[index, KEPT] - points > most
        for way in range(num_ways):
            if way == 1:  # the two others of the set go back
                saved -= 2 * points
                wild_left += 1
                sets ^= 1 << rank
                left |= board & ACES << rank - 1
            if wild_left >= 0:
                kept = _kept(left, wild_left, saved, sets, work, table, dearest, most)
                is_to_try = is_to_try or kept == ALL_MELDED
                most = max(most, kept)
        index += 1
    if is_to_try or (most > at_first and _may_make_no_meld(board, most, sheet)):
        return min(at_most, _least_by_trying(board, sheet))
    return natural - most


@compiled
def _may_make_no_meld(board: int, kept: int, sheet: Sheet) -> bool:
    """Whether what is kept may be the thrown card alone, and what is left makes no meld: so wild cards cost something.

    Two wild cards make a meld with any natural card.
    """
    work = sheet.work
    if work[NUM_WILD] != 1 or work[UNUSED_WILD_POINTS] == 0:
        return False
    return kept <= _dearest(board, table_index(sheet.rules))


@compiled
def _is_in_set(lost: int, left: int, sets: int, board: int) -> bool:
    """Whether a choice of sets has a card that is lost, or a twin of it."""
    is_twin = board >> lost & 1
    return bool(sets >> rank_of(lost) & 1) if is_twin else not left >> lost & 1


@compiled
def _kept(
    left: int, wild_left: int, saved: int, sets: int, work: Integers, table: int, dearest: int, more_than: int
) -> int:
    """What a choice of sets saves with its runs, and its thrown card costs; ALL_MELDED: no natural card is left over.

    `more_than` if it is no more than that.
    """
    clubs, diamonds = left & SUIT, left >> NUM_RANKS & SUIT
    hearts, spades = left >> 2 * NUM_RANKS & SUIT, left >> 3 * NUM_RANKS & SUIT
    of_clubs, of_diamonds = RUN_POINTS[table, clubs], RUN_POINTS[table, diamonds]
    of_hearts, of_spades = RUN_POINTS[table, hearts], RUN_POINTS[table, spades]
    total = saved + saved_by_rows(of_clubs, of_diamonds, of_hearts, of_spades, wild_left)
    if total == work[NATURAL_POINTS]:
        return ALL_MELDED
    if total + dearest <= more_than:
        return more_than
    most = total  # some natural card is left over and can be thrown, so that it will be more
    if clubs:
        row = THROW_POINTS[table, clubs]
        most = max(most, saved + saved_by_rows(row, of_diamonds, of_hearts, of_spades, wild_left))
    if diamonds and most < total + dearest:
        row = THROW_POINTS[table, diamonds]
        most = max(most, saved + saved_by_rows(of_clubs, row, of_hearts, of_spades, wild_left))
    if hearts and most < total + dearest:
        row = THROW_POINTS[table, hearts]
        most = max(most, saved + saved_by_rows(of_clubs, of_diamonds, row, of_spades, wild_left))
    if spades and most < total + dearest:
        row = THROW_POINTS[table, spades]
        most = max(most, saved + saved_by_rows(of_clubs, of_diamonds, of_hearts, row, wild_left))
    if work[HAS_TWINS]:
        for rank in range(ACE, KING + 1):
            if work[rank] > 0 and not sets >> rank & 1:
                most = max(most, total + RANK_POINTS[table, rank])
    return most


@compiled
def _dearest(board: int, table: int) -> int:
    """What the dearest card of a board costs."""
    ranks = (board | board >> NUM_RANKS | board >> 2 * NUM_RANKS | board >> 3 * NUM_RANKS) & SUIT
    rank = KING
    while rank > ACE and not ranks >> rank - 1 & 1:
        rank -= 1
    return max(RANK_POINTS[table, rank], RANK_POINTS[table, ACE] * (ranks & 1))


@compiled
def throw_of_best(least: int, sheet: Sheet) -> int:
    """The card that the best choice throws, which leaves so much deadwood; NO_CARD: a twin, or no choice is known."""
    work, table = sheet.work, table_index(sheet.rules)
    left, wild_left = work[BEST_LEFT], work[BEST_WILD_LEFT]
    if work[BEST_SETS] == NO_SETS_KNOWN:
        return NO_CARD
    kept = work[NATURAL_POINTS] - least - work[BEST_SAVED]
    for rank in range(KING, ACE - 1, -1):
        if left & ACES << rank - 1:
            for suit in range(NUM_SUITS):
                card = card_of(suit, rank)
                rest = left & ~(1 << card)
                if rest != left and RANK_POINTS[table, rank] + saved_by_runs(rest, wild_left, table) == kept:
                    return card
    return NO_CARD


@compiled
def _least_by_trying(board: int, sheet: Sheet) -> int:
    """The least deadwood after the best throw, by trying every card. Leaves no best choice known."""
    work, table = sheet.work, table_index(sheet.rules)
    least = NO_BOUND
    for place in range(
        NUM_CARDS + NUM_RANKS - 1, -1, -1
    ):  # a twin of each rank, or a wild card; the cards of the board
        rank, is_spare = rank_of(place), place >= NUM_CARDS
        is_wild = rank == sheet.wild_rank
        num_held = board >> place & 1
        if is_spare:
            num_held = work[NUM_WILD] if is_wild else work[rank]
        if num_held == 0 or least == 0:
            continue
        points = 0 if is_wild else RANK_POINTS[table, rank]
        work[NUM_WILD] -= is_wild
        work[rank] -= is_spare and not is_wild
        work[NATURAL_POINTS] -= points
        least = min(least, _deadwood(board if is_spare else board ^ 1 << place, sheet))
        work[NATURAL_POINTS] += points
        work[rank] += is_spare and not is_wild
        work[NUM_WILD] += is_wild
    work[BEST_SETS] = NO_SETS_KNOWN
    return least


@compiled
def _deadwood(board: int, sheet: Sheet) -> int:
    """The least deadwood of a hand."""
    work = sheet.work
    work[BEST_SAVED] = 0
    choose_sets(board, work, table_index(sheet.rules), sheet.rules.aces_high)
    if work[BEST_SAVED] > 0:
        return work[NATURAL_POINTS] - work[BEST_SAVED]
    return work[NATURAL_POINTS] + work[NUM_WILD] * work[UNUSED_WILD_POINTS]
