"""What is logged of a training at every update, as a table and for TensorBoard, and the line that shows how it goes.

Beside what is explained here, stable-baselines3 logs the losses of PPO: train/entropy_loss (minus the mean entropy of
the policy), train/policy_gradient_loss, train/value_loss (the mean square error of the value network, in units of the
scaled reward), train/approx_kl and train/clip_fraction (how far the update moved the policy, and how often it hit its
bounds), train/explained_variance (of the returns, by the value network: 1 is all), and train/learning_rate.
"""

from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat, filter_excluded_keys

from agents.ladder import Rung, in_words
from agents.run_folder import STEPS, RunFolder, Table
from agents.self_play import OpponentPool
from agents.training_watch import Watch


class TableLog(KVWriter):
    """Logs into a table."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Add a row of all that was recorded since the last one."""
        self.table.append({STEPS: step} | filter_excluded_keys(key_values, key_excluded, "csv"))

    def close(self) -> None:
        """Nothing is to be closed."""


def new_logger(folder: RunFolder) -> Logger:
    """A logger into the files of a run folder."""
    path = str(folder.path)
    return Logger(path, [TableLog(folder.progress), TensorBoardOutputFormat(path)])


def log_update(model: MaskablePPO, pool: OpponentPool, watch: Watch, rung: Rung | None) -> None:
    """Log what is known after an update, and show the line; the rung is the last evaluation, if there was one."""
    num_steps, record = model.num_timesteps, model.logger.record
    rounds = _mean_of(model.ep_info_buffer)
    speed = watch.speed(num_steps)
    record("episodes/reward", rounds["r"])  # the mean reward of the last 100 episodes, before --reward-scale
    record("episodes/points", rounds["points"])  # what they cost the learner
    record("episodes/went_out", rounds["went_out"])  # the rounds in which it went out; of one round: the share
    record("episodes/length", rounds["l"])  # the learner's decisions
    for name, weight, margin in _opponents(pool):
        record(f"opponents/{name}_share", weight)  # the share of the games that begin against it
        record(f"opponents/{name}_margin", margin)  # points a round that the learner wins from it lately
    record("budget/left", watch.budget.share_left(num_steps))  # of the time or of the steps, from 1 to 0
    record("budget/seconds", watch.budget.elapsed())  # since the start, evaluations included
    record("budget/steps_per_second", speed)  # the learner's decisions
    if rung is not None:  # over full games on the same deals every time; with interval in evaluations.csv
        record("evaluation/lead", rung.fewer_points_a_game.mean, exclude="csv")  # points a game
        record("evaluation/win_share", rung.win_share.mean, exclude="csv")
    model.logger.dump(num_steps)
    ahead = "" if rung is None else f"  {in_words(rung.fewer_points_a_game)} points a game ahead of {rung.against}"
    text = f"{num_steps:,} steps  {speed:,.0f} steps/s  {rounds['points']:.1f} points, reward {rounds['r']:+.1f}{ahead}"
    watch.show(text, num_steps)


def _opponents(pool: OpponentPool) -> list[tuple[str, float, float]]:
    """Of every opponent its name, share and margin; the past selves are one, for they come and go."""
    named, past = slice(None, pool.first_past), slice(pool.first_past, None)
    rows = list(zip(pool.names[named], pool.weights[named].tolist(), pool.margins[named].tolist(), strict=True))
    margins = pool.margins[past]
    return [*rows, ("past", float(pool.weights[past].sum()), float(margins.mean()) if len(margins) else np.nan)]


def _mean_of(episodes: Any) -> dict[str, float]:
    """What the last episodes came to on average; not a number before the first is over."""
    names = ("r", "l", "points", "went_out")
    return {name: float(np.mean([episode[name] for episode in episodes])) if episodes else np.nan for name in names}
