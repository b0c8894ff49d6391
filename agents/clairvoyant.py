"""Clairvoyant: a yardstick and no fair player, for it is shown every card. It says how much there is to win."""

import numpy as np

from agents.playouts import play_out
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import DRAW_PHASE, Mask, legal_actions, step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, State, States


class Clairvoyant:
    """Plays every choice, and every discard after it, to the end of the round in the true state, and takes the best.

    It knows the other hands and the order of the stock; what it does not know is how the others play, which it takes to
    be as `agents.playouts` does.
    """

    sees_everything = True  # it is given states, not views: `agents.match` looks for this

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:  # noqa: ARG002
        """The action that turns out best in each state."""
        actions = np.empty(len(views), np.int64)
        _choose_each(views, masks, self.rules, actions)
        return actions


@compiled
def _choose_each(states: States, masks: Masks, rules: Rules, actions: Actions) -> None:
    room = np.empty(2, STATE)
    for index in range(len(states)):
        actions[index] = _choose(states[index], masks[index], rules, room)


@compiled
def _choose(state: State, mask: Mask, rules: Rules, room: States) -> int:
    best, most = -1, -np.inf
    for action in range(NUM_ACTIONS):
        if mask[action]:
            room[0] = state
            step(room[0], action, rules)
            if state.phase == DRAW_PHASE:
                margin = _margin_of_best_discard(room, state.seat, rules)
            else:
                margin = play_out(room[0], state.round_number, state.seat, rules)
            if margin > most:
                best, most = action, margin
    return best


@compiled
def _margin_of_best_discard(room: States, seat: int, rules: Rules) -> float:
    """The most points that a discard in the first of two states brings a seat; the second is room to try them in."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    legal_actions(room[0], rules, mask)
    round_number, most = room[0].round_number, -np.inf
    for action in range(NUM_ACTIONS):
        if mask[action]:
            room[1] = room[0]
            step(room[1], action, rules)
            most = max(most, play_out(room[1], round_number, seat, rules))
    return most
