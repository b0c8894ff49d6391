"""Playouts: a round played to its end as `Brisk` plays, which takes microseconds a turn. Compiled."""

import numpy as np
import numpy.typing as npt

from agents.brisk import choose
from three_thirteen_env.actions import TAKE_UPCARD
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import GAME_OVER, step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, State

NO_CHOICE = -1

Choices = npt.NDArray[np.int64]  # (num_choices,) actions, of which the last may be NO_CHOICE
Margins = npt.NDArray[np.float64]  # (num_choices,) points


@compiled
def play_choices(state: State, choices: Choices, rules: Rules, margins: Margins) -> None:
    """Play every choice in a state to the end of the round, and write its margin.

    All meet the same luck, so that little but the choice makes the difference. In every turn the stock offers the same
    card, whatever happened in those before: where a seat takes the upcard, the card it leaves goes under the stock.
    Nobody knows the order of the stock, so this changes no mean. But were that card left for the next seat, all would
    draw from there on what would else have been another's: that made the variance of the difference between two draws
    2.5 times as large, and between two discards 1.7 times.
    """
    room = np.empty(1, STATE)
    round_number, seat = state.round_number, state.seat
    for place in range(len(choices)):
        if choices[place] == NO_CHOICE:
            break
        room[0] = state
        action = choices[place]
        while True:
            if action == TAKE_UPCARD:
                _bury_top(room[0])
            step(room[0], action, rules)
            if not is_in_round(room[0], round_number):
                break
            action = choose(room[0], rules)
        margins[place] = margin_of(room[0], round_number, seat, rules)


@compiled
def _bury_top(state: State) -> None:
    """Move the top card of the stock under all others."""
    if state.stock_size > 0:
        top = state.stock[state.stock_size - 1]
        for index in range(state.stock_size - 1, 0, -1):
            state.stock[index] = state.stock[index - 1]
        state.stock[0] = top


@compiled
def play_out(state: State, round_number: int, seat: int, rules: Rules) -> float:
    """Play a round to its end; gives by how many points it cost the other seats more than this one, on average.

    The round may be over already, and the next one dealt. The state is lost: play out a copy of it.
    """
    while is_in_round(state, round_number):
        step(state, choose(state, rules), rules)
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
