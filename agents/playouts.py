"""Playouts: a round played to its end by a policy that takes microseconds a turn. Compiled.

The policy is that of `Selective`, written so that one look at the hand serves the choice and the question whether it
may go out.
"""

import numpy as np

from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard, cards_to_go_out_with
from three_thirteen_env.game import DRAW_PHASE, GAME_OVER, hand_size_of, step
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NO_CARD, NOBODY, State


@compiled
def play_out(state: State, round_number: int, seat: int, rules: Rules) -> float:
    """Play a round to its end; gives by how many points it cost the other seats more than this one, on average.

    The round may be over already, and the next one dealt. The state is lost: play out a copy of it.
    """
    while is_in_round(state, round_number):
        if state.phase == DRAW_PHASE:
            step(state, _draw(state, rules), rules)
        else:
            step(state, _discard(state, rules), rules)
    return margin_of(state, round_number, seat, rules)


@compiled
def is_in_round(state: State, round_number: int) -> bool:
    """Whether a round of a game still goes on."""
    return state.round_number == round_number and state.phase != GAME_OVER


@compiled
def margin_of(state: State, round_number: int, seat: int, rules: Rules) -> float:
    """By how many points a round that is over cost the other seats more than one, on average."""
    points = state.round_points[round_number - 1]
    others = 0
    for other in range(rules.num_players):
        if other != seat:
            others += int(points[other])
    return others / (rules.num_players - 1) - int(points[seat])


@compiled
def _draw(state: State, rules: Rules) -> int:
    if state.stock_size == 0 and state.pile_size == 1:
        return TAKE_UPCARD
    hand, wild_rank = state.hands[state.seat], wild_rank_of(state.round_number)
    upcard = state.pile[state.pile_size - 1]
    others = np.ones(NUM_CARDS, np.int8)
    others[upcard] = 0
    now = least_deadwood(hand, wild_rank, rules)
    hand[upcard] += 1
    after = best_discard(hand, others, wild_rank, rules)[1]
    hand[upcard] -= 1
    return TAKE_UPCARD if after < now and 4 * after <= 3 * now else DRAW_STOCK


@compiled
def _discard(state: State, rules: Rules) -> int:
    hand, wild_rank = state.hands[state.seat], wild_rank_of(state.round_number)
    may_throw = np.ones(NUM_CARDS, np.int8)
    if state.taken != NO_CARD and not rules.may_return_upcard:
        may_throw[state.taken] = hand[state.taken] == hand_size_of(state, state.seat)  # all its cards are like it
    card, left = best_discard(hand, may_throw, wild_rank, rules)
    if left > 0 or state.out_seat != NOBODY:
        return DISCARD + card
    is_way_out = np.empty(NUM_CARDS, np.int8)
    cards_to_go_out_with(hand, wild_rank, rules, is_way_out)
    way_out = best_discard(hand, is_way_out & may_throw, wild_rank, rules)[0]
    return DISCARD + card if way_out == NO_CARD else GO_OUT + way_out
