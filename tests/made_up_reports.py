"""Reports of games that nobody played, for the tests of what is printed and shown."""

from collections.abc import Sequence

import numpy as np

from agents.match import GAME
from agents.report import Report
from agents.tournament import Tournament, schedule
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

COMMAND = "python evaluate.py tournament --agents 'a <b>' b"


def made_up_report(points: dict[str, float] | Sequence[tuple[str, float]], num_groups: int = 30, **options) -> Report:
    """A report on agents of these names, each with so many points a round on average.

    The options are those of a tournament.
    """
    names, means = zip(*(points.items() if isinstance(points, dict) else points), strict=True)
    tournament = Tournament(names, options.pop("rules", Rules()), num_groups, **options)
    rules, rng = tournament.rules, np.random.default_rng(5)
    seating = np.concatenate([schedule(tournament, chunk).seating for chunk in range(tournament.num_chunks)])
    games = np.zeros(len(seating), GAME)
    games["group"] = np.repeat(np.arange(num_groups), tournament.games_in_group)
    games["agents"], games["went_out"] = NOBODY, NOBODY
    games["agents"][:, : rules.num_players] = seating
    rounds = slice(rules.first_round - 1, rules.last_round)
    shape = games["points"][:, rounds, : rules.num_players].shape
    games["points"][:, rounds, : rules.num_players] = rng.poisson(np.array(means)[seating][:, None, :], shape)
    games["went_out"][:, rounds] = rng.integers(-1, rules.num_players, shape[:2])
    games["num_turns"][:, rounds] = rng.integers(2, 30, shape[:2])
    return Report(tournament, games, COMMAND)
