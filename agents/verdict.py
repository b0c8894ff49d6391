"""What a tournament says, in sentences: who is best, how sure that is, and what it would take to be surer."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan

from agents.significance import Comparison, Pair
from agents.statistics import CONFIDENCE, Estimate, Standing

SURE = 1 - CONFIDENCE  # a p-value below it


def headline(standings: Sequence[Standing], comparisons: Mapping[Pair, Comparison], labels: Sequence[str]) -> str:
    """Who is best, by how much, and how sure that is."""
    best, *others = (standing.agent for standing in standings)
    met = [comparisons[best, other] for other in others if (best, other) in comparisons]
    if not met:
        return f"{labels[best]} meets nobody else: {_points(standings[0].points_a_game)} a game."
    beaten = [comparison for comparison in met if comparison.lead.high < 0]
    doubts = [comparison for comparison in met if not comparison.lead.excludes_zero]
    nearest = (beaten or doubts or met)[0]
    name, other, points = labels[best], labels[nearest.other], _points(nearest.lead)
    if beaten:
        points = _points(comparisons[nearest.other, best].lead)
        return f"{name} has the fewest points, but {other} is ahead of it where they meet: by {points} a game."
    if isnan(nearest.lead.margin):
        return f"{name} leads: {points} a game ahead of {other}; one set of deals does not say how sure that is."
    if doubts:
        others_too = f"; so may what it has over {len(doubts) - 1} more" if len(doubts) > 1 else ""
        return f"{name} leads, but nobody is clearly best: its {points} a game over {other} may be chance{others_too}."
    the_next = ", the next, and ahead of all others too" if len(met) > 1 else ""
    return f"{name} is best: {points} a game ahead of {other}{the_next} ({_certainty(met, len(comparisons) // 2)})."


def unsettled(
    ranking: Sequence[int], comparisons: Mapping[Pair, Comparison], labels: Sequence[str], num_players: int
) -> list[str]:
    """A sentence for each two neighbours of the ranking whose order may be chance: how many more games it takes."""
    sentences = []
    for pair in pairwise(ranking):
        comparison = comparisons.get(pair)
        if comparison is None or comparison.lead.excludes_zero:
            continue
        agent, other = (labels[place] for place in pair)
        sentences.append(f"{agent} and {other} are not told apart: {_more(comparison.groups_to_settle, num_players)}.")
    return sentences


def p_text(p_value: float) -> str:
    """A p-value in few digits.

    >>> p_text(0.0312), p_text(1e-9)
    ('= 0.031', '< 0.001')
    """
    if isnan(p_value):
        return "= ?"
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.2g}"


def _points(estimate: Estimate) -> str:
    margin = "" if isnan(estimate.margin) else f" ± {estimate.margin:.1f}"
    return f"{estimate.mean:z.1f}{margin} points"


def _certainty(met: Sequence[Comparison], num_pairs: int) -> str:
    """How likely the closest of some leads is between equals, where so many pairs are compared."""
    p_value = max(comparison.holm_p_value for comparison in met)
    words = f"p {p_text(p_value)}" + (f" for each, corrected for {num_pairs} pairs" if num_pairs > 1 else "")
    return words if p_value < SURE else f"{words}: among so many, one may come by chance"


def _more(num_groups: int | None, num_players: int) -> str:
    if num_groups is None:
        return "nothing suggests how many more games would settle it"
    deals, games = (f"{float(f'{number:.2g}'):,.0f}" for number in (num_groups, num_groups * num_players))
    return f"about {deals} more deals ({games} games at every table) would likely settle it"
