"""How long a training goes on, what is shown and logged of it meanwhile, and how Ctrl-C ends it."""

import signal
import sys
import time
from types import FrameType
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from stable_baselines3.common.callbacks import BaseCallback

SECONDS_BETWEEN_LINES = 30  # of progress, where there is no terminal to show a bar


class Budget:
    """A training ends after so many steps, or else after so many seconds."""

    def __init__(self, steps: int | None, seconds: float) -> None:
        self.steps, self.seconds = steps, seconds
        self.started = time.monotonic()
        self.left_at_rollout = 1.0  # `share_left` when the rollout began that is being learned from

    def share_left(self, num_steps: int) -> float:
        """How much is left of it after so many steps, from 1 to 0."""
        spent = self.elapsed() / self.seconds if self.steps is None else num_steps / self.steps
        return max(0.0, 1 - spent)

    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started


class Watch(BaseCallback):
    """Shows how a training goes, logs it, and ends it when the budget is spent or Ctrl-C came.

    While it is entered, Ctrl-C and the signal to terminate are only a wish to end; a second one stops at once.
    """

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.budget = budget
        self.is_interrupted = False
        console = Console(stderr=True)
        self.has_terminal = console.is_terminal
        columns = (BarColumn(), TextColumn("{task.percentage:3.0f} %"), TextColumn("{task.description}"))
        self.bar = Progress(*columns, console=console, transient=True, disable=not self.has_terminal)
        self.task = self.bar.add_task("the first rollout", total=1.0)
        self.next_line = SECONDS_BETWEEN_LINES

    def __enter__(self) -> "Watch":
        self.handlers_before = {kind: signal.signal(kind, self._interrupt) for kind in (signal.SIGINT, signal.SIGTERM)}
        self.budget.started = time.monotonic()
        self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.stop()
        self._restore_handlers()

    def _restore_handlers(self) -> None:
        for kind, handler in self.handlers_before.items():
            signal.signal(kind, handler)

    def _interrupt(self, _signal: int, _frame: FrameType | None) -> None:
        self.is_interrupted = True
        self._restore_handlers()
        self.bar.stop()
        print("Stopping: what was learned is saved and evaluated. Ctrl-C again stops at once.", file=sys.stderr)

    def _on_rollout_start(self) -> None:
        self.budget.left_at_rollout = self.budget.share_left(self.num_timesteps)
        self.is_spent = self.budget.left_at_rollout <= 0 and self.num_timesteps > 0

    def _on_step(self) -> bool:
        return not (self.is_interrupted or self.is_spent)

    def _on_rollout_end(self) -> None:
        # Beside these, stable-baselines3 logs rollout/ep_rew_mean, the mean reward of the last 100 rounds in points
        # (before --reward-scale), rollout/ep_len_mean, the learner's decisions a round, and train/*, the losses of PPO.
        speed, left = self.num_timesteps / self.budget.elapsed(), self.budget.share_left(self.num_timesteps)
        rounds = _mean_of(self.model.ep_info_buffer)
        self.logger.record("rounds/points", rounds["points"])  # what a round cost the learner, of the last 100
        self.logger.record("rounds/went_out", rounds["went_out"])  # the share of these that it ended by going out
        self.logger.record("budget/left", left)  # of the time or of the steps, from 1 to 0
        self.logger.record("budget/steps_per_second", speed)  # the learner's decisions, updates included
        seconds_left = self.budget.elapsed() * left / max(1 - left, 1e-9)
        self._show(
            f"{self.num_timesteps:,} steps  {speed:,.0f} steps/s  {rounds['points']:.1f} points a round, "
            f"reward {rounds['r']:+.1f}, went out in {rounds['went_out']:.0%}  "
            f"{int(seconds_left // 60)}:{int(seconds_left % 60):02} left",
            1 - left,
        )

    def _show(self, text: str, share_done: float) -> None:
        self.bar.update(self.task, completed=share_done, description=text)
        if not self.has_terminal and self.budget.elapsed() >= self.next_line:
            self.next_line += SECONDS_BETWEEN_LINES
            print(text, file=sys.stderr, flush=True)


def _mean_of(episodes: Any) -> dict[str, float]:
    """What the last episodes came to on average; not a number before the first is over."""
    names = ("r", "points", "went_out")
    return {name: float(np.mean([episode[name] for episode in episodes])) if episodes else np.nan for name in names}
