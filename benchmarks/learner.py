"""MaskablePPO from end to end: one seat learns, greedy opponents play the others, and the steps are the learner's.

The same learner (sb3-contrib's default network of 64 × 64, one torch thread) drives the vector form, and
stable-baselines3's DummyVecEnv of as many single Gymnasium environments; for both, torch does not check the arguments
of its distributions, as in `train.py`. *Collecting* is all but the updates: choosing, stepping, storing, advantages.
All games begin with their first deal; DummyVecEnv comes no further than the first rounds while it is measured, and
these cost least.
"""

from collections.abc import Callable, Iterator
from typing import Any

from agents.greedy import Greedy
from benchmarks.measure import Benchmark, Run, throughput
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.rules import Rules

GROUP = "learner"
NUM_GAMES = 1024
ROLLOUT_STEPS = 8  # of every game between two updates
EPOCHS = 4
BATCH_SIZE = 1024
SEED = 0


def benchmarks(num_games: int = NUM_GAMES) -> Iterator[Benchmark]:
    """Collecting and learning over both forms."""
    for what, learns in (("collecting", False), ("learning", True)):
        ours = f"MaskablePPO {what}, {num_games:,} games, vector form"
        yield _benchmark(ours, _batch_of_games, num_games, learns)
        single = f"MaskablePPO {what}, {num_games:,} games, DummyVecEnv"
        yield _benchmark(single, _single_games, num_games, learns, beside=f"{GROUP}: {ours}")


def _benchmark(
    name: str, make_games: Callable[[int], Any], num_games: int, learns: bool, beside: str = ""
) -> Benchmark:
    return Benchmark(GROUP, name, "steps/s", lambda: _rollouts(make_games(num_games), learns), beside)


def _rollouts(games: Any, learns: bool) -> Run:
    import torch
    from sb3_contrib import MaskablePPO

    class Collector(MaskablePPO):
        def train(self) -> None:
            """Learn nothing."""

    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    chunk = ROLLOUT_STEPS * games.num_envs
    model = (MaskablePPO if learns else Collector)(
        "MlpPolicy",
        games,
        n_steps=ROLLOUT_STEPS,
        batch_size=min(BATCH_SIZE, chunk),
        n_epochs=EPOCHS,
        seed=SEED,
        device="cpu",
    )

    def work() -> int:
        model.learn(chunk, reset_num_timesteps=False)
        return chunk

    return throughput(work)


def _batch_of_games(num_games: int) -> Any:
    from agents.vec_env import ThreeThirteenVecEnv

    rules = Rules()
    return ThreeThirteenVecEnv(num_games, rules, opponents=Greedy(rules))


def _single_games(num_games: int) -> Any:
    from stable_baselines3.common.vec_env import DummyVecEnv

    rules = Rules()
    return DummyVecEnv([lambda: ThreeThirteenEnv(rules, opponents=Greedy(rules))] * num_games)
