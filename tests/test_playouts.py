"""Playouts: they play as `Brisk` does in every seat, and stop where the round ends."""

import numpy as np
import pytest

from agents.brisk import Brisk
from agents.playouts import play_out
from tests.playing import COMPILED, EVERY_RULES, mask_of, shortened
from tests.positions import position, states_of_games
from three_thirteen_env.actions import parse_action
from three_thirteen_env.game import step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, Phase

RULES = EVERY_RULES | {
    "melds of wild cards alone count nothing": Rules(wild_only_melds=False, wild_points=0),
    "one pack and the upcard may not be returned": Rules(may_return_upcard=False),
}


def played_by_brisk(state, rules):
    """The points of each seat in the round that a state is in, played on to its end."""
    state, round_number, player = state.copy(), state.round_number, Brisk(rules)
    while state.phase != Phase.GAME_OVER and state.round_number == round_number:
        (action,) = player.act(np.array([state], STATE), mask_of(state, rules)[np.newaxis], np.random.default_rng(0))
        step(state, int(action), rules)
    return state.round_points[round_number - 1, : rules.num_players].tolist()


def margin(points, seat):
    own = points.pop(seat)
    return sum(points) / len(points) - own


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_round_is_played_out_as_brisk_plays_it(rules):
    rules = shortened(rules, 12)
    for state in states_of_games(30 if COMPILED else 2, rules):
        for seat in (0, rules.num_players - 1):
            won = play_out(state.copy(), state.round_number, seat, rules)
            assert won == pytest.approx(margin(played_by_brisk(state, rules), seat))


@pytest.mark.parametrize(
    ("rules", "text", "taken"),
    [
        pytest.param(Rules(), "Kc Kd Ks Ah", "", id="one card is left over"),
        pytest.param(Rules(), "3c 3d Kc 9d", "", id="two wild cards and any other"),
        pytest.param(
            Rules(wild_only_melds=False, wild_points=0), "3c 3d 3h Kc", "", id="three wild cards that are no meld"
        ),
        pytest.param(Rules(num_packs=4, may_return_upcard=False), "7c 7c 7c 7c", "7c", id="all like the one it took"),
        pytest.param(Rules(may_return_upcard=False), "7c 7d 7h Kc", "Kc", id="what is left over must stay"),
        pytest.param(Rules(may_return_upcard=False), "7c 7d 7h 7s", "7s", id="another of four goes"),
    ],
)
def test_going_out_is_not_missed(rules, text, taken):
    state = position(text, "2c", rules, taken=taken)
    won = play_out(state.copy(), 1, int(state.seat), rules)
    assert won == pytest.approx(margin(played_by_brisk(state, rules), int(state.seat)))


def test_a_round_that_is_over_costs_what_it_cost():
    """The next round is dealt by then, and is not played."""
    rules = Rules(num_players=3)
    state = position("Kc Kd Ks Ah", "2c", rules, is_final=True)
    seat = int(state.seat)
    step(state, parse_action("discard Kc"), rules)
    assert (state.round_number, state.num_turns) == (2, 0)
    points = state.round_points[0, :3].tolist()
    assert points[seat] == 21
    before = state.tobytes()
    assert play_out(state, 1, seat, rules) == pytest.approx(margin(points, seat))
    assert state.tobytes() == before
