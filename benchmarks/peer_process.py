"""Asks the processes that play the peers: one for each library, started when the first of its games is made ready."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Benchmark, MissingError, Run
from benchmarks.peers import LIBRARIES, Peer

GROUP = "peers"
ROOT = Path(__file__).parents[1]
MOMENT = 0.01  # seconds of the run that makes a game ready


class PeerProcess:
    """A process of `python -m benchmarks.peers` for one library."""

    def __init__(self, python: str, library: str) -> None:
        self.library = library
        self.process = subprocess.Popen(
            [python, "-m", "benchmarks.peers", library],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.version = ""

    def figure(self, name: str, seconds: float) -> float:
        """The figure of one short run of a game. Raises MissingError if it cannot be played there."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(json.dumps([name, seconds]), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except OSError:
            line = ""
        if not line:
            raise MissingError(f"the process that plays {self.library} came to an end")
        answer = json.loads(line)
        if "missing" in answer:
            raise MissingError(answer["missing"])
        self.version = answer["version"]
        return float(answer["figure"])

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


class PeerProcesses:
    """The processes of all libraries, played by one interpreter."""

    def __init__(self, python: str) -> None:
        self.python = python
        self.processes: dict[str, PeerProcess] = {}

    def benchmarks(self) -> Iterator[Benchmark]:
        """A row for every game of every library."""
        for library_name, library in LIBRARIES.items():
            for peer in library.peers:
                name = f"{library_name} {peer.name}"
                yield Benchmark(GROUP, name, "steps/s", self._preparation(library_name, peer), peer.beside)

    def versions(self) -> dict[str, str]:
        """The versions of the libraries that were measured."""
        return {library: process.version for library, process in self.processes.items() if process.version}

    def close(self) -> None:
        """End all processes."""
        for process in self.processes.values():
            process.close()

    def _preparation(self, library: str, peer: Peer) -> Callable[[], Run]:
        def prepare() -> Run:
            if library not in self.processes:
                self.processes[library] = PeerProcess(self.python, library)
            process = self.processes[library]
            process.figure(peer.name, MOMENT)
            return lambda seconds: process.figure(peer.name, seconds)

        return prepare
