"""How long a training goes on, what is shown of it meanwhile, and how Ctrl-C ends it."""

import signal
import sys
import time
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

SECONDS_BETWEEN_LINES = 30  # of progress, where there is no terminal to show a bar


class Budget:
    """A training ends after so many steps, or else after so many seconds, of which some may be over already."""

    def __init__(self, steps: int | None, seconds: float) -> None:
        self.steps, self.seconds = steps, seconds
        self.left_at_update = 1.0  # `share_left` when the rollout began that is being learned from
        self.start(0.0)

    def start(self, seconds_before: float) -> None:
        """Count the seconds from now on, and those before."""
        self._started = time.monotonic() - seconds_before

    def share_left(self, num_steps: int) -> float:
        """How much is left of it after so many steps, from 1 to 0."""
        if self.steps == 0:
            return 0.0
        spent = self.elapsed() / self.seconds if self.steps is None else num_steps / self.steps
        return max(0.0, 1 - spent)

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started


class Watch:
    """Shows how a training goes, and tells when the budget is spent, Ctrl-C came, or a checkpoint is due.

    While it is entered, Ctrl-C and the signal to terminate are only a wish to end; a second one stops at once.
    """

    def __init__(self, budget: Budget, seconds_between_checkpoints: float) -> None:
        self.budget = budget
        self.is_interrupted = False
        self.steps_before = 0
        self.seconds_between_checkpoints = seconds_between_checkpoints
        console = Console(stderr=True)
        self.has_terminal = console.is_terminal
        columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %"), TextColumn("{task.description}"))
        self.bar = Progress(*columns, console=console, transient=True, disable=not self.has_terminal)
        self.task = self.bar.add_task("the first rollout", total=1.0)

    def __enter__(self) -> "Watch":
        self.entered = time.monotonic()
        self.handlers_before = {kind: signal.signal(kind, self._interrupt) for kind in (signal.SIGINT, signal.SIGTERM)}
        self.next_checkpoint = time.monotonic() + self.seconds_between_checkpoints
        self.next_line = time.monotonic() + SECONDS_BETWEEN_LINES
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()
        self._restore_handlers()

    def start_from(self, num_steps: int) -> "Watch":
        """Steps before these are of no account for `speed`."""
        self.steps_before = num_steps
        return self

    def speed(self, num_steps: int) -> float:
        """Steps a second since it was entered."""
        return (num_steps - self.steps_before) / max(time.monotonic() - self.entered, 1e-9)

    def seconds_left(self, num_steps: int) -> float:
        """How long the training will go on if it goes on as it did since the watch was entered."""
        if self.budget.steps is None:
            return max(0.0, self.budget.seconds - self.budget.elapsed())
        return max(0.0, (self.budget.steps - num_steps) / max(self.speed(num_steps), 1e-9))

    def is_over(self, num_steps: int) -> bool:
        """Whether the training ends after so many steps; if not, another update begins."""
        self.budget.left_at_update = self.budget.share_left(num_steps)
        return self.is_interrupted or (self.budget.left_at_update <= 0 and (num_steps > 0 or self.budget.steps == 0))

    def is_checkpoint_due(self) -> bool:
        """Whether it is time for a checkpoint; if so, the next one is due so many seconds from now."""
        if time.monotonic() < self.next_checkpoint:
            return False
        self.next_checkpoint = time.monotonic() + self.seconds_between_checkpoints
        return True

    def show(self, text: str, num_steps: int) -> None:
        """Show how it goes: at once on a terminal, and elsewhere a line now and then."""
        left = int(self.seconds_left(num_steps))
        text = f"{text}  {left // 60}:{left % 60:02} left"
        self.bar.update(self.task, completed=1 - self.budget.share_left(num_steps), description=text)
        if not self.has_terminal and time.monotonic() >= self.next_line:
            self.next_line = time.monotonic() + SECONDS_BETWEEN_LINES
            print(text, file=sys.stderr, flush=True)

    def _restore_handlers(self) -> None:
        for kind, handler in self.handlers_before.items():
            signal.signal(kind, handler)

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        self.is_interrupted = True
        self._restore_handlers()
        self.bar.stop()
        print("Stopping: this update ends, and what was learned is kept. Ctrl-C again stops at once.", file=sys.stderr)
