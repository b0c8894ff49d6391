"""The least deadwood of a hand, exactly and fast, compiled. `three_thirteen_env.search` is its plain twin.

A hand is held as a board: 52 bits, bit c for card c, without the wild cards and without twins; the twins of a rank are
counted apart. What is left to decide is which ranks make a set, and of which cards; the runs of what remains in each
suit are read from `run_table.RUN_POINTS`. Three facts keep that short:

- a twin that no second run can use is free for the set of its rank;
- a card that no run can use is always in the set of its rank, if there is one;
- a single card that takes two wild cards is a run to the table, so sets need two natural cards.

Hands beyond the table, those with two runs through the same rank of a suit or with very many wild cards, go to the
plain search. Every function here trusts its caller; `three_thirteen_env.melds` has those that check.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import ACE, NUM_CARDS, NUM_RANKS, NUM_SUITS, Hand, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import MIN_MELD, Rules, card_points
from three_thirteen_env.run_table import LANE, LANE_BITS, MAX_TABLE_WILD, RUN_POINTS
from three_thirteen_env.search import MAX_MELDS, NO_BOUND, search

SUIT = (1 << NUM_RANKS) - 1  # the bits of one suit
ACES = 1 | 1 << NUM_RANKS | 1 << 2 * NUM_RANKS | 1 << 3 * NUM_RANKS  # the aces; << rank - 1 for another rank
MAX_BRANCHES = 512  # of the stack below; about 120 for fourteen cards whose ranks all may make a set

# What is known of a hand but for its board: an array with the twins of each rank (1 to 13) and what follows.
NUM_WILD, NUM_NATURAL, NATURAL_POINTS, HAS_TWINS, NUM_FACTS = 14, 15, 16, 17, 18
# What the best choice of sets leaves: the board, the wild cards, the points that sets and runs save, and a bit for
# every rank (1 to 13) that made a set.
LEFT, WILD_LEFT, SAVED, SETS, NUM_CHOICES = 0, 1, 2, 3, 4
DECIDED = 4  # and in the stack of choices begun, how many ranks are decided

Integers = npt.NDArray[np.int64]


@compiled
def least_deadwood(hand: Hand, wild_rank: int, rules: Rules) -> int:
    """The points of the deadwood of a hand of 1 to 14 cards arranged best."""
    facts = np.zeros(NUM_FACTS, np.int64)
    board = _board_of(hand, wild_rank, rules, facts)
    if not _is_for_table(hand, wild_rank, rules, facts):
        return _beyond_table(hand, wild_rank, rules, facts)
    return _deadwood(board, facts, wild_rank, rules, np.empty(NUM_CHOICES, np.int64))


@compiled
def melds_completely(hand: Hand, wild_rank: int, rules: Rules) -> bool:
    """Whether all cards of a hand fit in melds."""
    num_natural, num_wild = 0, 0
    for card in range(NUM_CARDS):
        if rank_of(card) == wild_rank:
            num_wild += hand[card]
        else:
            num_natural += hand[card]
    if num_natural == 0:
        return num_wild >= MIN_MELD and rules.wild_only_melds
    # A natural card always costs something, and wild cards attach to the melds of the natural ones.
    return num_natural + num_wild >= MIN_MELD and least_deadwood(hand, wild_rank, rules) == 0


@compiled
def deadwood_after_discards(hand: Hand, wild_rank: int, rules: Rules, points: npt.NDArray[np.int16]) -> None:
    """Write the least deadwood after each possible discard, ``(52,) int16``; -1: no such card."""
    facts = np.zeros(NUM_FACTS, np.int64)
    board = _board_of(hand, wild_rank, rules, facts)
    points[:] = -1
    if _is_for_table(hand, wild_rank, rules, facts) and facts[NUM_NATURAL] > 1:
        _deadwood_after_each(hand, board, facts, wild_rank, rules, points)
        return
    rest = hand.copy()
    for card in range(NUM_CARDS):
        if hand[card] > 0:
            rest[card] -= 1
            points[card] = least_deadwood(rest, wild_rank, rules)
            rest[card] += 1


@compiled
def _deadwood_after_each(
    hand: Hand, board: int, facts: Integers, wild_rank: int, rules: Rules, points: npt.NDArray[np.int16]
) -> None:
    """The same for a hand that is for the table: only a card that serves a meld takes another look."""
    choice = np.empty(NUM_CHOICES, np.int64)
    whole = _deadwood(board, facts, wild_rank, rules, choice)
    left, wild_left, sets = choice[LEFT], choice[WILD_LEFT], choice[SETS]
    table = _table_of(rules)
    saved_by_runs = _saved_by_runs(left, wild_left, table)
    after_wild = -1
    for card in range(NUM_CARDS):
        if hand[card] == 0:
            continue
        rank, bit, is_twin = rank_of(card), 1 << card, hand[card] > 1
        if rank == wild_rank:
            if after_wild < 0:
                facts[NUM_WILD] -= 1
                after_wild = _deadwood(board, facts, wild_rank, rules, choice)
                facts[NUM_WILD] += 1
            points[card] = after_wild
            continue
        cost = card_points(card, wild_rank, rules)
        if is_twin:
            is_needed = sets >> rank & 1 == 1
        else:
            is_needed = left & bit == 0 or _saved_by_runs(left & ~bit, wild_left, table) < saved_by_runs
        if not is_needed:
            points[card] = whole - cost
            continue
        facts[NUM_NATURAL] -= 1
        facts[NATURAL_POINTS] -= cost
        facts[rank] -= is_twin
        points[card] = _deadwood(board if is_twin else board & ~bit, facts, wild_rank, rules, choice)
        facts[rank] += is_twin
        facts[NATURAL_POINTS] += cost
        facts[NUM_NATURAL] += 1


@compiled
def _table_of(rules: Rules) -> Integers:
    return RUN_POINTS[2 * rules.aces_high + rules.court_cards_ten]


@compiled
def _board_of(hand: Hand, wild_rank: int, rules: Rules, facts: Integers) -> int:
    """The board of a hand; writes the facts, which are zeros."""
    board = 0
    for card in range(NUM_CARDS):
        count = int(hand[card])
        if count == 0:
            continue
        rank = rank_of(card)
        if rank == wild_rank:
            facts[NUM_WILD] += count
            continue
        board |= 1 << card
        facts[NUM_NATURAL] += count
        facts[NATURAL_POINTS] += count * card_points(card, wild_rank, rules)
        if count > 1:
            facts[rank] += count - 1
            facts[HAS_TWINS] = 1
    return board


@compiled
def _is_for_table(hand: Hand, wild_rank: int, rules: Rules, facts: Integers) -> bool:
    """Whether a hand has natural cards, and no more wild cards and twins than the table can deal with."""
    if facts[NUM_NATURAL] == 0 or facts[NUM_WILD] > MAX_TABLE_WILD:
        return False
    return facts[HAS_TWINS] == 0 or not _may_run_twice(hand, wild_rank, facts[NUM_WILD], rules.aces_high)


@compiled
def _beyond_table(hand: Hand, wild_rank: int, rules: Rules, facts: Integers) -> int:
    """The least deadwood of a hand that is not for the table."""
    if 0 < 2 * facts[NUM_NATURAL] <= facts[NUM_WILD]:
        return 0
    return search(hand, wild_rank, rules, NO_BOUND, np.empty(MAX_MELDS, np.int64))[0]


@compiled
def _may_run_twice(hand: Hand, wild_rank: int, num_wild: int, aces_high: bool) -> bool:
    """Whether two runs may use two cards of one face: that takes four cards more within two ranks of it."""
    for card in range(NUM_CARDS):
        if hand[card] < 2 or rank_of(card) == wild_rank:
            continue
        near = num_wild
        ace = card - rank_of(card) + ACE
        for other in range(ace, ace + NUM_RANKS):
            distance = abs(other - card)
            if aces_high and (other == ace or card == ace):
                distance = min(distance, NUM_RANKS - distance)
            if 0 < distance < MIN_MELD and rank_of(other) != wild_rank:
                near += min(2, hand[other])
        if near >= 2 * (MIN_MELD - 1):
            return True
    return False


@compiled
def _deadwood(board: int, facts: Integers, wild_rank: int, rules: Rules, choice: Integers) -> int:
    """The least deadwood of a hand that is for the table; writes the choice of sets that leads to it."""
    num_wild = facts[NUM_WILD]
    choice[LEFT], choice[WILD_LEFT], choice[SAVED], choice[SETS] = board, num_wild, 0, 0
    if facts[NUM_NATURAL] + num_wild >= MIN_MELD:
        _choose_sets(board, facts, wild_rank, rules, choice)
    if choice[SAVED] == 0:
        return facts[NATURAL_POINTS] + num_wild * card_points(wild_rank - 1, wild_rank, rules)
    return facts[NATURAL_POINTS] - choice[SAVED]


@compiled
def _choose_sets(board: int, facts: Integers, wild_rank: int, rules: Rules, choice: Integers) -> None:
    """Write the choice of sets that saves most together with the runs of what they leave."""
    table = _table_of(rules)
    num_wild = facts[NUM_WILD]
    candidates = np.empty(NUM_RANKS, np.int64)
    num_candidates = 0
    for rank in range(ACE, NUM_RANKS + 1):
        size = facts[rank] + _num_bits(board & ACES << rank - 1)
        if size >= 2 and size + num_wild >= MIN_MELD:
            candidates[num_candidates] = rank
            num_candidates += 1
    if num_candidates == 0:
        choice[SAVED] = _saved_by_runs(board, num_wild, table)
        return

    in_reach = _in_reach_of_runs(board, num_wild, rules.aces_high)
    stack = np.empty((MAX_BRANCHES, NUM_CHOICES + 1), np.int64)  # a choice begun, and how many candidates are decided
    stack[0, LEFT], stack[0, WILD_LEFT], stack[0, SAVED], stack[0, SETS], stack[0, DECIDED] = board, num_wild, 0, 0, 0
    top = 1
    while top > 0:
        top -= 1
        left, wild_left, saved, sets, decided = stack[top]
        if decided == num_candidates:
            saved += _saved_by_runs(left, wild_left, table)
            if saved > choice[SAVED]:
                choice[LEFT], choice[WILD_LEFT], choice[SAVED], choice[SETS] = left, wild_left, saved, sets
                if saved == facts[NATURAL_POINTS]:
                    return
            continue
        rank = candidates[decided]
        points = card_points(rank - 1, wild_rank, rules)
        of_rank = left & ACES << rank - 1
        contested = of_rank & in_reach
        some = contested
        stack[top, DECIDED] = decided + 1
        if contested or facts[rank] + _num_bits(of_rank) < MIN_MELD:
            top += 1  # the rank may as well make no set
        while True:
            taken = of_rank ^ contested | some
            size = facts[rank] + _num_bits(taken)
            needed = max(0, MIN_MELD - size)
            if needed <= wild_left and (size > 1 or (size == 1 and facts[rank] > 0)):
                stack[top, LEFT], stack[top, WILD_LEFT] = left & ~taken, wild_left - needed
                stack[top, SAVED], stack[top, SETS] = saved + size * points, sets | 1 << rank
                stack[top, DECIDED] = decided + 1
                top += 1
            if some == 0:
                break
            some = some - 1 & contested


@compiled
def _num_bits(board: int) -> int:
    count = 0
    while board:
        board &= board - 1
        count += 1
    return count


@compiled
def _in_reach_of_runs(board: int, num_wild: int, aces_high: bool) -> int:
    """The cards of a board that a run can use together with another natural card."""
    in_reach = 0
    for suit in range(NUM_SUITS):
        cards = board >> NUM_RANKS * suit & SUIT
        if aces_high:
            cards |= (cards & 1) << NUM_RANKS
        near = 0
        for distance in range(1, num_wild + 2):
            near |= cards << distance | cards >> distance
        near &= cards
        in_reach |= ((near | near >> NUM_RANKS) & SUIT) << NUM_RANKS * suit
    return in_reach


@compiled
def num_isolated(hand: Hand, wild_rank: int, rules: Rules) -> int:
    """How many natural cards fit in no meld with another natural card, whatever is discarded.

    Such a card has none of its rank beside it, and none of its suit within reach of the wild cards; to meld it takes
    two wild cards that serve no other natural card.
    """
    facts = np.zeros(NUM_FACTS, np.int64)
    board = _board_of(hand, wild_rank, rules, facts)
    beside = board << NUM_RANKS | board >> 3 * NUM_RANKS
    beside |= board << 2 * NUM_RANKS | board >> 2 * NUM_RANKS | board << 3 * NUM_RANKS | board >> NUM_RANKS
    isolated = board & ~beside & ~_in_reach_of_runs(board, facts[NUM_WILD], rules.aces_high)
    if facts[HAS_TWINS]:
        for rank in range(ACE, NUM_RANKS + 1):
            if facts[rank] > 0:
                isolated &= ~(ACES << rank - 1)
    return _num_bits(isolated)


@compiled
def _saved_by_runs(board: int, num_wild: int, table: Integers) -> int:
    """The most points that the runs of all suits save with the wild cards there are."""
    clubs, diamonds = table[board & SUIT], table[board >> NUM_RANKS & SUIT]
    hearts, spades = table[board >> 2 * NUM_RANKS & SUIT], table[board >> 3 * NUM_RANKS & SUIT]
    saved = (clubs & LANE) + (diamonds & LANE) + (hearts & LANE) + (spades & LANE)
    if num_wild == 0:
        return saved
    if num_wild == 1:
        gain = max(_lane(clubs, 1) - _lane(clubs, 0), _lane(diamonds, 1) - _lane(diamonds, 0))
        return saved + max(gain, _lane(hearts, 1) - _lane(hearts, 0), _lane(spades, 1) - _lane(spades, 0))
    most = 0
    for num_black in range(num_wild + 1):
        num_red = num_wild - num_black
        black, red = 0, 0
        for number in range(num_black + 1):
            black = max(black, _lane(clubs, number) + _lane(spades, num_black - number))
        for number in range(num_red + 1):
            red = max(red, _lane(diamonds, number) + _lane(hearts, num_red - number))
        most = max(most, black + red)
    return most


@compiled
def _lane(row: int, num_wild: int) -> int:
    """What a row of the table saves with so many wild cards."""
    return row >> LANE_BITS * num_wild & LANE
