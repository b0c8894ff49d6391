"""Train an agent of Three Thirteen: one seat learns by playing against others and against itself.

    python train.py --preset quick                          ten minutes on two cores
    python train.py --name first --minutes 60               longer, into runs/first
    python train.py --resume runs/first                     go on with it exactly where its last checkpoint was
    python train.py --init-from runs/first --episode game --reward win          learn to win whole games from there

sb3-contrib's MaskablePPO learns. A round is an episode, so that the rounds of the game are mixed as they come. What is
learned, and all that is known of how, goes into a run folder (`agents/run_folder.py` says what lies there). Its policy
plays wherever an agent is named: python evaluate.py --agents runs/first/policy.onnx greedy. Ctrl-C stops early and
keeps what was learned.
"""

import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
import tyro
from rich.console import Console
from sb3_contrib import MaskablePPO

from agents.checkpoint import Checkpoint, begin, checkpoint_of, read_newest, restore, write_checkpoint
from agents.house_rules import HouseRules
from agents.imitation import Examples, imitate
from agents.ladder import CHOOSING, JUDGING, Rung, climb, table_of
from agents.network import CardPolicy, policy_of
from agents.options import InputError, check_numbers, check_same
from agents.policy_file import PolicyCard, read_card, write_card
from agents.registry import AgentError, make_agent, make_fair_agent
from agents.run_folder import RunFolder
from agents.self_play import OpponentPool, SelfAgent
from agents.study import Lessons, gather
from agents.study import learn as learn_from_study
from agents.training_log import log_update, new_logger
from agents.training_watch import Budget, Watch
from agents.vec_env import Episode, ThreeThirteenVecEnv
from three_thirteen_env.agent import Agent
from three_thirteen_env.observation import Kind
from three_thirteen_env.rewards import Reward
from three_thirteen_env.rules import Rules

RUNS = Path("runs")
FAILED, INTERRUPTED = 2, 130  # exit statuses
MAX_NUMPY_SEED = 2**32 - 1  # stable-baselines3 seeds numpy too
BEFORE_ANY = -1  # steps
REWARD_SCALES: dict[Reward, float] = {"margin": 0.05, "points": 0.05, "win": 2.0}  # to numbers of order one


@dataclass(frozen=True)
class Args:
    """What is trained, against whom, for how long, and how."""

    preset: Literal["quick", "best"] | None = None  # other defaults: what takes ten minutes, or what is best
    resume: Path | None = None  # a run folder to go on with, exactly as if it had never stopped
    name: str | None = None  # the run folder is runs/NAME; by default the time and the opponents
    minutes: float = 10.0  # how long it learns, with what comes before it plays
    # instead of that, learn from so many decisions, rounded up to whole rollouts; such a run can be repeated exactly.
    # 0: only from what comes before it plays
    steps: int | None = None
    seed: int = 0  # fixes the deals, the first weights and the exploration
    threads: int = 1  # of torch
    device: str = "cpu"  # of torch; a graphics card makes little faster with networks as small as these

    # the pool of opponents: registered names, module:Class of one's own, or the paths of policy files
    opponents: tuple[str, ...] = ("greedy", "selective")
    self_share: float = 0.3  # of the games are against the newest self
    past_selves: int = 3  # so many past selves are in the pool as well
    past_self_steps: int = 500_000  # decisions between one past self and the next
    episode: Episode = "round"  # what is learned from as a whole: a round or a game
    reward: Reward = "margin"  # the others' mean points minus one's own, minus one's own points, or the share of a win
    reward_scale: float | None = None  # times the reward is what the network deals with; by default about one

    init_from: Path | None = None  # a run folder, from whose best policy the weights are at first
    imitate: str | None = None  # an agent: before it plays, the policy learns to do what this one does
    imitate_steps: int = 2_000_000  # decisions of that agent
    imitate_learning_rate: float = 2e-3  # at the start; it falls to 0 in a straight line

    study: int = 0  # so many positions, whose choices are played out in many worlds, it learns from before it plays
    study_epochs: int = 2  # how often it goes through these: with 5, it has learned much of the luck in 1.4 million
    study_learning_rate: float = 2e-3  # at the start; it falls almost to 0 in a straight line

    observation: Kind = "melds"  # what the network sees: "melds" has the analysis of the solver, "cards" has not
    width: int = 128  # of the hidden layers that see the whole view
    card_width: int = 32  # of the hidden layers that see one card
    num_envs: int = 256  # games that are played side by side
    rollout_steps: int = 64  # decisions in each of them between two updates
    batch_size: int = 512  # decisions in one gradient step
    epochs: int = 2  # how often an update goes through its rollout
    learning_rate: float = 1e-3  # at the start of the minutes or steps; it falls to 0 in a straight line
    gae_lambda: float = 0.95  # how far an advantage looks ahead before it trusts the value network; 1: to the end
    clip: float = 0.2  # how far an update may move the probability of an action, as a share of it
    entropy: float = 0.003  # the weight of playing at random beside that of winning

    # whom the policy is compared with in the end, and with the last of them also as the training goes on
    evaluate_against: tuple[str, ...] = ("random", "greedy", "selective")
    evaluation_games: int = 400  # against each of them, rounded up to whole rotations; 0: none
    evaluation_steps: int = 500_000  # decisions between two evaluations as the training goes on
    # between two checkpoints: when the process is killed as it plays, as much is lost at most
    checkpoint_minutes: float = 5.0

    rules: HouseRules = field(default_factory=HouseRules)

    @property
    def scale(self) -> float:
        """Times what the rewards are what the network deals with."""
        return REWARD_SCALES[self.reward] if self.reward_scale is None else self.reward_scale

    @property
    def foreseen(self) -> str:
        """What the critic of such a training foresees."""
        return f"{self.reward} of a {self.episode} times {self.scale}"


WARM: dict[str, Any] = {"observation": "outlook", "width": 256, "card_width": 128, "learning_rate": 2e-4}
WARM |= {"opponents": ("lookahead", "careful"), "self_share": 0.4}
WARM |= {"entropy": 0.001, "num_envs": 512, "batch_size": 4096, "threads": 2}
WARM |= {"evaluate_against": ("greedy", "selective", "careful")}
PRESETS: dict[str, dict[str, Any]] = {
    "quick": WARM | {"minutes": 10.0, "study": 1_000_000, "evaluation_games": 1000},
    "best": WARM | {"steps": 0, "study": 9_000_000, "evaluation_games": 4000},
}
AT_LEAST = {"steps": 0, "seed": 0, "threads": 1, "past_selves": 0, "past_self_steps": 1, "imitate_steps": 1}
AT_LEAST |= {"study": 0, "study_epochs": 1, "width": 1, "card_width": 1, "num_envs": 1, "rollout_steps": 2}
AT_LEAST |= {"batch_size": 2, "epochs": 1, "entropy": 0, "evaluation_games": 0, "evaluation_steps": 1}
AT_LEAST |= {"checkpoint_minutes": 0}
ABOVE_0 = frozenset({"minutes", "learning_rate", "reward_scale", "clip"})
ABOVE_0 |= {"imitate_learning_rate", "study_learning_rate"}
SHARES = frozenset({"self_share", "gae_lambda"})
MAY_CHANGE = frozenset({"resume", "minutes", "steps", "threads", "checkpoint_minutes"})  # when a run resumes


class Job(NamedTuple):
    """Arguments that are checked, and what was made of them."""

    args: Args
    rules: Rules
    opponents: dict[str, Agent]
    folder: RunFolder
    card: PolicyCard  # of the policy that comes of it
    command: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Train as the arguments say; the exit status."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return train(checked(parsed(arguments), shlex.join(["python", "train.py", *arguments])))
    except (InputError, AgentError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("train.py: stopped at once; the run can be resumed from its last checkpoint", file=sys.stderr)
        return INTERRUPTED


def parsed(arguments: Sequence[str]) -> Args:
    """The arguments; what they do not say is as the run to resume has it, or the preset, or the default."""

    def parse(default: Args) -> Args:
        config = (tyro.conf.OmitArgPrefixes,)
        return tyro.cli(Args, prog="train.py", description=__doc__, args=arguments, default=default, config=config)

    args = parse(Args())
    if args.resume is None:
        return parse(replace(Args(), **PRESETS[args.preset])) if args.preset else args
    begun = replace(RunFolder(args.resume).read_options(Args), resume=args.resume)
    args = parse(begun)
    check_same(vars(args), vars(begun), MAY_CHANGE)
    return args


def checked(args: Args, command: str) -> Job:
    """What is to be done. Raises InputError at an option that makes no sense, and AgentError."""
    check_numbers(vars(args), AT_LEAST, ABOVE_0, SHARES)
    _check_together(args)
    folder = RunFolder(args.resume or RUNS / _name_of(args))
    try:
        rules = args.rules.checked()
        opponents = {name: make_fair_agent(name, rules) for name in args.opponents}
        if args.imitate is not None:
            make_fair_agent(args.imitate, rules)
        for name in args.evaluate_against:
            make_agent(name, rules)
        if args.init_from is not None and args.resume is None:
            RunFolder(args.init_from).read_weights()
        if args.resume is None:
            folder.make()
    except ValueError as error:
        raise InputError(str(error)) from error
    except FileExistsError as error:
        raise InputError(f"{error}: choose another --name, or --resume it") from error
    except OSError as error:
        raise InputError(f"{folder.path} cannot be made: {error.strerror}") from error
    network = f"2 x {args.width} for the whole view, {args.card_width} shared by all cards"
    card = PolicyCard(rules, args.observation, network, steps=0, seed=args.seed, opponent=_learned_from(args))
    return Job(args, rules, opponents, folder, card, command)


def _check_together(args: Args) -> None:
    """Raise InputError at options that do not go together, and at a seed or a device that cannot be used."""
    if args.evaluation_games > 0 and not args.evaluate_against:
        raise InputError("--evaluate-against must name an agent, unless --evaluation-games is 0")
    if args.seed > MAX_NUMPY_SEED:
        raise InputError(f"--seed must be at most {MAX_NUMPY_SEED}, not {args.seed}")
    if args.study > 0 and args.observation != "outlook":
        raise InputError(
            f"--study takes --observation outlook, not {args.observation!r}: with that the network knows what is not "
            "studied, such as when to go out"
        )
    if args.study > 0 and (args.reward, args.episode) != ("margin", "round"):
        raise InputError(
            "--study teaches the critic the margin of a round, so it takes --reward margin and --episode round; "
            "another training can go on from there with --init-from"
        )
    try:
        torch.empty(0, device=args.device)
    except (RuntimeError, AssertionError) as error:  # torch raises the one or the other
        raise InputError(f"--device {args.device!r} cannot be used: {str(error).splitlines()[0]}") from error


def _name_of(args: Args) -> str:
    """The name of the run folder. Raises InputError where --name cannot be one."""
    words = re.sub(r"\W+", "-", "-".join(args.opponents)).strip("-")
    name = args.name or f"{datetime.now():%Y-%m-%d-%H%M%S}-{words}"
    if args.name == "" or name == ".." or Path(name).name != name:
        raise InputError(f"--name must be the name of a folder in {RUNS}, not {args.name!r}")
    return name


def _learned_from(args: Args) -> str:
    """From whom or what a policy learns, for its card."""
    before_play = [str(args.init_from)] if args.init_from else []
    before_play += [f"imitating {args.imitate}"] if args.imitate else []
    before_play += [f"{args.study:,} studied positions"] if args.study > 0 else []
    return ", ".join([*before_play, *([] if args.steps == 0 else (*args.opponents, "itself"))])


def train(job: Job) -> int:
    """Learn, save, evaluate, and print what came of it; the exit status."""
    args, folder = job.args, job.folder
    torch.set_num_threads(args.threads)
    watch = Watch(Budget(args.steps, 60 * args.minutes), 60 * args.checkpoint_minutes)
    model = new_model(job, watch.budget)
    checkpoint = read_newest(folder.path)
    if args.init_from is not None and checkpoint is None:
        RunFolder(args.init_from).load_weights(policy_of(model), args.foreseen)
    if args.resume is None:
        folder.write_config(job.command, asdict(args) | {"rules": job.rules._asdict()})
    print(f"training into {folder.path}", file=sys.stderr)
    learn(job, model, checkpoint, watch)
    print(f"learned from {model.num_timesteps:,} steps in {watch.budget.elapsed() / 60:.1f} minutes")
    if args.evaluation_games > 0:
        learned = make_agent(str(folder.policy), job.rules)
        rungs = climb(learned, args.evaluate_against, job.rules, args.evaluation_games, JUDGING)
        Console(highlight=False).print(table_of(rungs, f"{folder.policy} ({rungs[0].num_deals:,} deals)"))
        write_card(folder.policy, read_card(folder.policy)._replace(evaluation=[rung.as_json() for rung in rungs]))
    names = " ".join(map(shlex.quote, (str(folder.policy), *args.evaluate_against)))
    print(f"compare it with others: python evaluate.py --agents {names}")
    return INTERRUPTED if watch.is_interrupted else 0


def new_model(job: Job, budget: Budget) -> MaskablePPO:
    """A model that has learned nothing, at tables where it sits in a seat drawn anew for every game."""
    args = job.args
    env = ThreeThirteenVecEnv(
        args.num_envs,
        job.rules,
        observation=args.observation,
        reward=args.reward,
        reward_scale=args.scale,
        episode=args.episode,
    )
    network = {"observation": args.observation, "width": args.width, "card_width": args.card_width}
    return MaskablePPO(
        CardPolicy,
        env,
        learning_rate=lambda _: args.learning_rate * budget.left_at_update,
        n_steps=args.rollout_steps,
        batch_size=min(args.batch_size, args.num_envs * args.rollout_steps),
        n_epochs=args.epochs,
        gamma=1.0,  # the points of a round count the same whenever it ends
        gae_lambda=args.gae_lambda,
        clip_range=args.clip,
        ent_coef=args.entropy,
        seed=args.seed,
        device=args.device,
        policy_kwargs={"rules": job.rules, **network},
    )


def learn(job: Job, model: MaskablePPO, checkpoint: Checkpoint | None, watch: Watch) -> None:
    """Let a model learn until the watch ends it, from a checkpoint on if there is one; all goes into the run folder."""
    args, folder, env = job.args, job.folder, model.get_env()
    assert isinstance(env, ThreeThirteenVecEnv)
    rung: Rung | None = None
    newest_self = SelfAgent(policy_of(model), job.rules, args.observation)
    pool = OpponentPool(job.opponents, newest_self, args.self_share, args.past_selves)
    if checkpoint is not None:
        watch.budget.start(restore(checkpoint, model, pool))
    else:
        folder.forget_after(BEFORE_ANY)  # what a run that ended before its first checkpoint has left
        if args.imitate is not None:
            agent = make_agent(args.imitate, job.rules)
            examples = Examples(agent, job.rules, args.observation, args.reward, args.scale, args.episode)
            imitate(policy_of(model), examples, args.imitate_steps, args.seed, args.imitate_learning_rate)
        if args.study > 0:
            studied = gather(folder.studied, args.study, job.rules, args.observation, args.seed, args.threads)
            lessons = Lessons(args.study_epochs, args.study_learning_rate, args.scale, args.seed)
            learn_from_study(policy_of(model), studied, lessons)
        env.draw_opponents(pool.agents, pool.weights)
        begin(model)
        if args.imitate is not None or args.study > 0 or args.init_from is not None:
            rung = evaluate(job, model)
        write_checkpoint(folder.path, checkpoint_of(model, pool, watch.budget.elapsed()))
    folder.forget_after(model.num_timesteps)
    model.set_logger(new_logger(folder))
    rollout = args.num_envs * args.rollout_steps
    with watch.start_from(model.num_timesteps), closing(model.logger):
        while not watch.is_over(model.num_timesteps):
            model.learn(rollout, reset_num_timesteps=False, log_interval=sys.maxsize)  # log_update does
            pool.learn_of(*env.take_results())
            if model.num_timesteps % args.past_self_steps < rollout:
                pool.add_past_self()
            env.draw_opponents(pool.agents, pool.weights)
            if model.num_timesteps % args.evaluation_steps < rollout:
                rung = evaluate(job, model)
            log_update(model, pool, watch, rung)
            if watch.is_checkpoint_due():
                write_checkpoint(folder.path, checkpoint_of(model, pool, watch.budget.elapsed()))
                folder.export(policy_of(model), job.card)
        if not folder.is_evaluated(model.num_timesteps):
            evaluate(job, model)
        write_checkpoint(folder.path, checkpoint_of(model, pool, watch.budget.elapsed()))
        folder.export(policy_of(model), job.card)


def evaluate(job: Job, model: MaskablePPO) -> Rung | None:
    """Compare the policy with the last of those to be compared with; it is kept unless one before did better."""
    args, folder = job.args, job.folder
    rung = None
    if args.evaluation_games > 0:
        player = SelfAgent(policy_of(model), job.rules, args.observation, samples=False)
        (rung,) = climb(player, args.evaluate_against[-1:], job.rules, args.evaluation_games, CHOOSING)
    if rung is None or folder.is_best(rung):
        folder.write_weights(policy_of(model), model.num_timesteps, args.foreseen)
    if rung is not None:
        folder.write_evaluation(model.num_timesteps, rung)
    return rung


if __name__ == "__main__":
    sys.exit(main())
