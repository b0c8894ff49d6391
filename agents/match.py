"""Many games at once between agents: who sits where is given, and so is the seed of every game.

An agent is asked about all the games in which it is to act, in one call. What it answers is checked. It is shown views,
and only one that says so of itself, as `agents.clairvoyant` does, is shown the whole states.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.registry import AgentError, in_one_line
from three_thirteen_env.actions import NUM_ACTIONS, action_name
from three_thirteen_env.agent import Actions, Agent, Masks
from three_thirteen_env.batch import start_each
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import GAME_OVER
from three_thirteen_env.learners import act_each, first_refused, show_each
from three_thirteen_env.rules import MAX_PLAYERS, NUM_ROUNDS, Rules
from three_thirteen_env.state import NOBODY, STATE, State, States

# What is kept of a game. Its seats are padded to 8, and its rounds to 11.
GAME = np.dtype(
    [
        ("group", np.int32),  # the games of a group have the same deals
        ("seed", np.int64),
        ("agents", np.int16, (MAX_PLAYERS,)),  # which agent sat in each seat, or NOBODY
        ("points", np.int16, (NUM_ROUNDS, MAX_PLAYERS)),  # of each round and seat
        ("went_out", np.int8, (NUM_ROUNDS,)),  # the seat that went out in each round, or NOBODY
        ("num_turns", np.int16, (NUM_ROUNDS,)),  # of all seats together in each round
    ]
)
Games = npt.NDArray[np.void]  # (num_games,) GAME
Seating = npt.NDArray[np.int64]  # (num_games, num_players), which agent sits in each seat
Indices = npt.NDArray[np.int64]


class Player(NamedTuple):
    """An agent with its name and the source of its chance."""

    name: str
    agent: Agent
    rng: np.random.Generator


class Shown(NamedTuple):
    """Room for what players are shown: a copy of it, so that whatever they write there changes no game."""

    views: States  # (num_games,) STATE
    masks: Masks  # (num_games, 106)


def play_games(players: Sequence[Player], seating: Seating, seeds: npt.NDArray[np.int64], rules: Rules) -> Games:
    """Play the games of the seeds ``(n,)`` to their ends, with the players seated as ``(n, num_players)`` says.

    Raises AgentError when an agent fails or chooses what is not legal.
    """
    states = np.zeros(len(seeds), STATE)
    start_each(states, seeds, rules)
    shown = Shown(np.empty_like(states), np.empty((len(states), NUM_ACTIONS), np.int8))
    playing = np.arange(len(states))
    while True:
        playing, to_act = _who_acts(states, playing, seating)
        if len(playing) == 0:
            return _results(states, seating)
        for index, player in enumerate(players):
            games = playing[to_act == index]
            if len(games) > 0:
                _act(player, states, games, shown, rules)


@compiled
def _who_acts(states: States, games: Indices, seating: Seating) -> tuple[Indices, Indices]:
    """Those of the games that go on, and which agent is to act in each of them."""
    playing, to_act = np.empty(len(games), np.int64), np.empty(len(games), np.int64)
    count = 0
    for game in games:
        if states[game].phase != GAME_OVER:
            playing[count] = game
            to_act[count] = seating[game, states[game].seat]
            count += 1
    return playing[:count], to_act[:count]


def _act(player: Player, states: States, games: Indices, shown: Shown, rules: Rules) -> None:
    """Let a player act, once, in each of the games."""
    views, masks = shown.views[: len(games)], shown.masks[: len(games)]
    show_each(states, games, rules, views, masks)
    if getattr(player.agent, "sees_everything", False):  # a yardstick, no fair player
        views = states[games]
    try:
        answer = player.agent.act(views, masks.copy(), player.rng)
    except Exception as error:  # whatever the code of another does
        index = _first_failure(player, views, masks)
        where = _situation(states[games[index]], masks[index])
        raise AgentError(f"agent {player.name!r} failed: {in_one_line(error)}; asked about {where}") from error
    act_each(states, games, _checked(player, answer, states, games, masks), rules)


def _first_failure(player: Player, views: States, masks: Masks) -> int:
    """Which view an agent fails at, asked one by one; the first if it fails only at all of them together."""
    for index in range(len(views)):
        try:
            player.agent.act(views[index : index + 1], masks[index : index + 1], player.rng)
        except Exception:
            return index
    return 0


def _checked(player: Player, answer: object, states: States, games: Indices, masks: Masks) -> Actions:
    """The actions that an agent answered. Raises AgentError unless there is one for each game, and each is legal."""
    try:
        answers = np.asarray(answer)
    except ValueError:  # rows of different lengths
        answers = np.empty(0)
    if answers.shape != games.shape or answers.dtype.kind not in "iu":
        raise AgentError(
            f"agent {player.name!r} must give {len(games)} integers, one for each view, and gave an array of shape "
            f"{answers.shape} and type {answers.dtype}; asked about {_situation(states[games[0]], masks[0])}"
        )
    actions = np.array(answers, np.int64)
    index = first_refused(masks, actions)
    if index >= 0:
        action = int(answers[index])
        words = f"{action} ({action_name(action)})" if 0 <= action < NUM_ACTIONS else f"{action}"
        where = _situation(states[games[index]], masks[index])
        raise AgentError(f"agent {player.name!r} chose the illegal action {words}; asked about {where}")
    return actions


def _situation(state: State, mask: npt.NDArray[np.int8]) -> str:
    """Where a game stands and what may be done there, in words."""
    legal = ", ".join(action_name(int(action)) for action in np.flatnonzero(mask))
    return (
        f"seat {state.seat} in the game of seed {state.seed}, round {state.round_number}, turn {state.num_turns + 1}, "
        f"where legal is: {legal}"
    )


def _results(states: States, seating: Seating) -> Games:
    games = np.zeros(len(states), GAME)
    games["seed"] = states["seed"]
    games["agents"] = NOBODY
    games["agents"][:, : seating.shape[1]] = seating
    games["points"] = states["round_points"]
    games["went_out"] = states["went_out"]
    games["num_turns"] = states["round_turns"]
    return games
