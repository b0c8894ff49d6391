"""Games that nobody played, for the tests of what games say: written down, or drawn from what is known."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from agents.match import GAME, Games
from three_thirteen_env.state import NOBODY


def made_up(*rows: tuple[int, Sequence[int], Sequence[int]]) -> Games:
    """Games as written down: group, agent of each seat, points of each seat (all in the first round)."""
    games = np.zeros(len(rows), GAME)
    games["agents"] = NOBODY
    games["went_out"] = NOBODY
    for game, (group, agents, points) in zip(games, rows, strict=True):
        game["group"] = group
        game["agents"][: len(agents)] = agents
        game["points"][0, : len(points)] = points
    return games


def simulated(rng: np.random.Generator, num_groups: int, lead: int = 0) -> Games:
    """Games of two agents in both rotations, in which agent 0 has 41 points on average and agent 1 `lead` more.

    They are skewed, and alike within a group: a deal is dear for both, and suits one agent better than the other.
    """
    deal = rng.geometric(1 / 20, (num_groups, 1, 1))
    suited = rng.geometric(1 / 15, (num_groups, 1, 2))
    points = deal + suited + rng.geometric(1 / 6, (num_groups, 2, 2)) + [0, lead]
    games = _empty(num_groups, [(0, 1), (1, 0)])
    games["points"][::2, 0, :2] = points[:, 0]
    games["points"][1::2, 0, :2] = points[:, 1, ::-1]
    return games


def raced(rng: np.random.Generator, strengths: Sequence[float], num_groups: int, num_players: int) -> Games:
    """Games whose finishing orders are those of Plackett and Luce's model exactly, and alike within a group.

    Points are times of an exponential distribution at the rate of an agent's strength; in two of three games of a
    group an agent has the same time as in the others.
    """
    tables = list(combinations(range(len(strengths)), num_players))
    seatings = [table[first:] + table[:first] for table in tables for first in range(num_players)]
    games = _empty(num_groups, seatings)
    shared = rng.standard_exponential((num_groups, len(strengths))).repeat(len(seatings), axis=0)
    own = rng.standard_exponential(shared.shape)
    times = np.where(rng.random((len(games), 1)) < 2 / 3, shared, own) / strengths
    agents = games["agents"][:, :num_players].astype(np.int64)
    games["points"][:, 0, :num_players] = np.minimum(2000 * np.take_along_axis(times, agents, axis=1), 32_000)
    return games


def _empty(num_groups: int, seatings: Sequence[tuple[int, ...]]) -> Games:
    games = np.zeros(num_groups * len(seatings), GAME)
    games["group"] = np.repeat(np.arange(num_groups), len(seatings))
    games["agents"] = NOBODY
    games["agents"][:, : len(seatings[0])] = np.tile(seatings, (num_groups, 1))
    games["went_out"] = NOBODY
    return games
