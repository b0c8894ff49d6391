"""What was measured: as tables for a terminal, and as JSON."""

from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Measurement
from benchmarks.peer_process import GROUP as PEERS
from benchmarks.targets import Outcome, outcomes

LARGE = 1000  # figures from here on are printed without a fraction


@dataclass(frozen=True)
class Report:
    """All measurements, what they were measured on, and the command that measures them again."""

    measurements: list[Measurement]
    machine: dict[str, str | int]
    versions: dict[str, str]  # of Python and the packages here, and of the peers
    date: str
    command: str
    num_runs: int
    seconds: float  # of each run

    def medians(self) -> dict[str, float]:
        """The median of every benchmark that has figures, by its key."""
        pairs = ((measurement.benchmark.key, measurement.median) for measurement in self.measurements)
        return {key: median for key, median in pairs if median is not None}

    def ratio(self, measurement: Measurement) -> float | None:
        """How many times as fast the row is that a measurement stands beside; None if there is none."""
        medians = self.medians()
        ours, own = medians.get(measurement.benchmark.beside), measurement.median
        return None if ours is None or own is None else ours / own

    def as_json(self) -> dict[str, Any]:
        """All of it, as what `json` writes."""
        return {
            "command": self.command,
            "date": self.date,
            "machine": self.machine,
            "versions": self.versions,
            "num_runs": self.num_runs,
            "seconds_a_run": self.seconds,
            "benchmarks": [
                {
                    "key": measurement.benchmark.key,
                    "unit": measurement.benchmark.unit,
                    "median": measurement.median,
                    "figures": measurement.figures,
                    "beside": measurement.benchmark.beside,
                    "beside_is_times_as_fast": self.ratio(measurement),
                    "missing": measurement.missing,
                }
                for measurement in self.measurements
            ],
            "targets": [
                outcome.target._asdict() | {"figure": outcome.figure, "is_reached": outcome.is_reached}
                for outcome in outcomes(self.measurements)
            ],
        }

    def print(self, console: Console) -> None:
        """Print the table, what is missing and why, what was to be reached, and what it was measured on."""
        console.print(self._table())
        missing = [measurement for measurement in self.measurements if measurement.missing]
        for measurement in missing:
            console.print(f"not measured: {measurement.benchmark.key}: {measurement.missing}", markup=False)
        if any(measurement.benchmark.group == PEERS for measurement in missing):
            console.print("benchmarks/peers.py says how peers are installed: see --peers-python")
        reached = list(outcomes(self.measurements))
        if reached:
            console.print()
            console.print(_targets_table(reached))
        console.print()
        for line in self._lines():
            console.print(line, markup=False, soft_wrap=True)

    def _table(self) -> Table:
        table = Table("what", title="medians", title_justify="left")
        for heading in ("median", "lowest", "highest"):
            table.add_column(heading, justify="right")
        table.add_column("")
        table.add_column("× as fast", justify="right")
        table.add_column("is")
        group = ""
        for measurement in self.measurements:
            benchmark = measurement.benchmark
            if not measurement.figures:
                continue
            if benchmark.group != group:
                group = benchmark.group
                table.add_section()
                table.add_row(f"[bold]{group}[/bold]")
            ratio = self.ratio(measurement)
            figures = (measurement.median, min(measurement.figures), max(measurement.figures))
            beside = ("", "") if ratio is None else (f"{ratio:.1f}", _short(benchmark.beside))
            table.add_row(f"  {benchmark.name}", *map(number, figures), benchmark.unit, *beside)
        return table

    def _lines(self) -> list[str]:
        machine = ", ".join(f"{value}" if name != "cores" else f"{value} cores" for name, value in self.machine.items())
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return [
            f"{self.date}; {machine}",
            versions,
            f"medians of {self.num_runs} runs of {self.seconds:g} s each, interleaved; again: {self.command}",
        ]


def number(figure: float | None) -> str:
    """A figure as people read it.

    >>> number(1234567.8), number(12.345)
    ('1,234,568', '12.3')
    """
    if figure is None:
        return ""
    return f"{figure:,.0f}" if figure >= LARGE else f"{figure:.3g}"


def _short(key: str) -> str:
    """The key of a row without its group."""
    return key.partition(": ")[2]


def _targets_table(reached: list[Outcome]) -> Table:
    table = Table("what to reach", title="targets", title_justify="left")
    for heading in ("measured", "at least", "aim"):
        table.add_column(heading, justify="right")
    table.add_column("")
    table.add_column("reached")
    for target, figure in reached:
        is_reached, is_aim = target.is_reached(figure), target.is_aim(figure)
        words = "the aim" if is_aim else "yes" if is_reached else "[bold]no[/bold]"
        table.add_row(target.what, *map(number, (figure, target.at_least, target.aim)), target.unit, words)
    return table
