# ruff: noqa: ARG002  # the agents here need not look at all that they are given
"""Clairvoyant: it alone is shown whole states, takes the best of what it sees, and so says how much there is to win."""

import numpy as np
import pytest

from agents.careful import Careful
from agents.clairvoyant import Clairvoyant
from agents.match import Player, play_games
from agents.playouts import play_out
from tests.playing import COMPILED, EVERY_RULES, mask_of, shortened
from tests.positions import choice, position, states_of_games
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.game import step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NO_CARD, NOBODY, Phase

SHORT = Rules(num_players=3, last_round=2, turn_limit=10)


class Watches:
    """Does what comes first and keeps what it is shown."""

    def __init__(self, *, sees_everything):
        self.sees_everything = sees_everything
        self.shown = []

    def act(self, views, masks, rng):
        self.shown.append(views.copy())
        views["hands"] = 0  # changes no game
        return masks.argmax(axis=1)


def test_who_sees_everything_is_shown_states_and_nobody_else_is():
    sees, guesses = Watches(sees_everything=True), Watches(sees_everything=False)
    players = [Player("one", agent, np.random.default_rng(0)) for agent in (sees, guesses)]
    play_games(players, np.array([[0, 1, 1], [1, 0, 1]]), EVALUATION_SEEDS + np.arange(2), SHORT)
    states, views = np.concatenate(sees.shown), np.concatenate(guesses.shown)
    held = states["hands"][:, :3].sum(axis=2)
    size = states["round_number"][:, np.newaxis] + 2
    assert ((held == size) | (held == size + 1)).all()
    assert (states["observer"] == NOBODY).all()
    for state in states:
        assert (state["stock"][: state["stock_size"]] != NO_CARD).all()
    for view in views:
        others = np.delete(view["hands"], view["seat"], axis=0)
        known = np.delete(view["known"], view["seat"], axis=0)
        assert (others == known).all()
        assert (view["stock"] == NO_CARD).all()
        assert (view["observer"], view["seed"]) == (view["seat"], 0)


def won(state, action, rules):
    """What an action brings, if the rest is played out: after a draw with the best discard."""
    after = state.copy()
    step(after, action, rules)
    if state.phase == Phase.DRAW:
        return max(won(after, discard, rules) for discard in np.flatnonzero(mask_of(after, rules)))
    return play_out(after, state.round_number, state.seat, rules)


@pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES)
def test_it_takes_the_best_of_all_choices(rules):
    rules = shortened(rules, 12)
    states = states_of_games(12 if COMPILED else 1, rules)
    before = states.tobytes()
    masks = np.array([mask_of(state, rules) for state in states])
    actions = Clairvoyant(rules).act(states, masks, np.random.default_rng(0))
    assert states.tobytes() == before
    for state, mask, action in zip(states, masks, actions, strict=True):
        best = max(won(state, other, rules) for other in np.flatnonzero(mask))
        assert mask[action]
        assert won(state, action, rules) == best


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Kc 9d 5h 4s", "discard Kc", id="the dearest card"),
        pytest.param("Kc Kd 9h 4s", "discard Kc", id="a pair is worth nothing any more"),
        pytest.param("7c 8c 9c 2d", "discard 2d", id="what is left of a meld"),
    ],
)
def test_the_last_discard_of_a_round_leaves_the_least_deadwood(text, expected):
    assert choice("clairvoyant", position(text, "2c", is_final=True)) == expected


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
def test_it_is_far_ahead_of_the_careful():
    rules = Rules(first_round=2, last_round=9)
    rng = np.random.default_rng(0)
    players = [Player("clairvoyant", Clairvoyant(rules), rng), Player("careful", Careful(rules), rng)]
    seeds = EVALUATION_SEEDS + np.repeat(np.arange(16), 2)
    games = play_games(players, np.array([[0, 1], [1, 0]] * 16), seeds, rules)
    points = games["points"].sum(axis=1)[:, :2]
    points[1::2] = points[1::2, ::-1]
    ahead = (points[:, 1] - points[:, 0]).reshape(16, 2).mean(axis=1)
    assert ahead.mean() > 2 * ahead.std() / np.sqrt(16)
