"""A tournament: which agents meet at which tables, on which deals, and the games of it, chunk after chunk.

Everything is fixed by the seed before the first game is played. The games come in groups: a *group* is one game seed,
so one set of deals, that every table plays once for each rotation of its agents over the seats. The tables thus see the
same cards, every agent sits in every seat of them, and a group as a whole is one sample, independent of the others.

Tables. With two players every agent meets every other, and with n players every n agents meet. Where there are fewer
agents than seats all of them sit at every table, as evenly as can be, and each in turn has a seat more than others. In
which order they sit around a table is drawn anew for every group, for it matters who sits left of whom.

A *chunk* is some groups whose games are played at once. What agents do by chance is fixed by the seed and the chunk,
so the results are the same in one process and in many.
"""

import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from multiprocessing import active_children, get_context

import numpy as np

from agents.match import Games, Player, play_games
from agents.registry import AgentError, make_agent
from three_thirteen_env.agent import Agent
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.rules import Rules

# What a random number is for: the first word of its key, beside the seed.
DEALS, CHOICES = 0, 1


@dataclass(frozen=True)
class Tournament:
    """Which agents meet, under which rules, on how many deals."""

    names: tuple[str, ...]  # as `make_agent` takes them; the same one may come more than once
    rules: Rules
    num_groups: int  # sets of deals
    seed: int = 0
    games_at_once: int = 128  # about how many games a chunk has

    def __post_init__(self) -> None:
        """Raise ValueError, which names the field, what came and what is allowed."""
        if not self.names:
            raise ValueError("names must have one agent or more, and is empty")
        for field in ("num_groups", "games_at_once"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be 1 or more, not {getattr(self, field)}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, not {self.seed}")

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """The agents that meet, as places in `names`."""
        num_agents, num_players = len(self.names), self.rules.num_players
        if num_agents >= num_players:
            return list(combinations(range(num_agents), num_players))
        dealt_out = ([(first + seat) % num_agents for seat in range(num_players)] for first in range(num_agents))
        return sorted({tuple(sorted(table)) for table in dealt_out})

    @property
    def games_in_group(self) -> int:
        """How many games have the same deals: every table in every rotation."""
        return len(self.tables) * self.rules.num_players

    @property
    def num_games(self) -> int:
        """How many games are played in all."""
        return self.num_groups * self.games_in_group

    @property
    def groups_in_chunk(self) -> int:
        """How many groups are played at once."""
        return max(1, self.games_at_once // self.games_in_group)

    @property
    def num_chunks(self) -> int:
        """How many chunks the groups make; the last may be smaller."""
        return -(-self.num_groups // self.groups_in_chunk)


def play(tournament: Tournament, agents: Sequence[Agent]) -> Iterator[Games]:
    """The games of a tournament, chunk after chunk, between agents in the order of its names. Raises AgentError."""
    for chunk in range(tournament.num_chunks):
        yield play_chunk(tournament, agents, chunk)


def play_in_processes(tournament: Tournament, num_processes: int) -> Iterator[Games]:
    """The games that `play` gives, played in several processes, each of which makes the agents from their names.

    The first chunk is played here, so that errors show and the game is compiled before there are many. Raises
    AgentError. Whoever stops early stops the processes.
    """
    yield _play_chunk_by_name(tournament, 0)
    others = set(active_children())
    executor = ProcessPoolExecutor(min(num_processes, tournament.num_chunks), get_context("spawn"))
    try:
        with _InterruptsIgnored():  # the processes inherit this: to stop them is up to this one
            chunks = range(1, tournament.num_chunks)
            futures = [executor.submit(_play_chunk_by_name, tournament, chunk) for chunk in chunks]
        for future in futures:
            yield future.result()
    except BaseException as error:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(active_children()) - others:
            process.terminate()
        if isinstance(error, BrokenProcessPool):
            raise AgentError("a process that played games died, perhaps for want of memory: use fewer") from error
        raise
    executor.shutdown()


def play_chunk(tournament: Tournament, agents: Sequence[Agent], chunk: int) -> Games:
    """The games of one chunk, group by group, table by table, rotation by rotation. Raises AgentError."""
    first = chunk * tournament.groups_in_chunk
    groups = range(first, min(first + tournament.groups_in_chunk, tournament.num_groups))
    num_players = tournament.rules.num_players
    seeds, seating = [], []
    for group in groups:
        seed, order = deal_of(tournament.seed, group, num_players)
        seeds += [seed] * tournament.games_in_group
        for table in tournament.tables:
            around = [table[place] for place in order]
            seating += [around[rotation:] + around[:rotation] for rotation in range(num_players)]
    players = [
        Player(name, agent, np.random.default_rng([CHOICES, tournament.seed, chunk, index]))
        for index, (name, agent) in enumerate(zip(tournament.names, agents, strict=True))
    ]
    games = play_games(players, np.array(seating), np.array(seeds), tournament.rules)
    games["group"] = np.repeat(groups, tournament.games_in_group)
    return games


def deal_of(seed: int, group: int, num_players: int) -> tuple[int, list[int]]:
    """The game seed of a group, one that is for evaluation only, and the order of the agents around its tables."""
    words = np.random.SeedSequence([DEALS, seed, group]).generate_state(1 + num_players, np.uint64)
    return EVALUATION_SEEDS + int(words[0]) % EVALUATION_SEEDS, np.argsort(words[1:]).tolist()


def _play_chunk_by_name(tournament: Tournament, chunk: int) -> Games:
    return play_chunk(tournament, _made_agents(tournament.names, tournament.rules), chunk)


@lru_cache(maxsize=1)
def _made_agents(names: tuple[str, ...], rules: Rules) -> tuple[Agent, ...]:
    return tuple(make_agent(name, rules) for name in names)


class _InterruptsIgnored:
    """While it is entered, Ctrl-C does nothing; processes started meanwhile ignore it for good."""

    def __enter__(self) -> None:
        self.is_main = threading.current_thread() is threading.main_thread()
        if self.is_main:
            self.before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    def __exit__(self, *_: object) -> None:
        if self.is_main:
            signal.signal(signal.SIGINT, self.before)
