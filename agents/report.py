"""What a tournament came to: as tables for a terminal, and as JSON with all that it came from."""

import platform
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from itertools import permutations
from math import isnan
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.match import Games
from agents.statistics import CONFIDENCE, Estimate, Standing, lead, standings
from agents.tournament import Tournament
from three_thirteen_env.rules import Rules

VERSIONS_OF = ("three-thirteen", "numpy", "numba")


@dataclass(frozen=True)
class Report:
    """The games that were played of a tournament, and the command that plays them again."""

    tournament: Tournament
    games: Games
    command: str

    def is_complete(self) -> bool:
        """Whether all games of the tournament were played."""
        return len(self.games) == self.tournament.num_games

    @property
    def labels(self) -> list[str]:
        """The names of the agents, numbered where one comes more than once."""
        names = self.tournament.names
        return [
            f"{name} ({names[:place].count(name) + 1})" if names.count(name) > 1 else name
            for place, name in enumerate(names)
        ]

    @cached_property
    def standings(self) -> list[Standing]:
        """How each agent did, the best first."""
        return standings(self.games, len(self.tournament.names), self.tournament.rules)

    @cached_property
    def leads(self) -> dict[tuple[int, int], Estimate]:
        """How many points a game each agent has less than each other."""
        pairs = permutations(range(len(self.tournament.names)), 2)
        return {(agent, other): lead(self.games, agent, other, self.tournament.rules) for agent, other in pairs}

    def as_json(self) -> dict[str, Any]:
        """All of it, as what `json` writes."""
        labels = self.labels
        return {
            "command": self.command,
            "versions": _versions(),
            "tournament": asdict(self.tournament) | {"rules": self.tournament.rules._asdict()},
            "num_games": len(self.games),
            "is_complete": self.is_complete(),
            "confidence": CONFIDENCE,
            "agents": [
                {
                    "agent": labels[standing.agent],
                    "points_a_game": _numbers(standing.points_a_game),
                    "points_a_round": _numbers(standing.points_a_round),
                    "win_share": _numbers(standing.win_share),
                }
                for standing in self.standings
            ],
            "leads": [
                {"agent": labels[agent], "over": labels[other], "points_a_game": _numbers(estimate)}
                for (agent, other), estimate in self.leads.items()
            ],
        }

    def print(self, console: Console) -> None:
        """Print what was played and how it can be again, the standings, and who is ahead of whom."""
        tournament, num_games = self.tournament, len(self.games)
        deals, tables, seats = num_games // tournament.games_in_group, len(tournament.tables), self._rules.num_players
        stopped = "" if self.is_complete() else f"stopped after {num_games:,} of {tournament.num_games:,} games; "
        lines = (
            f"{stopped}{num_games:,} games (deals × tables × rotations: {deals:,} × {tables} × {seats})",
            f"rules: {_rules_text(self._rules)}; seed {tournament.seed}",
            f"again: {self.command}",
        )
        for line in lines:
            console.print(line, soft_wrap=True, markup=False)
        console.print()
        console.print(self._standings_table())
        if len(self.standings) > 1:
            console.print()
            console.print(self._leads_table())
        console.print()
        console.print(f"± {CONFIDENCE:.0%} intervals; every deal, with all the games played on it, is one sample")

    @property
    def _rules(self) -> Rules:
        return self.tournament.rules

    def _standings_table(self) -> Table:
        table = Table("agent", title="the fewest points first", title_justify="left")
        for heading in ("points a game", "points a round", "win share"):
            table.add_column(heading, justify="right")
        for standing in self.standings:
            table.add_row(
                self.labels[standing.agent],
                _text(standing.points_a_game, ".1f"),
                _text(standing.points_a_round, ".2f"),
                _text(standing.win_share, ".1%"),
            )
        return table

    def _leads_table(self) -> Table:
        """How many points a game the agent of a row has less than that of a column."""
        ranking = [standing.agent for standing in self.standings]
        table = Table("fewer points a game than", title="games at the same table", title_justify="left")
        for agent in ranking:
            table.add_column(self.labels[agent], justify="right")
        for agent in ranking:
            cells = (_text(self.leads[agent, other], "+.1f") if other != agent else "" for other in ranking)
            table.add_row(self.labels[agent], *cells)
        return table


def _text(estimate: Estimate, form: str) -> str:
    """An estimate with its interval, such as ``+9.4 ± 1.3``."""
    margin = "?" if isnan(estimate.margin) else format(estimate.margin, form.lstrip("+"))
    return f"{format(estimate.mean, form)} ± {margin}"


def _numbers(estimate: Estimate) -> dict[str, float | None]:
    """An estimate as JSON, which knows no numbers that are none."""
    return {"mean": estimate.mean, "margin": None if isnan(estimate.margin) else estimate.margin}


def _rules_text(rules: Rules) -> str:
    """How many players, and what differs from the default for so many."""
    default = Rules(rules.num_players)._asdict()
    others = [f"{field} {value}" for field, value in rules._asdict().items() if value != default[field]]
    return ", ".join([f"{rules.num_players} players", *others])


def _versions() -> dict[str, str]:
    """What this is, and what it runs on; unknown where it is not installed."""
    versions = {"python": platform.python_version()}
    for package in VERSIONS_OF:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "unknown"
    return versions
