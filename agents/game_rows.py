"""The games of a chunk as rows, one for what each seat did in each round, and back: what is kept in Parquet files.

The rows follow each other game by game as in the schedule of the chunk, then round by round, then seat by seat.
"""

import numpy as np
import pyarrow as pa

from agents.match import GAME, Games
from agents.tournament import Tournament, schedule
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

COLUMNS = {
    "group": pa.int32(),  # the games of a group have the same deals
    "seed": pa.int64(),  # of the game
    "table": pa.int32(),  # which of the tables of the tournament
    "rotation": pa.int8(),  # how many seats the agents have moved on
    "round": pa.int8(),  # from 1 to 11
    "seat": pa.int8(),
    "agent": pa.string(),  # its label: its name, numbered where it comes more than once
    "points": pa.int16(),  # of the seat in the round
    "total": pa.int16(),  # of the seat in the game so far, this round included
    "went_out": pa.bool_(),  # whether the seat did, in the round
    "num_turns": pa.int16(),  # of all seats together, in the round
}


def rows_of(tournament: Tournament, games: Games) -> pa.Table:
    """The rows of the games of a chunk."""
    rounds, seats = _rounds(tournament.rules), np.arange(tournament.rules.num_players)
    game = np.arange(len(games))[:, None, None]
    points = games["points"][:, rounds - 1, : len(seats)]
    values = {
        "group": games["group"][:, None, None],
        "seed": games["seed"][:, None, None],
        "table": game // len(seats) % len(tournament.tables),
        "rotation": game % len(seats),
        "round": rounds[:, None],
        "seat": seats,
        "agent": np.array(tournament.labels)[games["agents"][:, None, : len(seats)]],
        "points": points,
        "total": points.cumsum(axis=1),
        "went_out": games["went_out"][:, rounds - 1, None] == seats,
        "num_turns": games["num_turns"][:, rounds - 1, None],
    }
    columns = {name: np.broadcast_to(value, points.shape).ravel() for name, value in values.items()}
    return pa.table({name: pa.array(column).cast(COLUMNS[name]) for name, column in columns.items()})


def games_of(tournament: Tournament, chunk: int, rows: pa.Table) -> Games:
    """The games of a chunk that rows tell of. Raises ValueError or KeyError if they are not the rows of this chunk."""
    rules, (groups, seeds, seating) = tournament.rules, schedule(tournament, chunk)
    rounds = _rounds(rules)
    shape = (len(groups), len(rounds), rules.num_players)
    points, went_out, num_turns = (rows[name].to_numpy().reshape(shape) for name in ("points", "went_out", "num_turns"))
    games = np.zeros(len(groups), GAME)
    games["group"], games["seed"], games["agents"], games["went_out"] = groups, seeds, NOBODY, NOBODY
    games["agents"][:, : rules.num_players] = seating
    games["points"][:, rounds - 1, : rules.num_players] = points
    games["went_out"][:, rounds - 1] = np.where(went_out.any(axis=2), went_out.argmax(axis=2), NOBODY)
    games["num_turns"][:, rounds - 1] = num_turns[:, :, 0]
    if not rows_of(tournament, games).equals(rows):
        raise ValueError("its rows are not those of the tournament")
    return games


def _rounds(rules: Rules) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(rules.first_round, rules.last_round + 1)
