# ruff: noqa: ARG002  # what stands in for another need not look at all that it is given
"""Search: it is fixed by its generator, keeps to its budget, and searches only where there is something to choose."""

import numpy as np
import pytest

import agents.search
from agents.careful import Careful
from agents.search import WORLDS_IN_ROUND, Search
from tests.playing import COMPILED, mask_of, shortened
from tests.positions import choice, position, shown, states_of_games
from three_thirteen_env.actions import action_name
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE
from three_thirteen_env.view import view_of

RULES = shortened(Rules(), 20)
OPEN = position("Kc Qd 9h 7s", "2c")  # all four discards are sensible


@pytest.fixture(scope="module")
def positions():
    """Views and masks from games."""
    return shown(states_of_games(30 if COMPILED else 3, RULES), RULES)


def act(agent, positions, seed=0):
    return agent.act(*positions, np.random.default_rng(seed)).tolist()


def nothing(choice, world):
    """No choice wins anything in any world."""
    return 0.0


class Spy:
    """Stands in for `play_worlds`: writes the margins that a function makes of choice and world, and keeps count."""

    def __init__(self, monkeypatch, margin):
        self.margin, self.shapes, self.clock = margin, [], 0.0
        monkeypatch.setattr(agents.search, "play_worlds", self)
        monkeypatch.setattr(agents.search, "perf_counter", lambda: self.clock)

    def __call__(self, view, choices, rules, seed, first, margins):
        self.shapes.append(margins.shape)
        self.clock += 1.0  # second
        for index in range(len(margins)):
            margins[index] = [self.margin(action_name(int(choice)), first + index) for choice in choices]

    @property
    def num_rollouts(self):
        return sum(num_worlds * num_choices for num_worlds, num_choices in self.shapes)


def search(state, rules=Rules(), **budget):
    """What a search does in one state, in words."""
    position = np.array([view_of(state, state.seat)], STATE), mask_of(state, rules)[np.newaxis]
    return action_name(act(Search(rules, **budget), position)[0])


def test_one_generator_gives_one_choice_however_many_threads_share_the_worlds(positions):
    alone, shared = Search(RULES, 64), Search(RULES, 64, num_threads=3)
    choices = [act(alone, positions, seed) for seed in range(4)]
    assert choices == [act(shared, positions, seed) for seed in range(4)]
    assert choices[0] == act(alone, positions, 0)
    assert choices[0] != choices[1]


def test_a_search_is_the_same_alone_and_among_others_and_changes_nothing_that_it_is_shown(positions):
    views, masks = positions
    before = views.tobytes(), masks.tobytes()
    first = act(Search(RULES, 64), (views[:1], masks[:1]))
    assert act(Search(RULES, 64), positions)[:1] == first
    assert (views.tobytes(), masks.tobytes()) == before


def test_with_no_worlds_to_play_it_is_careful(positions):
    assert act(Search(RULES, rollouts=1), positions) == act(Careful(RULES), positions)


@pytest.mark.parametrize("rollouts", [7, 50, 1000])
def test_no_more_rounds_are_played_out_than_the_budget_says(monkeypatch, rollouts):
    spy = Spy(monkeypatch, nothing)
    search(OPEN, rollouts=rollouts)
    num_choices = spy.shapes[0][1]
    assert num_choices == 4
    assert rollouts - num_choices < spy.num_rollouts <= rollouts
    assert max(num_worlds for num_worlds, _ in spy.shapes) <= WORLDS_IN_ROUND


def test_a_search_ends_when_its_time_is_up(monkeypatch):
    spy = Spy(monkeypatch, nothing)
    search(OPEN, rollouts=10**6, milliseconds=2500)
    assert len(spy.shapes) == 3  # each takes a second


def test_the_choice_of_the_most_points_is_taken(monkeypatch):
    Spy(monkeypatch, lambda choice, world: 5.0 * (choice == "discard 7s") + world % 3)
    assert search(OPEN) == "discard 7s"


def test_choices_that_fall_behind_take_no_more_worlds(monkeypatch):
    spy = Spy(monkeypatch, lambda choice, world: -5.0 * (choice in ("discard 9h", "discard 7s")) + world % 3)
    assert search(OPEN) in ("discard Kc", "discard Qd")
    assert [num_choices for _, num_choices in spy.shapes[:2]] == [4, 2]


def test_a_choice_that_is_ahead_by_no_more_than_chance_is_not_preferred_to_the_careful_one(monkeypatch):
    careful = search(OPEN, rollouts=1)
    Spy(monkeypatch, lambda choice, world: 0.0 if choice == careful else 100.0 * (-1) ** world + 1)
    assert search(OPEN) == careful


FINAL, FOUR = {"is_final": True}, {"round_number": 4, "turns": 3}


@pytest.mark.parametrize(
    ("text", "upcard", "options", "expected"),
    [
        pytest.param("Kc Kd Ks Ah", "2c", {}, "out Ah", id="it can go out"),
        pytest.param("Kc Kd 9s 2h", "2c", FINAL, "discard Kc", id="the last discard of a final turn"),
        pytest.param("Kc Kd 9s", "Ks", FINAL, "take", id="the draw of a final turn"),
        pytest.param("Kc Kd 9s", "Ks", {}, "take", id="the upcard leaves no deadwood"),
        pytest.param("Kc 9d 3h", "3s", {}, "take", id="so does a wild card"),
        pytest.param("Kc Kd 7c 7d 9h 2s", "Ks", FOUR, "take", id="the upcard is far better than any of the stock"),
        pytest.param("Kc Kd 7c 7d 9h 2s", "Jh", FOUR, "draw", id="the upcard is good for nothing"),
    ],
)
def test_a_clear_choice_takes_no_worlds(monkeypatch, text, upcard, options, expected):
    spy = Spy(monkeypatch, nothing)
    assert search(position(text, upcard, **options)) == expected
    assert spy.shapes == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"rollouts": 0}, "rollouts must be an integer from 1 to .*, not 0", id="no rollouts"),
        pytest.param({"num_threads": 0}, "num_threads must be an integer from 1 to .*, not 0", id="no threads"),
        pytest.param({"milliseconds": 0}, "milliseconds must be more than 0, not 0", id="no time"),
        pytest.param({"milliseconds": float("nan")}, "milliseconds must be more than 0, not nan", id="no number"),
        pytest.param({"rollouts": 2.5}, "rollouts must be an integer .* not 2.5", id="half a rollout"),
        pytest.param({"rollouts": "many"}, "rollouts must be an integer .* not 'many'", id="a word"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        Search(Rules(), **options)


def test_what_is_left_at_the_turn_limit_counts_and_nothing_that_comes_later():
    """The round ends with the discard: nothing is drawn any more that would go with the kings."""
    state = position("Kc Kd 5h 9s", "2c", turns=50)
    state.num_turns -= 1
    assert choice("careful", state) == "discard 9s"
    assert search(state, rollouts=64) in ("discard Kc", "discard Kd")
