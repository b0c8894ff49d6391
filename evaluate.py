"""Who plays Three Thirteen better? Full games on the same deals, with the agents rotated over the seats.

    python evaluate.py                                          the quick agents, every one against every other
    python evaluate.py --agents greedy mine:Strategy            one's own agent, a class in mine.py
    python evaluate.py --agents mine:Strategy --field greedy    only against those of a field
    python evaluate.py match mine:Strategy greedy selective     one table of exactly these
    python evaluate.py --results DIR                            kept in a folder; the same command goes on with it
    python evaluate.py report DIR                               what lies in such a folder
    python evaluate.py exploit greedy                           what a best response gains over an agent, by training

Where no command is named it is the tournament. An agent is a registered name, module:Class of one's own, or the path of
a policy file; options follow its name, as in search@rollouts=400. Ctrl-C stops and reports on what was played.
"""

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from tyro.conf import OmitArgPrefixes, Positional, Suppress, arg

from agents.exploit import BestResponse, Exploit, best_response
from agents.house_rules import HouseRules
from agents.options import InputError
from agents.process_pool import play_in_processes
from agents.ray_cluster import ANY, LOCAL, ClusterError, play_on_cluster
from agents.registry import QUICK, AgentError, make_agent, quick_agents
from agents.report import Report
from agents.results import ResultsError, ResultsFolder, read
from agents.session import NumberedChunks, in_order, take, with_progress
from agents.tournament import Tournament, games_at_once, play_chunk
from three_thirteen_env.agent import Agent
from three_thirteen_env.rules import MAX_PLAYERS, MIN_PLAYERS, Rules

FAILED, INTERRUPTED = 2, 130  # exit statuses
PLAIN_WIDTH = 200  # columns of what is printed to a file or a pipe


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where a result goes besides the terminal."""

    json: Annotated[Path | None, arg(metavar="FILE")] = None  # write the result here too, with all it came from

    def check_files(self) -> None:
        """Raise InputError if a file cannot be written where it is to be."""
        for option in ("json", "page"):
            if (path := getattr(self, option, None)) and not path.absolute().parent.is_dir():
                raise InputError(f"--{option}: there is no directory {path.parent}")

    def write_json(self, result: Report | BestResponse) -> None:
        """Write a result where that is asked for. Raises InputError."""
        if self.json:
            with _failing_clearly():
                self.json.write_text(json.dumps(result.as_json(), indent=2) + "\n", encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class ReportOutput(Output):
    """Where a report goes besides the terminal."""

    page: Annotated[Path | None, arg(metavar="FILE")] = None  # write it here too, with figures, as a page of HTML

    def show(self, report: Report) -> None:
        """Print a report, and write the files that are asked for. Raises InputError."""
        console = _console()
        report.print(console)
        if report.is_complete() and report.ending:
            console.print(report.ending, soft_wrap=True, markup=False)
        self.write_json(report)
        if self.page:
            from agents.page import write_page  # only now, for it takes matplotlib

            with _failing_clearly():
                write_page(report, self.page)


@dataclass(frozen=True, kw_only=True)
class PlayCommand(ReportOutput):
    """What every command that plays games has in common."""

    # games at every table (with two players: of every pair), rounded up to play every deal in every rotation of the
    # agents over the seats
    games: int = 2000
    seed: int = 0  # fixes every deal and every chance: the same seed gives the same table
    # stop as soon as it is settled who is better, by a rule that errs about two equal agents in 5 % of tournaments
    until_significant: bool = False
    # stop after so many, and report on what was played
    minutes: Annotated[float | None, arg(metavar="FLOAT")] = None
    # keep the games in this folder as they come; where it holds some of them already, go on
    results: Annotated[Path | None, arg(metavar="DIR")] = None
    # how many processes play; the result is the same for any number
    processes: int = field(default_factory=lambda: os.cpu_count() or 1)
    # play on a Ray cluster, for the same result: HOST:PORT or auto for one that runs, local (or no address) for one of
    # so many processes that is started for this
    ray: Annotated[str | None, arg(metavar="[ADDRESS]")] = None

    def entries(self) -> tuple[tuple[str, ...], int, Rules]:
        """Who plays, how many of the last of them are a field, and by which rules. Raises InputError or ValueError."""
        raise NotImplementedError

    def run(self, command: str) -> int:
        """Play and report; the exit status. Raises InputError, AgentError, ResultsError and ClusterError."""
        tournament, agents = self.checked()
        folder = ResultsFolder(self.results, tournament, command) if self.results else None
        before = folder.played if folder else {}
        missing = [chunk for chunk in range(tournament.num_chunks) if chunk not in before]
        rest = self.played(tournament, agents, missing)
        chunks = in_order(tournament, before, rest, folder.write if folder else lambda *_: None)
        session = take(tournament, with_progress(tournament, chunks), self.minutes, self.until_significant)
        if folder:
            folder.close(session.ending, len(session.games))
        status = INTERRUPTED if session.is_interrupted else 0
        if len(session.games) == 0:
            print(f"evaluate.py: stopped before any game was over ({session.ending})", file=sys.stderr)
            return status or FAILED
        self.show(Report(tournament, session.games, command, session.ending))
        return status

    def played(self, tournament: Tournament, agents: list[Agent], chunks: list[int]) -> NumberedChunks:
        """The chunks, played where they are to be played."""
        if self.ray:
            return play_on_cluster(tournament, chunks, self.ray, self.processes)
        if self.processes > 1:
            return play_in_processes(tournament, chunks, self.processes)
        return ((chunk, play_chunk(tournament, agents, chunk)) for chunk in chunks)

    def checked(self) -> tuple[Tournament, list[Agent]]:
        """What is played, and the agents. Raises InputError at an option that makes no sense, and AgentError."""
        self.check_files()
        for option, least in (("games", 1), ("processes", 1), ("seed", 0)):
            if getattr(self, option) < least:
                raise InputError(f"--{option} must be {least} or more, not {getattr(self, option)}")
        if self.minutes is not None and not self.minutes > 0:
            raise InputError(f"--minutes must be more than 0, not {self.minutes:g}")
        if self.ray and self.ray not in (LOCAL, ANY) and ":" not in self.ray:
            raise InputError(f"--ray must be {LOCAL}, {ANY} or HOST:PORT, not {self.ray}")
        try:
            names, field_size, rules = self.entries()
            agents = [make_agent(name, rules) for name in names]
            num_groups = -(-self.games // rules.num_players)
            tournament = Tournament(names, rules, num_groups, self.seed, games_at_once(agents), field_size)
        except ValueError as error:
            raise InputError(str(error)) from error
        if self.until_significant and not tournament.pairs:
            raise InputError("--until-significant takes two agents or more")
        return tournament, agents


@dataclass(frozen=True, kw_only=True)
class TournamentCommand(PlayCommand):
    """Every agent against every other: who has fewer points, by how much, and how sure that is."""

    # who plays; without learned where no policy that comes with the game is for the rules
    agents: tuple[str, ...] = QUICK
    field_agents: Annotated[tuple[str, ...], arg(name="field")] = ()  # the only ones that all the others meet
    rules: HouseRules = field(default_factory=HouseRules)  # what is played

    def entries(self) -> tuple[tuple[str, ...], int, Rules]:
        """The agents, and the field, which plays no second time as others of them."""
        rules = self.rules.checked()
        agents = quick_agents(rules) if self.agents == QUICK else self.agents
        others = tuple(name for name in agents if name not in self.field_agents)
        if not self.agents:
            raise InputError("--agents must name one agent or more")
        if not others:
            raise InputError("--agents must name one agent or more that is not of the --field")
        return others + self.field_agents, len(self.field_agents), rules


@dataclass(frozen=True)
class TableRules(HouseRules):
    """The rules that are played, but for the number of players."""

    num_players: Suppress[int] = 2


@dataclass(frozen=True, kw_only=True)
class MatchCommand(PlayCommand):
    """One table of exactly the agents that are named, for as many players."""

    agents: Annotated[Positional[tuple[str, ...]], arg(metavar="AGENT ...")]  # who plays
    rules: TableRules = field(default_factory=TableRules)  # what is played

    def entries(self) -> tuple[tuple[str, ...], int, Rules]:
        """The agents at the table."""
        if not MIN_PLAYERS <= len(self.agents) <= MAX_PLAYERS:
            raise InputError(f"a match takes {MIN_PLAYERS} to {MAX_PLAYERS} agents, not {len(self.agents)}")
        return self.agents, 0, replace(self.rules, num_players=len(self.agents)).checked()


@dataclass(frozen=True, kw_only=True)
class ReportCommand(ReportOutput):
    """What lies in a folder of results, as the tournament that filled it printed it."""

    folder: Annotated[Positional[Path], arg(metavar="DIR")]  # as it was given to --results

    def run(self, command: str) -> int:  # noqa: ARG002  # the report names the command that played
        """Read and report; the exit status. Raises InputError and ResultsError."""
        self.check_files()
        results = read(self.folder)
        if len(results.games) == 0:
            raise InputError(f"{self.folder} has no games yet")
        self.show(Report(*results))
        return 0


@dataclass(frozen=True, kw_only=True)
class ExploitCommand(Exploit, Output):
    """How far an agent is from unbeatable: what a best response gains over it, found by training.

    An agent that learns plays against it, as train.py trains, into the folder runs/exploit-AGENT-TIME. The policy that
    does best along the way is judged on other deals. What is found is a lower bound: a longer training may find more.
    """

    def run(self, command: str) -> int:
        """Train and report; the exit status. Raises InputError and AgentError."""
        self.check_files()
        try:
            response = best_response(self, command)
        except KeyboardInterrupt:
            print("evaluate.py: stopped at once; the run folder has its last checkpoint", file=sys.stderr)
            return INTERRUPTED
        response.print(_console())
        self.write_json(response)
        return INTERRUPTED if response.is_interrupted else 0


COMMANDS: dict[str, Callable[..., PlayCommand | ReportCommand | ExploitCommand]] = {
    "tournament": TournamentCommand,
    "match": MatchCommand,
    "report": ReportCommand,
    "exploit": ExploitCommand,
}
DEFAULT_COMMAND = "tournament"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the arguments name, or the tournament if they name none; the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] not in (*COMMANDS, "-h", "--help"):
        arguments.insert(0, DEFAULT_COMMAND)
    command = tyro.extras.subcommand_cli_from_dict(
        COMMANDS, prog="evaluate.py", description=__doc__, args=_with_address(arguments), config=(OmitArgPrefixes,)
    )
    try:
        return command.run(shlex.join(["python", "evaluate.py", *arguments]))
    except (InputError, AgentError, ResultsError, ClusterError) as error:
        print(f"evaluate.py: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:  # before or after the games
        return INTERRUPTED


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH, highlight=False)


@contextmanager
def _failing_clearly() -> Iterator[None]:
    """Raise InputError where a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{error.filename} cannot be written: {error.strerror}") from error


def _with_address(arguments: Sequence[str]) -> list[str]:
    """The arguments, where a --ray that stands alone has its address."""
    result = []
    for argument, following in pairwise([*arguments, "--"]):
        result += [argument, LOCAL] if argument == "--ray" and following.startswith("--") else [argument]
    return result


if __name__ == "__main__":
    sys.exit(main())
