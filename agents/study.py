"""Studied positions: every sensible choice in them was played to the end of the round, over some orders of the stock.

`agents.search` does much the same to choose well. Done once for many positions, it is something to learn from: by how
many points choices differ is known far better than from a single game, in which luck hides it. The hands stay as they
are in the game that a position is from, for nothing says better what other seats hold than games of good players;
whoever learns from many positions sees the views alone, and so learns the mean over the hands.
"""

import io
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from agents.network import NUM_GIFTS, CardPolicy
from agents.playouts import NO_CHOICE, play_choices
from agents.policy_file import write_whole
from agents.prior import LOGITS_A_POINT, centered
from agents.search import MAX_CHOICES, sensible_choices
from three_thirteen_env.actions import DISCARD, NUM_ACTIONS
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.batch import Batch
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED, Words, generator, next_word, shuffle_by
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard
from three_thirteen_env.learners import show_each
from three_thirteen_env.observation import Kind, observation_size, observe_each
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import STATE, State, States

PART = 50_000  # positions
NUM_GAMES = 256  # side by side, in which the positions come up
EXPLORED = 0.1  # of the choices in these games are any of the sensible ones, the others those of a careful player
NUM_WORLDS = 3  # orders of the stock; few, for the more positions in the same time, the less they are alike
AT_ONCE = 8  # positions that a thread takes
PARTS_AT_ONCE = 10  # files that are mixed, and in the memory while they are learned from
MINIBATCH = 1024
LAST_RATE = 0.02  # of the learning rate
SHARE_TOLD = 0.1  # of the learning, after which it is told how far it has come
DISCARDS_BELIEVED = 0.75  # of what was learned of discards: with the whole of it, the policy is no better
GIFTS_WEIGHT = 1.0  # of the error in what a discard gives, beside the error in points

Choices = npt.NDArray[np.int64]  # (n, MAX_CHOICES) actions, then NO_CHOICE
Gifts = npt.NDArray[np.float32]  # (n, MAX_CHOICES, NUM_GIFTS) what a discard gives the next seat; 0 for a draw
Points = npt.NDArray[np.float32]  # (n, MAX_CHOICES) by how many points the others lose the round on average


class Studied(NamedTuple):
    """Positions one after the other, each with two choices or more."""

    observations: npt.NDArray[np.float16]  # (n, size): half the room, and precise to a twentieth of a point
    choices: Choices
    points: Points
    gifts: Gifts


def gather(
    folder: Path, num_positions: int, rules: Rules, observation: Kind, seed: int, num_threads: int = 1
) -> list[Path]:
    """So many positions, rounded up to whole parts, each a file in a folder: those that it holds are not made again.

    It is told on standard error how far that has come. Each part has games of its own, which follow from the seed and
    its number, so the positions are the same whether it was interrupted or not.
    """
    folder.mkdir(exist_ok=True)
    paths = [folder / f"{number:04}.npz" for number in range(-(-num_positions // PART))]
    with ThreadPoolExecutor(num_threads) as threads:
        for number, path in enumerate(paths):
            if not path.exists():
                content = io.BytesIO()
                part = study_part(rules, observation, np.random.default_rng([seed, number]), threads)
                np.savez_compressed(content, **part._asdict())
                write_whole(path, content.getvalue())
            print(f"studied {number + 1} of {len(paths)} × {PART:,} positions", file=sys.stderr, flush=True)
    return paths


def read_parts(paths: Sequence[Path]) -> Studied:
    """The positions of some files."""
    parts = []
    for path in paths:
        with np.load(path) as columns:
            parts.append(Studied(**columns))
    return _joined(parts)


def _joined(parts: Sequence[Studied]) -> Studied:
    return Studied(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _some_of(studied: Studied, rows: slice | npt.NDArray[np.int64]) -> Studied:
    return Studied(**{name: column[rows] for name, column in studied._asdict().items()})


def study_part(rules: Rules, observation: Kind, rng: np.random.Generator, threads: ThreadPoolExecutor) -> Studied:
    """`PART` positions from games of careful players who now and then try something else."""
    games = Batch(NUM_GAMES, rules, autoreset=True)
    games.reset(rng.integers(EVALUATION_SEEDS // 2) + np.arange(NUM_GAMES))
    everything, views, masks = np.arange(NUM_GAMES), games.save(), np.empty_like(games.masks)
    observations = np.empty((NUM_GAMES, observation_size(rules, observation)), np.float16)
    choices = np.empty((NUM_GAMES, MAX_CHOICES), np.int64)
    points = np.empty((NUM_GAMES, MAX_CHOICES), np.float32)
    gifts = np.empty((NUM_GAMES, MAX_CHOICES, NUM_GIFTS), np.float32)
    found: list[Studied] = []
    num_found = 0

    def study_some(part: slice, seeds: npt.NDArray[np.int64]) -> None:
        study_each(games.states[part], masks[part], rules, seeds, choices[part], points[part])
        give_each(games.states[part], choices[part], rules, gifts[part])
        is_open = choices[part, 1] != NO_CHOICE
        observations[part][is_open] = observe_each(views[part][is_open], rules, observation)

    slices = [slice(start, start + AT_ONCE) for start in range(0, NUM_GAMES, AT_ONCE)]
    while num_found < PART:
        show_each(games.states, everything, rules, views, masks)
        list(threads.map(study_some, slices, rng.integers(MAX_SEED, size=(len(slices), AT_ONCE))))
        is_open = choices[:, 1] != NO_CHOICE
        found.append(Studied(observations[is_open], choices[is_open], points[is_open], gifts[is_open]))
        num_found += len(found[-1].choices)
        games.step(_explored(choices, rng))
    return _some_of(_joined(found), slice(PART))


def _explored(choices: Choices, rng: np.random.Generator) -> Actions:
    """The careful choice in each game, which comes first, or now and then any of its choices, ``(NUM_GAMES,)``."""
    num_choices = (choices != NO_CHOICE).sum(axis=1)
    explored = rng.integers(num_choices)
    return choices[np.arange(NUM_GAMES), np.where(rng.random(NUM_GAMES) < EXPLORED, explored, 0)]


@compiled
def study_each(
    states: States, masks: Masks, rules: Rules, seeds: npt.NDArray[np.int64], choices: Choices, points: Points
) -> None:
    """Write the sensible choices in each state, and what they bring on average where there are two or more."""
    world, margins = np.empty(1, STATE), np.empty(MAX_CHOICES, np.float64)
    for index in range(len(states)):
        choices[index] = NO_CHOICE
        points[index] = 0
        num_choices = sensible_choices(states[index], masks[index], rules, choices[index])
        if num_choices == 1:
            continue
        for number in range(NUM_WORLDS):
            world[0] = states[index]
            _redraw(world[0], generator(seeds[index], number, 0))
            play_choices(world[0], choices[index], rules, margins)
            for place in range(num_choices):
                points[index, place] += margins[place] / NUM_WORLDS


@compiled
def give_each(states: States, choices: Choices, rules: Rules, gifts: Gifts) -> None:
    """Write what every discard would give the next seat, which knows best what it can use: its hand is looked at."""
    for index in range(len(states)):
        gifts[index] = 0
        if choices[index, 1] == NO_CHOICE or choices[index, 0] < DISCARD:
            continue
        hand = states[index].hands[(states[index].seat + 1) % rules.num_players].copy()
        wild_rank = wild_rank_of(states[index].round_number)
        now = least_deadwood(hand, wild_rank, rules)
        others = np.ones(NUM_CARDS, np.int8)
        for place in range(MAX_CHOICES):
            if choices[index, place] == NO_CHOICE:
                break
            card = choices[index, place] - DISCARD
            hand[card] += 1
            others[card] = 0
            after = best_discard(hand, others, wild_rank, rules)[1]
            others[card] = 1
            hand[card] -= 1
            gifts[index, place, 0] = max(0, now - after) / 10
            gifts[index, place, 1] = after == 0


@compiled
def _redraw(state: State, words: Words) -> None:
    """Shuffle what will be drawn: the stock, and the seed, by which the pile is shuffled once that is gone."""
    shuffle_by(state.stock[: state.stock_size], words)
    state.seed = next_word(words)


class Lessons(NamedTuple):
    """How a policy learns from what was studied."""

    epochs: int
    learning_rate: float  # at the start; it falls almost to 0 in a straight line
    scale: float  # times the points is what the critic foresees
    seed: int


def learn(policy: CardPolicy, paths: Sequence[Path], lessons: Lessons) -> None:
    """Let a policy learn what was studied: by how many points choices differ, and what a position is worth.

    The logits of the choices come to differ by `LOGITS_A_POINT` for each point, so a choice is the more probable the
    more it brings. (To raise the points that the policy brings on average, instead of this, made it learn the noise.)
    The critic learns what the best choice brings. What a discard gives the next seat is learned beside that: it is
    known without any luck of the draw, and the features that foretell it serve the choice as well.

    In the end the policy believes only a part of what it learned of discards. There the differences are small beside
    the luck, and they are those of seats that go on as `Brisk`, which the policy itself does not.

    The files are read some at a time, so that the memory they take does not grow with their number.
    """
    rng = np.random.default_rng(lessons.seed)
    optimizer = torch.optim.AdamW(policy.parameters())
    next_told = SHARE_TOLD
    for share_learned, studied in _minibatches(paths, lessons.epochs, rng):
        for group in optimizer.param_groups:
            group["lr"] = lessons.learning_rate * max(LAST_RATE, 1 - share_learned)
        optimizer.zero_grad()
        observations, choices, points, gifts = (torch.from_numpy(column).to(policy.device) for column in studied)
        _loss(policy, observations, choices, points, gifts, lessons.scale).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if share_learned >= next_told:
            print(f"learned {next_told:.0%} of what was studied", file=sys.stderr, flush=True)
            next_told += SHARE_TOLD
    with torch.no_grad():
        for parameter in policy.network.discard.parameters():
            parameter.mul_(DISCARDS_BELIEVED)


def _minibatches(paths: Sequence[Path], epochs: int, rng: np.random.Generator) -> Iterator[tuple[float, Studied]]:
    """The positions of some files, so many times, in other orders; before each of them, the share that was given."""
    num_read = 0
    for _ in range(epochs):
        for places in np.array_split(rng.permutation(len(paths)), math.ceil(len(paths) / PARTS_AT_ONCE)):
            studied = read_parts([paths[place] for place in places])
            num_minibatches = max(1, round(len(studied.choices) / MINIBATCH))
            minibatches = np.array_split(rng.permutation(len(studied.choices)), num_minibatches)
            for number, rows in enumerate(minibatches):
                share_of_group = number / len(minibatches) * len(places)
                yield (num_read + share_of_group) / (epochs * len(paths)), _some_of(studied, rows)
            num_read += len(places)


def points_lost(policy: CardPolicy, studied: Studied) -> float:
    """How many points a decision the policy's best choice loses to the choice of most points, on average.

    The choice of most points has been lucky, so even a perfect policy loses some.
    """
    observations, choices = (torch.from_numpy(column).to(policy.device) for column in studied[:2])
    with torch.no_grad():
        logits, _, _ = _judge(policy, observations, choices)
    chosen = logits.masked_fill(choices == NO_CHOICE, -torch.inf).argmax(dim=1).cpu().numpy()
    points = np.where(studied.choices == NO_CHOICE, -np.inf, studied.points)
    return float((points.max(axis=1) - points[np.arange(len(chosen)), chosen]).mean())


def _loss(
    policy: CardPolicy, observations: Tensor, choices: Tensor, points: Tensor, gifts: Tensor, scale: float
) -> Tensor:
    logits, foretold, values = _judge(policy, observations, choices)
    is_choice = choices != NO_CHOICE
    errors = centered(logits, is_choice) / LOGITS_A_POINT - centered(points, is_choice)
    best = points.masked_fill(~is_choice, -torch.inf).amax(dim=1)
    of_gifts = (foretold - gifts).square().sum(dim=(1, 2))  # 0 for a draw and where there is no choice
    of_choices = errors.square().sum(dim=1) / 2  # of two choices the mean; of more, each counts as much
    return (of_choices + GIFTS_WEIGHT * of_gifts + (values - scale * best).square()).mean()


def _judge(policy: CardPolicy, observations: Tensor, choices: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The logits of the choices ``(n, MAX_CHOICES)``, what each gives ``(n, MAX_CHOICES, NUM_GIFTS)``, and the values
    ``(n,)``.
    """
    legal = torch.zeros(len(choices), NUM_ACTIONS + 1, dtype=torch.bool, device=choices.device)
    legal.scatter_(1, choices % (NUM_ACTIONS + 1), True)  # the last column is for no choice
    logits, gifts, features = policy.network.judge_gifts(observations.float(), legal[:, :-1])
    is_discard = (choices >= DISCARD).unsqueeze(2)
    cards = (choices - DISCARD).clamp(min=0).unsqueeze(2).expand(-1, -1, NUM_GIFTS)
    given = torch.where(is_discard, gifts.gather(1, cards), 0.0)
    return logits.gather(1, choices.clamp(min=0)), given, policy.value_net(features).flatten()
