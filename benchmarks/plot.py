"""A picture of random legal play: the peers, and the rows of Three Thirteen that they stand beside."""

from pathlib import Path
from typing import Any

from benchmarks.measure import MissingError
from benchmarks.peer_process import GROUP as PEERS
from benchmarks.peers import LIBRARIES
from benchmarks.report import Report, number

OURS, THEIRS = "#1b7f4d", "#9aa0a6"
SUFFIXES = (".svg", ".png", ".pdf")


def plot(report: Report, path: Path) -> None:
    """Write the picture, whose form the name of the file says. Raises MissingError without matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise MissingError("a plot takes matplotlib: pip install matplotlib") from error
    rows = _rows(report)
    figure, axes = pyplot.subplots(figsize=(9, 1.2 + 0.28 * len(rows)), layout="constrained")
    _draw(axes, rows)
    axes.set_title(f"Random legal play, steps a second ({report.date}, {report.machine['processor']})", loc="left")
    matplotlib.rcParams["svg.hashsalt"] = "three-thirteen"  # the same figures, the same file
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(figure)


def _rows(report: Report) -> list[tuple[str, float, bool]]:
    """What is drawn, the fastest first: the name, the figure, and whether it is a peer's."""
    beside = {peer.beside for library in LIBRARIES.values() for peer in library.peers}
    rows = []
    for measurement in report.measurements:
        benchmark, median = measurement.benchmark, measurement.median
        is_peer = benchmark.group == PEERS
        if median is not None and (is_peer or benchmark.key in beside):
            rows.append((benchmark.name if is_peer else f"Three Thirteen {benchmark.name}", median, is_peer))
    if not rows:
        raise MissingError("nothing to plot: the plot shows the groups batch, environments and peers")
    return sorted(rows, key=lambda row: row[1], reverse=True)


def _draw(axes: Any, rows: list[tuple[str, float, bool]]) -> None:
    names, figures, are_peers = zip(*rows, strict=True)
    bars = axes.barh(names, figures, color=[THEIRS if is_peer else OURS for is_peer in are_peers])
    axes.bar_label(bars, [number(figure) for figure in figures], padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(right=max(figures) * 4)
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
