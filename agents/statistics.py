"""What the games of a tournament say, with 95 % intervals: every group of games on the same deals is one sample.

The games of a group share their cards, so they are no independent samples; their mean is one. The intervals are those
of Student's t for the mean of the groups.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from agents.match import Games
from three_thirteen_env.rules import Rules

CONFIDENCE = 0.95

Samples = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean, and how far its interval reaches to either side: not a number if there is but one sample."""

    mean: float
    margin: float


class Standing(NamedTuple):
    """How one agent did over all its games."""

    agent: int
    points_a_game: Estimate  # the fewer the better
    points_a_round: Estimate
    win_share: Estimate  # of the games: equal lowest totals share the win


def estimate(samples: Samples, confidence: float = CONFIDENCE) -> Estimate:
    """The mean of independent samples ``(n,)`` with its interval."""
    if len(samples) < 2:
        return Estimate(float(samples.mean()), np.nan)
    quantile = stdtrit(len(samples) - 1, (1 + confidence) / 2)
    return Estimate(float(samples.mean()), float(quantile * samples.std(ddof=1) / np.sqrt(len(samples))))


def standings(games: Games, num_agents: int, rules: Rules) -> list[Standing]:
    """How each agent did, the one with the fewest points a game first."""
    num_rounds = rules.last_round - rules.first_round + 1
    totals, wins = seat_totals(games, rules), seat_wins(games, rules)
    result = []
    for agent in range(num_agents):
        points = estimate(group_means(games, mean_of_agent(games, totals, agent)))
        result.append(
            Standing(
                agent,
                points,
                Estimate(points.mean / num_rounds, points.margin / num_rounds),
                estimate(group_means(games, mean_of_agent(games, wins, agent))),
            )
        )
    return sorted(result, key=lambda standing: standing.points_a_game.mean)


def lead(games: Games, agent: int, other: int, rules: Rules) -> Estimate:
    """How many points a game an agent has less than another, over the games in which both sit at the table."""
    totals = seat_totals(games, rules)
    return estimate(group_means(games, mean_of_agent(games, totals, other) - mean_of_agent(games, totals, agent)))


def seat_totals(games: Games, rules: Rules) -> Samples:
    """The points of each seat at the end of each game, ``(num_games, num_players)``."""
    totals: Samples = games["points"].sum(axis=1, dtype=np.float64)[:, : rules.num_players]
    return totals


def seat_wins(games: Games, rules: Rules) -> Samples:
    """The share of the win of each seat, ``(num_games, num_players)``: equal lowest totals share it."""
    totals = seat_totals(games, rules)
    has_won = totals == totals.min(axis=1, keepdims=True)
    wins: Samples = has_won / has_won.sum(axis=1, keepdims=True)
    return wins


def mean_of_agent(games: Games, values: Samples, agent: int) -> Samples:
    """The mean value of the seats of an agent in each game, ``(num_games,)``; not a number where it has none."""
    is_its = games["agents"][:, : values.shape[1]] == agent
    with np.errstate(invalid="ignore"):
        return np.where(is_its, values, 0).sum(axis=1) / is_its.sum(axis=1)


def group_means(games: Games, values: Samples) -> Samples:
    """The mean value in each group, ``(num_groups,)``, of those games that have one."""
    counts = ~np.isnan(values)
    _, groups = np.unique(games["group"][counts], return_inverse=True)
    return np.bincount(groups, values[counts]) / np.bincount(groups)
