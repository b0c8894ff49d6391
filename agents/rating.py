"""Ratings: one number for each agent of a field, from who finished ahead of whom, with 95 % intervals.

The model is Plackett and Luce's, which for two players is Bradley and Terry's: every agent has a strength, and each
place, from the first to the last, goes to one of those left with a probability in proportion to its strength. In this
model one agent finishes ahead of another with odds that are the ratio of the two strengths, whoever else is at the
table. So the strengths are those that fit all pairs of all tables (H. Azari Soufiani et al., "Generalized
method-of-moments for rank aggregation", 2013: all pairs, or else the estimate is biased), and all there is to know
about a group of games is a matrix of wins. Equal totals are half a win for either.

*The scale* is that of Elo: 400 points more are odds of ten to one. The median of the field is 0, which,
unlike the mean, an agent that never wins does not move; in an odd field the agent in the middle is 0 by definition.

*An agent that never wins* has no finite rating. So each agent is given one drawn game more, spread over all the
others.

*The intervals* are from a Bayesian bootstrap (D. Rubin, 1981) over whole groups: the ratings are fitted again and again
with a random weight for each group, from the exponential distribution, and for each half of the added draws, from the
gamma distribution (which for independent games of two is Jeffreys' interval, and is long towards the side where an
agent has no win or no loss). For few groups the quantiles lie further out, as Student's t does (T. Hesterberg, "What
teachers should know about the bootstrap", 2015).
"""

from itertools import combinations
from typing import NamedTuple

import choix
import numpy as np
from scipy.special import ndtr, stdtrit

from agents.match import Games
from agents.statistics import CONFIDENCE, Samples, seat_totals
from three_thirteen_env.rules import Rules

POINTS = 400 / np.log(10)  # of the scale for odds of e to one
NUM_RESAMPLES = 1000
TOLERANCE = 1e-4  # of the logarithms of the strengths: a fiftieth of a point


class Rating(NamedTuple):
    """How strong an agent is beside the field, and an interval: not a number if there is but one group."""

    agent: int
    rating: float
    low: float
    high: float


def ratings(
    games: Games, num_agents: int, rules: Rules, seed: int = 0, num_resamples: int = NUM_RESAMPLES
) -> list[Rating]:
    """The rating of each agent, the highest first."""
    wins = group_wins(games, num_agents, rules)
    added = np.full((num_agents, num_agents), 0.5 / max(num_agents - 1, 1))  # wins of each agent over each other
    np.fill_diagonal(added, 0)
    strengths = _strengths(wins.sum(axis=0) + added)
    low, high = np.full((2, num_agents), np.nan)
    if len(wins) > 1:
        low, high = POINTS * _interval(wins, added, strengths, np.random.default_rng(seed), num_resamples)
    result = [
        Rating(agent, float(POINTS * strengths[agent]), float(low[agent]), float(high[agent]))
        for agent in range(num_agents)
    ]
    return sorted(result, key=lambda rating: -rating.rating)


def group_wins(games: Games, num_agents: int, rules: Rules) -> Samples:
    """How often each agent finished ahead of each other in each group, ``(num_groups, num_agents, num_agents)``.

    Equal totals count half for either, and two seats of the same agent count for nothing.
    """
    totals = seat_totals(games, rules)
    groups, group_of = np.unique(games["group"], return_inverse=True)
    wins = np.zeros((len(groups), num_agents, num_agents))
    for seat, other in combinations(range(rules.num_players), 2):
        agents, others = games["agents"][:, seat], games["agents"][:, other]
        won = 0.5 + 0.5 * np.sign(totals[:, other] - totals[:, seat])
        np.add.at(wins, (group_of, agents, others), won)
        np.add.at(wins, (group_of, others, agents), 1 - won)
    wins[:, range(num_agents), range(num_agents)] = 0
    return wins


def _interval(
    wins: Samples, added: Samples, strengths: Samples, rng: np.random.Generator, num_resamples: int
) -> Samples:
    """The ends of the interval of each strength, ``(2, num_agents)``."""
    num_groups, num_agents = len(wins), len(strengths)
    flat = wins.reshape(num_groups, -1)
    fits = np.empty((num_resamples, num_agents))
    for fit in fits:
        weighted = (rng.standard_exponential(num_groups) @ flat).reshape(num_agents, num_agents)
        fit[:] = _strengths(weighted + rng.standard_gamma(added), strengths)
    t_quantile = stdtrit(num_groups - 1, (1 + CONFIDENCE) / 2)
    tail = ndtr(-t_quantile * np.sqrt((num_groups + 1) / (num_groups - 1)))
    ends: Samples = np.quantile(fits, [tail, 1 - tail], axis=0)
    return ends


def _strengths(wins: Samples, initial: Samples | None = None) -> Samples:
    """The logarithms of the strengths, whose median is 0, that fit a matrix of wins best."""
    if len(wins) == 1:
        return np.zeros(1)
    strengths: Samples = choix.ilsr_pairwise_dense(wins, initial_params=initial, max_iter=10_000, tol=TOLERANCE)
    return strengths - np.median(strengths)
