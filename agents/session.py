"""A session at a tournament: what was played before, the rest played here or elsewhere, until it ends.

It ends with the last game, or by Ctrl-C, or when its minutes are over, or when it is settled who is better. What it
keeps are the chunks up to the first that is missing, and never just those that came first: quick games come first, and
they are not like the others.
"""

import signal
import threading
from _thread import interrupt_main
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.match import GAME, Games
from agents.significance import FIRST_LOOK, confidence_of_a_look, is_settled, looks
from agents.statistics import standings
from agents.tournament import Pair, Tournament

Chunks = Generator[Games, None, None]
NumberedChunks = Generator[tuple[int, Games], None, None]  # in any order


class Session(NamedTuple):
    """What came of a session."""

    games: Games
    ending: str  # why there are no more, or what a rule to stop by found, in words; empty if there is nothing to say
    is_interrupted: bool  # by Ctrl-C


def in_order(
    tournament: Tournament, before: dict[int, Games], rest: NumberedChunks, keep: Callable[[int, Games], None]
) -> Chunks:
    """The chunks of a tournament one after the other: those from before, and the rest, each kept as it comes."""
    waiting = dict(before)
    with closing(rest):
        for chunk in range(tournament.num_chunks):
            while chunk not in waiting:
                number, games = next(rest)
                keep(number, games)
                waiting[number] = games
            yield waiting.pop(chunk)


def take(tournament: Tournament, chunks: Chunks, minutes: float | None, until_significant: bool) -> Session:
    """Take the chunks of a tournament until the session ends. Raises whatever `chunks` raises."""
    played, rule, clock = [np.empty(0, GAME)], SignificanceRule(tournament), Clock(minutes)
    ending, is_interrupted = "", False
    try:
        with clock, closing(chunks):
            for games in chunks:
                played.append(games)
                if until_significant and rule.is_settled(played[1:]):
                    break
        ending = rule.words() if until_significant else ""
    except KeyboardInterrupt:
        is_interrupted = not clock.is_over
        ending = "by Ctrl-C" if is_interrupted else f"{minutes:g} minutes were over"
    return Session(np.concatenate(played), ending, is_interrupted)


def with_progress(tournament: Tournament, chunks: Chunks) -> Chunks:
    """The chunks as they come, with a bar on standard error if that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("games", total=tournament.num_games)
        with closing(chunks):
            for games in chunks:
                progress.advance(bar, len(games))
                yield games


class SignificanceRule:
    """Stops at the first of a few looks, each after whole chunks, at which it is settled who is better.

    At a single table every agent is to be told from every other; where there is a field, every agent from each of the
    field; otherwise every agent from its neighbours in the ranking.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.looks = looks(tournament.num_chunks, first=-(-FIRST_LOOK // tournament.groups_in_chunk))
        self.num_looked, self.was_settled = 0, False

    def is_settled(self, chunks: Sequence[Games]) -> bool:
        """Whether this is a look, after so many chunks, and it is settled. Asked after every chunk."""
        if len(chunks) not in self.looks:
            return False
        self.num_looked += 1
        games = np.concatenate(chunks)
        self.was_settled = is_settled(games, self.pairs(games), len(self.looks), self.tournament.rules)
        return self.was_settled

    def pairs(self, games: Games) -> list[Pair]:
        """The agents that are to be told from each other."""
        tournament = self.tournament
        if tournament.field_size:
            first_of_field = len(tournament.names) - tournament.field_size
            return [(agent, other) for agent, other in tournament.pairs if agent < first_of_field <= other]
        if len(tournament.tables) == 1:
            return tournament.pairs
        ranking = [standing.agent for standing in standings(games, len(tournament.names), tournament.rules)]
        return list(pairwise(ranking))

    def words(self) -> str:
        """What came of it."""
        result = "settled who is better" if self.was_settled else "not settled who is better"
        num_looks = len(self.looks)
        return f"{result}: look {self.num_looked} of {num_looks} with {confidence_of_a_look(num_looks):.1%} intervals"


class Clock:
    """While it is entered, the main thread, which enters it, is interrupted as by Ctrl-C when the minutes are over."""

    def __init__(self, minutes: float | None) -> None:
        self.is_over = False
        self._lock, self._is_entered, self._is_deaf = threading.Lock(), False, False
        self._timer = None if minutes is None else threading.Timer(60 * minutes, self._interrupt)

    def __enter__(self) -> None:
        self._is_entered = True
        if self._timer:
            # A shell lets what it starts in the background ignore Ctrl-C, but the minutes end all the same.
            self._is_deaf = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            if self._is_deaf:
                signal.signal(signal.SIGINT, self._hear)
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_entered = False
        if self._timer:
            self._timer.cancel()
            if self._is_deaf:
                signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _hear(self, *_: object) -> None:
        if self.is_over:
            raise KeyboardInterrupt

    def _interrupt(self) -> None:
        with self._lock:
            if not self._is_entered:
                return
            self.is_over = True
            if hasattr(signal, "pthread_kill"):  # it wakes a thread that waits
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            else:
                interrupt_main()
