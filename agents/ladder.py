"""How far an agent is ahead of others, one at a time, over full games on deals that no training meets."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from agents.registry import make_agent
from agents.statistics import Estimate, lead, standings
from agents.tournament import Tournament, play
from three_thirteen_env.agent import Agent
from three_thirteen_env.rules import Rules

# Which deals: those by which the best policy of a training is chosen, and others that say how good it is.
CHOOSING, JUDGING = 0, 1

AHEAD = "fewer points a game"


class Rung(NamedTuple):
    """How an agent did against another."""

    against: str
    num_deals: int
    num_games: int
    fewer_points_a_game: Estimate  # than the other
    points_a_game: Estimate
    win_share: Estimate

    def as_json(self) -> dict[str, Any]:
        """The same, by names."""
        return {
            name: value._asdict() if isinstance(value, Estimate) else value for name, value in self._asdict().items()
        }


def climb(agent: Agent, names: Iterable[str], rules: Rules, num_games: int, deals: int) -> list[Rung]:
    """Play at least so many games against each of the agents of these names, and of each at least two deals."""
    num_groups = max(2, -(-num_games // rules.num_players))
    rungs = []
    for name in names:
        tournament = Tournament(
            ("the agent", name), rules, num_groups, seed=deals, games_at_once=num_games, field_size=1
        )
        games = np.concatenate(list(play(tournament, [agent, make_agent(name, rules)])))
        own = next(standing for standing in standings(games, 2, rules) if standing.agent == 0)
        ahead = lead(games, 0, 1, rules)
        rungs.append(Rung(name, num_groups, len(games), ahead, own.points_a_game, own.win_share))
    return rungs


def table_of(rungs: Iterable[Rung], title: str) -> Table:
    """How an agent did against others, to be printed."""
    table = Table("against", title=title, title_justify="left")
    for heading in (AHEAD, "points a game", "win share"):
        table.add_column(heading, justify="right")
    for rung in rungs:
        estimates = (rung.fewer_points_a_game, "+.1f"), (rung.points_a_game, ".1f"), (rung.win_share, ".1%")
        table.add_row(rung.against, *(in_words(estimate, form) for estimate, form in estimates))
    return table


def in_words(estimate: Estimate, form: str = "+.1f") -> str:
    """An estimate with its 95 % interval, such as ``+9.4 ± 1.3``."""
    return f"{estimate.mean:{form}} ± {estimate.margin:{form.lstrip('+')}}"
