"""Whole games between agents, as the tournament plays them, and what a choice of the strongest takes."""

from collections.abc import Iterator
from itertools import count

import numpy as np

from agents.greedy import Greedy
from agents.match import Player, play_games
from agents.registry import make_agent
from benchmarks.measure import Benchmark, Run, throughput
from three_thirteen_env.agent import Masks
from three_thirteen_env.batch import Batch
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.learners import show_each
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import States

GROUP = "matches"
NUM_GAMES = 512
NUM_VIEWS = 1024
NUM_STEPS = 250  # from which the views are: a game between greedy players has about as many


def benchmarks(num_games: int = NUM_GAMES, num_views: int = NUM_VIEWS) -> Iterator[Benchmark]:
    """Greedy against itself, for two and for four players, and a choice of careful and of learned."""
    for num_players in (2, 4):
        yield _benchmark(f"greedy against itself, {num_players} players", num_players, num_games)
    for name in ("careful", "learned"):
        yield _choosing(name, num_views)


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


def _choosing(name: str, num_views: int) -> Benchmark:
    def prepare() -> Run:
        agent, rng = make_agent(name, Rules()), np.random.default_rng(0)
        views, masks = _views(num_views)
        decisions_per_second = throughput(lambda: len(agent.act(views, masks, rng)))
        return lambda seconds: 1e6 / decisions_per_second(seconds)

    return Benchmark(GROUP, f"a choice of {name}, {num_views:,} games at once", "µs", prepare)


def _views(num_views: int) -> tuple[States, Masks]:
    """What seats to act see in games between greedy players, and what they may do: one view a game, from any step."""
    rules, rng = Rules(), np.random.default_rng(0)
    games, player = Batch(num_views, rules, autoreset=True), Greedy(rules)
    games.reset(EVALUATION_SEEDS + np.arange(num_views))
    now, masks_now = games.save(), games.masks.copy()
    views, masks = now.copy(), masks_now.copy()
    steps = rng.integers(NUM_STEPS, size=num_views)
    for step in range(NUM_STEPS):
        show_each(games.states, np.arange(num_views), rules, now, masks_now)
        views[steps == step], masks[steps == step] = now[steps == step], masks_now[steps == step]
        games.step(player.act(now, masks_now, rng))
    return views, masks
