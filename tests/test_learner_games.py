"""Many games with one learner in each: whoever else plays beside it, where it sits, and what its opponents may do."""

import numpy as np
import pytest

from tests.playing import COMPILED
from tests.vector_playing import NUM_STEPS, Last, make
from three_thirteen_env.agent import RandomAgent
from three_thirteen_env.state import NO_CARD


class Stubborn:
    """Gives the same answer, for as many games as it is asked about."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, views, masks, rng):  # noqa: ARG002
        return self.answer(len(views))


def test_a_game_is_the_same_whatever_other_games_are_played_beside_it():
    few, many = make(3, opponents=Last()), make(15, opponents=Last())
    few.reset(seed=20)
    many.reset(seed=10)
    for _ in range(NUM_STEPS):
        legal = many.games.masks[10:13].argmax(axis=1)
        few_actions, many_actions = few.games.masks.argmax(axis=1), many.games.masks.argmax(axis=1)
        assert (few_actions == legal).all()
        told, all_told = few.step(few_actions), many.step(many_actions)
        for array, whole in zip(told[:4], all_told[:4], strict=True):
            assert array.tobytes() == whole[10:13].tobytes()


def test_the_learner_sits_where_it_is_told_or_in_every_seat_in_time():
    envs = make(10, num_players=4, seat=2)
    envs.reset(seed=1)
    assert (envs.games.learners["seat"] == 2).all()
    num_envs = 400 if COMPILED else 40
    envs = make(num_envs, num_players=4)
    envs.reset(seed=1)
    assert np.bincount(envs.games.learners["seat"]).min() > num_envs / 16
    before = envs.games.learners["seat"].copy()
    envs.reset()
    assert (envs.games.learners["seat"] != before).sum() > num_envs / 2


# The opponents.


def test_an_opponent_is_asked_once_about_all_games_and_told_nothing_that_it_may_not_know():
    opponent = Last()
    envs = make(20, opponents=opponent, num_players=3)
    envs.reset(seed=1)
    sizes = [len(views) for views, _ in opponent.shown]
    assert sum(sizes) > 20  # all that sit before the learner have drawn and discarded
    assert len(sizes) == 4
    for _ in range(10):
        envs.step(envs.games.masks.argmax(axis=1))
    for views, masks in opponent.shown:
        assert (masks.shape, masks.dtype) == ((len(views), 106), np.int8)
        assert masks.any(axis=1).all()
        assert (views["observer"] == views["seat"]).all()
        assert not views["seed"].any()
        assert (views["stock"] == NO_CARD).all()
        for view in views:
            hidden = [seat for seat in range(3) if seat not in (view["seat"], view["out_seat"])]
            assert (view["hands"][hidden] == view["known"][hidden]).all()


def test_every_opponent_plays_its_own_seat():
    opponents = [Last(), Last(), Last()]
    envs = make(8, opponents=opponents, num_players=4, seat=1)
    envs.reset(seed=1)
    for _ in range(8):
        envs.step(envs.games.masks.argmax(axis=1))
    for opponent, seat in zip(opponents, (2, 3, 0), strict=True):  # clockwise from the learner
        assert {int(seat) for views, _ in opponent.shown for seat in views["seat"]} == {seat}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda count: np.full(count, 50), r"50 \(discard Ts\) is not legal: player_1 draws and may choose 0 \(draw\)"),
        (lambda count: np.full(count, 106), r"106 is no action: player_1 draws and may choose 0 \(draw\), 1 \(take\)"),
        (lambda count: np.zeros(count), "actions of type float64, not integers"),
        (lambda count: np.zeros(count + 1, int), r"actions of shape \(9,\), not \(8,\)"),
        (lambda _: 0, r"actions of shape \(\), not \(8,\)"),
        (lambda _: None, r"actions of shape \(\), not \(8,\)"),
    ],
    ids=["a discard before the draw", "no action", "no integers", "one too many", "a number", "nothing"],
)
def test_an_illegal_action_of_an_opponent_says_who_where_and_what_was_legal(answer, message):
    envs = make(8, opponents=Stubborn(answer), seat=0)
    seed = next(seed for seed in range(99) if starts_first(seed))
    with pytest.raises(ValueError, match=f"opponent Stubborn in round 1, turn 1 of the game of seed {seed}: {message}"):
        envs.reset(seed=[seed] * 8)
    with pytest.raises(ValueError, match=r"the games have not begun: call reset\(\)"):
        envs.step([0] * 8)


def starts_first(seed):
    """Whether seat 1 has the first turn."""
    envs = make(1, seat=1)
    envs.reset(seed=seed)
    return envs.games.states[0]["num_turns"] == 0


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"opponents": [RandomAgent()]}, "one agent, or 2, one for each other seat, not 1"),
        ({"opponents": RandomAgent}, r"an object with a method act\(views, masks, rng\)"),
        ({"seat": 3}, "seat must be an integer from 0 to 2, not 3"),
        ({"num_envs": 0}, "num_games must be an integer from 1 to 10000000, not 0"),
        ({"observation": "pixels"}, "an observation is of kind 'cards' or 'melds' or 'outlook', not 'pixels'"),
        ({"reward": "joy"}, "reward must be one of points, margin, win, not 'joy'"),
        ({"autoreset_mode": "now"}, "'now' is not a valid AutoresetMode"),
        ({"render_mode": "human"}, "render_mode must be one of ansi, rgb_array, not 'human'"),
    ],
    ids=lambda value: ", ".join(value) if isinstance(value, dict) else value,
)
def test_what_cannot_be_made_says_why(choices, message):
    with pytest.raises(ValueError, match=message):
        make(**{"num_players": 3, **choices})
