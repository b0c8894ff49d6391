"""Ratings: who finishes ahead of whom on Elo's scale, and intervals that cover what they claim."""

from itertools import combinations

import choix
import numpy as np
import pytest

from agents.rating import group_wins, ratings
from tests.simulated_games import made_up, raced
from three_thirteen_env.rules import Rules

TWO, THREE = Rules(), Rules(num_players=3)


def of_agents(games, num_agents, rules, **options):
    """The rating of each agent with the ends of its interval, ``(num_agents, 3)``."""
    found = sorted(ratings(games, num_agents, rules, **options))
    assert [rating.agent for rating in found] == list(range(num_agents))
    return np.array([rating[1:] for rating in found])


def test_four_hundred_points_are_odds_of_ten_to_one():
    games = made_up(*((group, [0, 1], [1, 0] if group % 11 == 0 else [0, 1]) for group in range(11_000)))
    better, worse = ratings(games, 2, TWO, num_resamples=50)
    assert (better.agent, worse.agent) == (0, 1)
    assert better.rating - worse.rating == pytest.approx(400, abs=0.1)
    assert better.rating == pytest.approx(-worse.rating)


def test_each_agent_is_given_one_drawn_game_more():
    games = made_up(*((group, [0, 1], [0, 1]) for group in range(4)))
    better, worse = ratings(games, 2, TWO, num_resamples=50)
    assert better.rating - worse.rating == pytest.approx(400 * np.log10(4.5 / 0.5), abs=0.1)


def test_wins_are_counted_for_every_pair_of_a_table_and_equal_totals_are_half_a_win():
    games = made_up((3, [0, 1, 2], [5, 9, 5]), (3, [1, 2, 0], [1, 2, 3]), (8, [2, 2, 0], [1, 7, 4]))
    assert group_wins(games, 3, THREE).tolist() == [
        [[0, 1, 0.5], [1, 0, 1], [1.5, 1, 0]],
        [[0, 0, 1], [0, 0, 0], [1, 0, 0]],
    ]


def test_equals_have_the_rating_of_the_field():
    games = made_up(*((group, [0, 1, 2], [7, 7, 7]) for group in range(9)))
    assert of_agents(games, 3, THREE, num_resamples=50)[:, 0] == pytest.approx(0, abs=1e-6)


def test_an_agent_by_itself_is_the_field():
    (rating,) = ratings(made_up((0, [0, 0], [1, 2]), (1, [0, 0], [4, 3])), 1, TWO)
    assert rating == (0, 0, 0, 0)


def test_a_single_group_has_no_interval():
    found = of_agents(made_up((0, [0, 1], [1, 2]), (0, [1, 0], [4, 3])), 2, TWO)
    assert np.isfinite(found[:, 0]).all()
    assert np.isnan(found[:, 1:]).all()


def test_an_agent_that_never_wins_has_a_finite_rating_and_a_long_interval_downwards():
    rng = np.random.default_rng(0)
    games = made_up(*((group, [0, 1, 2], [*rng.integers(0, 30, 2), 99]) for group in range(200)))
    *others, (rating, low, high) = of_agents(games, 3, THREE, num_resamples=300)
    assert rating < min(others[0][0], others[1][0]) - 400
    assert np.isfinite(low)
    assert rating - low > 1.5 * (high - rating) > 0


def test_a_field_without_upsets_has_ratings_in_its_order():
    pairs = list(combinations(range(8), 2))
    games = made_up(*((group, pair, pair) for group in range(20) for pair in pairs))
    assert [rating.agent for rating in ratings(games, 8, TWO, num_resamples=20)] == list(range(8))


def test_the_same_seed_gives_the_same_intervals():
    games = raced(np.random.default_rng(0), (1, 2, 3), 20, 2)
    assert ratings(games, 3, TWO, seed=5, num_resamples=20) == ratings(games, 3, TWO, seed=5, num_resamples=20)
    assert ratings(games, 3, TWO, seed=5, num_resamples=20) != ratings(games, 3, TWO, seed=6, num_resamples=20)


def test_the_ratings_are_close_to_those_of_the_greatest_likelihood():
    strengths = (1, 1.5, 2, 4)
    games = raced(np.random.default_rng(1), strengths, 60, 3)
    orders = np.argsort(games["points"][:, 0, :3], axis=1)
    finished = np.take_along_axis(games["agents"][:, :3].astype(np.int64), orders, axis=1)
    likeliest = 400 / np.log(10) * choix.opt_rankings(4, finished.tolist())
    assert of_agents(games, 4, THREE, num_resamples=2)[:, 0] == pytest.approx(likeliest - np.median(likeliest), abs=10)


def test_the_ratings_are_those_of_plackett_and_luces_model():
    strengths = np.array([1, 1.5, 2, 4])
    games = raced(np.random.default_rng(1), strengths, 5000, 3)
    truth = 400 * np.log10(strengths)
    assert of_agents(games, 4, THREE, num_resamples=2)[:, 0] == pytest.approx(truth - np.median(truth), abs=8)


def test_intervals_cover_the_truth_as_often_as_they_claim():
    """Games of one deal are alike: intervals that take each of them for a sample cover too little."""
    rng = np.random.default_rng(2)
    strengths, num_trials = np.array([1.0, 2, 4]), 60
    truth = 400 * np.log10(strengths / 2)
    covered = naive = 0
    for trial in range(num_trials):
        games = raced(rng, strengths, 20, 2)
        covered += _num_covered(games, truth)
        if trial % 3 == 0:
            games["group"] = np.arange(len(games))
            naive += _num_covered(games, truth)
    # 0.95 ± 3 standard errors
    assert 0.90 <= covered / (3 * num_trials) <= 0.99
    assert naive / num_trials < 0.87


def _num_covered(games, truth):
    _, low, high = of_agents(games, 3, TWO, num_resamples=80).T
    return np.sum((low <= truth) & (truth <= high))
