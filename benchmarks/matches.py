"""Whole games between agents, as the tournament plays them."""

from collections.abc import Iterator
from itertools import count

import numpy as np

from agents.greedy import Greedy
from agents.match import Player, play_games
from benchmarks.measure import Benchmark, Run, throughput
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.rules import Rules

GROUP = "matches"
NUM_GAMES = 512


def benchmarks(num_games: int = NUM_GAMES) -> Iterator[Benchmark]:
    """Greedy against itself, for two and for four players."""
    for num_players in (2, 4):
        yield _benchmark(f"greedy against itself, {num_players} players", num_players, num_games)


def _benchmark(name: str, num_players: int, num_games: int) -> Benchmark:
    def prepare() -> Run:
        rules = Rules(num_players)
        players = [Player("greedy", Greedy(rules), np.random.default_rng(0))]
        seating = np.zeros((num_games, num_players), np.int64)
        first_seeds = count(EVALUATION_SEEDS, num_games)

        def work() -> int:
            return len(play_games(players, seating, np.arange(num_games) + next(first_seeds), rules))

        return throughput(work)

    return Benchmark(GROUP, name, "games/s", prepare)
