"""What the next draw can make of a hand: exact means over every card that may come, compiled.

A draw is followed by the best throw, so what counts is the least deadwood over every card thrown. To try every discard
now, every draw and every throw then takes thousands of looks at a hand. Two things spare most of them: a draw that fits
no natural card of the hand does what any such draw of the same points does, and all discards are looked at together
(`three_thirteen_env.throws_after_discards`).

Every function here trusts its caller.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import ACE, NUM_CARDS, NUM_RANKS, Hand, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import deadwood_after_discards
from three_thirteen_env.rules import HIGH_ACE_POINTS, Rules, card_points
from three_thirteen_env.search import NO_BOUND
from three_thirteen_env.solver import (
    CHOICE_SIZE,
    NUM_WILD,
    SUIT,
    WORK_SIZE,
    Integers,
    least_deadwood,
    num_of_rank,
    take_in,
)
from three_thirteen_env.state import NO_CARD
from three_thirteen_env.throws import MAX_CHOICES, UNUSED_WILD_POINTS, Sheet
from three_thirteen_env.throws_after_discards import (
    LEFT_OVER,
    NO_DISCARD,
    NUM_DISCARDS,
    THROWN,
    Question,
    begin_with_bounds,
    write_bounds,
    write_least,
    write_least_by_trying,
)

NOT_ASKED = -1.0  # in the place of an answer
MOST_POINTS = HIGH_ACE_POINTS  # of a natural card left over

Numbers = npt.NDArray[np.float64]


@compiled
def outlook(hand: Hand, unseen: Hand, num_unseen: int, wild_rank: int, rules: Rules) -> tuple[float, float]:
    """What the next draw makes of a hand of 1 to 13 cards.

    The mean of the least deadwood in points, over the unseen cards drawn, each followed by the best throw; and the
    chance that it is none. `unseen` is how many there are of each card, ``(52,)``, and `num_unseen` how many in all.
    """
    discards = np.full(1, NO_DISCARD)
    now = np.empty(NUM_DISCARDS, np.int64)
    now[NO_DISCARD] = least_deadwood(hand, wild_rank, rules)
    sums = np.zeros((2, NUM_DISCARDS), np.int64)
    _look_ahead(hand, discards, now, unseen, wild_rank, rules, sums)
    return sums[0, NO_DISCARD] / num_unseen, sums[1, NO_DISCARD] / num_unseen


@compiled
def outlook_after_discards(
    hand: Hand,
    mask: npt.NDArray[np.int8],
    unseen: Hand,
    num_unseen: int,
    wild_rank: int,
    rules: Rules,
    expected: Numbers,
    outs: Numbers,
) -> None:
    """Write the `outlook` of what each discard leaves of a hand of 2 to 14 cards: points and chances, ``(52,)`` each.

    NOT_ASKED where the hand has no such card, or the mask ``(52,)`` does not allow it.
    """
    points = np.empty(NUM_CARDS, np.int16)
    deadwood_after_discards(hand, wild_rank, rules, points)
    discards, now = np.empty(NUM_CARDS, np.int64), np.full(NUM_DISCARDS, NO_BOUND)
    num_discards, wild_card = 0, NO_CARD  # one wild card stands for all of them
    for card in range(NUM_CARDS):
        if hand[card] == 0:
            continue
        now[card] = points[card]
        now[NO_DISCARD] = min(
            now[NO_DISCARD], now[card] + card_points(card, wild_rank, rules)
        )  # the hand costs no more
        if mask[card] and (rank_of(card) != wild_rank or wild_card == NO_CARD):
            discards[num_discards] = card
            num_discards += 1
            if rank_of(card) == wild_rank:
                wild_card = card
    sums = np.zeros((2, NUM_DISCARDS), np.int64)
    _look_ahead(hand, discards[:num_discards], now, unseen, wild_rank, rules, sums)
    for card in range(NUM_CARDS):
        expected[card], outs[card] = NOT_ASKED, NOT_ASKED
        if hand[card] > 0 and mask[card]:
            asked = wild_card if rank_of(card) == wild_rank else card
            expected[card], outs[card] = sums[0, asked] / num_unseen, sums[1, asked] / num_unseen


@compiled
def _look_ahead(
    hand: Hand, discards: Integers, now: Integers, unseen: Hand, wild_rank: int, rules: Rules, sums: Integers
) -> None:
    """Add up, for each discard, the least deadwood over the unseen cards, and how many of them leave none.

    `now` is, for each discard, the least deadwood without a draw.
    """
    work, choices = np.empty(WORK_SIZE, np.int64), np.empty((MAX_CHOICES + 1, CHOICE_SIZE), np.int64)
    bounds, least = np.full((3, NUM_DISCARDS), NO_BOUND), np.full(NUM_DISCARDS, NO_BOUND)
    hand = hand.copy()
    question = Question(hand, discards, Sheet(work, choices, wild_rank, rules), bounds, least)
    board = take_in(hand, wild_rank, rules, work)
    work[UNUSED_WILD_POINTS] = card_points(wild_rank - 1, wild_rank, rules)
    is_listed = write_bounds(board, question)
    if not is_listed:
        write_least_by_trying(question)
    for card in range(NUM_DISCARDS):
        bounds[THROWN, card] = now[card]
        if not is_listed:
            bounds[LEFT_OVER, card] = least[card]
    numbers, fits = np.zeros(NUM_CARDS, np.int64), np.empty(NUM_CARDS, np.bool_)
    _group_draws(unseen, board, question.sheet, numbers, fits)
    for draw in range(NUM_CARDS):
        if numbers[draw] == 0:
            continue
        begin_with_bounds(draw, question)
        if fits[draw] or (not is_listed and work[NUM_WILD] >= 2):
            hand[draw] += 1
            if not is_listed or not write_least(draw, board, question):
                write_least_by_trying(question)
            hand[draw] -= 1
        for card in discards:
            sums[0, card] += numbers[draw] * least[card]
            sums[1, card] += numbers[draw] * (least[card] == 0)


@compiled
def _group_draws(unseen: Hand, board: int, sheet: Sheet, numbers: Integers, fits: npt.NDArray[np.bool_]) -> None:
    """Write how many unseen cards do as a draw what a card does, all of them at one card, and whether it fits the hand.

    All wild cards do the same, and all cards of the same points that fit no natural card of the hand.
    """
    first_of_kind = np.full(MOST_POINTS + 1, NO_CARD)  # 0: wild; otherwise by points
    for draw in range(NUM_CARDS):
        if unseen[draw] == 0:
            continue
        kind = 0
        fits[draw] = True
        if rank_of(draw) != sheet.wild_rank:
            fits[draw] = _fits(draw, board, sheet.work, sheet.rules.aces_high)
            kind = card_points(draw, sheet.wild_rank, sheet.rules)
        first = draw
        if kind == 0 or not fits[draw]:
            if first_of_kind[kind] == NO_CARD:
                first_of_kind[kind] = draw
            first = first_of_kind[kind]
        numbers[first] += int(unseen[draw])


@compiled
def _fits(draw: int, board: int, work: Integers, aces_high: bool) -> bool:
    """Whether a natural card can be in a meld together with a natural card of the hand.

    If it can, there is such a meld of three cards; or of more, with two wild cards or more between the two.
    """
    rank, num_wild = rank_of(draw), work[NUM_WILD]
    size = work[rank] + num_of_rank(board, rank)
    if size >= 2 or (num_wild > 0 and size > 0):
        return True
    suit = board >> draw - rank + 1 & SUIT
    if num_wild > 0:
        return _is_near(rank, suit, num_wild + 1, aces_high)
    line = (
        suit << 2
    )  # two places below the ace are empty, so that bits 0 to 4 of the next line are those around the card
    if aces_high:
        line |= (suit & 1) << NUM_RANKS + 2
    around = line >> rank - 1
    if around & 0b00011 == 0b00011 or around & 0b01010 == 0b01010 or around & 0b11000 == 0b11000:
        return True
    return aces_high and rank == ACE and line >> NUM_RANKS & 0b11 == 0b11


@compiled
def _is_near(rank: int, suit: int, reach: int, aces_high: bool) -> bool:
    """Whether a suit has another card no more than so many ranks above or below a rank."""
    around = (1 << 2 * reach + 1) - 1 << rank - 1
    near = suit << reach & around
    if aces_high:
        near |= suit << reach + NUM_RANKS & around
        if rank == ACE:
            near |= suit >> max(0, NUM_RANKS - reach)
    return near != 0
