"""What the games of a tournament say, with 95 % intervals: every group of games on the same deals is one sample.

The games of a group share their cards, so they are no independent samples; their mean is one. The intervals are those
of Student's t for the mean of the groups.

A group's sample for an agent is the mean over those of its games in which the agent sits, where several seats in one
game count as their mean; for two agents it is over the games in which both sit. Every group counts the same, however
many such games it has, and a group without any is no sample. In a tournament all groups have equally many.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from agents.match import Games
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

CONFIDENCE = 0.95

Samples = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean, and how far its interval reaches to either side: not a number if there is but one sample."""

    mean: float
    margin: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.margin

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.margin

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside the interval."""
        return abs(self.mean) > self.margin


Estimates = tuple[Estimate, ...]


class Standing(NamedTuple):
    """How one agent did over all its games."""

    agent: int
    points_a_game: Estimate  # the fewer the better
    points_a_round: Estimate
    win_share: Estimate  # of the games: equal lowest totals share the win
    rank_shares: Estimates  # of the games: first, second, ... last; equal totals share their ranks
    points_by_round: Estimates  # in each round that is played


class Endings(NamedTuple):
    """How each of the rounds that are played ends."""

    went_out: tuple[Estimates, ...]  # of each agent, of each round: the share of those it sat in that it ended
    nobody_went_out: Estimates  # of each round: the share that the turn limit ended
    turns: Estimates  # of each round: how many turns a seat had


def estimate(samples: Samples, confidence: float = CONFIDENCE) -> Estimate:
    """The mean of independent samples ``(n,)`` with its interval."""
    (result,) = estimates(samples[:, None], confidence)
    return result


def estimates(samples: Samples, confidence: float = CONFIDENCE) -> Estimates:
    """The mean of each column of independent samples ``(n, num_values)`` with its interval."""
    means, margins = samples.mean(axis=0), np.full(samples.shape[1], np.nan)
    if len(samples) > 1:
        quantile = stdtrit(len(samples) - 1, (1 + confidence) / 2)
        margins = quantile * samples.std(axis=0, ddof=1) / np.sqrt(len(samples))
    return tuple(Estimate(float(mean), float(margin)) for mean, margin in zip(means, margins, strict=True))


def standings(games: Games, num_agents: int, rules: Rules) -> list[Standing]:
    """How each agent did, the one with the fewest points a game first."""
    totals, ranks, points = seat_totals(games, rules), seat_ranks(games, rules), seat_points(games, rules)
    num_rounds = points.shape[2]
    result = []
    for agent in range(num_agents):
        points_a_game = estimate(group_means(games, mean_of_agent(games, totals, agent)))
        rank_shares = estimates(group_means(games, mean_of_agent(games, ranks, agent)))
        result.append(
            Standing(
                agent,
                points_a_game,
                Estimate(points_a_game.mean / num_rounds, points_a_game.margin / num_rounds),
                rank_shares[0],
                rank_shares,
                estimates(group_means(games, mean_of_agent(games, points, agent))),
            )
        )
    return sorted(result, key=lambda standing: standing.points_a_game.mean)


def lead(games: Games, agent: int, other: int, rules: Rules, confidence: float = CONFIDENCE) -> Estimate:
    """How many points a game an agent has less than another, over the games in which both sit at the table."""
    return estimate(lead_samples(games, agent, other, rules), confidence)


def lead_samples(games: Games, agent: int, other: int, rules: Rules) -> Samples:
    """How many points a game an agent has less than another in each group in which they meet, ``(num_groups,)``."""
    met = games[_sits(games, agent) & _sits(games, other)]
    totals = seat_totals(met, rules)
    return group_means(met, mean_of_agent(met, totals, other) - mean_of_agent(met, totals, agent))


def score_paths(games: Games, num_agents: int, rules: Rules) -> list[Estimates]:
    """The running total of each agent after each round that is played."""
    scores = seat_points(games, rules).cumsum(axis=2)
    return [estimates(group_means(games, mean_of_agent(games, scores, agent))) for agent in range(num_agents)]


def endings(games: Games, num_agents: int, rules: Rules) -> Endings:
    """Who goes out in each round that is played, how often nobody does, and after how many turns."""
    went_out = games["went_out"][:, _rounds(rules)]
    by_seat = (went_out[:, None, :] == np.arange(rules.num_players)[:, None]).astype(np.float64)
    return Endings(
        tuple(estimates(group_means(games, mean_of_agent(games, by_seat, agent))) for agent in range(num_agents)),
        estimates(group_means(games, (went_out == NOBODY).astype(np.float64))),
        estimates(group_means(games, games["num_turns"][:, _rounds(rules)] / rules.num_players)),
    )


def seat_points(games: Games, rules: Rules) -> Samples:
    """The points of each seat in each round that is played, ``(num_games, num_players, num_rounds)``."""
    points: Samples = games["points"][:, _rounds(rules), : rules.num_players].transpose(0, 2, 1).astype(np.float64)
    return points


def seat_totals(games: Games, rules: Rules) -> Samples:
    """The points of each seat at the end of each game, ``(num_games, num_players)``."""
    totals: Samples = games["points"][:, :, : rules.num_players].sum(axis=1, dtype=np.float64)
    return totals


def seat_ranks(games: Games, rules: Rules) -> Samples:
    """The share of each rank that each seat has, ``(num_games, num_players, num_players)``, the fewest points first.

    Seats of equal totals share the ranks that they fill: two that tie for the first have half of it and of the second.
    """
    totals = seat_totals(games, rules)
    num_better = (totals[:, None, :] < totals[:, :, None]).sum(axis=2)[:, :, None]
    num_equal = (totals[:, None, :] == totals[:, :, None]).sum(axis=2)[:, :, None]
    ranks = np.arange(rules.num_players)
    shares: Samples = ((num_better <= ranks) & (ranks < num_better + num_equal)) / num_equal
    return shares


def mean_of_agent(games: Games, values: Samples, agent: int) -> Samples:
    """The mean value of the seats of an agent in each game, ``(num_games, ...)``; not a number where it has none.

    Values are ``(num_games, num_players, ...)``.
    """
    is_its = (games["agents"][:, : values.shape[1]] == agent).astype(np.float64)
    num_seats = is_its.sum(axis=1).reshape(-1, *[1] * (values.ndim - 2))
    with np.errstate(invalid="ignore"):
        return np.einsum("gs,gs...->g...", is_its, values) / num_seats


def group_means(games: Games, values: Samples) -> Samples:
    """The mean value in each group, ``(num_groups, ...)``, of those games whose values ``(num_games, ...)`` are any."""
    counts = ~np.isnan(values).any(axis=tuple(range(1, values.ndim)))
    _, groups = np.unique(games["group"][counts], return_inverse=True)
    num_games = np.bincount(groups)
    sums = np.zeros((len(num_games), *values.shape[1:]))
    np.add.at(sums, groups, values[counts])
    return sums / num_games.reshape(-1, *[1] * (values.ndim - 1))


def _sits(games: Games, agent: int) -> npt.NDArray[np.bool_]:
    """Whether an agent has a seat in each game, ``(num_games,)``."""
    return (games["agents"] == agent).any(axis=1)


def _rounds(rules: Rules) -> slice:
    """Where the rounds that are played stand among the eleven."""
    return slice(rules.first_round - 1, rules.last_round)
