"""The report of a tournament as a page: one file of HTML that needs nothing else, neither a network nor scripts."""

import re
from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from agents.figures import (
    NARROW,
    WIDE,
    Line,
    beyond,
    key_figure,
    lines_beyond,
    lines_figure,
    ratings_beyond,
    ratings_figure,
)
from agents.rating import Rating
from agents.report import Report, estimate_text, rating_text, shortened
from agents.significance import Comparison
from agents.statistics import CONFIDENCE, Estimate
from agents.verdict import p_text

TEMPLATE = "page.html.jinja"
NAME_LENGTHS = {WIDE: 28, NARROW: 14}  # characters of a name in a figure


class Cell(NamedTuple):
    """A number with its interval, on a ground that says how large it is."""

    mean: str
    margin: str
    kind: str = ""  # ahead, behind or unsettled
    strength: int = 0  # of the ground, in percent


class Row(NamedTuple):
    """One agent, in the order of the ranking."""

    place: int  # from 1
    name: str
    cells: Sequence[Cell | None]


class Chart(NamedTuple):
    """A figure in both widths, and who is out of its sight."""

    wide: Markup
    narrow: Markup
    hidden: Sequence[str]


def write_page(report: Report, path: Path) -> None:
    """Write the report as a page. Raises OSError."""
    path.write_text(as_html(report), encoding="utf-8")


def as_html(report: Report) -> str:
    """The report as the text of a page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["breakable"] = _breakable
    return environment.get_template(TEMPLATE).render(
        report=report,
        keys=[Markup(key_figure(place)) for place in range(len(report.ranking))],
        confidence=f"{CONFIDENCE:.0%}",
        standings=_standings(report),
        leads=_leads(report),
        pairs=_pairs(report),
        ranks=_ranks(report),
        **_charts(report),
        points_by_round=_by_round(report, [standing.points_by_round for standing in report.standings], ".2f"),
        scores=_by_round(report, [report.score_paths[agent] for agent in report.ranking], ".1f"),
        went_out=_by_round(report, [report.endings.went_out[agent] for agent in report.ranking], ".1%"),
        nobody_share=f"{mean(estimate.mean for estimate in report.endings.nobody_went_out):.1%}",
        nobody=[_cell(estimate, ".1%") for estimate in report.endings.nobody_went_out],
        turns=[_cell(estimate, ".1f") for estimate in report.endings.turns],
    )


def _breakable(name: str) -> Markup:
    """A name that may go on in a new line where a part of it ends."""
    return Markup("<wbr>").join(re.split(r"(?<=[/:._-])", name))


def _rows(report: Report, cells: Sequence[Sequence[Cell | None]] | None = None) -> list[Row]:
    """The agents in the order of the ranking, with the cells of each."""
    return [
        Row(place + 1, report.labels[agent], cells[place] if cells else ())
        for place, agent in enumerate(report.ranking)
    ]


def _standings(report: Report) -> list[Row]:
    return _rows(
        report,
        [
            (
                _cell(standing.points_a_game, ".1f"),
                _cell(standing.points_a_round, ".2f"),
                _cell(standing.win_share, ".1%"),
                _rating_cell(report.ratings[standing.agent]),
            )
            for standing in report.standings
        ],
    )


def _leads(report: Report) -> list[Row]:
    """The lead of each agent over each other, and nothing for two that did not meet."""
    sizes = [abs(comparison.lead.mean) for comparison in report.comparisons.values()]
    far = beyond(sizes)
    limit = max((size for number, size in enumerate(sizes) if number not in far), default=0)
    return _rows(
        report,
        [
            [_lead_cell(report.comparisons.get((agent, other)), limit) for other in report.ranking]
            for agent in report.ranking
        ],
    )


def _lead_cell(comparison: Comparison | None, limit: float) -> Cell | None:
    if comparison is None:
        return None
    cell = _cell(comparison.lead, "+.1f")
    if not comparison.lead.excludes_zero:
        return cell._replace(kind="unsettled")
    strength = 15 + 45 * sqrt(min(abs(comparison.lead.mean) / limit, 1))
    return cell._replace(kind="ahead" if comparison.lead.mean > 0 else "behind", strength=round(strength))


def _pairs(report: Report) -> list[tuple[Row, Row, tuple[str, ...]]]:
    """Every two agents that met: the lead of one over the other, the p-values, and how many more deals settle it."""
    result: list[tuple[Row, Row, tuple[str, ...]]] = []
    for one, other in combinations(_rows(report), 2):
        comparison = report.comparisons.get((report.ranking[one.place - 1], report.ranking[other.place - 1]))
        if comparison:
            more = comparison.groups_to_settle
            cells = (
                estimate_text(comparison.lead, "+.1f"),
                p_text(comparison.p_value).removeprefix("= "),
                p_text(comparison.holm_p_value).removeprefix("= "),
                "?" if more is None else f"{more:,}",
            )
            result.append((one, other, cells))
    return result


def _ranks(report: Report) -> list[Row]:
    """How often each agent had each rank."""
    return _rows(
        report,
        [
            [
                _cell(share, ".1%")._replace(kind="ahead", strength=round(60 * share.mean))
                for share in standing.rank_shares
            ]
            for standing in report.standings
        ],
    )


def _by_round(report: Report, estimates: Sequence[Sequence[Estimate]], form: str) -> list[Row]:
    return _rows(report, [[_cell(estimate, form) for estimate in each] for each in estimates])


def _cell(estimate: Estimate, form: str) -> Cell:
    mean, _, margin = estimate_text(estimate, form).partition(" ± ")
    return Cell(mean, f"± {margin}")


def _rating_cell(rating: Rating) -> Cell:
    value, _, interval = rating_text(rating).partition(" ")
    return Cell(value, interval)


def _charts(report: Report) -> dict[str, Chart]:
    standings, paths, out = report.standings, report.score_paths, report.endings.went_out
    return {
        "ratings": _ratings_chart(report),
        "points": _lines_chart(report, [each.points_by_round for each in standings], "points a round"),
        "paths": _lines_chart(report, [paths[each.agent] for each in standings], "total"),
        "outs": _lines_chart(report, [out[each.agent] for each in standings], "rounds that it ends", is_share=True),
        "lengths": _turns_chart(report),
    }


def _ratings_chart(report: Report) -> Chart:
    ratings = [report.ratings[agent] for agent in report.ranking]
    hidden = ratings_beyond(ratings)

    def drawn(width: int) -> str:
        names = [shortened(report.labels[agent], NAME_LENGTHS[width]) for agent in report.ranking]
        return ratings_figure(ratings, names, hidden, width, "The rating of each agent with its interval.")

    return _chart(drawn, [f"{report.labels[ratings[place].agent]} ({ratings[place].rating:+.0f})" for place in hidden])


def _lines_chart(report: Report, estimates: Sequence[Sequence[Estimate]], title: str, is_share: bool = False) -> Chart:
    lines = [Line(place, each) for place, each in enumerate(estimates)]
    hidden = set() if is_share else lines_beyond(lines)
    seen = [line for place, line in enumerate(lines) if place not in hidden]
    description = f"Lines: {title} of each agent, by round."
    return _chart(
        lambda width: lines_figure(seen, report.rounds, title, width, description, is_share),
        [f"{report.labels[report.ranking[place]]} (up to {lines[place].top:.1f})" for place in sorted(hidden)],
    )


def _turns_chart(report: Report) -> Chart:
    line, description = Line(None, report.endings.turns), "A line: turns of each seat, by round."
    return _chart(lambda width: lines_figure([line], report.rounds, "turns of each seat", width, description))


def _chart(drawn: Callable[[int], str], hidden: Sequence[str] = ()) -> Chart:
    return Chart(Markup(drawn(WIDE)), Markup(drawn(NARROW)), hidden)
