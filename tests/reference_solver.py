"""The definitions of a set and of a run, and what they make of a hand: a slow solver, written from the rules alone.

It looks at every subset of a hand and asks whether it is a meld. It works on arrays of cards, so that it compiles and
can be run over millions of hands; `tests.reference` has it for any sequence of cards.

A *mask* is a subset of a hand: bit i is set if card i of the hand is in it, ``cards[i]``.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import ACE, JACK, KING, rank_of, suit_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import WILD_RANK_POINTS, Rules

Cards = npt.NDArray[np.int64]  # the cards of a hand in any order, (size,)
MeldTable = npt.NDArray[np.bool_]  # for every subset of a hand whether it is one meld, by mask, (2 ** size,)

SMALLEST_MELD = 3
LONGEST_RUN = 13
HIGH_ACE = KING + 1  # the position of an ace that follows the king
NONE = -1  # no rank and no suit: no natural card was met
UNREACHED = 1_000_000  # more points than any hand can cost


@compiled
def forms_set(cards: Cards, wild_rank: int, rules: Rules) -> bool:
    """Whether all the cards together are one set: three or more, the natural ones of one rank."""
    set_rank = NONE
    for card in cards:
        rank = rank_of(card)
        if rank == wild_rank:
            continue
        if set_rank == NONE:
            set_rank = rank
        if rank != set_rank:
            return False
    if set_rank == NONE and not rules.wild_only_melds:
        return False
    return len(cards) >= SMALLEST_MELD


@compiled
def forms_run(cards: Cards, wild_rank: int, rules: Rules) -> bool:
    """Whether all the cards together are one run: 3 to 13 of one suit that fit somewhere between ace and king.

    Where aces are high there is one more position after the king.
    """
    run_suit = NONE
    for card in cards:
        if rank_of(card) == wild_rank:
            continue
        if run_suit == NONE:
            run_suit = suit_of(card)
        if suit_of(card) != run_suit:
            return False
    if run_suit == NONE and not rules.wild_only_melds:
        return False
    if len(cards) < SMALLEST_MELD or len(cards) > LONGEST_RUN:
        return False
    last_position = HIGH_ACE if rules.aces_high else KING
    for first in range(ACE, last_position - len(cards) + 2):
        if fills_positions(cards, wild_rank, first):
            return True
    return False


@compiled
def fills_positions(cards: Cards, wild_rank: int, first: int) -> bool:
    """Whether cards of one suit fill as many consecutive positions as there are cards, from `first` on.

    Every natural card needs its own position among them, and the wild cards take those that stay empty. No 13
    positions hold both those of the ace, so it is low where the first position is the ace's, and high elsewhere.
    """
    filled = 0  # bit by position
    for card in cards:
        position = rank_of(card)
        if position == wild_rank:
            continue
        if position == ACE and first > ACE:
            position = HIGH_ACE
        if position < first or position >= first + len(cards) or filled & (1 << position):
            return False
        filled |= 1 << position
    return True


@compiled
def table_of_melds(cards: Cards, wild_rank: int, rules: Rules) -> MeldTable:
    """For every subset of a hand, by mask, whether it is one meld."""
    is_meld = np.zeros(1 << len(cards), np.bool_)
    chosen = np.zeros(len(cards), np.int64)
    for mask in range(len(is_meld)):
        num_chosen = 0
        for index in range(len(cards)):
            chosen[num_chosen] = cards[index]  # the next card takes its place unless it is counted
            num_chosen += (mask >> index) & 1  # a branch here would make the whole three times slower
        subset = chosen[:num_chosen]
        is_meld[mask] = forms_set(subset, wild_rank, rules) or forms_run(subset, wild_rank, rules)
    return is_meld


@compiled
def cover_exactly(is_meld: MeldTable, mask: int) -> bool:
    """Whether the cards of the mask part into melds with nothing left over.

    From all the cards of the mask on, whatever remains gives up every meld that holds its first card, until nothing
    remains.
    """
    can_remain = np.zeros(mask + 1, np.bool_)
    can_remain[mask] = True
    for remaining in range(mask, 0, -1):
        if not can_remain[remaining]:
            continue
        first_card = remaining & -remaining
        others = remaining ^ first_card
        some = others  # runs through every subset of the others, down to none of them
        while True:
            if is_meld[first_card | some]:
                can_remain[others ^ some] = True
            if some == 0:
                break
            some = (some - 1) & others
    return bool(can_remain[0])


@compiled
def leaves_nothing(cards: Cards, wild_rank: int, rules: Rules) -> bool:
    """Whether all the cards fit in melds; a card that costs nothing is still left over."""
    return cover_exactly(table_of_melds(cards, wild_rank, rules), (1 << len(cards)) - 1)


@compiled
def points_of(card: int, wild_rank: int, rules: Rules) -> int:
    """What a card costs that is left over."""
    rank = rank_of(card)
    if rank == wild_rank and rules.wild_points != WILD_RANK_POINTS:
        return rules.wild_points
    if rank == ACE:
        return 15 if rules.aces_high else 1
    if rank >= JACK and rules.court_cards_ten:
        return 10
    return rank


@compiled
def least_points(cards: Cards, wild_rank: int, rules: Rules) -> int:
    """The least points over every way to part the cards into melds and cards left over.

    `paid[remaining]` is the least that was paid for the cards that no longer remain. The first card that remains is
    left over and paid for, or goes into a meld with some of the others.
    """
    is_meld = table_of_melds(cards, wild_rank, rules)
    paid = np.full(len(is_meld), UNREACHED, np.int64)
    paid[-1] = 0
    for remaining in range(len(is_meld) - 1, 0, -1):
        if paid[remaining] == UNREACHED:
            continue
        index = 0
        while not remaining & (1 << index):
            index += 1
        first_card = 1 << index
        others = remaining ^ first_card
        paid[others] = min(paid[others], paid[remaining] + points_of(cards[index], wild_rank, rules))
        some = others  # runs through every subset of the others, down to none of them
        while True:
            if is_meld[first_card | some]:
                paid[others ^ some] = min(paid[others ^ some], paid[remaining])
            if some == 0:
                break
            some = (some - 1) & others
    return int(paid[0])
