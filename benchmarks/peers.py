"""The peers: card games of other libraries, played at random by an interpreter that need not be the one of the rest.

PettingZoo dropped gin_rummy in 1.27, which is the oldest that Three Thirteen works with, so no one environment has all.
`python -m benchmarks --peers-python PATH` takes an interpreter in which peers are installed, whatever else is there:

    python3 -m venv peers
    peers/bin/pip install open_spiel rlcard "pettingzoo<1.27" pygame envpool pgx jax
    python -m benchmarks --peers-python peers/bin/python

By default it is the interpreter that runs everything. Each library has a process of its own, which knows nothing of
Three Thirteen and is asked for one short run at a time, so that the runs of all rows are interleaved.

    python -m benchmarks.peers LIBRARY    answers lines of [name, seconds] with {"figure": ...} or {"missing": ...}
"""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from random import Random
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import Run, throughput
from benchmarks.random_play import pick, pick_each, play_aec_game

NUM_GAMES = 1024  # of EnvPool and Pgx, side by side
STEPS_A_CALL = 16  # of Pgx's compiled loop
NUM_ROLLOUTS = 20  # of OpenSpiel's evaluator, from one deal
NUM_COUNTED = 300  # games of OpenSpiel whose steps are counted, for a rollout does not say how many it took
SEED = 0


class Peer(NamedTuple):
    """One game of a library, and the row of Three Thirteen that it stands beside."""

    name: str
    prepare: Callable[[], Run]
    beside: str


class Library(NamedTuple):
    """A library, by the name that pip knows, and its games."""

    package: str
    peers: tuple[Peer, ...]


def _open_spiel_loop() -> Run:
    game, rng = _gin_rummy(), Random(SEED)
    return throughput(lambda: _play_on(game.new_initial_state(), rng))


def _open_spiel_rollouts() -> Run:
    """Rollouts in C++: a search of one simulation evaluates the state that it is given, by random games from there."""
    game, rng = _gin_rummy(), Random(SEED)
    pyspiel: Any = import_module("pyspiel")
    mean_steps = np.mean([_play_on(_dealt(game, rng), rng) for _ in range(NUM_COUNTED)])
    evaluator = pyspiel.RandomRolloutEvaluator(NUM_ROLLOUTS, SEED)
    search = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 10, False, SEED, False)  # 1 simulation, 10 MB

    def work() -> int:
        search.mcts_search(_dealt(game, rng))
        return round(NUM_ROLLOUTS * mean_steps)

    return throughput(work)


def _gin_rummy() -> Any:
    return import_module("pyspiel").load_game("gin_rummy")


def _dealt(game: Any, rng: Random) -> Any:
    """A state in which the cards are dealt, each by an action of chance."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(pick(state.legal_actions(), rng))
    return state


def _play_on(state: Any, rng: Random) -> int:
    """Play to the end of the game; gives the number of steps. What chance may do is all equally likely here."""
    num_steps = 0
    while not state.is_terminal():
        num_steps += not state.is_chance_node()
        state.apply_action(pick(state.legal_actions(), rng))
    return num_steps


def _petting_zoo(game: str, form: str) -> Run:
    environment = getattr(import_module(f"pettingzoo.classic.{game}"), form)()
    rng = Random(SEED)
    return throughput(lambda: play_aec_game(environment, rng))


def _rlcard() -> Run:
    environment = import_module("rlcard").make("gin-rummy")
    rng = Random(SEED)

    def work() -> int:
        state, _ = environment.reset()
        num_steps = 0
        while not environment.is_over():
            state, _ = environment.step(pick(list(state["legal_actions"]), rng))
            num_steps += 1
        return num_steps

    return throughput(work)


def _envpool(task: str) -> Run:
    games = import_module("envpool").make(task, env_type="gymnasium", num_envs=NUM_GAMES, num_threads=1, seed=SEED)
    rng = np.random.default_rng(SEED)
    _, info = games.reset()

    def work() -> int:
        nonlocal info
        masks = info["legal_action_mask"]
        masks[~masks.any(axis=1)] = True  # a game that is over is dealt anew by the next action, whatever it is
        *_, info = games.step(pick_each(masks, rng))
        return NUM_GAMES

    return throughput(work)


def _pgx(name: str) -> Run:
    """A compiled loop on one core: nothing else keeps JAX from using all of them."""
    os.environ["JAX_PLATFORMS"] = "cpu"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    jax: Any = import_module("jax")
    environment = import_module("pgx").make(name)
    auto_reset = import_module("pgx.experimental").auto_reset
    step = jax.vmap(auto_reset(environment.step, environment.init))

    def advance_once(_: int, carried: Any) -> Any:
        states, key = carried
        key, choice, chance = jax.random.split(key, 3)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(choice, logits, axis=1)
        return step(states, actions, jax.random.split(chance, NUM_GAMES)), key

    advance = jax.jit(lambda carried: jax.lax.fori_loop(0, STEPS_A_CALL, advance_once, carried))
    deal_key, key = jax.random.split(jax.random.PRNGKey(SEED))
    carried = jax.vmap(environment.init)(jax.random.split(deal_key, NUM_GAMES)), key

    def work() -> int:
        nonlocal carried
        carried = jax.block_until_ready(advance(carried))
        return STEPS_A_CALL * NUM_GAMES

    return throughput(work)


_SINGLE = "environments: raw_env(), random play"
_WRAPPED = "environments: env(), random play"
_COMPILED = "batch: compiled loop, 1,024 games"
_WITH_CARDS = 'batch: compiled loop, 1,024 games, "cards"'
_FROM_PYTHON = 'batch: Batch.step from Python, 1,024 games, "cards"'

LIBRARIES = {
    "OpenSpiel": Library(
        "open_spiel",
        (
            Peer("gin_rummy, Python loop", _open_spiel_loop, _SINGLE),
            Peer("gin_rummy, C++ rollouts", _open_spiel_rollouts, _COMPILED),
        ),
    ),
    "PettingZoo": Library(
        "pettingzoo",
        (
            Peer("gin_rummy env()", lambda: _petting_zoo("gin_rummy_v4", "env"), _WRAPPED),
            Peer("gin_rummy raw_env()", lambda: _petting_zoo("gin_rummy_v4", "raw_env"), _SINGLE),
            Peer("tictactoe env()", lambda: _petting_zoo("tictactoe_v3", "env"), _WRAPPED),
        ),
    ),
    "RLCard": Library("rlcard", (Peer("gin-rummy", _rlcard, _SINGLE),)),
    "EnvPool": Library(
        "envpool",
        (
            Peer("LeducHoldem, 1,024 games", lambda: _envpool("LeducHoldem-v1"), _FROM_PYTHON),
            Peer("SparrowMahjong, 1,024 games", lambda: _envpool("SparrowMahjong-v1"), _FROM_PYTHON),
        ),
    ),
    "Pgx": Library(
        "pgx",
        (
            Peer("leduc_holdem, 1,024 games", lambda: _pgx("leduc_holdem"), _WITH_CARDS),
            Peer("sparrow_mahjong, 1,024 games", lambda: _pgx("sparrow_mahjong"), _WITH_CARDS),
        ),
    ),
}


def main(library_name: str) -> None:
    """Answer the requests that come on standard input, one JSON a line, until it ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    library = LIBRARIES[library_name]
    runs: dict[str, Run] = {}
    for line in sys.stdin:
        name, seconds = json.loads(line)
        print(json.dumps(_answer(library, name, seconds, runs)), file=answers, flush=True)


def _answer(library: Library, name: str, seconds: float, runs: dict[str, Run]) -> dict[str, Any]:
    try:
        if name not in runs:
            (peer,) = (peer for peer in library.peers if peer.name == name)
            runs[name] = peer.prepare()
        return {"version": version(library.package), "figure": runs[name](seconds)}
    except PackageNotFoundError:
        return {"missing": f"{library.package} is not installed"}
    except Exception as error:  # whatever the code of another does
        return {"missing": " ".join(f"{type(error).__name__}: {error}".split())}


if __name__ == "__main__":
    main(sys.argv[1])
