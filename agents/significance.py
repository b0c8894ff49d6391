"""Which agent is better than which: a paired test for each pair, and a rule to stop at as soon as all are told apart.

A test asks how likely leads as large as those seen are between agents that are equal. Its samples are the mean leads
of the groups of games, in which both agents had the same cards from the same seats.

*How many more groups.* If the true lead is the one seen, so many further groups bring the 95 % interval to exclude
zero with a probability of 80 %. What was seen is kept, so only the games to come are uncertain.

*Playing until it is settled.* Whoever looks after every group and stops at the first interval that excludes zero finds
a difference in the end, even where there is none. So the looks are few and fixed beforehand, each at twice the groups
of the one before, and the 5 % chance of an error is shared out among them: with k looks each may err in 5 % / k, so all
together, whatever they have to do with each other, in 5 % at most. That holds for each pair; of many pairs one or the
other errs more often.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtri, stdtrit
from scipy.stats import ttest_1samp

from agents.match import Games
from agents.statistics import CONFIDENCE, Estimate, Samples, estimate, lead, lead_samples
from three_thirteen_env.rules import Rules

POWER = 0.8  # how likely `groups_to_settle` more groups settle it
FIRST_LOOK = 50  # groups that the first look has at least: fewer are too few for skewed points

Pair = tuple[int, int]


class Comparison(NamedTuple):
    """How one agent did against another, over the games in which both sit at the table."""

    agent: int
    other: int
    lead: Estimate  # how many points a game the agent has less
    p_value: float  # of a lead as large between equals; not a number where there are fewer than two groups
    num_groups: int
    groups_to_settle: int | None  # more; 0 if the interval excludes zero; None if nothing suggests a number
    holm_p_value: float  # the same, adjusted for how many pairs were compared


def compare(games: Games, agent: int, other: int, rules: Rules) -> Comparison:
    """Compare two agents. Raises ValueError if they sit at no table together."""
    samples = lead_samples(games, agent, other, rules)
    if len(samples) == 0:
        raise ValueError(f"agents to compare must meet in a game, and {agent} and {other} do not")
    p_value = _p_value(samples)
    return Comparison(agent, other, estimate(samples), p_value, len(samples), groups_to_settle(samples), p_value)


def comparisons(games: Games, num_agents: int, rules: Rules) -> dict[Pair, Comparison]:
    """Every agent compared with every other that it meets, both ways round: those of a pair differ only in sign."""
    met = have_met(games, num_agents, rules)
    compared = [compare(games, *pair, rules) for pair in combinations(range(num_agents), 2) if met[pair]]
    adjusted = holm([comparison.p_value for comparison in compared])
    result = {}
    for comparison, p_value in zip(compared, adjusted, strict=True):
        agent, other, (mean, margin) = comparison[:3]
        result[agent, other] = one = comparison._replace(holm_p_value=p_value)
        result[other, agent] = one._replace(agent=other, other=agent, lead=Estimate(-mean, margin))
    return result


def have_met(games: Games, num_agents: int, rules: Rules) -> npt.NDArray[np.bool_]:
    """Whether each agent sits with each other in any game, ``(num_agents, num_agents)``."""
    met = np.zeros((num_agents, num_agents), np.bool_)
    for seat, other in permutations(range(rules.num_players), 2):
        met[games["agents"][:, seat], games["agents"][:, other]] = True
    np.fill_diagonal(met, False)
    return met


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted by Holm's method: to call those below 5 % different is wrong about any with at most 5 %."""
    adjusted = np.asarray(p_values, np.float64)
    order = np.argsort(adjusted)
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(adjusted[order] * factors), 1)
    return adjusted.tolist()


def groups_to_settle(samples: Samples) -> int | None:
    """How many more groups would bring the 95 % interval of the mean of samples ``(n,)`` to exclude zero."""
    num_seen, seen = len(samples), estimate(samples)
    if seen.excludes_zero:
        return 0
    if num_seen < 2 or np.isclose(seen.mean, 0):
        return None
    effect = abs(seen.mean) / samples.std(ddof=1)

    def surplus(num_more: float) -> float:
        """By how many standard deviations the sum of all groups passes the bound, but for 20 % bad luck."""
        num_groups = num_seen + num_more
        bound = stdtrit(num_groups - 1, (1 + CONFIDENCE) / 2) * np.sqrt(num_groups)
        return float(effect * num_groups - ndtri(POWER) * np.sqrt(num_more) - bound)

    enough = ((ndtri(POWER) + stdtrit(num_seen - 1, (1 + CONFIDENCE) / 2)) / effect) ** 2
    return int(np.ceil(brentq(surplus, 0, enough)))


def looks(max_groups: int, first: int = FIRST_LOOK) -> tuple[int, ...]:
    """After how many groups to look whether all is settled: doubling up to the last, from `first` or a few more.

    >>> looks(1000)
    (62, 125, 250, 500, 1000)
    """
    result = [max_groups]
    while result[0] // 2 >= first:
        result.insert(0, result[0] // 2)
    return tuple(result)


def confidence_of_a_look(num_looks: int) -> float:
    """The confidence of the intervals at each of so many looks, that together are wrong in at most 5 %."""
    return 1 - (1 - CONFIDENCE) / num_looks


def is_settled(games: Games, pairs: Iterable[Pair], num_looks: int, rules: Rules) -> bool:
    """Whether, at one of so many looks, the lead of every pair excludes zero. All pairs must have met."""
    confidence = confidence_of_a_look(num_looks)
    return all(lead(games, agent, other, rules, confidence).excludes_zero for agent, other in pairs)


def _p_value(samples: Samples) -> float:
    """The probability of a mean as far from zero, were the true one zero, by Student's t."""
    if len(samples) < 2:
        return np.nan
    if np.allclose(samples, samples[0]):  # no spread to measure by, as between two that play alike
        return float(np.allclose(samples, 0))
    return float(ttest_1samp(samples, 0).pvalue)
