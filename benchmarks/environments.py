"""The environments of PettingZoo and Gymnasium, one game at a time, at random; the default rules and observations."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np

from benchmarks.measure import Benchmark, Run, throughput
from benchmarks.random_play import pick, play_aec_game
from three_thirteen_env.aec_env import env, raw_env
from three_thirteen_env.gym_env import ThreeThirteenEnv

GROUP = "environments"
SEED = 0


def benchmarks() -> Iterator[Benchmark]:
    """A row for each environment of a single game. A chunk of work is a whole game."""
    yield _benchmark("env(), random play", lambda: _aec(env()))
    yield _benchmark("raw_env(), random play", lambda: _aec(raw_env()))
    yield _benchmark('raw_env(observation="melds"), random play', lambda: _aec(raw_env(observation="melds")))
    yield _benchmark("Gymnasium, random play, random opponent", lambda: _gymnasium(ThreeThirteenEnv()))


def _benchmark(name: str, prepare: Callable[[], Run]) -> Benchmark:
    return Benchmark(GROUP, name, "steps/s", prepare)


def _aec(environment: Any) -> Run:
    environment.reset(seed=SEED)
    rng = Random(SEED)
    return throughput(lambda: play_aec_game(environment, rng))


def _gymnasium(environment: Any) -> Run:
    environment.reset(seed=SEED)
    rng = Random(SEED)

    def work() -> int:
        _, info = environment.reset()
        num_steps, is_over = 0, False
        while not is_over:
            _, _, is_over, _, info = environment.step(pick(np.flatnonzero(info["action_mask"]), rng))
            num_steps += 1
        return num_steps

    return throughput(work)
