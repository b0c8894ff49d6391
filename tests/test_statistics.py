"""What games say: means, shares of the win, leads, and intervals that cover what they claim."""

import numpy as np
import pytest
import scipy.stats

from agents.match import GAME, Games
from agents.statistics import Estimate, estimate, group_means, lead, mean_of_agent, seat_wins, standings
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

TWO, THREE = Rules(), Rules(num_players=3)


def made_up(*rows: tuple[int, list[int], list[int]]) -> Games:
    """Games that nobody played: group, agent of each seat, points of each seat (all in the first round)."""
    games = np.zeros(len(rows), GAME)
    games["agents"] = NOBODY
    for game, (group, agents, points) in zip(games, rows, strict=True):
        game["group"] = group
        game["agents"][: len(agents)] = agents
        game["points"][0, : len(points)] = points
    return games


@pytest.mark.parametrize(
    ("points", "shares"),
    [
        pytest.param([3, 5, 9], [1, 0, 0], id="the lowest wins"),
        pytest.param([5, 3, 3], [0, 1 / 2, 1 / 2], id="equal lowest totals share the win"),
        pytest.param([0, 0, 0], [1 / 3, 1 / 3, 1 / 3], id="all equal"),
    ],
)
def test_share_of_the_win(points, shares):
    assert seat_wins(made_up((0, [0, 1, 2], points)), THREE).tolist() == [shares]


def test_standings_are_means_over_groups_with_the_fewest_points_first():
    games = made_up((0, [0, 1], [30, 10]), (0, [1, 0], [20, 20]), (1, [0, 1], [40, 10]), (1, [1, 0], [10, 50]))
    first, second = standings(games, 2, TWO)
    assert (first.agent, second.agent) == (1, 0)
    assert (first.points_a_game.mean, second.points_a_game.mean) == (12.5, 35)
    assert first.points_a_round.mean == pytest.approx(12.5 / 11)
    assert first.points_a_round.margin == pytest.approx(first.points_a_game.margin / 11)
    assert (first.win_share.mean, second.win_share.mean) == (0.875, 0.125)
    assert first.points_a_game == estimate(np.array([15.0, 10.0]))


def test_points_a_round_count_the_rounds_that_are_played():
    games = made_up((0, [0, 1], [30, 10]), (1, [1, 0], [20, 20]))
    (standing, _) = standings(games, 2, Rules(first_round=3, last_round=6))
    assert standing.points_a_round.mean == standing.points_a_game.mean / 4


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


def test_games_without_a_value_count_for_nothing():
    games = made_up((0, [0, 1], [0, 0]), (0, [0, 1], [0, 0]), (4, [0, 1], [0, 0]))
    assert group_means(games, np.array([1.0, np.nan, 5.0])).tolist() == [1, 5]
    assert group_means(games, np.array([np.nan, np.nan, 5.0])).tolist() == [5]


@pytest.mark.parametrize("num_samples", [2, 3, 30, 1000])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_interval_is_that_of_students_t(num_samples, confidence):
    samples = np.random.default_rng(0).normal(5, 3, num_samples)
    low, high = scipy.stats.t.interval(confidence, num_samples - 1, samples.mean(), scipy.stats.sem(samples))
    mean, margin = estimate(samples, confidence)
    assert (mean - margin, mean + margin) == pytest.approx((low, high))


def test_one_sample_has_no_interval():
    assert estimate(np.array([3.0])).mean == 3
    assert np.isnan(estimate(np.array([3.0])).margin)


@pytest.mark.parametrize("num_groups", [5, 40])
def test_intervals_cover_the_truth_as_often_as_they_claim(num_groups):
    """Games of one deal are alike: an interval that takes each of them for a sample covers far too little."""
    rng = np.random.default_rng(1)
    num_trials, truth = 4000, 8
    covered = naive = 0
    groups = np.repeat(np.arange(num_groups), 6)
    games = np.zeros(len(groups), GAME)
    games["group"] = groups
    for _ in range(num_trials):
        values = truth + 20 * rng.standard_exponential(num_groups)[groups] - 20 + 10 * rng.standard_normal(len(groups))
        if num_groups < 30:  # few samples: normal ones, for which Student's t is exact
            values = truth + 20 * rng.standard_normal(num_groups)[groups] + 10 * rng.standard_normal(len(groups))
        mean, margin = estimate(group_means(games, values))
        covered += abs(mean - truth) <= margin
        mean, margin = estimate(values)
        naive += abs(mean - truth) <= margin
    # 0.95 ± 4 standard errors; skewed samples cover a little less.
    assert 0.95 - 0.014 - 0.02 * (num_groups >= 30) < covered / num_trials < 0.95 + 0.014
    assert naive / num_trials < 0.8
