"""Who is better than whom: tests that err as seldom as they claim, also when they are looked at again and again."""

import numpy as np
import pytest
import scipy.stats

from agents.significance import (
    compare,
    comparisons,
    confidence_of_a_look,
    groups_to_settle,
    holm,
    is_settled,
    looks,
)
from agents.statistics import estimate, estimates, lead
from tests.simulated_games import made_up, simulated
from three_thirteen_env.rules import Rules

TWO, THREE = Rules(), Rules(num_players=3)


def test_the_test_is_students_paired_t_over_groups():
    games = simulated(np.random.default_rng(0), 30, lead=4)
    of_each = games["points"][:, 0, :2].astype(float).reshape(30, 2, 2)
    first, second = ((of_each[:, 0, place] + of_each[:, 1, 1 - place]) / 2 for place in (0, 1))
    comparison = compare(games, 0, 1, TWO)
    assert comparison.p_value == pytest.approx(scipy.stats.ttest_rel(first, second).pvalue)
    assert comparison.lead == lead(games, 0, 1, TWO)
    assert comparison.num_groups == 30


def test_a_p_value_below_five_percent_says_what_the_interval_says():
    rng = np.random.default_rng(1)
    found = [compare(simulated(rng, 20, lead=8), 0, 1, TWO) for _ in range(100)]
    assert {comparison.lead.excludes_zero for comparison in found} == {True, False}
    for comparison in found:
        assert comparison.lead.excludes_zero == (comparison.p_value < 0.05) == (comparison.groups_to_settle == 0)


@pytest.mark.parametrize(
    ("points", "p_value", "to_settle"),
    [
        pytest.param([(5, 5), (9, 9)], 1, None, id="two that play alike"),
        pytest.param([(5, 8), (6, 9)], 0, 0, id="always the same lead"),
        pytest.param([(5, 8), (8, 5)], 1, None, id="leads that cancel"),
        pytest.param([(5, 8)], np.nan, None, id="a single group says nothing"),
    ],
)
def test_what_is_said_of_leads_without_an_answer(points, p_value, to_settle):
    comparison = compare(made_up(*((group, [0, 1], both) for group, both in enumerate(points))), 0, 1, TWO)
    assert comparison.p_value == pytest.approx(p_value, nan_ok=True)
    assert comparison.groups_to_settle == to_settle


def test_agents_that_never_meet_cannot_be_compared():
    games = made_up((0, [0, 1], [1, 2]), (0, [1, 2], [3, 4]))
    with pytest.raises(ValueError, match="must meet in a game, and 0 and 2 do not"):
        compare(games, 0, 2, TWO)
    assert set(comparisons(games, 4, TWO)) == {(0, 1), (1, 0), (1, 2), (2, 1)}


def test_all_pairs_are_compared_both_ways_round():
    rng = np.random.default_rng(2)
    games = made_up(*((group, [0, 1, 2], rng.integers(0, 50, 3)) for group in range(10)))
    found = comparisons(games, 3, THREE)
    assert len(found) == 6
    adjusted = holm([found[pair].p_value for pair in ((0, 1), (0, 2), (1, 2))])
    assert [found[pair].holm_p_value for pair in ((0, 1), (0, 2), (1, 2))] == adjusted
    for (agent, other), comparison in found.items():
        assert comparison._replace(holm_p_value=comparison.p_value) == compare(games, agent, other, THREE)
        assert comparison.holm_p_value == found[other, agent].holm_p_value


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        pytest.param([0.03], [0.03], id="one pair is as it is"),
        pytest.param([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02], id="Wikipedia's example of four"),
        pytest.param([0.5, 0.6], [1, 1], id="never above 1"),
        pytest.param([], [], id="no pairs"),
    ],
)
def test_p_values_of_many_pairs_are_adjusted_by_holms_method(p_values, adjusted):
    assert holm(p_values) == pytest.approx(adjusted)


@pytest.mark.parametrize("num_seen", [5, 30, 200])
@pytest.mark.parametrize("t_value", [0.5, 1.5])
def test_so_many_more_groups_settle_it_four_times_in_five(num_seen, t_value):
    rng = np.random.default_rng(3)
    seen = scipy.stats.zscore(rng.standard_normal(num_seen), ddof=1) * 20 + t_value * 20 / np.sqrt(num_seen)
    num_more, num_trials = groups_to_settle(seen), 1000
    to_come = rng.normal(seen.mean(), 20, (num_more, num_trials))
    after = estimates(np.concatenate([np.tile(seen[:, None], num_trials), to_come]))
    assert not estimate(seen).excludes_zero
    assert 0.75 < np.mean([lead.excludes_zero for lead in after]) < 0.85


@pytest.mark.parametrize(
    ("max_groups", "first", "expected"),
    [
        pytest.param(800, 50, (50, 100, 200, 400, 800), id="doubling up to the last"),
        pytest.param(799, 50, (99, 199, 399, 799), id="the first is no earlier than allowed"),
        pytest.param(60, 50, (60,), id="one look where there are few"),
        pytest.param(1, 50, (1,), id="and where there is one"),
    ],
)
def test_when_to_look(max_groups, first, expected):
    assert looks(max_groups, first) == expected


def test_an_agent_that_is_no_better_is_called_better_in_at_most_five_percent_however_often_one_looks():
    rng = np.random.default_rng(4)
    num_trials, when = 1000, looks(400)
    settled = naive = 0
    for _ in range(num_trials):
        games = simulated(rng, when[-1])
        so_far = [games[: 2 * num_groups] for num_groups in when]
        settled += any(is_settled(some, [(0, 1)], len(when), TWO) for some in so_far)
        naive += any(lead(some, 0, 1, TWO).excludes_zero for some in so_far)
    assert len(when) == 4
    assert 0.01 < settled / num_trials <= 0.05
    assert naive / num_trials > 0.08  # whoever looks as often at the usual interval errs more often


def test_a_clear_difference_is_settled_at_the_first_look():
    rng = np.random.default_rng(5)
    assert all(is_settled(simulated(rng, 50, lead=20), [(0, 1), (1, 0)], 5, TWO) for _ in range(50))


def test_it_is_settled_when_every_pair_is():
    rng = np.random.default_rng(6)
    points = rng.integers([0, 0, 30], [20, 20, 50], (50, 3))
    games = made_up(*((group, [0, 1, 2], of_group) for group, of_group in enumerate(points)))
    assert is_settled(games, [(0, 2), (1, 2)], 3, THREE)
    assert not is_settled(games, [(0, 2), (0, 1)], 3, THREE)


def test_the_looks_share_the_error():
    assert confidence_of_a_look(1) == pytest.approx(0.95)
    assert confidence_of_a_look(5) == pytest.approx(0.99)
