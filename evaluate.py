"""Who plays Three Thirteen better? Full games on the same deals, with the agents rotated over the seats.

    python evaluate.py                                          the baselines, every one against every other
    python evaluate.py --agents greedy mine:Strategy            one's own agent, a class in mine.py
    python evaluate.py --agents runs/first/policy.onnx greedy   a trained policy
    python evaluate.py tournament --help                        every option of the tournament

Where no command is named it is the tournament.
"""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from tyro.conf import OmitArgPrefixes, arg

from agents.house_rules import HouseRules
from agents.match import GAME, Games
from agents.registry import AGENTS, AgentError, make_agent
from agents.report import Report
from agents.tournament import Tournament, play, play_in_processes
from three_thirteen_env.agent import Agent

FAILED, INTERRUPTED = 2, 130  # exit statuses
PLAIN_WIDTH = 200  # columns of what is printed to a file or a pipe


class InputError(Exception):
    """An option that makes no sense: one line that says which, and what is allowed."""


@dataclass(frozen=True)
class TournamentCommand:
    """Every agent against every other: who has fewer points, by how much, and how sure that is."""

    # who plays: a registered name, module:Class of one's own, or the path of a policy file
    agents: tuple[str, ...] = tuple(AGENTS)
    # games at every table (with two players: of every pair), rounded up to play every deal in every rotation of the
    # agents over the seats
    games: int = 1000
    seed: int = 0  # fixes every deal and every chance: the same seed gives the same table
    json: Annotated[Path | None, arg(metavar="FILE")] = None  # write the result here too, with all it came from
    # how many processes play; the result is the same for any number
    processes: int = field(default_factory=lambda: os.cpu_count() or 1)
    rules: HouseRules = field(default_factory=HouseRules)  # what is played

    def run(self, command: str) -> int:
        """Play and print the tables; the exit status. Raises InputError and AgentError."""
        tournament, agents = self.checked()
        alone = self.processes == 1
        chunks = play(tournament, agents) if alone else play_in_processes(tournament, self.processes)
        games = _collected(_with_progress(chunks, tournament.num_games))
        if len(games) == 0:
            print("evaluate.py: stopped before any game was over", file=sys.stderr)
            return INTERRUPTED
        report = Report(tournament, games, command)
        report.print(Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False))
        if self.json:
            _write(self.json, json.dumps(report.as_json(), indent=2) + "\n")
        return 0 if report.is_complete() else INTERRUPTED

    def checked(self) -> tuple[Tournament, list[Agent]]:
        """What is played, and the agents. Raises InputError at an option that makes no sense, and AgentError."""
        for option, least in (("games", 1), ("processes", 1), ("seed", 0)):
            if getattr(self, option) < least:
                raise InputError(f"--{option} must be {least} or more, not {getattr(self, option)}")
        if not self.agents:
            raise InputError("--agents must name one agent or more")
        if self.json and not self.json.absolute().parent.is_dir():
            raise InputError(f"--json: there is no directory {self.json.parent}")
        try:
            rules = self.rules.checked()
        except ValueError as error:
            raise InputError(str(error)) from error
        tournament = Tournament(self.agents, rules, -(-self.games // rules.num_players), self.seed)
        return tournament, [make_agent(name, rules) for name in self.agents]


COMMANDS: dict[str, Callable[..., TournamentCommand]] = {"tournament": TournamentCommand}
DEFAULT_COMMAND = "tournament"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name, or the tournament if they name none; the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] not in (*COMMANDS, "-h", "--help"):
        arguments.insert(0, DEFAULT_COMMAND)
    command = tyro.extras.subcommand_cli_from_dict(
        COMMANDS, prog="evaluate.py", description=__doc__, args=arguments, config=(OmitArgPrefixes,)
    )
    try:
        return command.run(shlex.join(["python", "evaluate.py", *arguments]))
    except (InputError, AgentError) as error:
        print(f"evaluate.py: {error}", file=sys.stderr)
        return FAILED


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def _collected(chunks: Iterable[Games]) -> Games:
    """The games of all chunks, or of those before Ctrl-C."""
    played = [np.empty(0, GAME)]
    try:
        for games in chunks:
            played.append(games)  # noqa: PERF402  # what came before the interrupt is kept
    except KeyboardInterrupt:
        pass
    return np.concatenate(played)


def _with_progress(chunks: Iterable[Games], num_games: int) -> Iterator[Games]:
    """The chunks as they come, with a bar on standard error if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("games", total=num_games)
        for games in chunks:
            progress.advance(bar, len(games))
            yield games


if __name__ == "__main__":
    sys.exit(main())
