"""The chunks of a tournament on a Ray cluster: one that runs already, or one of this machine alone.

A chunk is a task. Ray runs it again when its process or its machine dies; what an agent does wrong is not tried again.
A cluster that runs already is sent what plays there: this package, the modules of one's own in the current directory,
and policy files below it. Its machines need Ray and Python as here, and for the same results numpy and numba as here.
"""

import logging
import os
import shutil
import socket
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import agents
import three_thirteen_env
from agents.match import Games
from agents.policy_file import card_path
from agents.registry import POLICY_SUFFIX, AgentError, in_one_line
from agents.tournament import Tournament, play_chunk_by_name

LOCAL, ANY = "local", "auto"  # addresses: a cluster of this machine alone, and whichever this machine belongs to
MAX_RETRIES = 3  # of a chunk whose process or machine died
MAX_WAITING = 1000  # chunks that the cluster knows of at a time
OBJECT_STORE_BYTES = 100 * 2**20  # of a local cluster: chunks are small
SECONDS_TO_ANSWER = 10.0  # that a cluster has; Ray alone would try for ten minutes


class ClusterError(Exception):
    """A cluster that is not there or fails: one line that says why."""


def play_on_cluster(
    tournament: Tournament, chunks: Sequence[int], address: str, num_processes: int
) -> Generator[tuple[int, Games], None, None]:
    """The chunks, each with its number, as they are finished. A local cluster has so many processes.

    Raises AgentError and ClusterError. Whoever stops early leaves the cluster and what it plays for them, or stops it
    if it is a local one.
    """
    try:
        import ray
    except ImportError as error:
        raise ClusterError(f"to play on a cluster takes Ray: {error}; pip install 'three-thirteen[ray]'") from error
    if address not in (LOCAL, ANY):
        _check_that_it_answers(address)
    upcoming = iter(chunks)
    try:
        with ExitStack() as stack:
            stack.callback(ray.shutdown)
            options = _local_options(num_processes) if address == LOCAL else _options(tournament.names, stack)
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **options)
            task = ray.remote(max_retries=MAX_RETRIES)(play_chunk_by_name)
            playing = {task.remote(tournament, chunk): chunk for chunk in islice(upcoming, MAX_WAITING)}
            while playing:
                (done,), _ = ray.wait(list(playing))
                chunk = playing.pop(done)
                playing |= {task.remote(tournament, chunk): chunk for chunk in islice(upcoming, 1)}
                yield chunk, ray.get(done)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, AgentError):
            raise AgentError(str(error.cause)) from error
        raise ClusterError(f"the Ray cluster fails at a game: {in_one_line(error.cause)}") from error
    except (ray.exceptions.RayError, ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(f"the Ray cluster {address!r} fails: {in_one_line(error)}") from error


def copy_files(names: Sequence[str], folder: Path) -> None:
    """Copy what agents of one's own are made of, and lies here, into a folder, where they are to be made again."""
    here = Path.cwd()
    for name in names:
        kind = name.partition("@")[0]  # without options
        if kind.endswith(POLICY_SUFFIX):
            policy = Path(kind)
            if not policy.is_absolute() and policy.resolve().is_relative_to(here):
                (folder / policy).parent.mkdir(parents=True, exist_ok=True)
                for file in (policy, card_path(policy)):
                    shutil.copy(file, folder / file)
        elif ":" in kind:
            package = here / kind.partition(":")[0].partition(".")[0]
            if package.is_dir():
                shutil.copytree(package, folder / package.name, dirs_exist_ok=True)
            for module in here.glob("*.py"):
                shutil.copy(module, folder)


def _check_that_it_answers(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ClusterError(f"there is no Ray cluster at {address}: {error}") from error


def _local_options(num_processes: int) -> dict[str, Any]:
    """What makes `ray.init` start a cluster. Its processes find all files where this one does."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster made unasked tells nobody of it
    return {
        "num_cpus": num_processes,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
        "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(sys.path)}},
    }


def _options(names: Sequence[str], stack: ExitStack) -> dict[str, Any]:
    """What makes `ray.init` send to a cluster what plays; files of one's own lie in a folder, removed with the stack.

    This program goes apart from them, for what is compiled of it stays on the cluster as long as it does not change.
    """
    folder = Path(stack.enter_context(TemporaryDirectory()))
    copy_files(names, folder)
    modules = [agents, three_thirteen_env]
    return {"runtime_env": {"py_modules": modules, "working_dir": str(folder), "excludes": ["__pycache__"]}}
