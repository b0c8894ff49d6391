"""What to reach: the least that a release should show, and the aim, for the figures that matter."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.measure import Measurement

MILLION = 1_000_000
KIB = 1024

_COMPILED = "batch: compiled loop, 1,024 games"
_LARGE = "batch: compiled loop, 4,096 games"
_GREEDY = "matches: greedy against itself, 2 players"
_LEARNED = "matches: a choice of learned, 1,024 games at once"
_LEARNER = "learner: MaskablePPO collecting, 1,024 games,"


class Target(NamedTuple):
    """A figure, or its ratio to another, with what it should be; where the aim is lower, less is better."""

    what: str
    key: str
    over: str  # the key of the other, or ""
    at_least: float
    aim: float
    unit: str

    def is_reached(self, figure: float) -> bool:
        """Whether a figure is as good as it should at least be."""
        return figure >= self.at_least if self.at_least < self.aim else figure <= self.at_least

    def is_aim(self, figure: float) -> bool:
        """Whether a figure is as good as the aim."""
        return figure >= self.aim if self.at_least < self.aim else figure <= self.aim


TARGETS = (
    Target("random legal play, batched, masks included", _COMPILED, "", 2 * MILLION, 4 * MILLION, "steps/s"),
    Target('the same with the "cards" observation', f'{_COMPILED}, "cards"', "", MILLION, 2 * MILLION, "steps/s"),
    Target("two threads over one, 4,096 games", f"{_LARGE}, 2 threads", _LARGE, 1.7, 1.9, "×"),
    Target("solver, 13 cards, 2 packs", "solver: 13 cards, 2 packs", "", 500_000, 1.5 * MILLION, "hands/s"),
    Target("all discards of 14 cards", "solver: all discards of 14 cards, 2 packs", "", 100_000, 400_000, "hands/s"),
    Target("greedy against itself, whole games", _GREEDY, "", 1000, 5000, "games/s"),
    Target("a choice of learned, 1,024 games at once", _LEARNED, "", 100, 20, "µs"),
    Target("OpenSpiel's gin_rummy, C++ rollouts", _COMPILED, "peers: OpenSpiel gin_rummy, C++ rollouts", 10, 20, "×"),
    Target(
        "env() over PettingZoo's gin_rummy",
        "environments: env(), random play",
        "peers: PettingZoo gin_rummy env()",
        3,
        4,
        "×",
    ),
    Target(
        "raw_env() over its raw_env()",
        "environments: raw_env(), random play",
        "peers: PettingZoo gin_rummy raw_env()",
        10,
        15,
        "×",
    ),
    Target(
        "MaskablePPO collecting, over DummyVecEnv",
        f"{_LEARNER} vector form",
        f"{_LEARNER} DummyVecEnv",
        5,
        10,
        "×",
    ),
    Target("memory per game", "memory: all arrays of a batch", "", 2 * KIB, KIB, "bytes/game"),
    Target("cold start", "start: cold start, env()", "", 40, 20, "s"),
    Target("warm start", "start: warm start, env()", "", 1.5, 0.8, "s"),
)


class Outcome(NamedTuple):
    """A target and the figure that was measured for it."""

    target: Target
    figure: float

    @property
    def is_reached(self) -> bool:
        """Whether the figure is as good as it should at least be."""
        return self.target.is_reached(self.figure)


def outcomes(measurements: Iterable[Measurement]) -> Iterator[Outcome]:
    """What came of every target whose figures were measured."""
    medians = {measurement.benchmark.key: measurement.median for measurement in measurements}
    for target in TARGETS:
        figure, over = medians.get(target.key), medians.get(target.over) if target.over else 1.0
        if figure is not None and over is not None:
            yield Outcome(target, figure / over)
