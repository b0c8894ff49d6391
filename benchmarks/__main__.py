"""How fast is Three Thirteen, and how fast are its peers? Medians of short runs, interleaved in time.

    python -m benchmarks                                     everything, in some minutes
    python -m benchmarks --peers-python peers/bin/python     with peers that are installed elsewhere
    python -m benchmarks --only solver batch                 some groups, or rows whose names contain some words
    python -m benchmarks --json now.json --plot now.svg      also as JSON, and as a picture

Groups: solver, batch, matches, environments, vector, learner, memory, start, peers.
"""

import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import batch, environments, learner, matches, memory, solver, start, vector
from benchmarks.machine import machine, versions
from benchmarks.measure import Benchmark, Measurement, MissingError, measure
from benchmarks.peer_process import GROUP as PEERS
from benchmarks.peer_process import PeerProcesses
from benchmarks.plot import SUFFIXES, plot
from benchmarks.report import Report

FAILED, INTERRUPTED = 2, 130  # exit statuses
PLAIN_WIDTH = 180  # columns of what is printed to a file or a pipe
SLOW_TO_PREPARE = (start.GROUP, PEERS)  # what --quick leaves out unless it is named
QUICK_RUNS, QUICK_SECONDS = 3, 0.05


class InputError(Exception):
    """An option that makes no sense: one line that says which, and what is allowed."""


@dataclass(frozen=True)
class Args:
    """What is measured, and how long."""

    # groups of benchmarks, or words that the names of benchmarks contain; by default all
    only: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME...")] = ()
    runs: int = 5  # of every benchmark; the table shows their median
    seconds: float = 0.3  # that a run takes
    quick: bool = False  # a rough look: 3 runs of 0.05 s, and neither start nor peers unless named
    list: bool = False  # print the names of all benchmarks, and measure nothing
    # the Python interpreter in whose environment the peers are installed; by default this one
    peers_python: Annotated[Path, tyro.conf.arg(metavar="FILE")] = Path(sys.executable)
    json: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None  # write all figures here too
    plot: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None  # draw random play here: .svg, .png or .pdf


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the arguments say; the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    args = tyro.cli(Args, prog="python -m benchmarks", description=__doc__, args=arguments)
    peers = PeerProcesses(str(args.peers_python))
    try:
        chosen = list(_chosen(args, peers))
        if args.list:
            print(*(benchmark.key for benchmark in chosen), sep="\n")
            return 0
        return _report(args, shlex.join(["python", "-m", "benchmarks", *arguments]), chosen, peers)
    except (InputError, MissingError) as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return FAILED
    finally:
        peers.close()


def _chosen(args: Args, peers: PeerProcesses) -> Iterator[Benchmark]:
    """The benchmarks to measure. Raises InputError at an option that makes no sense."""
    _check(args)
    everything = list(all_benchmarks(peers))
    groups = list(dict.fromkeys(benchmark.group for benchmark in everything))
    for name in args.only:
        if not any(_is_named(benchmark, name) for benchmark in everything):
            known = f"name groups ({', '.join(groups)}), or words of what --list prints"
            raise InputError(f"--only: no benchmark is called {name!r}: {known}")
    for benchmark in everything:
        is_slow = args.quick and benchmark.group in SLOW_TO_PREPARE
        if any(_is_named(benchmark, name) for name in args.only) if args.only else not is_slow:
            yield benchmark


def _check(args: Args) -> None:
    if args.runs < 1:
        raise InputError(f"--runs must be 1 or more, not {args.runs}")
    if not 0 < args.seconds < float("inf"):
        raise InputError(f"--seconds must be above 0, not {args.seconds}")
    if not args.peers_python.is_file():
        raise InputError(f"--peers-python: there is no interpreter {args.peers_python}")
    for option, path in (("json", args.json), ("plot", args.plot)):
        if path and not path.absolute().parent.is_dir():
            raise InputError(f"--{option}: there is no directory {path.parent}")
    if args.plot and args.plot.suffix not in SUFFIXES:
        raise InputError(f"--plot: the name must end in {', '.join(SUFFIXES)}, not {args.plot.name!r}")


def all_benchmarks(peers: PeerProcesses) -> Iterator[Benchmark]:
    """Every benchmark there is, in the order of the table."""
    for module in (solver, batch, matches, environments, vector, learner, memory, start):
        yield from module.benchmarks()
    yield from peers.benchmarks()


def _is_named(benchmark: Benchmark, name: str) -> bool:
    return name == benchmark.group or name.lower() in benchmark.name.lower()


def _report(args: Args, command: str, chosen: Iterable[Benchmark], peers: PeerProcesses) -> int:
    """Measure, and print and write what came of it; the exit status."""
    num_runs, seconds = (QUICK_RUNS, QUICK_SECONDS) if args.quick else (args.runs, args.seconds)
    measurements = [Measurement(benchmark) for benchmark in chosen]
    is_complete = _measure(measurements, num_runs, seconds)
    if not is_complete:
        print("benchmarks: stopped; what follows is what was measured before", file=sys.stderr)
    report = Report(
        measurements=measurements,
        machine=machine(),
        versions=versions() | peers.versions(),
        date=f"{date.today()}",
        command=command,
        num_runs=num_runs,
        seconds=seconds,
    )
    report.print(Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False))
    if args.json:
        args.json.write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
    if args.plot:
        plot(report, args.plot)
    return 0 if is_complete else INTERRUPTED


def _measure(measurements: list[Measurement], num_runs: int, seconds: float) -> bool:
    """Measure with a bar on standard error; whether it came to its end before Ctrl-C."""
    console = Console(stderr=True)
    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("", total=len(measurements) * (1 + num_runs))
        try:
            for what, measurement in measure(measurements, num_runs, seconds):
                progress.update(bar, advance=1, description=f"{what} {measurement.benchmark.key}")
        except KeyboardInterrupt:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
