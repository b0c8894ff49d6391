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

from three_thirteen_env.cards import ACE, KING, NUM_CARDS, NUM_RANKS, NUM_SUITS, Hand, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.rules import MIN_MELD, Rules, card_points
from three_thirteen_env.run_table import LANE, MAX_TABLE_WILD, RANK_POINTS, RUN_POINTS, points_saved, table_index
from three_thirteen_env.search import MAX_MELDS, NO_BOUND, search

SUIT = (1 << NUM_RANKS) - 1  # the bits of one suit
BOARD = (1 << NUM_CARDS) - 1
ACES = 1 | 1 << NUM_RANKS | 1 << 2 * NUM_RANKS | 1 << 3 * NUM_RANKS  # the aces; << rank - 1 for another rank

# The cards that have another of their suit so many ranks below them, and above them: bits of a board, by distance.
ABOVE = np.array([sum(ACES << rank for rank in range(distance, NUM_RANKS)) for distance in range(NUM_RANKS)])
BELOW = np.array([sum(ACES << rank for rank in range(NUM_RANKS - distance)) for distance in range(NUM_RANKS)])

# All that is worked out about a hand but for its board is in one array of integers:
#
#     0             whether the hand is for the table, while it is asked about without one card
#     1 to 13       the twins of each rank: how many cards it has more than the board shows
#     14 to 17      the wild cards, the natural cards, what these cost, and whether there are twins
#     18 to 21      the best choice of sets: the board that it leaves to the runs, the wild cards that it leaves, the
#                   points that it and the runs save, and a bit for every rank that makes a set
#     22 to 26      of the whole hand, while it is asked about without one card: the board and the wild cards that the
#                   best choice leaves to the runs, what those save, the ranks that make a set, and the deadwood
#     27 to 39      the ranks that may make a set
#     40 and on     choices begun, five integers each: as 18 to 21, and how many of those ranks are decided
IS_FOR_TABLE, NUM_WILD, NUM_NATURAL, NATURAL_POINTS, HAS_TWINS = 0, 14, 15, 16, 17
BEST_LEFT, BEST_WILD_LEFT, BEST_SAVED, BEST_SETS = 18, 19, 20, 21
WHOLE_LEFT, WHOLE_WILD_LEFT, WHOLE_RUNS, WHOLE_SETS, WHOLE_DEADWOOD = 22, 23, 24, 25, 26
CANDIDATES, CHOICES = 27, 40
LEFT, WILD_LEFT, SAVED, SETS, DECIDED, CHOICE_SIZE = 0, 1, 2, 3, 4, 5
WORK_SIZE = CHOICES + 128 * CHOICE_SIZE  # fourteen cards never need more than 60 choices

Integers = npt.NDArray[np.int64]


@compiled
def least_deadwood(hand: Hand, wild_rank: int, rules: Rules) -> int:
    """The points of the deadwood of a hand of 1 to 14 cards arranged best."""
    work = np.empty(WORK_SIZE, np.int64)
    board = take_in(hand, wild_rank, rules, work)
    if is_for_table(hand, wild_rank, rules, work):
        return deadwood_by_table(board, work, wild_rank, rules)
    return deadwood_beyond_table(hand, board, work, wild_rank, rules, np.empty(MAX_MELDS, np.int64))[0]


@compiled
def melds_completely(hand: Hand, wild_rank: int, rules: Rules) -> bool:
    """Whether all cards of a hand fit in melds."""
    if least_deadwood(hand, wild_rank, rules) > 0:
        return False
    # A natural card always costs something, and wild cards attach to the melds of the natural ones.
    num_cards = hand.sum()
    num_wild = 0
    for suit in range(NUM_SUITS):
        num_wild += int(hand[NUM_RANKS * suit + wild_rank - 1])
    return num_cards > num_wild or (num_cards >= MIN_MELD and rules.wild_only_melds)


@compiled
def take_in(hand: Hand, wild_rank: int, rules: Rules, work: Integers) -> int:
    """Count the cards of a hand; writes the work array up to the best choice, and gives the board."""
    board, num_cards, natural_points, num_twins = 0, 0, 0, 0
    for card in range(NUM_CARDS):
        board |= int(hand[card] > 0) << card
        num_cards += int(hand[card])
    board &= ~(ACES << wild_rank - 1)
    for rank in range(ACE, KING + 1):
        work[rank] = 0
        for suit in range(NUM_SUITS):
            work[rank] += int(hand[NUM_RANKS * suit + rank - 1])
    work[NUM_WILD] = work[wild_rank]
    work[NUM_NATURAL] = num_cards - work[wild_rank]
    work[wild_rank] = 0
    for rank in range(ACE, KING + 1):
        natural_points += work[rank] * RANK_POINTS[table_index(rules), rank]
        work[rank] -= num_of_rank(board, rank)
        num_twins += work[rank]
    work[NATURAL_POINTS] = natural_points
    work[HAS_TWINS] = num_twins > 0
    return board


@compiled
def is_for_table(hand: Hand, wild_rank: int, rules: Rules, work: Integers) -> bool:
    """Whether a hand has natural cards, and no more wild cards and twins than the table can deal with."""
    if work[NUM_NATURAL] == 0 or work[NUM_WILD] > MAX_TABLE_WILD:
        return False
    return work[HAS_TWINS] == 0 or not _may_run_twice(hand, wild_rank, work[NUM_WILD], rules.aces_high)


@compiled
def deadwood_beyond_table(
    hand: Hand, board: int, work: Integers, wild_rank: int, rules: Rules, melds: Integers
) -> tuple[int, int]:
    """The least deadwood of a hand that is not for the table, its melds, and how many they are.

    What the table says of it is no less than the least: it overlooks two runs through one face. The search has only to
    find what is no worse.
    """
    bound = NO_BOUND
    if work[NUM_NATURAL] > 0 and work[NUM_WILD] <= MAX_TABLE_WILD:
        bound = deadwood_by_table(board, work, wild_rank, rules) + 1
    return search(hand, wild_rank, rules, bound, melds)


@compiled
def _may_run_twice(hand: Hand, wild_rank: int, num_wild: int, aces_high: bool) -> bool:
    """Whether two runs may use two cards of one face: each of them takes two more cards next to it."""
    near = np.empty(5, np.int64)  # how many cards there are two below the face, one below, and so on
    for card in range(NUM_CARDS):
        rank = rank_of(card)
        if hand[card] < 2 or rank == wild_rank:
            continue
        for place in range(5):
            near[place] = _num_beside(hand, card, place - 2, wild_rank, aces_high)
        for first in range(3):  # the lowest card of a run of three, from two below the face
            for second in range(first, 3):
                if rank == ACE and (first == 1 or second == 1):
                    continue  # K-A-2 is no run
                num_needed = 0
                for place in range(5):
                    num_used = (first <= place < first + MIN_MELD) + (second <= place < second + MIN_MELD)
                    if place != 2 and num_used > 0:
                        num_needed += max(0, num_used - near[place])
                if num_needed <= num_wild:
                    return True
    return False


@compiled
def _num_beside(hand: Hand, card: int, distance: int, wild_rank: int, aces_high: bool) -> int:
    """How many natural cards there are of the suit, so far above a card in its runs; far too few where there is none.

    Where aces are high the ace has the two and three above it and the queen and king below it.
    """
    rank = rank_of(card)
    position = rank + distance
    if aces_high and position < ACE == rank:
        position += NUM_RANKS
    elif aces_high and position == KING + 1:
        position = ACE
    if not ACE <= position <= KING:
        return -MAX_TABLE_WILD - 1
    return 0 if position == wild_rank else int(hand[card - rank + position])


@compiled
def deadwood_by_table(board: int, work: Integers, wild_rank: int, rules: Rules) -> int:
    """The least deadwood of a hand that is for the table; writes the best choice of sets."""
    work[BEST_LEFT], work[BEST_WILD_LEFT], work[BEST_SAVED], work[BEST_SETS] = board, work[NUM_WILD], 0, 0
    if work[NUM_NATURAL] + work[NUM_WILD] >= MIN_MELD:
        choose_sets(board, work, table_index(rules), rules.aces_high)
    if work[BEST_SAVED] > 0 or work[NUM_WILD] == 0:
        return work[NATURAL_POINTS] - work[BEST_SAVED]
    return work[NATURAL_POINTS] + work[NUM_WILD] * card_points(wild_rank - 1, wild_rank, rules)


@compiled
def choose_sets(board: int, work: Integers, table: int, aces_high: bool) -> None:
    """Write the choice of sets that saves most together with the runs of what they leave."""
    num_candidates = list_candidates(board, work)
    if num_candidates == 0:
        work[BEST_SAVED] = saved_by_runs(board, work[NUM_WILD], table)
        return
    in_reach = in_reach_of_runs(board, work[NUM_WILD], aces_high)
    top = push_choice(work, CHOICES, board, work[NUM_WILD], 0, 0, 0)
    while top > CHOICES:
        top -= CHOICE_SIZE
        if work[top + DECIDED] < num_candidates:
            top = decide_next_rank(work, top, in_reach, table)
            continue
        left, wild_left = work[top + LEFT], work[top + WILD_LEFT]
        saved = work[top + SAVED] + saved_by_runs(left, wild_left, table)
        if saved > work[BEST_SAVED]:
            work[BEST_LEFT], work[BEST_WILD_LEFT] = left, wild_left
            work[BEST_SAVED], work[BEST_SETS] = saved, work[top + SETS]
            if saved == work[NATURAL_POINTS]:
                return


@compiled
def list_candidates(board: int, work: Integers) -> int:
    """Write the ranks that may make a set, and give how many they are."""
    num_wild = work[NUM_WILD]
    clubs, diamonds, hearts, spades = board, board >> NUM_RANKS, board >> 2 * NUM_RANKS, board >> 3 * NUM_RANKS
    black, red = clubs | spades, diamonds | hearts
    both_black, both_red = clubs & spades, diamonds & hearts
    ranks = (both_black & red | both_red & black) & SUIT  # three of a rank, or more
    if num_wild > 0:
        ranks |= (both_black | both_red | black & red) & SUIT  # two
    num_candidates = 0
    for rank in range(ACE, KING + 1):
        if ranks >> rank - 1 & 1 or (work[rank] > 0 and work[rank] + num_of_rank(board, rank) + num_wild >= MIN_MELD):
            work[CANDIDATES + num_candidates] = rank
            num_candidates += 1
    return num_candidates


@compiled
def decide_next_rank(work: Integers, top: int, in_reach: int, table: int) -> int:
    """Replace the choice at the top by all that its next rank can do; gives the new top of the stack.

    A card that no run can use is always in the set of its rank, if there is one; a rank without any other, and with
    enough cards, is always a set.
    """
    left, wild_left, saved = work[top + LEFT], work[top + WILD_LEFT], work[top + SAVED]
    sets, decided = work[top + SETS], work[top + DECIDED]
    rank = work[CANDIDATES + decided]
    points = RANK_POINTS[table, rank]
    of_rank = left & ACES << rank - 1
    contested = of_rank & in_reach
    if contested or work[rank] + num_of_rank(of_rank, rank) < MIN_MELD:  # it may as well make no set
        top = push_choice(work, top, left, wild_left, saved, sets, decided + 1)
    some = contested
    while True:
        taken = of_rank ^ contested | some
        size = work[rank] + num_of_rank(taken, rank)
        needed = max(0, MIN_MELD - size)
        if needed <= wild_left and size > (work[rank] == 0):
            top = push_choice(
                work, top, left & ~taken, wild_left - needed, saved + size * points, sets | 1 << rank, decided + 1
            )
        if some == 0:
            return top
        some = some - 1 & contested


@compiled
def push_choice(work: Integers, top: int, left: int, wild_left: int, saved: int, sets: int, decided: int) -> int:
    """Push a choice begun; gives the new top of the stack."""
    work[top + LEFT], work[top + WILD_LEFT], work[top + SAVED] = left, wild_left, saved
    work[top + SETS], work[top + DECIDED] = sets, decided
    return top + CHOICE_SIZE


@compiled
def num_of_rank(board: int, rank: int) -> int:
    """How many cards of a rank a board has."""
    of_rank = board >> rank - 1
    return (of_rank & 1) + (of_rank >> 13 & 1) + (of_rank >> 26 & 1) + (of_rank >> 39 & 1)


@compiled
def in_reach_of_runs(board: int, num_wild: int, aces_high: bool) -> int:
    """The cards of a board that a run can use together with another natural card."""
    near = 0
    for distance in range(1, min(num_wild + 1, KING - ACE) + 1):
        near |= (board & BELOW[distance]) << distance | (board & ABOVE[distance]) >> distance
        if aces_high:  # the ace is next to the king, too
            position = NUM_RANKS - distance
            near |= (board & ACES) << position | board >> position & ACES
    return near & board


@compiled
def saved_by_runs(board: int, num_wild: int, table: int) -> int:
    """The most points that the runs of all suits save with the wild cards there are."""
    clubs, diamonds = RUN_POINTS[table, board & SUIT], RUN_POINTS[table, board >> NUM_RANKS & SUIT]
    hearts, spades = RUN_POINTS[table, board >> 2 * NUM_RANKS & SUIT], RUN_POINTS[table, board >> 3 * NUM_RANKS & SUIT]
    return saved_by_rows(clubs, diamonds, hearts, spades, num_wild)


@compiled
def saved_by_rows(clubs: int, diamonds: int, hearts: int, spades: int, num_wild: int) -> int:
    """The most points that four rows of a table, one of each suit, give together with the wild cards there are."""
    black, red = (clubs & LANE) + (spades & LANE), (diamonds & LANE) + (hearts & LANE)
    if num_wild == 0:
        return black + red
    if num_wild == 1:
        most_black = max(
            points_saved(clubs, 1) + points_saved(spades, 0), points_saved(clubs, 0) + points_saved(spades, 1)
        )
        most_red = max(
            points_saved(diamonds, 1) + points_saved(hearts, 0), points_saved(diamonds, 0) + points_saved(hearts, 1)
        )
        return max(most_black + red, black + most_red)
    most = 0
    for num_black in range(num_wild + 1):
        num_red = num_wild - num_black
        black, red = 0, 0
        for number in range(num_black + 1):
            black = max(black, points_saved(clubs, number) + points_saved(spades, num_black - number))
        for number in range(num_red + 1):
            red = max(red, points_saved(diamonds, number) + points_saved(hearts, num_red - number))
        most = max(most, black + red)
    return most
