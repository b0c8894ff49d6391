"""What games say: means, shares of ranks, leads, paths, endings, and intervals that cover what they claim."""

import numpy as np
import pytest
import scipy.stats

from agents.statistics import (
    Estimate,
    endings,
    estimate,
    estimates,
    group_means,
    lead,
    mean_of_agent,
    score_paths,
    seat_ranks,
    standings,
)
from tests.simulated_games import made_up, simulated
from three_thirteen_env.rules import Rules

TWO, THREE = Rules(), Rules(num_players=3)


@pytest.mark.parametrize(
    ("points", "shares"),
    [
        pytest.param([3, 5, 9], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], id="the lowest is first"),
        pytest.param(
            [5, 3, 3], [[0, 0, 1], [1 / 2, 1 / 2, 0], [1 / 2, 1 / 2, 0]], id="equal lowest share first, second"
        ),
        pytest.param([7, 1, 7], [[0, 1 / 2, 1 / 2], [1, 0, 0], [0, 1 / 2, 1 / 2]], id="equal highest share the rest"),
        pytest.param([0, 0, 0], [[1 / 3] * 3] * 3, id="all equal"),
    ],
)
def test_shares_of_the_ranks(points, shares):
    assert seat_ranks(made_up((0, [0, 1, 2], points)), THREE).tolist() == [shares]


def test_standings_are_means_over_groups_with_the_fewest_points_first():
    games = made_up((0, [0, 1], [30, 10]), (0, [1, 0], [20, 20]), (1, [0, 1], [40, 10]), (1, [1, 0], [10, 50]))
    first, second = standings(games, 2, TWO)
    assert (first.agent, second.agent) == (1, 0)
    assert (first.points_a_game.mean, second.points_a_game.mean) == (12.5, 35)
    assert first.points_a_round.mean == pytest.approx(12.5 / 11)
    assert first.points_a_round.margin == pytest.approx(first.points_a_game.margin / 11)
    assert (first.win_share.mean, second.win_share.mean) == (0.875, 0.125)
    assert first.points_a_game == estimate(np.array([15.0, 10.0]))
    assert first.win_share == estimate(np.array([0.75, 1]))
    assert first.rank_shares == (first.win_share, second.win_share)


def test_points_a_round_and_by_round_count_the_rounds_that_are_played():
    games = made_up((0, [0, 1], [0, 0]), (1, [1, 0], [0, 0]))
    games["points"][:, 2:6, :2] = [[[1, 10], [2, 20], [3, 30], [4, 40]], [[50, 5], [60, 6], [70, 7], [80, 8]]]
    (standing, _) = standings(games, 2, Rules(first_round=3, last_round=6))
    assert standing.points_a_round.mean == standing.points_a_game.mean / 4 == 36 / 8
    assert [points.mean for points in standing.points_by_round] == [3, 4, 5, 6]
    assert standing.points_by_round[1] == estimate(np.array([2.0, 6.0]))


def test_paths_are_the_totals_after_each_round():
    games = made_up((0, [0, 1], [0, 0]), (1, [1, 0], [0, 0]))
    games["points"][:, :3, :2] = [[[1, 10], [2, 20], [3, 30]], [[40, 4], [50, 5], [60, 6]]]
    first, second = score_paths(games, 2, Rules(last_round=3))
    assert first == estimates(np.array([[1.0, 3, 6], [4, 9, 15]]))
    assert [score.mean for score in second] == [25, 60, 105]
    assert first[-1] == standings(games, 2, Rules(last_round=3))[0].points_a_game


def test_endings_say_who_goes_out_how_often_nobody_does_and_after_how_many_turns():
    games = made_up((0, [0, 1], [0, 0]), (0, [1, 0], [0, 0]), (1, [0, 1], [0, 0]), (1, [1, 0], [0, 0]))
    games["went_out"][:, 4:6] = [[0, -1], [1, 1], [0, 0], [-1, -1]]
    games["num_turns"][:, 4:6] = [[6, 40], [8, 40], [4, 40], [10, 20]]
    said = endings(games, 2, Rules(first_round=5, last_round=6))
    assert said.went_out[0] == estimates(np.array([[1, 0.5], [0.5, 0.5]]))
    assert said.went_out[1] == estimates(np.array([[0.0, 0], [0, 0]]))
    assert said.nobody_went_out == estimates(np.array([[0, 0.5], [0.5, 0.5]]))
    assert said.turns == estimates(np.array([[3.5, 20], [3.5, 15]]))


def test_an_agent_goes_out_in_a_share_of_the_rounds_it_sits_in():
    games = made_up((0, [0, 1, 2], [0, 0, 0]), (0, [0, 1, 3], [0, 0, 0]), (0, [3, 3, 0], [0, 0, 0]))
    games["went_out"][:, 0] = [2, 0, 1]
    said = endings(games, 4, THREE)
    assert [by_round[0].mean for by_round in said.went_out] == [1 / 3, 0, 1, 1 / 4]


def test_a_lead_is_over_games_in_which_both_play():
    games = made_up((0, [0, 1], [30, 10]), (0, [1, 2], [90, 20]), (0, [2, 0], [5, 25]))
    assert lead(games, 1, 0, TWO).mean == 20
    assert lead(games, 0, 1, TWO).mean == -20
    assert lead(games, 2, 0, TWO).mean == 20
    assert lead(games, 2, 1, TWO).mean == 70


def test_several_seats_of_one_agent_are_its_mean():
    games = made_up((0, [0, 1, 1], [30, 10, 20]))
    assert mean_of_agent(games, np.array([[30.0, 10.0, 20.0]]), 1).tolist() == [15]
    assert lead(games, 1, 0, THREE).mean == 15


def test_an_agent_against_itself_wins_its_share():
    (standing,) = standings(made_up((0, [0, 0], [10, 20]), (1, [0, 0], [20, 30])), 1, TWO)
    assert standing.win_share == Estimate(0.5, 0)
    assert standing.points_a_game.mean == 20


def test_a_group_is_one_sample_however_many_games_it_has():
    once = made_up((0, [0, 1], [30, 10]), (1, [0, 1], [10, 10]), (2, [0, 1], [20, 50]))
    assert lead(np.concatenate([once] * 10), 0, 1, TWO) == lead(once, 0, 1, TWO)
    assert lead(np.concatenate([once, once[:1]]), 0, 1, TWO) == lead(once, 0, 1, TWO)


def test_games_without_a_value_count_for_nothing():
    games = made_up((0, [0, 1], [0, 0]), (0, [0, 1], [0, 0]), (4, [0, 1], [0, 0]))
    assert group_means(games, np.array([1.0, np.nan, 5.0])).tolist() == [1, 5]
    assert group_means(games, np.array([np.nan, np.nan, 5.0])).tolist() == [5]


@pytest.mark.parametrize("num_samples", [2, 3, 30, 1000])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_is_that_of_students_t(num_samples, confidence):
    samples = np.random.default_rng(0).normal(5, 3, num_samples)
    interval = scipy.stats.t.interval(confidence, num_samples - 1, samples.mean(), scipy.stats.sem(samples))
    found = estimate(samples, confidence)
    assert (found.low, found.high) == pytest.approx(interval)


def test_one_sample_has_no_interval():
    found = estimate(np.array([3.0]))
    assert found.mean == 3
    assert np.isnan(found.margin)
    assert not found.excludes_zero


@pytest.mark.parametrize(
    ("mean", "excludes_zero"), [(2, True), (-2, True), (1, False), (-1, False), (0, False)], ids=str
)
def test_whether_zero_lies_outside_the_interval(mean, excludes_zero):
    assert Estimate(mean, 1).excludes_zero == excludes_zero


def test_intervals_cover_the_truth_as_often_as_they_claim():
    """Games of one deal are alike: intervals that take each of them for a sample cover too little."""
    rng = np.random.default_rng(1)
    num_trials, num_groups, truth = 1000, 100, 5
    win_share = standings(simulated(rng, 100_000, truth), 2, TWO)[0].win_share.mean
    covered, naive = np.zeros(3), np.zeros(3)
    for trial in range(num_trials):
        games = simulated(rng, num_groups, truth)
        covered += _covers(games, truth, win_share)
        if trial % 4 == 0:
            games["group"] = np.arange(len(games))
            naive += _covers(games, truth, win_share)
    assert (np.abs(covered / num_trials - 0.95) < 0.02).all()
    assert (naive / (num_trials / 4) < 0.92).all()


def _covers(games, truth, win_share):
    """Whether the intervals of agent 0's points, its share of the win and its lead hold what they are of."""
    (standing,) = (standing for standing in standings(games, 2, TWO) if standing.agent == 0)
    found = ((standing.points_a_game, 41), (standing.win_share, win_share), (lead(games, 0, 1, TWO), truth))
    return np.array([interval.low <= true <= interval.high for interval, true in found])
