"""How long the first step takes from the import on, in a process of its own: compiling everything, or nothing."""

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

from benchmarks.measure import Benchmark, MissingError, Run, constant

GROUP = "start"
ROOT = Path(__file__).parents[1]

FIRST_STEPS = {
    "env()": """
        from three_thirteen_env import three_thirteen_v0
        env = three_thirteen_v0.env()
        env.reset(seed=0)
        env.step(0)
        env.last()
    """,
    "a batch": """
        from three_thirteen_env.batch import Batch
        batch = Batch(1024)
        batch.step([0] * 1024)
    """,
}


def benchmarks() -> Iterator[Benchmark]:
    """Cold and warm start of the environment for PettingZoo and of a batch."""
    for what, code in FIRST_STEPS.items():
        start = Start(code)
        yield Benchmark(GROUP, f"cold start, {what}", "s", start.prepare_cold, is_repeated=False)
        yield Benchmark(GROUP, f"warm start, {what}", "s", start.prepare_warm)


class Start:
    """The start of a process that runs some code, with a cache of compiled functions that begins empty."""

    def __init__(self, code: str) -> None:
        first, last = "import time; started = time.perf_counter()", "print(time.perf_counter() - started)"
        self.script = "\n".join([first, dedent(code), last])

    @cached_property
    def cache(self) -> Path:
        """The directory of these processes' compiled functions, which is removed in the end."""
        directory = TemporaryDirectory()
        atexit.register(directory.cleanup)
        return Path(directory.name)

    @cached_property
    def cold_seconds(self) -> float:
        """From the import to the first step, with everything to compile."""
        return self.seconds()

    def seconds(self) -> float:
        """From the import to the first step, once more."""
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(self.cache)}
        command = [sys.executable, "-c", self.script]
        result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise MissingError(result.stderr.strip().split("\n")[-1])
        return float(result.stdout)

    def prepare_cold(self) -> Run:
        """Start with nothing compiled yet."""
        return constant(self.cold_seconds)

    def prepare_warm(self) -> Run:
        """Start so once, and then with everything compiled and kept on disk."""
        assert self.cold_seconds
        return lambda _: self.seconds()
