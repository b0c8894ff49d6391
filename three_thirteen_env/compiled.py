"""The one decorator of compiled functions, and the line that a first use prints.

Compiled code is kept on disk, beside the package or in the user's cache directory, so that only the first process
compiles. ``NUMBA_DISABLE_JIT=1`` runs the same source as plain Python; ``NUMBA_CACHE_DIR`` moves the cache.
"""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a function on its first call, keep the result on disk, and let other threads run meanwhile."""
    try:
        dispatcher: Function = njit(function, cache=True, nogil=True)
    except RuntimeError:  # no directory of the cache can be written: compile in every process
        dispatcher = njit(function, nogil=True)
    return dispatcher


class _FirstUse(event.Listener):
    """Says once, on standard error, that the game core is being compiled."""

    def __init__(self) -> None:
        self.told = False

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if not self.told and function.__module__.startswith(("three_thirteen_env.", "agents.")):
            self.told = True
            print("Compiling the game core, once: about half a minute ...", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _FirstUse())  # type: ignore[no-untyped-call]
