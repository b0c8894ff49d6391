"""The page of a tournament: sound HTML that needs nothing else, with every number, and figures one can tell apart."""

import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser

import pytest

from agents.figure_svg import COLORS
from agents.figures import NARROW, WIDE, Line, beyond, key_figure, lines_figure, ratings_beyond, ratings_figure, spread
from agents.page import as_html, write_page
from agents.rating import Rating
from agents.statistics import Estimate
from tests.made_up_reports import COMMAND, made_up_report
from three_thirteen_env.rules import Rules

VOID = {"meta", "wbr", "br", "link"}
NAN = float("nan")
UNRULY = [("a<b>&\"'", 2), ("runs/2026-11-30/of a long name/policy.onnx", 3), ("$x^2$ 策略 {{ 7*7 }}", 30), ("last", 3)]

REPORTS = {
    "two players": made_up_report({"strong": 2, "middling": 3, "hopeless": 40}),
    "four players": made_up_report(UNRULY, rules=Rules(num_players=4)),
    "more agents than colors": made_up_report([("same", 3)] * 10, num_groups=2),
    "a field": made_up_report({"strong": 2, "middling": 3, "weak": 4}, field_size=1),
    "one set of deals": made_up_report({"strong": 2, "weak": 4}, num_groups=1),
    "one agent in one round": made_up_report({"alone": 2}, rules=Rules(first_round=3, last_round=3)),
}


@cache
def html_of(name: str) -> str:
    """The page of one of the reports."""
    return as_html(REPORTS[name])


class Page(HTMLParser):
    """A page as a browser reads it: its elements, its text, and what is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), "an attribute comes twice"
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append("" if self.open[-1:] == ["style"] else data)

    def values(self, attribute: str) -> list[str]:
        """What an attribute is in all the elements that have it."""
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


@pytest.fixture(params=REPORTS, scope="module")
def shown(request):
    """A report, its page as text, and the page as it is read."""
    html = html_of(request.param)
    return REPORTS[request.param], html, Page(html)


def test_every_element_is_closed(shown):
    _, html, page = shown
    assert page.open == []
    assert html.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in page.elements


def test_identifiers_are_unique_and_every_reference_has_its_target(shown):
    _, html, page = shown
    identifiers = Counter(page.values("id"))
    assert set(identifiers.values()) == {1}
    named = {target.removeprefix("#") for target in page.values("href")} | set(page.values("aria-labelledby"))
    clips = set(re.findall(r"url\(#?([^)]*)\)", html))
    assert named | clips <= set(identifiers)


def test_it_refers_to_no_network_and_runs_no_script(shown):
    _, html, page = shown
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in page.elements}
    assert all(target.startswith("#") for target in page.values("href"))
    assert page.values("src") == []
    assert set(re.findall(r'([\w:]+)="?\'?\w*://', html)) <= {"xmlns"}
    assert "@import" not in html


def test_names_and_the_command_are_shown_as_they_are(shown):
    report, _, page = shown
    for label in report.labels:
        assert " ".join(label.split()) in page.text
    assert COMMAND in page.text
    assert page.text.count("49") == page.text.replace("{{ 7*7 }}", "").count("49")
    assert "b" not in {tag for tag, attributes in page.elements if tag == "b" and attributes}


def test_every_number_of_the_report_is_there(shown):
    report, _, page = shown
    numbers = page.text
    for standing in report.standings:
        agent = standing.agent
        shares = [standing.win_share, *report.endings.went_out[agent]]
        shares += standing.rank_shares if report.rules.num_players > 2 else ()
        for estimate in shares:
            assert f"{estimate.mean:.1%}" in numbers
        for estimate in standing.points_by_round:
            assert f"{estimate.mean:.2f}" in numbers
        for estimate in (standing.points_a_game, *report.score_paths[agent]):
            assert f"{estimate.mean:.1f}" in numbers
        assert f"{report.ratings[agent].rating:+.0f}" in numbers
    for comparison in report.comparisons.values():
        assert f"{comparison.lead.mean:+z.1f}" in numbers
    assert report.headline in numbers.replace("\xa0", " ")


def test_headings_of_tables_say_what_they_head_and_figures_what_they_show(shown):
    _, _, page = shown
    assert all(attributes.get("scope") in {"row", "col"} for tag, attributes in page.elements if tag == "th")
    pictures = [attributes for tag, attributes in page.elements if tag == "svg"]
    assert all(attributes.get("aria-hidden") == "true" or attributes.get("aria-label") for attributes in pictures)
    assert sum("aria-label" in attributes for attributes in pictures) in {8, 10}  # each for a laptop and a phone


def test_one_agent_is_compared_with_nobody():
    text = html_of("one agent in one round")
    assert "Who is ahead of whom" not in text
    assert "What is not settled" not in text


def test_ranks_are_shown_where_there_are_more_than_two():
    assert 'id="ranks"' in html_of("four players")
    assert 'id="ranks"' not in html_of("two players")


def test_pairs_that_never_met_have_no_lead_and_leads_have_their_colors():
    html = html_of("a field")
    matrix = html[html.index('id="leads"') : html.index('id="rounds"')]
    assert matrix.count("<td></td>") == 3 + 2
    assert matrix.count('<td class="ahead"') == matrix.count('<td class="behind"') == 2


def test_who_is_far_behind_is_out_of_the_figures_and_named():
    text = Page(html_of("two players")).text
    assert text.count("Out of the figure, far from the rest: hopeless (") >= 2
    assert "Out of the figure" not in html_of("a field")


def test_the_page_is_written_to_a_file(tmp_path):
    report = REPORTS["one set of deals"]
    write_page(report, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == html_of("one set of deals")
    with pytest.raises(OSError, match="nowhere"):
        write_page(report, tmp_path / "nowhere" / "page.html")


def test_an_agent_has_one_color_and_marker_in_every_figure():
    line = [Estimate(1, 0.1), Estimate(2, 0.1)]
    lines = lines_figure([Line(0, line), Line(2, line)], range(1, 3), "points", WIDE, "Points.")
    for place in range(len(COLORS)):
        color = f"var(--agent-{place})"
        assert color in key_figure(place)
        assert (color in lines) == (place in {0, 2})
    assert "dasharray" in key_figure(len(COLORS))
    assert len({key_figure(place) for place in range(2 * len(COLORS))}) == 2 * len(COLORS)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_same_figure_is_the_same_text_without_colors_and_letters_of_its_own(width):
    ratings = [Rating(0, 40, 20, 60), Rating(1, -40, NAN, NAN)]
    figures = [ratings_figure(ratings, ["策略", "$y_2$"], (), width, "Ratings.") for _ in range(2)]
    assert figures[0] == figures[1]
    assert f'viewBox="0 0 {width} ' in figures[0]
    assert "策略" in figures[0]
    assert "$y_2$" in figures[0]
    assert not re.search("#[0-9a-f]{6}|font-family", figures[0])


@pytest.mark.parametrize(
    ("distances", "far"),
    [
        pytest.param([3, 5, 4], set(), id="all alike"),
        pytest.param([3, 50, 4], {1}, id="one far out"),
        pytest.param([3, 4, 500, 50], {2, 3}, id="each far from the one before"),
        pytest.param([3, 50, 60], set(), id="two of them together"),
        pytest.param([1, 500], set(), id="two are always left"),
        pytest.param([0, 0, 0], set(), id="nothing"),
    ],
)
def test_what_is_beyond_a_figure(distances, far):
    assert beyond(distances) == far


def test_ratings_are_beyond_a_figure_for_their_distance_from_the_best():
    ratings = [Rating(0, 510, 500, 520), Rating(1, 490, 480, 500), Rating(2, -1000, -1200, -900)]
    assert ratings_beyond(ratings) == {2}
    assert ratings_beyond([*ratings[:2], Rating(2, 300, 290, 310)]) == set()


@pytest.mark.parametrize(
    ("heights", "moved"),
    [
        pytest.param([], [], id="none"),
        pytest.param([0, 30, 10], [0, 30, 10], id="far enough apart"),
        pytest.param([4, 0], [7, -3], id="moved apart"),
        pytest.param([0, 0, 11], [-6.33, 3.67, 13.67], id="and those that they would meet then"),
    ],
)
def test_labels_are_moved_apart(heights, moved):
    assert spread(heights, 10) == pytest.approx(moved, abs=0.01)
