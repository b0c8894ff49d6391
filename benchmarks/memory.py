"""What a game takes in memory: its record, and all arrays that a batch keeps for it."""

from collections.abc import Callable, Iterator
from functools import partial

from benchmarks.measure import Benchmark, Run, constant
from three_thirteen_env.batch import Batch
from three_thirteen_env.observation import Kind
from three_thirteen_env.state import STATE

GROUP = "memory"
NUM_GAMES = 64


def benchmarks() -> Iterator[Benchmark]:
    """The record of a game, and the arrays of a batch without observations and with either kind, for two players."""
    yield _benchmark("a state", lambda: constant(STATE.itemsize))
    kinds: tuple[Kind | None, ...] = (None, "cards", "melds")
    for observation in kinds:
        name = "all arrays of a batch" + (f', "{observation}"' if observation else "")
        yield _benchmark(name, partial(_arrays_of_batch, observation))


def _benchmark(name: str, prepare: Callable[[], Run]) -> Benchmark:
    return Benchmark(GROUP, name, "bytes/game", prepare, is_repeated=False)


def _arrays_of_batch(observation: Kind | None) -> Run:
    batch = Batch(NUM_GAMES, observation=observation)
    arrays = [batch.states, batch.masks, batch.rewards, batch.done]
    arrays += [] if batch.observations is None else [batch.observations]
    return constant(sum(array.nbytes for array in arrays) / NUM_GAMES)
