"""What is printed and written of a tournament, and the sentences that say what it means."""

import io
import json
import re

import pytest
from rich.console import Console

from agents.rating import Rating
from agents.report import Report, estimate_text, rating_text
from agents.significance import Comparison
from agents.statistics import Estimate, Standing
from agents.verdict import headline, unsettled
from tests.made_up_reports import COMMAND, made_up_report
from three_thirteen_env.rules import Rules

NAN = float("nan")
LADDER = {"strong": 2, "middling": 3, "weak": 4}
ALIKE = [("strong", 2), ("middling", 3), ("middling", 3)]


def printed(report: Report, width: int = 200) -> str:
    """What a report prints to a console of so many columns."""
    text = io.StringIO()
    report.print(Console(file=text, width=width, highlight=False))
    return text.getvalue()


def standings_of(*agents: int) -> list[Standing]:
    """Standings of which only the order counts."""
    points = Estimate(30, 1)
    return [Standing(agent, points, points, points, (), ()) for agent in agents]


def compared(agent: int, other: int, mean: float, margin: float, p_value: float = 0.0001, more: int | None = 0):
    """A comparison of two agents, both ways round."""
    there = Comparison(agent, other, Estimate(mean, margin), p_value, 100, more, p_value)
    return {
        (agent, other): there,
        (other, agent): there._replace(agent=other, other=agent, lead=Estimate(-mean, margin)),
    }


@pytest.mark.parametrize(
    ("comparisons", "sentence"),
    [
        pytest.param(
            compared(0, 1, 9, 2),
            "A is best: 9.0 ± 2.0 points a game ahead of B (p < 0.001).",
            id="two of whom one is better",
        ),
        pytest.param(
            compared(0, 1, 9, 2) | compared(0, 2, 30, 2, 0.01) | compared(1, 2, 20, 2),
            "A is best: 9.0 ± 2.0 points a game ahead of B, the next, and ahead of all others too "
            "(p = 0.01 for each, corrected for 3 pairs).",
            id="better than all",
        ),
        pytest.param(
            compared(0, 1, 9, 8, 0.08) | compared(0, 2, 30, 2) | compared(1, 2, 20, 2),
            "A is best: 9.0 ± 8.0 points a game ahead of B, the next, and ahead of all others too "
            "(p = 0.08 for each, corrected for 3 pairs: among so many, one may come by chance).",
            id="better if there were no other pairs",
        ),
        pytest.param(
            compared(0, 1, -1, 2) | compared(0, 2, 30, 2) | compared(1, 2, 20, 2),
            "A leads, but nobody is clearly best: its -1.0 ± 2.0 points a game over B may be chance.",
            id="two who may be equal",
        ),
        pytest.param(
            compared(0, 1, 1, 2) | compared(0, 2, 1, 3) | compared(1, 2, 0, 2),
            "A leads, but nobody is clearly best: its 1.0 ± 2.0 points a game over B may be chance; "
            "so may what it has over 1 more.",
            id="three who may be equal",
        ),
        pytest.param(
            compared(0, 1, 4, 1) | compared(0, 2, -5, 2),
            "A has the fewest points, but C is ahead of it where they meet: by 5.0 ± 2.0 points a game.",
            id="beaten by one who has met others",
        ),
        pytest.param(
            compared(0, 1, 7, NAN, NAN),
            "A leads: 7.0 points a game ahead of B; one set of deals does not say how sure that is.",
            id="one set of deals",
        ),
        pytest.param({}, "A meets nobody else: 30.0 ± 1.0 points a game.", id="alone"),
    ],
)
def test_the_headline_says_who_is_best_and_how_sure_it_is(comparisons, sentence):
    agents = sorted({0} | {agent for pair in comparisons for agent in pair})
    assert headline(standings_of(*agents), comparisons, ["A", "B", "C"]) == sentence


@pytest.mark.parametrize(
    ("comparison", "sentences"),
    [
        pytest.param(compared(2, 0, 9, 2), [], id="settled"),
        pytest.param(
            compared(2, 0, 1, 2, more=1234),
            ["C and A are not told apart: about 1,200 more deals (3,700 games at every table) would likely settle it."],
            id="not settled",
        ),
        pytest.param(
            compared(2, 0, 0, 2, more=None),
            ["C and A are not told apart: nothing suggests how many more games would settle it."],
            id="no difference at all",
        ),
        pytest.param({}, [], id="never met"),
    ],
)
def test_neighbors_that_are_not_settled_have_a_sentence(comparison, sentences):
    assert unsettled([2, 0], comparison, ["A", "B", "C"], num_players=3) == sentences


def test_only_neighbors_of_the_ranking_have_a_sentence():
    comparisons = compared(0, 1, 9, 2) | compared(1, 2, 9, 2) | compared(0, 2, 1, 2)
    assert unsettled([0, 1, 2], comparisons, ["A", "B", "C"], num_players=2) == []


def test_the_tables_have_the_numbers_of_every_agent_and_pair():
    report = made_up_report(LADDER)
    text = printed(report)
    for standing in report.standings:
        row = re.search(rf"^ \d  {report.labels[standing.agent]} .*", text, flags=re.MULTILINE)[0]
        assert estimate_text(standing.points_a_game, ".1f") in row
        assert estimate_text(standing.points_a_round, ".2f") in row
        assert estimate_text(standing.win_share, ".1%") in row
        assert rating_text(report.ratings[standing.agent]) in row
    for agent, other in ((0, 1), (0, 2), (1, 2)):
        assert estimate_text(report.comparisons[agent, other].lead, "+.1f").replace("± ", "±") in text
    assert report.headline in text
    assert f"again: {COMMAND}\n" in text


def test_leads_whose_interval_includes_zero_have_a_star_that_is_explained():
    text = printed(made_up_report(ALIKE))
    assert len(re.findall(r"±\d+\.\d\*", text)) == 1
    assert "* not settled" in text
    assert "middling (1) and middling (2) are not told apart" in text or "middling (2) and middling (1)" in text
    assert "*" not in printed(made_up_report(LADDER))


def test_eight_agents_fit_in_a_hundred_columns_and_no_number_is_cut_in_eighty():
    report = made_up_report({f"runs/2026-11-{place}-of-the-best/policy.onnx": place for place in range(10, 18)})
    assert max(map(len, printed(report, width=100).splitlines()[6:-4])) <= 100
    text = printed(report, width=80)
    for agent, other in report.comparisons:
        if agent < other:
            mean, margin = estimate_text(report.comparisons[agent, other].lead, "+.1f").split(" ± ")
            assert mean in text
            assert f"±{margin}" in text


def test_agents_that_never_met_have_no_lead():
    report = made_up_report(LADDER, field_size=1)
    assert set(report.comparisons) == {(0, 2), (2, 0), (1, 2), (2, 1)}
    assert len(re.findall(r"[+-]\d+\.\d ±", printed(report))) == 2


def test_names_are_printed_as_they_are():
    assert "[red]x" in printed(made_up_report({"[red]x": 2, "y": 3}))


@pytest.mark.parametrize(
    ("ending", "start"),
    [("", "stopped after 120 of 180 games; 120 games"), ("by Ctrl-C", "stopped after 120 of 180 games (by Ctrl-C); ")],
)
def test_a_tournament_that_was_stopped_says_so(ending, start):
    whole = made_up_report(LADDER)
    report = Report(whole.tournament, whole.games[:120], COMMAND, ending)
    assert not report.is_complete()
    assert report.num_groups == 20
    assert printed(report).startswith(start)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(made_up_report(LADDER), id="two players"),
        pytest.param(
            made_up_report(ALIKE, rules=Rules(num_players=3, first_round=4, last_round=5)), id="three players"
        ),
        pytest.param(made_up_report(LADDER, num_groups=1), id="one set of deals"),
        pytest.param(made_up_report({"alone": 3}), id="one agent"),
    ],
)
def test_the_json_comes_back_as_it_was_written(report):
    written = report.as_json()
    assert json.loads(json.dumps(written, allow_nan=False)) == written


def test_the_json_has_all_numbers():
    report = made_up_report(ALIKE, rules=Rules(num_players=3, first_round=4, last_round=5))
    result = report.as_json()
    assert (result["num_games"], result["num_groups"], result["is_complete"]) == (90, 30, True)
    assert result["tournament"]["names"] == ["strong", "middling", "middling"]
    for agent, standing in zip(result["agents"], report.standings, strict=True):
        assert agent["agent"] == report.labels[standing.agent]
        assert agent["points_a_game"] == standing.points_a_game._asdict()
        assert agent["rank_shares"]["means"] == [share.mean for share in standing.rank_shares]
        assert agent["points_by_round"]["margins"] == [points.margin for points in standing.points_by_round]
        assert agent["score_path"]["means"][-1] == pytest.approx(standing.points_a_game.mean)
        assert len(agent["went_out"]["means"]) == 2
        assert agent["rating"]["low"] <= agent["rating"]["rating"] <= agent["rating"]["high"]
    assert [entry["round"] for entry in result["rounds"]] == [4, 5]
    assert len(result["leads"]) == 6
    for lead in result["leads"]:
        comparison = report.comparisons[report.labels.index(lead["agent"]), report.labels.index(lead["over"])]
        assert lead["points_a_game"] == comparison.lead._asdict()
        assert lead["p_value"] == comparison.p_value
        assert lead["holm_p_value"] == comparison.holm_p_value
        assert lead["groups_to_settle"] == comparison.groups_to_settle


def test_the_json_of_one_set_of_deals_has_no_intervals():
    result = made_up_report(LADDER, num_groups=1).as_json()
    assert result["agents"][0]["points_a_game"]["margin"] is None
    assert result["agents"][0]["rating"]["low"] is None
    assert result["leads"][0]["p_value"] is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (estimate_text(Estimate(9.44, 1.26), "+.1f"), "+9.4 ± 1.3"),
        (estimate_text(Estimate(-0.04, 1.26), "+.1f"), "+0.0 ± 1.3"),
        (estimate_text(Estimate(0.5, NAN), ".1%"), "50.0% ± ?"),
        (rating_text(Rating(0, 31.4, -20.2, 43)), "+31 (-20…+43)"),
        (rating_text(Rating(0, 31.4, NAN, NAN)), "+31 (?)"),
    ],
)
def test_how_numbers_read(text, expected):
    assert text == expected
