"""A tournament: which agents meet at which tables, on which deals, and the games of it, chunk after chunk.

Everything is fixed by the seed before the first game is played. The games come in groups: a *group* is one game seed,
so one set of deals, that every table plays once for each rotation of its agents over the seats. The tables thus see the
same cards, every agent sits in every seat of them, and a group as a whole is one sample, independent of the others.

Tables. With two players every agent meets every other, and with n players every n agents meet. Where there are fewer
agents than seats all of them sit at every table, as evenly as can be, and each in turn has a seat more than others.
Where there is a *field*, each of the other agents meets only that: every n - 1 of its agents, or, where it is smaller,
all of it, just as evenly. In which order they sit around a table is drawn anew for every group, for it matters who sits
left of whom.

A *chunk* is some groups whose games are played at once. What agents do by chance is fixed by the seed and the chunk,
so the results are the same wherever a chunk is played, and a longer tournament begins with the chunks of a shorter one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.match import Games, Player, Seating, play_games
from agents.registry import make_agent
from three_thirteen_env.agent import Agent
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.rules import Rules

GAMES_AT_ONCE = 128  # enough to share the work of a call, few enough to lose when a tournament is stopped

# What a random number is for: the first word of its key, beside the seed.
DEALS, CHOICES = 0, 1

Pair = tuple[int, int]  # two agents, as places in the names of a tournament


@dataclass(frozen=True)
class Tournament:
    """Which agents meet, under which rules, on how many deals."""

    names: tuple[str, ...]  # as `make_agent` takes them; the same one may come more than once
    rules: Rules
    num_groups: int  # sets of deals
    seed: int = 0
    games_at_once: int = GAMES_AT_ONCE  # about how many games a chunk has
    field_size: int = 0  # so many of the names, the last ones, are the field; 0: there is none, and all meet all

    def __post_init__(self) -> None:
        """Raise ValueError, which names the field, what came and what is allowed."""
        if not self.names:
            raise ValueError("names must have one agent or more, and is empty")
        for field in ("num_groups", "games_at_once"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be 1 or more, not {getattr(self, field)}")
        if self.seed < 0:
            raise ValueError(f"seed must be 0 or more, not {self.seed}")
        if not 0 <= self.field_size < len(self.names):
            raise ValueError(f"field_size must be from 0 to {len(self.names) - 1}, not {self.field_size}")

    @property
    def labels(self) -> list[str]:
        """The names, numbered where one comes more than once: no two are the same."""
        return [
            f"{name} ({self.names[:place].count(name) + 1})" if self.names.count(name) > 1 else name
            for place, name in enumerate(self.names)
        ]

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """The agents that meet, as places in `names`."""
        places, num_players = range(len(self.names)), self.rules.num_players
        if self.field_size == 0:
            return _companies(places, num_players)
        of_field = _companies(places[-self.field_size :], num_players - 1)
        return [(place, *others) for place in places[: -self.field_size] for others in of_field]

    @property
    def pairs(self) -> list[Pair]:
        """The agents that sit at a table together, two by two."""
        return sorted({pair for table in self.tables for pair in combinations(sorted(set(table)), 2)})

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

    def groups_of(self, chunk: int) -> range:
        """The groups of a chunk."""
        first = chunk * self.groups_in_chunk
        return range(first, min(first + self.groups_in_chunk, self.num_groups))


class Schedule(NamedTuple):
    """The games of a chunk before they are played: group by group, table by table, rotation by rotation."""

    groups: npt.NDArray[np.int64]  # (num_games,)
    seeds: npt.NDArray[np.int64]  # (num_games,)
    seating: Seating  # (num_games, num_players)


def games_at_once(agents: Sequence[Agent]) -> int:
    """How many games a chunk is to have between agents: slow ones have a number of their own, `games_at_once`."""
    return min(int(getattr(agent, "games_at_once", GAMES_AT_ONCE)) for agent in agents)


def play(tournament: Tournament, agents: Sequence[Agent]) -> Iterator[Games]:
    """The games of a tournament, chunk after chunk, between agents in the order of its names. Raises AgentError."""
    for chunk in range(tournament.num_chunks):
        yield play_chunk(tournament, agents, chunk)


def play_chunk(tournament: Tournament, agents: Sequence[Agent], chunk: int) -> Games:
    """The games of one chunk, in the order of its schedule. Raises AgentError."""
    groups, seeds, seating = schedule(tournament, chunk)
    players = [
        Player(name, agent, np.random.default_rng([CHOICES, tournament.seed, chunk, index]))
        for index, (name, agent) in enumerate(zip(tournament.names, agents, strict=True))
    ]
    games = play_games(players, seating, seeds, tournament.rules)
    games["group"] = groups
    return games


def play_chunk_by_name(tournament: Tournament, chunk: int) -> Games:
    """What `play_chunk` gives, in a process of its own, where the agents are made of their names. Raises AgentError."""
    return play_chunk(tournament, _made_agents(tournament.names, tournament.rules), chunk)


def schedule(tournament: Tournament, chunk: int) -> Schedule:
    """Which games a chunk has, on which deals, and who sits where."""
    groups, tables, num_players = tournament.groups_of(chunk), tournament.tables, tournament.rules.num_players
    seeds, seating = [], []
    for group in groups:
        seed, order = deal_of(tournament.seed, group, num_players)
        seeds.append(seed)
        for table in tables:
            around = [table[place] for place in order]
            seating += [around[rotation:] + around[:rotation] for rotation in range(num_players)]
    repeats = tournament.games_in_group
    return Schedule(np.repeat(groups, repeats), np.repeat(seeds, repeats), np.array(seating))


def deal_of(seed: int, group: int, num_players: int) -> tuple[int, list[int]]:
    """The game seed of a group, one that is for evaluation only, and the order of the agents around its tables."""
    words = np.random.SeedSequence([DEALS, seed, group]).generate_state(1 + num_players, np.uint64)
    return EVALUATION_SEEDS + int(words[0]) % EVALUATION_SEEDS, np.argsort(words[1:]).tolist()


def _companies(places: Sequence[int], num_seats: int) -> list[tuple[int, ...]]:
    """Who takes so many seats together: every combination, or all of them dealt around where they are fewer."""
    if len(places) >= num_seats:
        return list(combinations(places, num_seats))
    dealt_out = ([(first + seat) % len(places) for seat in range(num_seats)] for first in range(len(places)))
    return sorted({tuple(sorted(places[index] for index in company)) for company in dealt_out})


@lru_cache(maxsize=1)
def _made_agents(names: tuple[str, ...], rules: Rules) -> tuple[Agent, ...]:
    return tuple(make_agent(name, rules) for name in names)
