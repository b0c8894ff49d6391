"""The chunks of a tournament in several processes of this machine."""

import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process

from agents.match import Games
from agents.registry import AgentError
from agents.tournament import Tournament, play_chunk_by_name


def play_in_processes(
    tournament: Tournament, chunks: Sequence[int], num_processes: int
) -> Generator[tuple[int, Games], None, None]:
    """The chunks, each with its number, as they are finished; every process makes the agents of their names.

    The first chunk is played here, so that errors show and the game is compiled before there are many. Raises
    AgentError. Whoever stops early stops the processes.
    """
    if not chunks:
        return
    yield chunks[0], play_chunk_by_name(tournament, chunks[0])
    if len(chunks) == 1:
        return
    others = set(active_children())
    executor = ProcessPoolExecutor(min(num_processes, len(chunks) - 1), get_context("spawn"), _end_with_parent)
    try:
        with _InterruptsIgnored():  # the processes inherit this: to stop them is up to this one
            futures = {executor.submit(play_chunk_by_name, tournament, chunk): chunk for chunk in chunks[1:]}
        for future in as_completed(futures):
            yield futures.pop(future), future.result()
    except BaseException as error:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(active_children()) - others:
            process.terminate()
        if isinstance(error, BrokenProcessPool):
            raise AgentError("a process that played games died, perhaps for want of memory: use fewer") from error
        raise
    executor.shutdown()


def _end_with_parent() -> None:
    """Let this process end when its parent is killed, rather than wait for work forever."""

    def wait() -> None:
        if parent := parent_process():
            parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


class _InterruptsIgnored:
    """While it is entered, Ctrl-C does nothing; processes started meanwhile ignore it for good."""

    def __enter__(self) -> None:
        self.is_main = threading.current_thread() is threading.main_thread()
        if self.is_main:
            self.before = signal.signal(signal.SIGINT, signal.SIG_IGN)

    def __exit__(self, *_: object) -> None:
        if self.is_main:
            signal.signal(signal.SIGINT, self.before)
