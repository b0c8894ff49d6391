"""Train an agent of Three Thirteen: one seat learns by playing against an agent that sits in all others.

    python train.py                                         ten minutes against a baseline
    python train.py --name first --minutes 60               longer, into runs/first
    python train.py --opponent runs/first/policy.onnx       against what was learned before

sb3-contrib's MaskablePPO learns; every round is an episode, so that the rounds of the game are mixed as they come. What
is learned, and all that is known of how, goes into a run folder (`agents/run_folder.py` says what lies there). Its
policy plays wherever an agent is named: python evaluate.py --agents runs/first/policy.onnx greedy. Ctrl-C stops early
and keeps what was learned.
"""

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
import tyro
from rich.console import Console
from rich.table import Table
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

from agents.house_rules import HouseRules
from agents.network import CardPolicy
from agents.policy_file import PolicyCard
from agents.registry import AGENTS, AgentError, make_agent
from agents.run_folder import RunFolder
from agents.statistics import Estimate, lead, standings
from agents.tournament import Tournament, play
from agents.training_watch import Budget, Watch
from agents.vec_env import ThreeThirteenVecEnv
from three_thirteen_env.agent import Agent
from three_thirteen_env.observation import Kind
from three_thirteen_env.rules import Rules

RUNS = Path("runs")
DEFAULT_MINUTES = 10.0
FAILED, INTERRUPTED = 2, 130  # exit statuses


@dataclass(frozen=True)
class Args:
    """What is trained, against whom, for how long, and how."""

    # who sits in all other seats: a registered name, module:Class of one's own, or the path of a policy file
    opponent: str = "greedy"
    # how long it learns: 10 minutes, unless --steps is given
    minutes: float | None = None
    # learn from so many decisions instead, rounded up to whole rollouts; such a run can be repeated exactly
    steps: int | None = None
    name: str | None = None  # the run folder is runs/NAME; by default the time and the opponent
    seed: int = 0  # fixes the deals, the first weights and the exploration
    evaluation_games: int = 400  # games against every baseline in the end, rounded up to whole rotations; 0: none

    observation: Kind = "melds"  # what the network sees: "melds" has the analysis of the solver, "cards" has not
    reward: Literal["margin", "points"] = "margin"  # of a round: the others' mean points minus one's own, or only that
    reward_scale: float = 0.05  # times the reward is what the network deals with: numbers of order one

    num_envs: int = 64  # games that are played side by side
    rollout_steps: int = 128  # decisions in each of them between two updates
    batch_size: int = 256  # decisions in one gradient step
    epochs: int = 2  # how often an update goes through its rollout
    learning_rate: float = 1e-3  # at the start; it falls to 0 in a straight line
    gae_lambda: float = 0.95  # how far an advantage looks ahead before it trusts the value network; 1: to the end
    entropy: float = 0.003  # the weight of playing at random beside that of winning
    width: int = 128  # of the hidden layers that see the whole view
    card_width: int = 32  # of the hidden layer that sees one card
    threads: int = 1  # of torch

    rules: HouseRules = field(default_factory=HouseRules)


class InputError(Exception):
    """An option that makes no sense: one line that says which, and what is allowed."""


class Job(NamedTuple):
    """Arguments that are checked, and what was made of them."""

    args: Args
    rules: Rules
    opponent: Agent
    folder: RunFolder
    command: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the arguments say; the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    config = (tyro.conf.OmitArgPrefixes,)
    args = tyro.cli(Args, prog="train.py", description=__doc__, args=arguments, config=config)
    try:
        job = checked(args, shlex.join(["python", "train.py", *arguments]))
    except (InputError, AgentError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return FAILED
    try:
        return train(job)
    except KeyboardInterrupt:
        print(f"train.py: stopped at once; what was saved before is in {job.folder.path}", file=sys.stderr)
        return INTERRUPTED


def checked(args: Args, command: str) -> Job:
    """What is to be done. Raises InputError at an option that makes no sense, and AgentError."""
    _check_numbers(args)
    if args.steps is not None and args.minutes is not None:
        raise InputError("give --steps or --minutes, not both")
    opponent_words = re.sub(r"\W+", "-", args.opponent).strip("-")
    name = f"{datetime.now():%Y-%m-%d-%H%M%S}-{opponent_words}" if args.name is None else args.name
    if name in ("", "..") or Path(name).name != name:
        raise InputError(f"--name must be the name of a folder in {RUNS}, not {name!r}")
    try:
        rules = args.rules.checked()
        opponent = make_agent(args.opponent, rules)
        return Job(args, rules, opponent, RunFolder(RUNS / name), command)
    except ValueError as error:
        raise InputError(str(error)) from error
    except FileExistsError as error:
        raise InputError(f"{error}: choose another --name") from error
    except OSError as error:
        raise InputError(f"{RUNS / name} cannot be made: {error.strerror}") from error


def _check_numbers(args: Args) -> None:
    at_least = {"steps": 1, "seed": 0, "evaluation_games": 0, "num_envs": 1, "rollout_steps": 2, "batch_size": 2}
    at_least |= {"epochs": 1, "entropy": 0, "width": 1, "card_width": 1, "threads": 1}
    for name, value in vars(args).items():
        option = f"--{name.replace('_', '-')}"
        if name in at_least and value is not None and not at_least[name] <= value < float("inf"):
            raise InputError(f"{option} must be {at_least[name]} or more, not {value}")
        if name in ("minutes", "learning_rate", "reward_scale") and value is not None and not 0 < value < float("inf"):
            raise InputError(f"{option} must be above 0, not {value}")
    if not 0 <= args.gae_lambda <= 1:
        raise InputError(f"--gae-lambda must be from 0 to 1, not {args.gae_lambda}")


def train(job: Job) -> int:
    """Learn, save, evaluate, and print what came of it; the exit status."""
    args, folder = job.args, job.folder
    torch.set_num_threads(args.threads)
    torch.distributions.Distribution.set_default_validate_args(False)  # the network gives numbers, and checks are slow
    folder.write_config(job.command, asdict(args) | {"rules": job.rules._asdict()})
    print(f"training into {folder.path}", file=sys.stderr)
    watch = Watch(Budget(args.steps, 60 * (args.minutes or DEFAULT_MINUTES)))
    model = learn(job, watch)
    card = PolicyCard(
        rules=job.rules,
        observation=args.observation,
        network=f"2 x {args.width} for the whole view, {args.card_width} shared by all cards",
        steps=model.num_timesteps,
        seed=args.seed,
        opponent=args.opponent,
    )
    folder.write_model(model, card)
    print(f"learned from {card.steps:,} steps in {watch.budget.elapsed() / 60:.1f} minutes; saved {folder.policy}")
    if args.evaluation_games > 0:
        folder.write_evaluation(card, evaluate(job))
    print(f"compare it with others: python evaluate.py --agents {shlex.quote(str(folder.policy))} {' '.join(AGENTS)}")
    return INTERRUPTED if watch.is_interrupted else 0


def learn(job: Job, watch: Watch) -> MaskablePPO:
    """The model after all that it learned, until the watch ended it."""
    args, budget = job.args, watch.budget
    model = MaskablePPO(
        CardPolicy,
        environment(job),
        learning_rate=lambda _: args.learning_rate * budget.left_at_rollout,
        n_steps=args.rollout_steps,
        batch_size=min(args.batch_size, args.num_envs * args.rollout_steps),
        n_epochs=args.epochs,
        gamma=1.0,  # the points of a round count the same whenever it ends
        gae_lambda=args.gae_lambda,
        ent_coef=args.entropy,
        seed=args.seed,
        device="cpu",  # a graphics card makes nothing faster with networks as small as these
        policy_kwargs={
            "rules": job.rules,
            "observation": args.observation,
            "width": args.width,
            "card_width": args.card_width,
        },
    )
    model.set_logger(configure(str(job.folder.path), ["csv", "tensorboard"]))
    try:
        with watch:
            model.learn(args.steps or sys.maxsize, watch)
    finally:
        model.logger.close()
    return model


def environment(job: Job) -> ThreeThirteenVecEnv:
    """Tables at which the learner sits in a seat drawn anew for every game, and every round is an episode."""
    args = job.args
    return ThreeThirteenVecEnv(
        args.num_envs,
        job.rules,
        opponents=job.opponent,
        observation=args.observation,
        reward=args.reward,
        reward_scale=args.reward_scale,
        episode="round",
    )


def evaluate(job: Job) -> list[dict[str, Any]]:
    """Play what was learned against every baseline, on deals that no training meets; print the result, and give it."""
    policy = str(job.folder.policy)
    num_groups = max(2, -(-job.args.evaluation_games // job.rules.num_players))
    table = Table("against", title=f"{policy} ({num_groups:,} deals)", title_justify="left")
    for heading in ("fewer points a game", "points a game", "win share"):
        table.add_column(heading, justify="right")
    results = []
    for baseline in AGENTS:
        tournament = Tournament((policy, baseline), job.rules, num_groups)
        games = np.concatenate(list(play(tournament, [make_agent(name, job.rules) for name in tournament.names])))
        ahead = lead(games, 0, 1, job.rules)
        own = next(standing for standing in standings(games, 2, job.rules) if standing.agent == 0)
        table.add_row(baseline, _text(ahead, "+.1f"), _text(own.points_a_game, ".1f"), _text(own.win_share, ".1%"))
        estimates = {"fewer_points_a_game": ahead, "points_a_game": own.points_a_game, "win_share": own.win_share}
        numbers = {name: estimate._asdict() for name, estimate in estimates.items()}
        results.append({"against": baseline, "num_deals": num_groups, "num_games": len(games)} | numbers)
    Console(highlight=False).print(table)
    return results


def _text(estimate: Estimate, form: str) -> str:
    """An estimate with its 95 % interval, such as ``+9.4 ± 1.3``."""
    return f"{estimate.mean:{form}} ± {estimate.margin:{form.lstrip('+')}}"


if __name__ == "__main__":
    sys.exit(main())
