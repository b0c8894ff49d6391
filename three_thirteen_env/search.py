"""The least deadwood of a hand, exactly: a search over its melds, compiled.

The search takes the natural cards (those that are not wild) in ascending order. The first one left is thrown away, or
melded in every way that it can be, each with as few wild cards as will do; what costs no less than the best arrangement
so far is dropped. Four facts keep it short, and all were held against a search over every subset of the hand:

- a run never needs a wild card where a natural card of its own is free;
- a meld needs a natural card, unless the hand has none;
- wild cards left over attach to any meld, so at most the hand without a meld pays for them;
- a run with one natural card costs as many wild cards as a set with it, so it need not be tried.

Every function here trusts its caller; `three_thirteen_env.melds` has those that check.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import ACE, KING, NUM_CARDS, NUM_SUITS, Hand, card_of, rank_of, suit_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import MAX_HAND, MIN_MELD, Rules, card_points

HIGH_ACE = KING + 1  # the position of an ace above the king
NO_BOUND = 10_000  # points, more than any hand can cost

# The search holds a suit as one integer, four bits for the count of every rank: `suit >> BITS * rank & COUNT`.
# A meld that it found is one integer too, four bits each, lowest first: RUN, suit, lowest and highest position; or
# SET, rank, and how many natural cards of clubs, diamonds, hearts and spades.
BITS = 4
COUNT = 15
RUN, SET = 0, 1
MAX_MELDS = (MAX_HAND + 1) // MIN_MELD

# The search keeps arrangements begun on a stack, a row of integers each: the natural cards of the four suits that are
# not decided yet, the wild cards left, the points thrown away, how many melds there are and the last of them.
WILD, POINTS, NUM_MELDS, LAST_MELD, ROW_WIDTH = 4, 5, 6, 7, 8
STACK_SIZE = 1500  # it never grows so high: about 1,000 for fourteen cards of one rank from four packs

Integers = npt.NDArray[np.int64]


@compiled
def search(hand: Hand, wild_rank: int, rules: Rules, bound: int, best_melds: Integers) -> tuple[int, int]:
    """The least deadwood of a hand if it is less than a bound, otherwise the bound.

    Writes the melds that reach it into `best_melds`, ``(MAX_MELDS,) int64``, without the wild cards that they could do
    without. Returns the points and the number of melds.
    """
    # A function that calls itself would read better, but does not load from Numba's cache.
    stack = np.empty((STACK_SIZE, ROW_WIDTH), np.int64)
    melds = np.empty(MAX_MELDS, np.int64)
    _begin(hand, wild_rank, stack[0])
    wild_cost = card_points(wild_rank - 1, wild_rank, rules)
    best, best_num_melds, top = int(bound), 0, 1
    while top > 0:
        top -= 1
        row = stack[top]
        points, num_melds = row[POINTS], row[NUM_MELDS]
        if points >= best:
            continue
        if num_melds > 0:
            melds[num_melds - 1] = row[LAST_MELD]
        suit = 0
        while suit < NUM_SUITS and row[suit] == 0:
            suit += 1
        if suit < NUM_SUITS:
            top = _push_choices(stack, top, suit, wild_rank, rules, best)
            continue
        if num_melds == 0 and not (row[WILD] >= MIN_MELD and rules.wild_only_melds):
            points += row[WILD] * wild_cost
        if points < best:
            best, best_num_melds = points, num_melds
            for index in range(num_melds):
                best_melds[index] = melds[index]
    return best, best_num_melds


@compiled
def take_out_melds(hand: Hand, melds: Integers, num_melds: int, wild_rank: int, left: Hand) -> None:
    """Write the natural cards of a hand, ``(52,)`` counts, that the melds of its search leave over."""
    for card in range(NUM_CARDS):
        left[card] = 0 if rank_of(card) == wild_rank else hand[card]
    for index in range(num_melds):
        kind, which = melds[index] & COUNT, int(melds[index]) >> BITS & COUNT
        if kind == SET:
            for suit in range(NUM_SUITS):
                left[card_of(suit, which)] -= int(melds[index]) >> BITS * (2 + suit) & COUNT
        else:
            lowest, highest = int(melds[index]) >> 2 * BITS & COUNT, int(melds[index]) >> 3 * BITS & COUNT
            for position in range(lowest, highest + 1):
                if left[card_of(which, rank_at(position))] > 0:
                    left[card_of(which, rank_at(position))] -= 1


@compiled
def _begin(hand: Hand, wild_rank: int, row: Integers) -> None:
    """Write the arrangement of a hand in which nothing is decided yet."""
    for column in range(ROW_WIDTH):
        row[column] = 0
    for card in range(NUM_CARDS):
        if hand[card] > 0:
            if rank_of(card) == wild_rank:
                row[WILD] += hand[card]
            else:
                row[suit_of(card)] |= np.int64(hand[card]) << BITS * rank_of(card)


@compiled
def _push_choices(stack: Integers, top: int, suit: int, wild_rank: int, rules: Rules, best: int) -> int:
    """Replace the row at the top by all that can be done with its first card; gives the new top of the stack.

    The card is thrown away, or in a set, or in a run with other natural cards. Its suit is the first not empty, and
    within it the ace comes first, so that a run below a high ace is found when the ace is.
    """
    row = stack[top].copy()
    rank = ACE
    while row[suit] >> BITS * rank & COUNT == 0:
        rank += 1
    points = row[POINTS] + card_points(card_of(suit, rank), wild_rank, rules)
    if points < best:
        _push(stack, top, row)
        stack[top, suit] -= 1 << BITS * rank
        stack[top, POINTS] = points
        top += 1
    top = _push_sets(stack, top, row, suit, rank)
    for highest in range(rank + 1, KING + 1):
        if row[suit] >> BITS * highest & COUNT > 0:
            top = _push_run(stack, top, row, suit, rank, highest)
    if rank == ACE and rules.aces_high:
        for lowest in range(ACE + 1, KING + 1):
            if row[suit] >> BITS * lowest & COUNT > 0:
                top = _push_run(stack, top, row, suit, lowest, HIGH_ACE)
    return top


@compiled
def _push(stack: Integers, top: int, row: Integers) -> None:
    """Write a copy of a row at the top of the stack."""
    for column in range(ROW_WIDTH):
        stack[top, column] = row[column]


@compiled
def _push_sets(stack: Integers, top: int, row: Integers, suit: int, rank: int) -> int:
    """Push every set that the first card can be in: some of every suit that is left, wild cards for the rest."""
    held = np.zeros(NUM_SUITS, np.int64)
    for other in range(suit, NUM_SUITS):
        held[other] = row[other] >> BITS * rank & COUNT
    for clubs in range(suit == 0, held[0] + 1):
        for diamonds in range(suit == 1, held[1] + 1):
            for hearts in range(suit == 2, held[2] + 1):
                for spades in range(suit == 3, held[3] + 1):
                    num_wild = max(0, MIN_MELD - (clubs + diamonds + hearts + spades))
                    if num_wild > row[WILD]:
                        continue
                    _push(stack, top, row)
                    stack[top, 0] -= clubs << BITS * rank
                    stack[top, 1] -= diamonds << BITS * rank
                    stack[top, 2] -= hearts << BITS * rank
                    stack[top, 3] -= spades << BITS * rank
                    stack[top, WILD] -= num_wild
                    stack[top, NUM_MELDS] += 1
                    stack[top, LAST_MELD] = SET | rank << 4 | clubs << 8 | diamonds << 12 | hearts << 16 | spades << 20
                    top += 1
    return top


@compiled
def _push_run(stack: Integers, top: int, row: Integers, suit: int, lowest: int, highest: int) -> int:
    """Push the run from one position to another, unless it takes more wild cards than there are."""
    num_wild = max(0, MIN_MELD - (highest - lowest + 1))
    cards = row[suit]
    for position in range(lowest, highest + 1):
        shift = BITS * rank_at(position)
        if cards >> shift & COUNT > 0:
            cards -= 1 << shift
        else:
            num_wild += 1
    if num_wild > row[WILD]:
        return top
    _push(stack, top, row)
    stack[top, suit] = cards
    stack[top, WILD] -= num_wild
    stack[top, NUM_MELDS] += 1
    stack[top, LAST_MELD] = RUN | suit << 4 | lowest << 8 | highest << 12
    return top + 1


@compiled
def rank_at(position: int) -> int:
    """The rank at a position of a run: 1 to 13, and the ace again at 14."""
    return ACE if position == HIGH_ACE else position
