"""Greedy: the least deadwood after each choice, with no thought of what comes next."""

import numpy as np

from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard
from three_thirteen_env.game import DRAW_PHASE, Mask
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import State, States


class Greedy:
    """Takes the upcard if that leaves less deadwood than its hand has now, and otherwise draws from the stock.

    It throws the card that leaves the least deadwood, among equals the dearest, and goes out as soon as it can.
    """

    quarters_left = 4  # of its deadwood, at most: more than that must not be left after taking the upcard

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:  # noqa: ARG002
        """The greedy action in each view."""
        actions = np.empty(len(views), np.int64)
        _choose_each(views, masks, self.rules, self.quarters_left, actions)
        return actions


@compiled
def _choose_each(views: States, masks: Masks, rules: Rules, quarters_left: int, actions: Actions) -> None:
    for index in range(len(views)):
        view, mask = views[index], masks[index]
        if view.phase == DRAW_PHASE:
            actions[index] = _choose_draw(view, mask, rules, quarters_left)
        else:
            actions[index] = choose_discard(view, mask, rules)


@compiled
def _choose_draw(view: State, mask: Mask, rules: Rules, quarters_left: int) -> int:
    if not mask[DRAW_STOCK]:
        return TAKE_UPCARD
    now = least_deadwood(view.hands[view.seat], wild_rank_of(view.round_number), rules)
    after = deadwood_with_upcard(view, rules)
    return TAKE_UPCARD if after < now and 4 * after <= quarters_left * now else DRAW_STOCK


@compiled
def deadwood_with_upcard(view: State, rules: Rules) -> int:
    """Trusts its caller: the least deadwood after taking the upcard and throwing another card."""
    hand = view.hands[view.seat].copy()
    upcard = view.pile[view.pile_size - 1]
    hand[upcard] += 1
    mask = np.ones(NUM_CARDS, np.int8)
    mask[upcard] = 0
    return best_discard(hand, mask, wild_rank_of(view.round_number), rules)[1]


@compiled
def choose_discard(view: State, mask: Mask, rules: Rules) -> int:
    """Trusts its caller: the action that leaves the least deadwood, going out if that is legal."""
    hand, wild_rank = view.hands[view.seat], wild_rank_of(view.round_number)
    if mask[GO_OUT:].any():
        return GO_OUT + best_discard(hand, mask[GO_OUT:], wild_rank, rules)[0]
    return DISCARD + best_discard(hand, mask[DISCARD:GO_OUT], wild_rank, rules)[0]
