"""Brisk: what `Careful` weighs, without a look at the next draw, in a few microseconds a choice.

`agents.playouts` plays rounds to their end with it, so its choices are compiled functions of one state, of which they
read only what the seat to act may know.
"""

import numpy as np
import numpy.typing as npt

from agents.careful import earliness, kin_of
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.cards import NUM_CARDS, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard, cards_to_go_out_with, deadwood_after_discards
from three_thirteen_env.game import DRAW_PHASE, hand_size_of
from three_thirteen_env.observation import FAR_FROM_BEST
from three_thirteen_env.rules import Rules, card_points, wild_rank_of
from three_thirteen_env.search import NO_BOUND
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NO_CARD, NOBODY, State, States
from three_thirteen_env.view import count_unseen

KIN_IN_HAND = 6.0  # points for each of its kin in one's own hand that a discard costs more, fading with the round
KIN_LATER = 1.0  # points, and so many that do not fade
POINTS_LATER = 0.6  # points for each point of the card, fading
KIN_UNSEEN, KIN_KNOWN = 1.6, 7.0  # points for each of its kin, unseen or known to be in the hand of the next seat
FED_WILD_CARD = 18.0  # points
DEADWOOD_KEPT = 0.75  # the share of the deadwood that a draw from the stock leaves
KIN_GAINED, KIN_GAINED_EARLY = 0.5, 1.5  # points for each kin more in the hand with the upcard
STOCK_EARLY = 2.0  # points that a draw from the stock is worth more at the start of a round


class Brisk:
    """Throws a card by the deadwood that is left, its kin and its points; takes the upcard if it brings enough.

    `Careful` says what kin are, and why they count: here they count for more, since they stand for what the next draw
    can do as well. A draw from the stock leaves three quarters of the deadwood, as `Selective` has it; the upcard is
    also worth the kin that it finds in the hand, and has to be worth more while the round is young. It always takes a
    wild card, unless the turn is its last.

    The numbers come from a search by coordinates, each try over 4,000 groups of deals, and around them it is flat: what
    was tried on either side, one at a time, made 0.2 points a game or less. Without the kin in the draw it is 1.1 ± 0.2
    weaker. To count the unseen cards that complete a pair, beside kin, gained 0.3 ± 0.1 and was twice as long.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:  # noqa: ARG002
        """The brisk action in each view."""
        actions = np.empty(len(views), np.int64)
        _choose_each(views, self.rules, actions)
        return actions


@compiled
def _choose_each(views: States, rules: Rules, actions: Actions) -> None:
    for index in range(len(views)):
        actions[index] = choose(views[index], rules)


@compiled
def choose(state: State, rules: Rules) -> int:
    """Trusts its caller: the action of the seat to act, in its view or in the whole state."""
    return _choose_draw(state, rules) if state.phase == DRAW_PHASE else _choose_discard(state, rules)


@compiled
def _choose_draw(state: State, rules: Rules) -> int:
    if state.stock_size == 0 and state.pile_size == 1:
        return TAKE_UPCARD
    hand, wild_rank = state.hands[state.seat].copy(), wild_rank_of(state.round_number)
    upcard = state.pile[state.pile_size - 1]
    now = least_deadwood(hand, wild_rank, rules)
    others = np.ones(NUM_CARDS, np.int8)
    others[upcard] = 0
    hand[upcard] += 1
    thrown, after = best_discard(hand, others, wild_rank, rules)
    if state.out_seat != NOBODY:
        return TAKE_UPCARD if after < now and after <= DEADWOOD_KEPT * now else DRAW_STOCK
    if after == 0 or rank_of(upcard) == wild_rank:
        return TAKE_UPCARD
    hand[thrown] -= 1
    kin_gained = kin_of(upcard, hand, wild_rank) - 1 - kin_of(thrown, hand, wild_rank)
    early = earliness(state, rules, 3)
    cost = after + STOCK_EARLY * early - (KIN_GAINED + KIN_GAINED_EARLY * early) * kin_gained
    return TAKE_UPCARD if cost <= DEADWOOD_KEPT * now else DRAW_STOCK


@compiled
def _choose_discard(state: State, rules: Rules) -> int:
    hand, wild_rank = state.hands[state.seat], wild_rank_of(state.round_number)
    may_throw = np.ones(NUM_CARDS, np.int8)
    if state.taken != NO_CARD and not rules.may_return_upcard:
        may_throw[state.taken] = hand[state.taken] == hand_size_of(state, state.seat)  # all its cards are like it
    deadwood = np.empty(NUM_CARDS, np.int16)
    deadwood_after_discards(hand, wild_rank, rules, deadwood)
    for card in range(NUM_CARDS):
        if not may_throw[card]:
            deadwood[card] = -1  # as of a card that is not held
    left = _least_of(deadwood)
    if left > 0 and state.out_seat == NOBODY:
        return DISCARD + _least_cost(state, deadwood, left, rules)
    if left == 0 and state.out_seat == NOBODY:
        is_way_out = np.empty(NUM_CARDS, np.int8)
        cards_to_go_out_with(hand, wild_rank, rules, is_way_out)
        way_out = best_discard(hand, is_way_out & may_throw, wild_rank, rules)[0]
        if way_out != NO_CARD:
            return GO_OUT + way_out
    return DISCARD + best_discard(hand, may_throw, wild_rank, rules)[0]


@compiled
def _least_of(deadwood: npt.NDArray[np.int16]) -> int:
    """The least of the numbers that are not -1."""
    least = NO_BOUND
    for points in deadwood:
        if 0 <= points < least:
            least = int(points)
    return least


@compiled
def _least_cost(state: State, deadwood: npt.NDArray[np.int16], left: int, rules: Rules) -> int:
    """The card to throw, where discards leave ``(52,)`` points, -1 for one that cannot be, and so many at least."""
    hand, wild_rank = state.hands[state.seat], wild_rank_of(state.round_number)
    known = state.known[(state.seat + 1) % rules.num_players]
    unseen = np.empty(NUM_CARDS, np.int8)
    count_unseen(state, state.seat, rules, unseen)
    to_build, to_feed = earliness(state, rules, 3), earliness(state, rules, 5) / (rules.num_players - 1)
    best, least = NO_CARD, np.inf
    for card in range(NUM_CARDS):
        if not 0 <= deadwood[card] <= left + FAR_FROM_BEST:
            continue
        kin = kin_of(card, hand, wild_rank)
        given = KIN_UNSEEN * kin_of(card, unseen, wild_rank) / rules.num_packs
        given += KIN_KNOWN * kin_of(card, known, wild_rank)
        if rank_of(card) == wild_rank:
            given += FED_WILD_CARD
        taken = KIN_IN_HAND * kin + POINTS_LATER * card_points(card, wild_rank, rules)
        cost = deadwood[card] + KIN_LATER * kin + to_feed * given + to_build * taken
        if cost < least:
            best, least = card, cost
    return best
