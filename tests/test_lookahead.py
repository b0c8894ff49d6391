"""Lookahead: its costs and draws against a plain twin, and tables of hands in which looking ahead shows."""

import numpy as np
import pytest

from agents.lookahead import (
    DEADWOOD_NOW,
    NOT_LOOKED_AT,
    OUTS_WORTH,
    STOCK_BONUS,
    STOCK_GAIN,
    choose_draw,
    costs_after_discards,
)
from tests.playing import COMPILED, EVERY_RULES, all_cards, mask_of, shortened
from tests.positions import choice, position, shown, states_of_games
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.cards import NUM_CARDS, cards_of
from three_thirteen_env.observation import FAR_FROM_BEST
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NO_CARD, NOBODY, Phase
from three_thirteen_env.view import unseen_cards, view_of

NUM_POSITIONS = 6 if COMPILED else 1
NAMES = ("default", "three players", "four players", "aces high", "wild cards cost 20", "upcard may not be returned")
SOME_GAMES = pytest.mark.parametrize("rules", [EVERY_RULES[name] for name in NAMES], ids=NAMES)


def but(hand, card):
    return hand - (np.arange(NUM_CARDS) == card).astype(np.int8)


def and_also(hand, card):
    return hand + (np.arange(NUM_CARDS) == card).astype(np.int8)


def least_after_discard(hand, wild_rank, rules):
    return min(least_deadwood(but(hand, card), wild_rank, rules) for card in np.flatnonzero(hand))


def prospects(hand, unseen, wild_rank, rules):
    """The deadwood that is left on average, and the chance that none is, over every card that may be drawn."""
    left = {card: least_after_discard(and_also(hand, card), wild_rank, rules) for card in set(cards_of(unseen))}
    drawn = np.array([left[card] for card in cards_of(unseen)])
    return drawn.mean(), (drawn == 0).mean()


def cost(deadwood, expected, outs):
    return expected - DEADWOOD_NOW * deadwood - OUTS_WORTH * outs


def plain_costs(view, hand, allowed, rules):
    """`costs_after_discards`, written again without a thought for speed."""
    wild_rank, unseen = wild_rank_of(view.round_number), unseen_cards(view, rules)
    deadwood = {card: least_deadwood(but(hand, card), wild_rank, rules) for card in np.flatnonzero(hand * allowed)}
    costs = np.full(NUM_CARDS, NOT_LOOKED_AT)
    for card, points in deadwood.items():
        if points <= min(deadwood.values()) + FAR_FROM_BEST:
            costs[card] = cost(points, *prospects(but(hand, card), unseen, wild_rank, rules))
    return costs


def plain_gain(view, rules):
    """By how many points the upcard is better than a draw from the stock."""
    wild_rank, unseen = wild_rank_of(view.round_number), unseen_cards(view, rules)
    hand, upcard = view.hands[view.seat], view.pile[view.pile_size - 1]
    with_upcard = {card: least_deadwood(and_also(but(hand, card), upcard), wild_rank, rules) for card in cards_of(hand)}
    with_upcard.pop(upcard, None)
    if min(with_upcard.values(), default=1) == 0:
        return np.inf
    expected, outs = prospects(hand, unseen, wild_rank, rules)
    if view.out_seat != NOBODY:
        return expected - min(with_upcard.values())
    now = least_deadwood(hand, wild_rank, rules)
    of_upcard = plain_costs(view, and_also(hand, upcard), np.isin(np.arange(NUM_CARDS), list(with_upcard)), rules)
    return cost(now, expected, outs) - STOCK_GAIN * (now - expected) - STOCK_BONUS - of_upcard.min()


def written_costs(view, hand, allowed, rules):
    costs = np.empty(NUM_CARDS)
    costs_after_discards(view, hand, allowed.astype(np.int8), rules, OUTS_WORTH, costs)
    return costs


@SOME_GAMES
def test_the_costs_of_discards_are_those_of_every_draw_and_every_throw(rules):
    rules = shortened(rules, 20)
    states = states_of_games(10 * NUM_POSITIONS, rules)
    views, masks = shown(states[states["phase"] == Phase.DISCARD][:NUM_POSITIONS], rules)
    for view, mask in zip(views, masks, strict=True):
        hand, allowed = view.hands[view.seat], mask[DISCARD:GO_OUT]
        costs = written_costs(view, hand, allowed, rules)
        np.testing.assert_allclose(costs, plain_costs(view, hand, allowed, rules), atol=1e-9)


@SOME_GAMES
def test_the_draw_is_the_one_of_better_prospects(rules):
    rules = shortened(rules, 20)
    states = states_of_games(10 * NUM_POSITIONS, rules, seed=1)
    states = states[states["phase"] == Phase.DRAW]
    in_turn = np.argsort(states["out_seat"] == NOBODY, kind="stable")  # final turns first
    views, masks = shown(states[in_turn][:NUM_POSITIONS], rules)
    for view, mask in zip(views, masks, strict=True):
        if not mask[DRAW_STOCK]:
            assert choose_draw(view, mask, rules, OUTS_WORTH) == TAKE_UPCARD
            continue
        gain = plain_gain(view, rules)
        if abs(gain) > 1e-9:
            assert choose_draw(view, mask, rules, OUTS_WORTH) == (TAKE_UPCARD if gain > 0 else DRAW_STOCK)


def with_everything_seen(state):
    """The same, where the stock lies in the pile, and the other hands were all taken from it."""
    pile = [*state.stock[: state.stock_size], *state.pile[: state.pile_size]]
    state.pile[: len(pile)] = pile
    state.pile_size, state.stock_size, state.stock[:] = len(pile), 0, NO_CARD
    state.known[:] = state.hands
    return state


@pytest.mark.parametrize("phase", [Phase.DRAW, Phase.DISCARD])
def test_where_nothing_is_unseen_what_counts_is_the_deadwood_now(phase):
    rules = Rules()
    states = states_of_games(60 if COMPILED else 12, shortened(rules, 20), seed=2)
    states = states[(states["phase"] == phase) & (states["out_seat"] == NOBODY)]
    for state in states:
        view = view_of(with_everything_seen(state), state.seat)
        assert (all_cards(state) == 1).all()
        assert not unseen_cards(view, rules).any()
        mask, wild_rank = mask_of(state, rules), wild_rank_of(view.round_number)
        hand = view.hands[view.seat]
        if phase == Phase.DRAW:
            is_done = least_after_discard(and_also(hand, view.pile[view.pile_size - 1]), wild_rank, rules) == 0
            was_done = least_deadwood(hand, wild_rank, rules) == 0
            action = choose_draw(view, mask, rules, OUTS_WORTH)
            assert was_done or action == (TAKE_UPCARD if is_done else DRAW_STOCK)
        else:
            costs = written_costs(view, hand, mask[DISCARD:GO_OUT], rules)
            best = np.flatnonzero(costs < NOT_LOOKED_AT).tolist()
            least = least_after_discard(hand, wild_rank, rules)
            assert (costs[best] == least).all()
            held = np.flatnonzero(hand).tolist()
            assert best == [card for card in held if least_deadwood(but(hand, card), wild_rank, rules) == least]


@pytest.mark.parametrize(
    ("text", "greedy", "lookahead"),
    [
        pytest.param("9c 9d 5h Ks", "discard Ks", "discard Ks", id="a dear card that goes with nothing is thrown"),
        pytest.param("Kc Kd 5h 9s", "discard Kc", "discard 9s", id="a pair can grow"),
        pytest.param("Jc Qc 5h 9s", "discard Jc", "discard 9s", id="two neighbors can grow"),
        pytest.param("Jc Kc 4h Td", "discard Jc", "discard Td", id="two with a gap can grow"),
        pytest.param("Qc Kc Jd 5h", "discard Qc", "discard Jd", id="of cards that cost the same, what is alone goes"),
        pytest.param("Tc Jc Kc 5h", "discard Tc", "discard Kc", id="neighbors with two open ends before a gap"),
    ],
)
def test_what_can_grow_is_kept(text, greedy, lookahead):
    assert choice("greedy", position(text, "2c")) == greedy
    assert choice("lookahead", position(text, "2c")) == lookahead


@pytest.mark.parametrize(
    ("text", "upcard", "greedy", "lookahead", "in_final_turn"),
    [
        pytest.param("Kc Kd 5h", "Ks", "take", "take", "take", id="completes a meld"),
        pytest.param("Kc 9d 5h", "Ks", "draw", "take", "draw", id="a pair, which helps later or not at all"),
        pytest.param("Kc Kd 5h", "9s", "take", "draw", "draw", id="a point less for a pair"),
        pytest.param("Kc Kd 5h", "2s", "take", "draw", "take", id="eight points less for a pair"),
        pytest.param("Jc Qc 9h", "8s", "take", "draw", "draw", id="a card for another that goes with nothing"),
    ],
)
def test_the_upcard_is_taken_if_the_stock_promises_less(text, upcard, greedy, lookahead, in_final_turn):
    assert choice("greedy", position(text, upcard)) == greedy
    assert choice("lookahead", position(text, upcard)) == lookahead
    assert choice("lookahead", position(text, upcard, is_final=True)) == in_final_turn
