# ruff: noqa: ARG002, ARG005  # the agents here need not look at all that they are shown
"""Matches: many games are the same as one, what comes out is what was played, and bad answers are refused."""

import re

import numpy as np
import pytest

from agents.greedy import Greedy
from agents.match import Player, play_games
from agents.registry import AgentError
from agents.selective import Selective
from tests.playing import COMPILED
from three_thirteen_env.actions import DRAW_STOCK, NUM_ACTIONS
from three_thirteen_env.agent import RandomAgent
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

SHORT = Rules(last_round=2, turn_limit=10)
SEEDS = EVALUATION_SEEDS + np.arange(6)


def player(agent: object, name: str = "one's own") -> Player:
    return Player(name, agent, np.random.default_rng(0))


class Answers:
    """An agent that answers what a function makes of its masks."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, views, masks, rng):
        return self.answer(masks)


def test_a_game_is_the_same_alone_and_among_others():
    players = [player(Greedy(SHORT)), player(Selective(SHORT))]
    seating = np.array([[0, 1], [1, 0]] * 3)
    together = play_games(players, seating, SEEDS, SHORT)
    alone = [play_games(players, seating[i : i + 1], SEEDS[i : i + 1], SHORT) for i in range(6)]
    assert together.tobytes() == np.concatenate(alone).tobytes()


def test_equal_agents_change_seats_and_change_nothing():
    players = [player(Greedy(SHORT)), player(Greedy(SHORT))]
    one = play_games(players, np.array([[0, 1]] * 6), SEEDS, SHORT)
    other = play_games(players, np.array([[1, 0]] * 6), SEEDS, SHORT)
    assert np.array_equal(one["points"], other["points"])
    assert one["agents"][:, :2].tolist() == other["agents"][:, 1::-1].tolist()


@pytest.mark.parametrize("num_players", [2, 3, 8])
def test_what_comes_out_is_what_was_played(num_players):
    rules = Rules(num_players=num_players, first_round=2, last_round=3, turn_limit=40 if COMPILED else 5)
    games = play_games([player(Greedy(rules))], np.zeros((6, num_players), np.int64), SEEDS, rules)
    assert games["seed"].tolist() == SEEDS.tolist()
    assert (games["agents"] == [0] * num_players + [NOBODY] * (8 - num_players)).all()
    assert not games["points"][:, [0, *range(3, 11)]].any()
    assert not games["points"][:, :, num_players:].any()
    assert (games["went_out"][:, [0, *range(3, 11)]] == NOBODY).all()
    for game in games:
        for row in (1, 2):
            out_seat = game["went_out"][row]
            if out_seat == NOBODY:
                assert game["num_turns"][row] == rules.turn_limit * num_players
            else:
                assert game["points"][row, out_seat] == 0
                assert game["num_turns"][row] >= num_players


def test_an_agent_sees_no_more_than_its_seat_may():
    seen = []

    class Watches:
        def act(self, views, masks, rng):
            seen.append((views["seed"], views["observer"] == views["seat"], views["stock"]))
            return masks.argmax(axis=1)

    play_games([player(Watches())], np.zeros((1, 2), np.int64), SEEDS[:1], SHORT)
    for seeds, observes, stock in seen:
        assert not seeds.any()
        assert observes.all()
        assert (stock == -1).all()


def test_an_agent_that_writes_into_what_it_is_shown_changes_nothing():
    class Scribbles:
        def act(self, views, masks, rng):
            actions = masks.argmax(axis=1)
            views["hands"] = 1
            masks[:] = 1
            return actions

    first = player(Answers(lambda masks: masks.argmax(axis=1)))
    seating = np.zeros((2, 2), np.int64)
    games = [play_games([one], seating, SEEDS[:2], SHORT) for one in (first, player(Scribbles()))]
    assert games[0].tobytes() == games[1].tobytes()


@pytest.mark.parametrize(
    "kind", [list, tuple, lambda actions: actions.astype(np.uint8)], ids=["list", "tuple", "uint8"]
)
def test_integers_of_any_kind_are_actions(kind):
    agent = Answers(lambda masks: kind(masks.argmax(axis=1)))
    play_games([player(agent)], np.zeros((2, 2), np.int64), SEEDS[:2], SHORT)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(lambda masks: masks[:, 0] * 0 + 60, "chose the illegal action 60 (out 7c)", id="illegal"),
        pytest.param(lambda masks: masks[:, 0] * 0 + NUM_ACTIONS, "chose the illegal action 106", id="no action"),
        pytest.param(lambda masks: -masks[:, 0], "chose the illegal action -1", id="negative"),
        pytest.param(lambda masks: masks[:, 0] * 1.0, "gave an array of shape (2,) and type float64", id="float"),
        pytest.param(lambda masks: masks[:, 0] == 1, "gave an array of shape (2,) and type bool", id="boolean"),
        pytest.param(lambda masks: [0], "must give 2 integers, one for each view", id="too few"),
        pytest.param(lambda masks: 0, "gave an array of shape ()", id="one for all"),
        pytest.param(lambda masks: [[0], [0, 1]], "must give 2 integers", id="ragged"),
        pytest.param(lambda masks: None, "must give 2 integers", id="nothing"),
        pytest.param(lambda masks: 1 // 0, "failed: ZeroDivisionError: integer division", id="failure"),
    ],
)
def test_a_bad_answer_names_agent_game_turn_and_what_was_legal(answer, words):
    with pytest.raises(AgentError, match=re.escape(words)) as raised:
        play_games([player(Answers(answer))], np.zeros((2, 2), np.int64), SEEDS[:2], SHORT)
    message = str(raised.value)
    assert message.startswith('agent "one\'s own" ')
    assert f"in the game of seed {SEEDS[0]}, round 1, turn 1, where legal is: draw, take" in message
    assert "\n" not in message


def test_the_game_that_is_named_is_the_one_at_fault():
    class Stumbles:
        """Draws, and throws its first card; in the third game it fails, or else chooses what is not legal."""

        def __init__(self, fails):
            self.fails, self.third = fails, None

        def act(self, views, masks, rng):
            actions = masks.argmax(axis=1)
            if self.third is None:
                self.third = views["hands"][2].copy()
            is_third = (views["hands"] == self.third).all(axis=(1, 2)) & (actions == DRAW_STOCK)
            if is_third.any() and self.fails:
                raise RuntimeError("no idea")
            return np.where(is_third, 2, actions)

    for fails in (True, False):
        with pytest.raises(AgentError, match=f"seed {SEEDS[2]}, round 1, turn 1"):
            play_games([player(Stumbles(fails))], np.zeros((6, 2), np.int64), SEEDS, SHORT)


def test_random_play_is_drawn_from_the_generator_it_is_given():
    def play(seed):
        one = Player("random", RandomAgent(), np.random.default_rng(seed))
        return play_games([one], np.zeros((3, 2), np.int64), SEEDS[:3], SHORT).tobytes()

    assert play(1) == play(1)
    assert play(1) != play(2)
