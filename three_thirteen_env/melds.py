"""Sets and runs, and the best arrangement of a hand.

A *set* is three or more cards of one rank, a *run* three to thirteen cards of one suit in sequence; a wild card stands
for any card in either. `deadwood_points` says what the cards cost that are left over when the melds are chosen best,
`arrange` gives those melds, and `can_go_out` asks only whether nothing is left over. The search behind them is in
`three_thirteen_env.search`.
"""

from typing import Literal, NamedTuple

import numpy as np

from three_thirteen_env.cards import (
    ACE,
    KING,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    Hand,
    card_of,
    cards_of,
    hand_of,
    rank_of,
    suit_of,
)
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import DEALT_MORE, MAX_HAND, MIN_MELD, NUM_ROUNDS, Rules
from three_thirteen_env.search import (
    BITS,
    COUNT,
    HIGH_ACE,
    MAX_MELDS,
    NO_BOUND,
    SET,
    rank_at,
    search,
)
from three_thirteen_env.solver import least_deadwood, melds_completely


class Meld(NamedTuple):
    """One meld: the cards of the hand in it, and the card that each of them stands for (wild cards for another)."""

    kind: Literal["set", "run"]
    cards: tuple[int, ...]
    stands_for: tuple[int, ...]


class Arrangement(NamedTuple):
    """A hand laid out: together the melds and the deadwood are the hand; `points` is what the deadwood costs."""

    melds: tuple[Meld, ...]
    deadwood: tuple[int, ...]
    points: int


def deadwood_points(hand: Hand, wild_rank: int, rules: Rules = Rules()) -> int:
    """The points of the cards left over when a hand of 1 to 14 cards, ``(52,)`` counts, is arranged best.

    Raises ValueError for anything that is no hand, or a wild rank that no round has.

    >>> from three_thirteen_env.cards import hand
    >>> deadwood_points(hand("3h 4h 5h 6h 7h 6s 6d"), wild_rank=9)
    7
    """
    return int(least_deadwood(*_checked(hand, wild_rank), rules))


def arrange(hand: Hand, wild_rank: int, rules: Rules = Rules()) -> Arrangement:
    """The melds and the deadwood of a hand arranged best. Raises ValueError as `deadwood_points` does."""
    hand, wild_rank = _checked(hand, wild_rank)
    wild_cards = [card for card in cards_of(hand) if rank_of(card) == wild_rank]
    left = hand.copy()
    left[wild_cards] = 0
    melds, points = _best_melds(hand, left, wild_cards, wild_rank, rules)
    while melds and wild_cards:
        melds = _attach(wild_cards.pop(), melds, wild_rank)
    return Arrangement(tuple(melds), tuple(sorted(cards_of(left) + wild_cards)), points)


def can_go_out(hand: Hand, wild_rank: int, rules: Rules = Rules()) -> bool:
    """Whether all cards of a hand fit in melds (a card left over that costs nothing is still left over).

    Raises ValueError as `deadwood_points` does.
    """
    return bool(melds_completely(*_checked(hand, wild_rank), rules))


@compiled
def is_set(hand: Hand, wild_rank: int, rules: Rules) -> bool:
    """Whether all cards of a hand together are one set."""
    rank = 0
    for card in range(NUM_CARDS):
        if hand[card] > 0 and rank_of(card) != wild_rank:
            if rank != 0 and rank_of(card) != rank:
                return False
            rank = rank_of(card)
    return hand.sum() >= MIN_MELD and (rank != 0 or rules.wild_only_melds)


@compiled
def is_run(hand: Hand, wild_rank: int, rules: Rules) -> bool:
    """Whether all cards of a hand together are one run, wild cards in any place."""
    size = hand.sum()
    suit, has_ace, lowest, highest = -1, False, HIGH_ACE, 0  # the lowest and highest of the natural cards but for aces
    for card in range(NUM_CARDS):
        if hand[card] == 0 or rank_of(card) == wild_rank:
            continue
        if hand[card] > 1 or (suit != -1 and suit_of(card) != suit):
            return False
        suit = suit_of(card)
        if rank_of(card) == ACE:
            has_ace = True
        else:
            lowest, highest = min(lowest, rank_of(card)), max(highest, rank_of(card))
    if not MIN_MELD <= size <= NUM_RANKS:
        return False
    if suit == -1:
        return rules.wild_only_melds
    if not has_ace:
        return highest - lowest < size
    return highest - ACE < size or (rules.aces_high and HIGH_ACE - lowest < size)


def _best_melds(hand: Hand, left: Hand, wild_cards: list[int], wild_rank: int, rules: Rules) -> tuple[list[Meld], int]:
    """The melds of a hand, and the points of the rest. Takes their cards from the natural cards left and the wild."""
    num_natural, num_wild = int(left.sum()), len(wild_cards)
    if num_natural == 0 and num_wild >= MIN_MELD and rules.wild_only_melds:
        melds = [Meld("set", tuple(wild_cards), tuple(wild_cards))]
        wild_cards.clear()
        return melds, 0
    if 0 < 2 * num_natural <= num_wild:  # a set for each, so that any number of wild cards can be attached
        alone = [SET | rank_of(card) << 4 | 1 << 8 + 4 * suit_of(card) for card in cards_of(left)]
        return [_lay_down(meld, left, wild_cards) for meld in alone], 0
    found = np.zeros(MAX_MELDS, np.int64)
    points, num_melds = search(hand, wild_rank, rules, NO_BOUND, found)
    return [_lay_down(int(meld), left, wild_cards) for meld in found[:num_melds]], int(points)


def _lay_down(found: int, left: Hand, wild_cards: list[int]) -> Meld:
    """The meld that the search found, its cards taken from the natural cards left and from the wild ones."""
    kind, which, *rest = (found >> shift & COUNT for shift in range(0, 24, BITS))
    if kind == SET:
        cards = [card_of(suit, which) for suit in range(NUM_SUITS) for _ in range(rest[suit])]
        spare = [card_of(suit, which) for suit in range(NUM_SUITS) if rest[suit] == 0]
        num_wild = max(0, MIN_MELD - len(cards))
        stands_for = cards + spare[:num_wild]
        left[:] -= hand_of(cards)
        cards += [wild_cards.pop() for _ in range(num_wild)]
        return Meld("set", tuple(cards), tuple(stands_for))
    stands_for = [card_of(which, rank_at(position)) for position in range(rest[0], rest[1] + 1)]
    natural = [card for card in stands_for if left[card] > 0]
    cards = [card if card in natural else wild_cards.pop() for card in stands_for]
    left[natural] -= 1
    run = Meld("run", tuple(cards), tuple(stands_for))
    return run if len(cards) >= MIN_MELD else _grow_run(run, wild_cards.pop())


def _attach(wild_card: int, melds: list[Meld], wild_rank: int) -> list[Meld]:
    """The melds with one more wild card in them."""
    for index, meld in enumerate(melds):
        if meld.kind == "set":
            cards, stands_for = (*meld.cards, wild_card), (*meld.stands_for, meld.stands_for[0])
            return [*melds[:index], Meld("set", cards, stands_for), *melds[index + 1 :]]
        if len(meld.cards) < NUM_RANKS:
            return [*melds[:index], _grow_run(meld, wild_card), *melds[index + 1 :]]
    # A run of thirteen cards is all there is. Its first cards, one natural among them, and the rest are two runs.
    cards, stands_for = melds[0].cards, melds[0].stands_for
    first_natural = next(index for index, card in enumerate(cards) if rank_of(card) != wild_rank)
    end = max(MIN_MELD, first_natural + 1)
    low, high = Meld("run", cards[:end], stands_for[:end]), Meld("run", cards[end:], stands_for[end:])
    return [_grow_run(low, wild_card), high]


def _grow_run(run: Meld, wild_card: int) -> Meld:
    """A run of fewer than thirteen cards with a wild card above it, or else below."""
    if rank_of(run.stands_for[-1]) not in (ACE, KING):
        return Meld("run", (*run.cards, wild_card), (*run.stands_for, run.stands_for[-1] + 1))
    return Meld("run", (wild_card, *run.cards), (run.stands_for[0] - 1, *run.stands_for))


def _checked(hand: Hand, wild_rank: int) -> tuple[Hand, int]:
    counts = np.asarray(hand)
    if counts.shape != (NUM_CARDS,) or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise ValueError(f"a hand is {NUM_CARDS} counts of 0 or more (see cards.hand), not {hand!r}")
    if not 1 <= counts.sum() <= MAX_HAND:
        raise ValueError(f"a hand has 1 to {MAX_HAND} cards, not {counts.sum()}")
    lowest, highest = 1 + DEALT_MORE, NUM_ROUNDS + DEALT_MORE
    if wild_rank not in range(lowest, highest + 1):
        raise ValueError(f"the wild rank is a number from {lowest} to {highest}, not {wild_rank!r}")
    return counts.astype(np.int8), int(wild_rank)
