"""The results of a tournament in a folder, written as they come, so that it can be stopped and gone on with.

tournament.json        what is played, by which command, with which files and versions, and how it ended
games-00000.parquet    the games of one chunk, as `agents.game_rows` has them; each of these files is written whole

A chunk that is missing, for the program was killed before it was written, is played again: the same games.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from agents.game_rows import games_of, rows_of
from agents.match import GAME, Games
from agents.policy_file import write_whole
from agents.registry import POLICY_SUFFIX
from agents.tournament import Tournament
from agents.versions import versions
from three_thirteen_env.rules import Rules

FORMAT = 1  # rises whenever an older program would misread a folder
VERSIONS_OF = ("three-thirteen", "numpy", "numba")  # others may play other games
DESCRIPTION = "tournament.json"
PARTS, UNFINISHED = "games-*.parquet", "*.unfinished"  # the latter is what `write_whole` leaves when it is killed

Description = dict[str, Any]


class ResultsError(Exception):
    """A folder of results that cannot be used: one line that says which and why."""


class Results(NamedTuple):
    """What a folder holds."""

    tournament: Tournament
    games: Games  # that were reported on; if it was killed, of the chunks up to the first that is missing
    command: str  # the last that played at it
    ending: str  # how that ended, in words; empty if it was killed


class ResultsFolder:
    """A folder that takes the results of a tournament. The chunks that lie there already are in `played`."""

    def __init__(self, path: Path, tournament: Tournament, command: str) -> None:
        """Make the folder, or go on with it.

        Raises ResultsError where it holds another tournament, or more of this one, or what is damaged, and then
        changes nothing.
        """
        self.path, self.tournament = path, tournament
        self.description = _description(tournament, command)
        with _system_errors_named(path):
            path.mkdir(parents=True, exist_ok=True)
            self.played = self._checked_parts()
            self._remove_what_is_not_whole()
            self._write_description()

    def write(self, chunk: int, games: Games) -> None:
        """Keep the games of a chunk. Raises ResultsError."""
        content = BytesIO()
        pq.write_table(rows_of(self.tournament, games), content, write_page_checksum=True)
        with _system_errors_named(self.path):
            write_whole(_part(self.path, chunk), content.getvalue())

    def close(self, ending: str, num_games: int) -> None:
        """Note how it ended, and with how many of the games: others may have come after them. Raises ResultsError."""
        self.description |= {"ending": ending, "num_games": num_games}
        with _system_errors_named(self.path):
            self._write_description()

    def _checked_parts(self) -> dict[int, Games]:
        if not (self.path / DESCRIPTION).exists():
            if any(not path.match(UNFINISHED) for path in self.path.iterdir()):
                raise ResultsError(f"{self.path} is neither empty nor a folder of results: it has no {DESCRIPTION}")
            return {}
        description, stored = _read_description(self.path)
        if differences := _differences(description, self.description):
            raise ResultsError(f"{self.path} holds another tournament: {'; '.join(differences)}")
        if stored.num_groups > self.tournament.num_groups:
            there, here = (each.num_groups * each.rules.num_players for each in (stored, self.tournament))
            raise ResultsError(f"{self.path} holds a longer tournament: {there} games at every table, not {here}")
        return _read_parts(self.path, stored)

    def _remove_what_is_not_whole(self) -> None:
        """Remove files that were being written, and the last chunk of a shorter tournament if a longer has more."""
        for unfinished in self.path.glob(UNFINISHED):
            unfinished.unlink()
        for chunk, games in list(self.played.items()):
            if len(games) < len(self.tournament.groups_of(chunk)) * self.tournament.games_in_group:
                del self.played[chunk]
                _part(self.path, chunk).unlink()

    def _write_description(self) -> None:
        write_whole(self.path / DESCRIPTION, (json.dumps(self.description, indent=2) + "\n").encode())


def read(path: Path) -> Results:
    """What lies in a folder. Raises ResultsError where there are no results, or damaged ones."""
    with _system_errors_named(path):
        description, tournament = _read_description(path)
        parts = _read_parts(path, tournament)
    num_in_a_row = next(chunk for chunk in range(len(parts) + 1) if chunk not in parts)
    games = np.concatenate([np.empty(0, GAME), *(parts[chunk] for chunk in range(num_in_a_row))])
    return Results(tournament, games[: description["num_games"]], description["command"], description["ending"])


def _part(path: Path, chunk: int) -> Path:
    return path / PARTS.replace("*", f"{chunk:05}")


def _read_parts(path: Path, tournament: Tournament) -> dict[int, Games]:
    """The chunks that are there."""
    chunks = sorted(int(part.stem.partition("-")[2]) for part in path.glob(PARTS))
    return {chunk: _read_part(_part(path, chunk), tournament, chunk) for chunk in chunks}


def _read_part(part: Path, tournament: Tournament, chunk: int) -> Games:
    try:
        rows = pq.read_table(BytesIO(part.read_bytes()), page_checksum_verification=True)
        return games_of(tournament, chunk, rows)
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        raise ResultsError(f"{part} is damaged: {' '.join(str(error).split())}") from error


def _description(tournament: Tournament, command: str) -> Description:
    return {
        "format": FORMAT,
        "command": command,
        "tournament": asdict(tournament) | {"names": list(tournament.names), "rules": tournament.rules._asdict()},
        "contents": {name: digest for name in tournament.names if (digest := _digest(name))},
        "versions": versions(VERSIONS_OF),
        "ending": "",
        "num_games": None,
    }


def _read_description(path: Path) -> tuple[Description, Tournament]:
    """What `tournament.json` says, and the tournament that it tells of. Raises ResultsError."""
    try:
        description = json.loads((path / DESCRIPTION).read_text(encoding="utf-8"))
        if description["format"] > FORMAT:
            raise ValueError(f"its format is {description['format']}, newer than {FORMAT}: update three-thirteen")
        if missing := {"command", "contents", "versions", "ending", "num_games"} - description.keys():
            raise ValueError(f"it has no {min(missing)}")
        fields = description["tournament"]
        tournament = Tournament(**fields | {"names": tuple(fields["names"]), "rules": Rules(**fields["rules"])})
    except FileNotFoundError as error:
        raise ResultsError(f"{path} is no folder of results: it has no {DESCRIPTION}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{path / DESCRIPTION} is damaged: {error}") from error
    return description, tournament


def _differences(there: Description, here: Description) -> list[str]:
    """In which options, versions and files two tournaments differ, in words; none if only in the number of groups."""
    names, facts = here["tournament"]["names"], [_facts(description) for description in (there, here)]
    return [
        f"{name} {facts[0].get(name)}, not {value}" for name, value in facts[1].items() if facts[0].get(name) != value
    ] + [
        f"the file of {name!r} has changed"
        for name in names
        if there["contents"].get(name, here["contents"].get(name)) != here["contents"].get(name)
    ]


def _facts(description: Description) -> dict[str, Any]:
    """What two sessions at one tournament must agree in."""
    tournament = dict(description["tournament"])
    del tournament["num_groups"]
    return (
        {"agents": ", ".join(tournament.pop("names"))} | tournament.pop("rules") | tournament | description["versions"]
    )


def _digest(name: str) -> str | None:
    """What tells the file of an agent from another that has its name; None if the agent comes with the game."""
    kind = name.partition("@")[0]  # without options
    if kind.endswith(POLICY_SUFFIX):
        return hashlib.sha256(Path(kind).read_bytes()).hexdigest()
    if ":" in kind and (file := getattr(sys.modules.get(kind.partition(":")[0]), "__file__", None)):
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return None


@contextmanager
def _system_errors_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsError(f"{path} cannot be used for results: {error.strerror or error}") from error
