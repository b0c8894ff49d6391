"""Medians of several short runs, interleaved in time. Only the standard library: the peers' interpreter has it too."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Run = Callable[[float], float]  # a short run of about so many seconds; gives the figure


class MissingError(Exception):
    """A benchmark that cannot run here: one line that says what is missing."""


@dataclass(frozen=True)
class Benchmark:
    """One row of the table: what is measured, and how it is made ready, once, for its runs."""

    group: str
    name: str
    unit: str
    prepare: Callable[[], Run]  # raises MissingError or ImportError where it cannot run
    beside: str = ""  # the key of the row that a peer, or a slower form, stands beside
    is_repeated: bool = True  # whether another run could give another figure

    @property
    def key(self) -> str:
        """What the benchmark is called on the command line and in JSON."""
        return f"{self.group}: {self.name}"


@dataclass
class Measurement:
    """The figures that the runs of a benchmark gave, or why there are none."""

    benchmark: Benchmark
    figures: list[float] = field(default_factory=list)
    missing: str = ""

    @property
    def median(self) -> float | None:
        """The figure that half of the runs did not reach."""
        return statistics.median(self.figures) if self.figures else None


def throughput(work: Callable[[], int]) -> Run:
    """Runs that repeat some work until the time is over, and give how much of it was done in a second.

    The work says how much it did. It is done once here, so that nothing is compiled while the time runs.
    """
    work()

    def run(seconds: float) -> float:
        amount, started = 0, time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            amount += work()
        return amount / elapsed

    return run


def constant(figure: float) -> Run:
    """Runs that all give one figure."""
    return lambda _: figure


def measure(measurements: Iterable[Measurement], num_runs: int, seconds: float) -> Iterator[tuple[str, Measurement]]:
    """Make every benchmark ready, then run them in turn, again and again, and write down the figures.

    Gives what it is about to do, before each part of it: "prepare" or "run", and for which benchmark.
    """
    runs: list[tuple[Measurement, Run]] = []
    for measurement in measurements:
        yield "prepare", measurement
        try:
            runs.append((measurement, measurement.benchmark.prepare()))
        except (MissingError, ImportError) as error:
            measurement.missing = str(error)
    for number in range(num_runs):
        for measurement, run in runs:
            if measurement.missing or (number > 0 and not measurement.benchmark.is_repeated):
                continue
            yield "run", measurement
            try:
                measurement.figures.append(run(seconds))
            except MissingError as error:
                measurement.missing = str(error)
