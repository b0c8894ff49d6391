"""Studied positions: every sensible choice in them was played to the end of the round in many worlds.

That is what `agents.search` does to choose well. Done once for many positions, it is something to learn from: the
points that a choice brings on average are known far better than from a single game, in which luck hides them.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from agents.careful import Careful
from agents.network import CardPolicy
from agents.search import MAX_CHOICES, play_worlds, sensible_choices
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Masks
from three_thirteen_env.batch import Batch
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED
from three_thirteen_env.compiled import compiled
from three_thirteen_env.learners import show_each
from three_thirteen_env.observation import Kind, observe_each
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY, States

NUM_GAMES = 256  # side by side, in which the positions come up
SHARE = 0.4  # of the positions that come up are studied
EXPLORED = 0.1  # of the choices in these games are another sensible one than the careful one
NUM_WORLDS = 24  # few, for the more positions in the same time, the less they are alike
VIEWS_AT_ONCE = 8  # that a thread takes
MINIBATCH = 2048
LOGITS_A_POINT = 2.0
NO_CHOICE = -1

Choices = npt.NDArray[np.int64]  # (n, MAX_CHOICES) actions, then NO_CHOICE
Points = npt.NDArray[np.float32]  # (n, MAX_CHOICES) by how many points the others lose the round on average


class Studied(NamedTuple):
    """Positions one after the other, each with two choices or more."""

    observations: npt.NDArray[np.float32]  # (n, size)
    choices: Choices
    points: Points


def study(rules: Rules, observation: Kind, rng: np.random.Generator, num_threads: int = 1) -> Iterator[Studied]:
    """Endlessly, positions from games of careful players who now and then try something else."""
    games = Batch(NUM_GAMES, rules, autoreset=True)
    games.reset(rng.integers(EVALUATION_SEEDS // 2) + np.arange(NUM_GAMES))
    everything, views, masks = np.arange(NUM_GAMES), games.save(), np.empty_like(games.masks)
    careful = Careful(rules)
    with ThreadPoolExecutor(num_threads) as threads:
        while True:
            show_each(games.states, everything, rules, views, masks)
            picked = np.flatnonzero(rng.random(NUM_GAMES) < SHARE)
            yield _studied(views[picked], masks[picked], rules, observation, rng, threads)
            actions = careful.act(views, masks, rng)
            explore_each(views, masks, rules, rng.random(NUM_GAMES) / EXPLORED, actions)
            games.step(actions)


def gathered(positions: Iterator[Studied], num_positions: int) -> Studied:
    """At least so many of the positions, together; it is told on standard error how far that has come."""
    parts: list[Studied] = []
    num_gathered, next_report = 0, 0
    for part in positions:
        parts.append(part)
        num_gathered += len(part.choices)
        if num_gathered >= next_report:
            print(f"studied {num_gathered:,} of {num_positions:,} positions", file=sys.stderr, flush=True)
            next_report += max(1, num_positions // 20)
        if num_gathered >= num_positions:
            break
    return Studied(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _studied(
    views: States,
    masks: Masks,
    rules: Rules,
    observation: Kind,
    rng: np.random.Generator,
    threads: ThreadPoolExecutor,
) -> Studied:
    choices = np.empty((len(views), MAX_CHOICES), np.int64)
    points = np.empty((len(views), MAX_CHOICES), np.float32)
    seeds = rng.integers(MAX_SEED, size=len(views))

    def study_some(part: slice) -> None:
        study_each(views[part], masks[part], rules, seeds[part], choices[part], points[part])

    starts = range(0, len(views), VIEWS_AT_ONCE)
    list(threads.map(study_some, (slice(start, start + VIEWS_AT_ONCE) for start in starts)))
    observations = observe_each(views, rules, observation)
    is_open = choices[:, 1] != NO_CHOICE
    return Studied(observations[is_open], choices[is_open], points[is_open])


@compiled
def study_each(
    views: States, masks: Masks, rules: Rules, seeds: npt.NDArray[np.int64], choices: Choices, points: Points
) -> None:
    """Write the sensible choices in each view, and what they bring on average where there are two or more."""
    margins = np.empty((NUM_WORLDS, MAX_CHOICES))
    for index in range(len(views)):
        choices[index] = NO_CHOICE
        points[index] = 0
        num_choices = sensible_choices(views[index], masks[index], rules, choices[index])
        if num_choices > 1:
            open_choices = choices[index, :num_choices]
            play_worlds(views[index : index + 1], open_choices, rules, seeds[index], 0, margins[:, :num_choices])
            for place in range(num_choices):
                points[index, place] = margins[:, place].mean()


@compiled
def explore_each(
    views: States, masks: Masks, rules: Rules, draws: npt.NDArray[np.float64], actions: npt.NDArray[np.int64]
) -> None:
    """Replace the action in each view whose draw is below 1 by one of the sensible choices, all equally likely."""
    choices = np.empty(MAX_CHOICES, np.int64)
    for index in range(len(views)):
        if draws[index] < 1 and views[index].out_seat == NOBODY:
            num_choices = sensible_choices(views[index], masks[index], rules, choices)
            actions[index] = choices[int(draws[index] * num_choices)]


class Lessons(NamedTuple):
    """How a policy learns from what was studied."""

    epochs: int
    learning_rate: float  # at the start; it falls almost to 0 in a straight line
    scale: float  # times the points is what the critic foresees
    seed: int


def learn(policy: CardPolicy, studied: Studied, lessons: Lessons) -> None:
    """Let a policy learn what was studied: by how many points choices differ, and what a position is worth.

    The logits of the choices come to differ by `LOGITS_A_POINT` for each point, so a choice is the more probable the
    more it brings. (To raise the points that the policy brings on average, instead of this, made it learn the noise.)
    The critic learns what the best choice brings.
    """
    rng = np.random.default_rng(lessons.seed)
    optimizer = torch.optim.AdamW(policy.parameters(), lessons.learning_rate)
    num_batches = max(1, len(studied.choices) // MINIBATCH)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.02, lessons.epochs * num_batches)
    for _ in range(lessons.epochs):
        for rows in np.array_split(rng.permutation(len(studied.choices)), num_batches):
            observations, choices, points = (torch.from_numpy(part[rows]) for part in studied)
            optimizer.zero_grad()
            _loss(policy, observations, choices, points, lessons.scale).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()


def points_lost(policy: CardPolicy, studied: Studied) -> float:
    """How many points a decision the policy's best choice loses to the choice of most points, on average.

    The choice of most points has been lucky, so even a perfect policy loses some.
    """
    with torch.no_grad():
        logits, _ = _judge(policy, torch.from_numpy(studied.observations), torch.from_numpy(studied.choices))
    chosen = logits.masked_fill(torch.from_numpy(studied.choices == NO_CHOICE), -torch.inf).argmax(dim=1).numpy()
    points = np.where(studied.choices == NO_CHOICE, -np.inf, studied.points)
    return float((points.max(axis=1) - points[np.arange(len(chosen)), chosen]).mean())


def _loss(policy: CardPolicy, observations: Tensor, choices: Tensor, points: Tensor, scale: float) -> Tensor:
    logits, values = _judge(policy, observations, choices)
    is_choice = choices != NO_CHOICE
    errors = _centered(logits, is_choice) / LOGITS_A_POINT - _centered(points, is_choice)
    best = points.masked_fill(~is_choice, -torch.inf).amax(dim=1)
    return (errors.square().sum(dim=1) / is_choice.sum(dim=1)).mean() + (values - scale * best).square().mean()


def _centered(values: Tensor, is_choice: Tensor) -> Tensor:
    """Values ``(n, MAX_CHOICES)`` less the mean of the choices; 0 where there is no choice."""
    values = torch.where(is_choice, values, 0.0)
    means = values.sum(dim=1, keepdim=True) / is_choice.sum(dim=1, keepdim=True)
    return torch.where(is_choice, values - means, 0.0)


def _judge(policy: CardPolicy, observations: Tensor, choices: Tensor) -> tuple[Tensor, Tensor]:
    """The logits of the choices ``(n, MAX_CHOICES)``, and the values ``(n,)``."""
    legal = torch.zeros(len(choices), NUM_ACTIONS + 1, dtype=torch.bool)
    legal.scatter_(1, choices % (NUM_ACTIONS + 1), True)  # the last column is for no choice
    logits, features = policy.network.judge(observations, legal[:, :-1])
    return logits.gather(1, choices.clamp(min=0)), policy.value_net(features).flatten()
