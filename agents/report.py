"""What a tournament came to: as tables for a terminal, and as JSON with all that it came from."""

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.match import Games
from agents.rating import Rating, ratings
from agents.significance import Comparison, Pair, comparisons
from agents.statistics import CONFIDENCE, Endings, Estimate, Estimates, Standing, endings, score_paths, standings
from agents.tournament import Tournament
from agents.verdict import headline, unsettled
from agents.versions import versions
from three_thirteen_env.rules import Rules

VERSIONS_OF = ("three-thirteen", "numpy", "numba", "scipy", "choix")
ANY_WIDTH = 10_000  # columns: more than any table has
SHORT = 20  # characters of a name beside a table that has no room for long ones


@dataclass(frozen=True)
class Report:
    """The games that were played of a tournament, and the command that plays them again."""

    tournament: Tournament
    games: Games
    command: str
    ending: str = ""  # why it ended before all its games were played, in words

    def is_complete(self) -> bool:
        """Whether all games of the tournament were played."""
        return len(self.games) == self.tournament.num_games

    @property
    def rules(self) -> Rules:
        """What was played."""
        return self.tournament.rules

    @property
    def labels(self) -> list[str]:
        """The names of the agents: no two are the same."""
        return self.tournament.labels

    @property
    def num_groups(self) -> int:
        """On how many sets of deals games were played."""
        return len(self.games) // self.tournament.games_in_group

    @property
    def rounds(self) -> range:
        """The numbers of the rounds that are played."""
        return range(self.rules.first_round, self.rules.last_round + 1)

    @cached_property
    def standings(self) -> list[Standing]:
        """How each agent did, the best first."""
        return standings(self.games, len(self.labels), self.rules)

    @property
    def ranking(self) -> list[int]:
        """The agents, the one with the fewest points first."""
        return [standing.agent for standing in self.standings]

    @cached_property
    def ratings(self) -> dict[int, Rating]:
        """How strong each agent is beside the field."""
        return {rating.agent: rating for rating in ratings(self.games, len(self.labels), self.rules)}

    @cached_property
    def comparisons(self) -> dict[Pair, Comparison]:
        """Every agent beside every other that it met."""
        return comparisons(self.games, len(self.labels), self.rules)

    @cached_property
    def score_paths(self) -> list[Estimates]:
        """The running total of each agent after each round."""
        return score_paths(self.games, len(self.labels), self.rules)

    @cached_property
    def endings(self) -> Endings:
        """How each round ends."""
        return endings(self.games, len(self.labels), self.rules)

    @cached_property
    def versions(self) -> dict[str, str]:
        """What this is, and what it runs on."""
        return {"python": platform.python_version()} | versions(VERSIONS_OF)

    @property
    def headline(self) -> str:
        """Who is best, and how sure that is, in a sentence."""
        return headline(self.standings, self.comparisons, self.labels)

    @property
    def unsettled(self) -> list[str]:
        """Of each two neighbors of the ranking whose order is not certain: a sentence with how much more it takes."""
        return unsettled(self.ranking, self.comparisons, self.labels, self.rules.num_players)

    @property
    def played(self) -> tuple[str, str]:
        """What was played, in a line, and under which rules, in another."""
        tournament, num_games = self.tournament, len(self.games)
        reason = f" ({self.ending})" if self.ending else ""
        stopped = (
            "" if self.is_complete() else f"stopped after {num_games:,} of {tournament.num_games:,} games{reason}; "
        )
        shape = f"{self.num_groups:,} × {len(tournament.tables)} × {self.rules.num_players}"
        return (
            f"{stopped}{num_games:,} games (deals × tables × rotations: {shape})",
            f"rules: {_rules_text(self.rules)}; seed {tournament.seed}",
        )

    def as_json(self) -> dict[str, Any]:
        """All of it, as what `json` writes."""
        return {
            "command": self.command,
            "versions": self.versions,
            "tournament": asdict(self.tournament)
            | {"names": list(self.tournament.names), "rules": self.rules._asdict()},
            "num_games": len(self.games),
            "num_groups": self.num_groups,
            "is_complete": self.is_complete(),
            "ending": self.ending,
            "confidence": CONFIDENCE,
            "headline": self.headline,
            "agents": [self._agent_json(standing) for standing in self.standings],
            "leads": [self._lead_json(comparison) for comparison in self.comparisons.values()],
            "rounds": [
                {"round": round_number, "nobody_went_out": _numbers(nobody), "turns_a_seat": _numbers(turns)}
                for round_number, nobody, turns in zip(
                    self.rounds, self.endings.nobody_went_out, self.endings.turns, strict=True
                )
            ],
        }

    def print(self, console: Console) -> None:
        """Print what was played and how it can be again, the standings, and who is ahead of whom."""
        for line in (*self.played, f"again: {self.command}", "", self.headline, ""):
            console.print(line, soft_wrap=True, markup=False)
        console.print("the fewest points first")
        console.print(self._standings_table())
        if self.comparisons:
            console.print("fewer points a game than the agent of the column, at the same table")
            table = self._leads_table(" ")
            is_too_wide = (
                console.measure(table, options=console.options.update(width=ANY_WIDTH)).maximum > console.width
            )
            console.print(self._leads_table("\n") if is_too_wide else table)
        notes = [f"± {CONFIDENCE:.0%} intervals; every deal, with all the games played on it, is one sample"]
        if any(not comparison.lead.excludes_zero for comparison in self.comparisons.values()):
            notes.append("* not settled: the interval includes zero")
        for line in (*notes, *self.unsettled):
            console.print(line, soft_wrap=True, markup=False)

    def _agent_json(self, standing: Standing) -> dict[str, Any]:
        agent = standing.agent
        rating = self.ratings[agent]
        return {
            "agent": self.labels[agent],
            "points_a_game": _numbers(standing.points_a_game),
            "points_a_round": _numbers(standing.points_a_round),
            "win_share": _numbers(standing.win_share),
            "rating": {"rating": rating.rating, "low": _number(rating.low), "high": _number(rating.high)},
            "rank_shares": _lists(standing.rank_shares),
            "points_by_round": _lists(standing.points_by_round),
            "score_path": _lists(self.score_paths[agent]),
            "went_out": _lists(self.endings.went_out[agent]),
        }

    def _lead_json(self, comparison: Comparison) -> dict[str, Any]:
        return {
            "agent": self.labels[comparison.agent],
            "over": self.labels[comparison.other],
            "points_a_game": _numbers(comparison.lead),
            "p_value": _number(comparison.p_value),
            "holm_p_value": _number(comparison.holm_p_value),
            "num_groups": comparison.num_groups,
            "groups_to_settle": comparison.groups_to_settle,
        }

    def _standings_table(self) -> Table:
        table = _table()
        for heading in ("points a game", "points a round", "win share", "rating"):
            table.add_column(heading, justify="right")
        for place, standing in enumerate(self.standings, 1):
            table.add_row(
                str(place),
                Text(self.labels[standing.agent]),
                estimate_text(standing.points_a_game, ".1f"),
                estimate_text(standing.points_a_round, ".2f"),
                estimate_text(standing.win_share, ".1%"),
                rating_text(self.ratings[standing.agent]),
            )
        return table

    def _leads_table(self, before_margin: str) -> Table:
        """How many points a game the agent of a row has less than one further down; the other half says the same."""
        ranking = self.ranking
        table = _table()
        for place in range(2, len(ranking) + 1):
            table.add_column(str(place), justify="right")
        for place, agent in enumerate(ranking[:-1], 1):
            cells = (
                _lead_text(self.comparisons.get((agent, other)), before_margin) if column > place else Text()
                for column, other in enumerate(ranking[1:], 2)
            )
            table.add_row(str(place), Text(shortened(self.labels[agent], SHORT)), *cells)
        return table


def estimate_text(estimate: Estimate, form: str) -> str:
    """An estimate with its interval, such as ``+9.4 ± 1.3``."""
    margin = format(estimate.margin, form.lstrip("+")) if isfinite(estimate.margin) else "?"
    return f"{format(estimate.mean, form.replace('.', 'z.'))} ± {margin}"  # z: no minus before a zero


def rating_text(rating: Rating) -> str:
    """A rating with its interval, such as ``+31 (+20…+43)``."""
    interval = f"{rating.low:+.0f}…{rating.high:+.0f}" if isfinite(rating.low) else "?"
    return f"{rating.rating:+.0f} ({interval})"


def shortened(name: str, length: int) -> str:
    """The end of a name that is too long, for paths and classes differ there.

    >>> shortened("runs/2026-11-30/policy.onnx", 20)
    '…6-11-30/policy.onnx'
    """
    return name if len(name) <= length else "…" + name[1 - length :]


def _table() -> Table:
    """A table with the place and the name of an agent in each row."""
    table = Table("", box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("agent", no_wrap=True)
    return table


def _lead_text(comparison: Comparison | None, before_margin: str) -> Text:
    """A lead with its interval, marked where that includes zero; nothing for two that did not meet."""
    if comparison is None:
        return Text()
    words = estimate_text(comparison.lead, "+.1f").replace(" ± ", f"{before_margin}±")
    return Text(f"{words} ") if comparison.lead.excludes_zero else Text(f"{words}*", style="dim")


def _number(value: float) -> float | None:
    """A number as JSON, which knows none that are none."""
    return value if isfinite(value) else None


def _numbers(estimate: Estimate) -> dict[str, float | None]:
    return {"mean": _number(estimate.mean), "margin": _number(estimate.margin)}


def _lists(estimates: Sequence[Estimate]) -> dict[str, list[float | None]]:
    """Estimates as JSON: the means, and the margins."""
    return {
        "means": [_number(estimate.mean) for estimate in estimates],
        "margins": [_number(estimate.margin) for estimate in estimates],
    }


def _rules_text(rules: Rules) -> str:
    """How many players, and what differs from the default for so many."""
    default = Rules(rules.num_players)._asdict()
    others = [f"{field} {value}" for field, value in rules._asdict().items() if value != default[field]]
    return ", ".join([f"{rules.num_players} players", *others])
