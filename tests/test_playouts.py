"""Playouts: they play as `Brisk` does in every seat, and stop where the round ends."""

import numpy as np
import pytest

from agents.brisk import Brisk
from agents.playouts import NO_CHOICE, play_choices, play_out
from agents.search import sensible_choices
from tests.playing import COMPILED, EVERY_RULES, mask_of, shortened
from tests.positions import position, states_of_games
from three_thirteen_env.actions import TAKE_UPCARD, parse_action
from three_thirteen_env.chance import generator, shuffle_by
from three_thirteen_env.game import step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, Phase

RULES = EVERY_RULES | {
    "melds of wild cards alone count nothing": Rules(wild_only_melds=False, wild_points=0),
    "one pack and the upcard may not be returned": Rules(may_return_upcard=False),
}


def played_on(state, rules, player, first=None, buries=False):
    """The points of each seat in the round that a state is in, played on to its end, with a given first action or not.

    It may be that the top card of the stock goes under the others whenever the upcard is taken.
    """
    state, round_number = state.copy(), state.round_number
    while state.phase != Phase.GAME_OVER and state.round_number == round_number:
        (action,) = player.act(np.array([state], STATE), mask_of(state, rules)[np.newaxis], np.random.default_rng(0))
        action, first = (action if first is None else first), None
        if buries and action == TAKE_UPCARD:
            state.stock[: state.stock_size] = np.roll(state.stock[: state.stock_size], 1)
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
            assert won == pytest.approx(margin(played_on(state, rules, Brisk(rules)), seat))


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
    assert won == pytest.approx(margin(played_on(state, rules, Brisk(rules)), int(state.seat)))


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


def choices_in(state, rules):
    choices = np.full(5, NO_CHOICE)
    sensible_choices(state, mask_of(state, rules), rules, choices)
    return choices


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_choices_are_played_out_as_brisk_plays_and_a_card_that_is_left_is_buried(rules):
    rules = shortened(rules, 12)
    for state in states_of_games(30 if COMPILED else 2, rules):
        choices, margins, before = choices_in(state, rules), np.full(5, np.nan), state.tobytes()
        play_choices(state, choices, rules, margins)
        assert state.tobytes() == before
        for choice, won in zip(choices, margins, strict=True):
            if choice == NO_CHOICE:
                assert np.isnan(won)
            else:
                assert won == pytest.approx(
                    margin(played_on(state, rules, Brisk(rules), choice, buries=True), state.seat)
                )


@pytest.mark.skipif(not COMPILED, reason="thousands of rounds")
def test_to_bury_cards_changes_no_mean_and_makes_differences_clearer():
    rules = Rules()
    state = position("5c 5d 9h Kd", "9s", round_number=2)
    choices = np.array([parse_action("draw"), parse_action("take")])
    buried, plain = np.empty((4000, 2)), np.empty((4000, 2))
    for number in range(4000):
        world = state.copy()
        shuffle_by(world.stock[: world.stock_size], generator(0, number, 0))
        play_choices(world, choices, rules, buried[number])
        for place, choice in enumerate(choices):
            after = world.copy()
            step(after, int(choice), rules)
            plain[number, place] = play_out(after, 2, int(state.seat), rules)
    clear, hidden = (margins[:, 0] - margins[:, 1] for margins in (buried, plain))
    assert clear.var() < 0.7 * hidden.var()
    error = np.sqrt((clear.var() + hidden.var()) / 4000)
    assert abs(clear.mean() - hidden.mean()) < 4 * error
