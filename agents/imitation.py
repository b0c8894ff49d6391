"""A warm start: before it learns by playing, a policy learns to play like an agent that is there already.

The agent plays games in all seats. The actor learns its actions (cross-entropy), the critic what the rounds or games
brought the seats that it judged. Games go on side by side; every batch of positions is learned once, and forgotten.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents.network import CardPolicy
from agents.vec_env import Episode
from three_thirteen_env.agent import Agent
from three_thirteen_env.batch import Batch
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.learners import show_each
from three_thirteen_env.observation import Kind
from three_thirteen_env.rewards import Reward
from three_thirteen_env.rules import Rules

NUM_GAMES = 256  # side by side
NUM_STEPS = 64  # of each game in a batch of positions
MINIBATCH = 1024


class Positions(NamedTuple):
    """What an agent did: positions one after the other, those of the same step together."""

    observations: Tensor  # (n, size)
    legal: Tensor  # (n, 106) bool
    actions: Tensor  # (n,)
    returns: Tensor  # (n,) what the episode brings the seat from here on; not a number if that is not known yet


class Examples(NamedTuple):
    """Whose games are learned from, and what they are worth."""

    agent: Agent
    rules: Rules
    observation: Kind
    reward: Reward
    reward_scale: float
    episode: Episode


Report = Callable[[int, dict[str, float]], None]


def print_report(num_steps: int, measured: dict[str, float]) -> None:
    """Say how well a policy imitates what it has not seen yet, after so many decisions."""
    numbers = "  ".join(f"{name} {value:.3f}" for name, value in measured.items())
    print(f"imitating: {num_steps:,} decisions  {numbers}", file=sys.stderr, flush=True)


def imitate(
    policy: CardPolicy,
    examples: Examples,
    num_steps: int,
    seed: int,
    learning_rate: float,
    report: Report = print_report,
) -> None:
    """Let a policy learn from at least so many positions; tell, after each batch of them, how many and how well.

    The learning rate falls to 0 in a straight line. What is told of a batch was measured before it was learned: the
    `accuracy`, the share of actions that the policy would have chosen as the agent did, the `cross entropy`, and the
    `value loss`, the mean square error of the critic.
    """
    optimizer = torch.optim.Adam(policy.parameters(), learning_rate)
    rng = np.random.default_rng(seed)
    num_learned = 0
    for positions in games_of(examples, rng):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * (1 - num_learned / num_steps)
        sums = np.zeros(3)
        for rows in np.array_split(
            rng.permutation(len(positions.actions)), max(1, len(positions.actions) // MINIBATCH)
        ):
            sums += np.array(_learn(policy, optimizer, Positions(*(part[rows] for part in positions)))) * len(rows)
        num_learned += len(positions.actions)
        names = ("accuracy", "cross entropy", "value loss")
        report(num_learned, dict(zip(names, (sums / len(positions.actions)).tolist(), strict=True)))
        if num_learned >= num_steps:
            return


def games_of(examples: Examples, rng: np.random.Generator) -> Iterator[Positions]:
    """Endlessly, the positions of games that the agent plays with itself, on deals that are drawn from a generator."""
    rules = examples.rules
    games = Batch(NUM_GAMES, rules, observation=examples.observation, reward=examples.reward, autoreset=True)
    games.reset(rng.integers(EVALUATION_SEEDS // 2) + np.arange(NUM_GAMES))
    everything, views = np.arange(NUM_GAMES), games.save()
    view_masks = np.empty_like(games.masks)
    assert games.observations is not None
    while True:
        steps: list[tuple[Any, ...]] = []
        for _ in range(NUM_STEPS):
            observations, masks, seats = (
                games.observations.copy(),
                games.masks.astype(np.bool_),
                games.states["seat"].copy(),
            )
            rounds = games.states["round_number"].copy()
            show_each(games.states, everything, rules, views, view_masks)
            actions = np.asarray(examples.agent.act(views, view_masks, rng))
            games.step(actions)
            is_over = games.done | ((games.states["round_number"] != rounds) & (examples.episode == "round"))
            steps.append((observations, masks, actions, seats, games.rewards.copy(), is_over.copy()))
        observations, masks, actions, seats, rewards, is_over = map(np.stack, zip(*steps, strict=True))
        returns = returns_of(rewards, is_over, seats) * examples.reward_scale
        yield Positions(
            *(torch.from_numpy(part.reshape(-1, *part.shape[2:])) for part in (observations, masks, actions, returns))
        )


def returns_of(
    rewards: npt.NDArray[np.float32], is_over: npt.NDArray[np.bool_], seats: npt.NDArray[np.int8]
) -> npt.NDArray[np.float32]:
    """What the rest of its episode brings the seat to act, ``(num_steps, num_games)``; not a number if it is unknown.

    Rewards are ``(num_steps, num_games, num_players)``, and `is_over` says in which steps episodes ended.
    """
    games = np.arange(rewards.shape[1])
    to_come = np.full(rewards.shape[1:], np.nan, np.float32)  # from a step on, for every seat
    returns = np.empty(seats.shape, np.float32)
    for step in reversed(range(len(rewards))):
        to_come = rewards[step] + np.where(is_over[step][:, None], np.float32(0), to_come)
        returns[step] = to_come[games, seats[step]]
    return returns


def _learn(policy: CardPolicy, optimizer: torch.optim.Optimizer, positions: Positions) -> tuple[float, float, float]:
    positions = Positions(*(part.to(policy.device) for part in positions))
    logits, features = policy.network.judge(positions.observations, positions.legal)
    cross_entropy = nn.functional.cross_entropy(logits, positions.actions)
    is_known = ~positions.returns.isnan()
    errors = torch.where(is_known, policy.value_net(features).flatten() - positions.returns.nan_to_num(), 0)
    value_loss = errors.square().sum() / is_known.sum().clamp(min=1)
    optimizer.zero_grad()
    (cross_entropy + value_loss).backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    optimizer.step()
    accuracy = (logits.argmax(dim=1) == positions.actions).float().mean()
    return accuracy.item(), cross_entropy.item(), value_loss.item()
