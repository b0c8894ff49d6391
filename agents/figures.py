"""The figures of a tournament's page, as SVG that stands in it and takes its colors, light or dark, and its letters.

Every figure comes in two widths, for a laptop and for a phone. An agent is its color and marker, and its place in the
ranking. One far beyond all others, such as a player that never wins, would press them into a line: see `beyond`.
"""

from collections.abc import Container, Sequence
from functools import cache
from math import isnan
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from agents.figure_svg import COLORS, INK, STYLE, as_svg
from agents.rating import Rating
from agents.statistics import Estimate

WIDE, NARROW = 880, 360  # pixels of the page
KEY_WIDTH, KEY_HEIGHT = 36, 14
MARKERS = "osD^vPX*"
FAR = 3  # times as far out as the last agent before it: beyond the figure
LEAST_SPAN = 100  # points of rating that a figure shows at least
FEW = 4  # lines, whose bands may be darker
LABEL_HEIGHT = 15  # pixels from one label to the next
NAME_WIDTH = 7.5  # pixels of a character


class Line(NamedTuple):
    """What comes to an agent, round after round; or to all of them together, where there is no place."""

    place: int | None  # in the ranking, from 0
    estimates: Sequence[Estimate]

    @property
    def top(self) -> float:
        """The largest of its means."""
        return max(estimate.mean for estimate in self.estimates)


def ratings_figure(
    ratings: Sequence[Rating], names: Sequence[str], hidden: Container[int], width: int, description: str
) -> str:
    """Every rating with its interval, in the order of the ranking; of those hidden, in which direction they lie."""
    with matplotlib.rc_context(STYLE):
        left = 20 + round(max(map(len, names)) * NAME_WIDTH)
        figure, axes = _figure(width, 64 + 28 * len(ratings), left=left)
        for place, (_, rating, low, high) in enumerate(ratings):
            if place in hidden:
                words = {"color": _color(place), "va": "center", "transform": axes.get_yaxis_transform()}
                axes.text(0, place, f" ◀ {rating:+.0f}", **words)
            else:
                axes.plot([low, high], [place, place], color=_color(place), linewidth=2.5)
                axes.plot([rating], [place], **_look(place), markersize=9)
        axes.set_xlim(_at_least(axes.get_xlim(), LEAST_SPAN))
        axes.set_ylim(len(ratings) - 0.5, -0.5)
        axes.set_yticks(range(len(ratings)), names, parse_math=False)
        axes.grid(axis="x")
        axes.set_xlabel("rating")
        return as_svg(figure, description)


def lines_figure(
    lines: Sequence[Line], rounds: range, title: str, width: int, description: str, is_share: bool = False
) -> str:
    """What comes to each agent, round after round, with bands for the intervals."""
    with matplotlib.rc_context(STYLE):
        figure, axes = _figure(width, 320 if width == WIDE else 300)
        for line in reversed(lines):  # the best lie on top
            _draw_line(axes, line, rounds, opacity=0.2 if len(lines) <= FEW else 0.08)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y")
        axes.set_title(title)
        axes.set_xlabel("round")
        axes.xaxis.set_major_locator(MaxNLocator(len(rounds), integer=True))
        if is_share:
            axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        _label_ends(axes, lines, rounds[-1])
        return as_svg(figure, description)


@cache
def key_figure(place: int) -> str:
    """What an agent looks like in the figures: its line and marker."""
    with matplotlib.rc_context(STYLE):
        figure = Figure((KEY_WIDTH / 72, KEY_HEIGHT / 72))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.plot([0, 0.5, 1], [0, 0, 0], **_look(place), markevery=[1])
        return as_svg(figure, f"The key of agent {place}.", is_ornament=True)


def beyond(distances: Sequence[float]) -> set[int]:
    """Which of the distances from zero are so far out that a figure with them would show nothing of the others.

    Two at least are left.

    >>> beyond([29, 391, 35])
    {1}
    >>> beyond([29, 391])
    set()
    """
    order = sorted(range(len(distances)), key=lambda index: distances[index])
    while len(order) > 2 and distances[order[-1]] > FAR * distances[order[-2]]:
        order.pop()
    return set(range(len(distances))) - set(order)


def lines_beyond(lines: Sequence[Line]) -> set[int]:
    """Which of the lines rise too far for a figure of the others."""
    return beyond([line.top for line in lines])


def ratings_beyond(ratings: Sequence[Rating]) -> set[int]:
    """Which of the ratings are too far below the highest for a figure of the others."""
    top = max(rating.rating if isnan(rating.high) else rating.high for rating in ratings)
    return beyond([max(top - rating.rating, LEAST_SPAN) for rating in ratings])


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """The heights, where neighbors are closer than a gap moved apart around their mean.

    >>> spread([0, 1, 40], 10)
    [-4.5, 5.5, 40.0]
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    blocks: list[list[int]] = []  # of those that stand a gap apart
    for index in order:
        block = [index]
        while blocks and _lowest(heights, block, gap) < _lowest(heights, blocks[-1], gap) + gap * len(blocks[-1]):
            block = blocks.pop() + block
        blocks.append(block)
    result = np.zeros(len(heights))
    for block in blocks:
        result[block] = _lowest(heights, block, gap) + gap * np.arange(len(block))
    return result.tolist()


def _lowest(heights: Sequence[float], block: Sequence[int], gap: float) -> float:
    """Where the lowest of a block comes to stand."""
    return float(np.mean([heights[index] for index in block]) - gap * (len(block) - 1) / 2)


def _figure(
    width: int, height: int, left: int = 44, right: int = 24, top: int = 28, bottom: int = 42
) -> tuple[Figure, Any]:
    """A figure and its axes, with so many pixels around them."""
    figure = Figure((width / 72, height / 72))
    area = (left / width, bottom / height, 1 - (left + right) / width, 1 - (top + bottom) / height)
    return figure, figure.add_axes(area)


def _at_least(limits: tuple[float, float], span: float) -> tuple[float, float]:
    """Limits, moved apart if they are closer than the span."""
    middle, half = sum(limits) / 2, max(limits[1] - limits[0], span) / 2
    return middle - half, middle + half


def _color(place: int | None) -> str:
    return INK if place is None else COLORS[place % len(COLORS)]


def _look(place: int | None) -> dict[str, Any]:
    """How the line of an agent is drawn: further ones than there are colors are broken and hollow."""
    if place is None:
        return {"color": INK, "marker": "o"}
    color, is_again = _color(place), place >= len(COLORS)
    return {
        "color": color,
        "marker": MARKERS[place % len(MARKERS)],
        "linestyle": "--" if is_again else "-",
        "fillstyle": "none" if is_again else "full",
    }


def _draw_line(axes: Any, line: Line, rounds: range, opacity: float) -> None:
    means, margins = np.array(line.estimates).T
    low, high = means - np.nan_to_num(margins), means + np.nan_to_num(margins)
    axes.fill_between(rounds, low, high, color=_color(line.place), alpha=opacity, linewidth=0)
    axes.plot(rounds, means, **_look(line.place))


def _label_ends(axes: Any, lines: Sequence[Line], last_round: int) -> None:
    """Write the place of each agent where its line ends, the ones beside the others where they meet."""
    ends = [line.estimates[-1].mean for line in lines]
    heights = [axes.transData.transform((last_round, end))[1] for end in ends]
    for line, end, height, moved in zip(lines, ends, heights, spread(heights, LABEL_HEIGHT), strict=True):
        if line.place is not None:
            offset = {"xytext": (10, moved - height), "textcoords": "offset points"}
            axes.annotate(str(line.place + 1), (last_round, end), **offset, color=_color(line.place), va="center")
