"""Playouts: a round played to its end as `Brisk` plays, which takes microseconds a turn. Compiled."""

from agents.brisk import choose
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import GAME_OVER, step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import State


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
