"""Brisk: what it throws and takes, as tables of hands, and that it reads only what its seat may know."""

import pytest

from agents.brisk import choose
from tests.playing import COMPILED, EVERY_RULES, shortened
from tests.positions import choice, position, states_of_games
from three_thirteen_env.cards import hand
from three_thirteen_env.rules import Rules
from three_thirteen_env.view import view_of


@pytest.mark.parametrize(
    ("text", "turns", "expected"),
    [
        pytest.param("Kc Kd 9h 5s", 0, "discard 9h", id="a pair may become a meld"),
        pytest.param("Kc Qc 9h 5s", 0, "discard 9h", id="so may neighbors"),
        pytest.param("Kc Qc 9h 5s", 40, "discard Kc", id="not near the end"),
        pytest.param("Kc 3d 9h 5s", 0, "discard Kc", id="a wild card is no gift"),
        pytest.param("5h 6h 7h 2s", 0, "out 2s", id="it goes out"),
    ],
)
def test_it_throws_what_can_become_least(text, turns, expected):
    assert choice("brisk", position(text, "2c", turns=turns)) == expected


@pytest.mark.parametrize(
    ("text", "upcard", "expected"),
    [
        pytest.param("Kc Kd 5h", "Ks", "take", id="completes a meld"),
        pytest.param("Kc 9d 5h", "3s", "take", id="a wild card"),
        pytest.param("Kc 9d 5h", "Js", "draw", id="more deadwood, and no kin"),
        pytest.param("Kc 9d 5h", "5s", "draw", id="19 points and a pair are not yet worth it"),
        pytest.param("Kc 9d 5h", "4h", "take", id="18 points and neighbors are"),
    ],
)
def test_it_takes_what_brings_enough(text, upcard, expected):
    assert choice("brisk", position(text, upcard)) == expected


def test_the_next_seat_is_not_fed_what_it_is_known_to_collect():
    rules = Rules(num_players=3)
    thrown = []
    for seats_on in (1, 2):
        state = position("Jc Td 5h 5s", "2c", rules, turns=1)
        seat = (state.seat + seats_on) % 3
        state.known[seat] = state.hands[seat] = hand("Jh Js")
        thrown.append(choice("brisk", state, rules))
    assert thrown == ["discard Td", "discard Jc"]


@pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES)
def test_it_reads_only_what_its_seat_may_know_and_changes_nothing(rules):
    rules = shortened(rules, 20)
    for state in states_of_games(60 if COMPILED else 3, rules):
        before = state.tobytes()
        assert choose(state, rules) == choose(view_of(state, state.seat), rules)
        assert state.tobytes() == before
