"""The vector forms, in which opponents play inside the step: many games, random legal play, steps of the learner."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from agents.greedy import Greedy
from benchmarks.batch import mixed_states
from benchmarks.measure import Benchmark, Run, throughput
from benchmarks.random_play import pick_each
from three_thirteen_env.agent import Agent, RandomAgent
from three_thirteen_env.gym_vector_env import ThreeThirteenVectorEnv
from three_thirteen_env.learner_games import LearnerGames
from three_thirteen_env.rules import Rules

GROUP = "vector"
NUM_GAMES = 1024
SEED = 0


def benchmarks(num_games: int = NUM_GAMES) -> Iterator[Benchmark]:
    """The form for Gymnasium and that for stable-baselines3, against random and greedy opponents."""
    rules = Rules()
    opponents: dict[str, Agent] = {"random": RandomAgent(), "greedy": Greedy(rules)}
    for form, prepare in (("Gymnasium", _gymnasium), ("stable-baselines3", _stable_baselines3)):
        for name, opponent in opponents.items():
            what = f"{form}, {num_games:,} games, {name} opponent"
            yield Benchmark(GROUP, what, "steps/s", partial(prepare, num_games, rules, opponent))


def _gymnasium(num_games: int, rules: Rules, opponent: Agent) -> Run:
    games = ThreeThirteenVectorEnv(num_games, rules, opponents=opponent)
    rng = np.random.default_rng(SEED)
    games.reset(seed=SEED)
    _spread(games.games)
    masks = games.games.masks

    def work() -> int:
        nonlocal masks
        *_, infos = games.step(pick_each(masks, rng))
        masks = infos["action_mask"]
        return num_games

    return throughput(work)


def _stable_baselines3(num_games: int, rules: Rules, opponent: Agent) -> Run:
    from agents.vec_env import ThreeThirteenVecEnv

    games = ThreeThirteenVecEnv(num_games, rules, opponents=opponent)
    rng = np.random.default_rng(SEED)
    games.seed(SEED)
    games.reset()
    _spread(games.games)

    def work() -> int:
        games.step(pick_each(games.action_masks(), rng))
        return num_games

    return throughput(work)


def _spread(games: LearnerGames) -> None:
    """Put the games at random places in all their rounds, where random play comes but slowly."""
    games.states[:] = mixed_states(games.num_games)
    games._go_on(np.arange(games.num_games))
