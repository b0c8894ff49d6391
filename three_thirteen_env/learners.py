"""The learners of many games, and the compiled functions that step and look in some of many games at a time.

They trust their caller. Games are given as indices ``(k,)`` into arrays of all games ``(n,)``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.chance import learner_seat, next_seed, opponent_share
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import GAME_OVER, legal_actions, start, step
from three_thirteen_env.observation import Observation, encode
from three_thirteen_env.rewards import MARGIN, write_rewards
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY, State, States
from three_thirteen_env.view import hide

# What a step brought the learner of a game.
LEARNER = np.dtype(
    (
        np.record,
        [
            ("seat", np.int8),  # where it sits now
            ("reward", np.float64),
            ("is_round_over", np.bool_),  # a round ended in the step; of this round are:
            ("points", np.int16),  # what it cost the learner
            ("margin", np.float64),  # by how many points it cost the other seats more on average
            ("went_out", np.bool_),  # whether the learner went out
            ("opponent", np.int64),  # the number of the opponent to its left
            ("is_game_over", np.bool_),  # so did the game; it may be the next one already
        ],
    )
)
Learners = npt.NDArray[Any]  # (n,) LEARNER
Games = npt.NDArray[np.int64]  # (k,) indices
Seeds = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int64]  # (n, players - 1): which opponent plays each seat, clockwise from the learner
Bounds = npt.NDArray[np.float64]  # (num_opponents,) rising to 1: where the share of each opponent ends; none: no draw


@compiled
def next_seed_each(states: States) -> Seeds:
    """The seeds ``(n,)`` of the games that follow all games."""
    seeds = np.empty(len(states), np.int64)
    for game in range(len(states)):
        seeds[game] = next_seed(states[game].seed)
    return seeds


@compiled
def forget_each(learners: Learners) -> None:
    """Nothing has happened yet to any learner."""
    for learner in learners:
        learner.reward = 0
        learner.is_round_over = learner.is_game_over = learner.went_out = False
        learner.points = learner.margin = learner.opponent = 0


@compiled
def begin_each(
    states: States,
    learners: Learners,
    games: Games,
    seeds: Seeds,
    given_seat: int,
    opponent_of: Numbers,
    bounds: Bounds,
    rules: Rules,
) -> None:
    """Deal the games of the seeds ``(k,)``, and draw their opponents."""
    for index in range(len(games)):
        game = games[index]
        _begin(states[game], learners[game], seeds[index], given_seat, opponent_of[game], bounds, rules)


@compiled
def _begin(
    state: State,
    learner: Any,
    seed: int,
    given_seat: int,
    opponents: npt.NDArray[np.int64],
    bounds: Bounds,
    rules: Rules,
) -> None:
    start(state, seed, rules)
    learner.seat = learner_seat(seed, rules.num_players) if given_seat == NOBODY else given_seat
    if len(bounds) > 0:
        opponents[:] = np.searchsorted(bounds[:-1], opponent_share(seed), side="right")


@compiled
def play_each(
    states: States,
    learners: Learners,
    games: Games,
    actions: Actions,
    rules: Rules,
    form: int,
    kind: int,
    deals_next: bool,
    given_seat: int,
    opponent_of: Numbers,
    bounds: Bounds,
    last_observations: Observation,
) -> None:
    """Take the actions ``(k,)``, and write what that brought the learners."""
    rewards = np.empty(rules.num_players)
    for index in range(len(games)):
        game = games[index]
        state, learner = states[game], learners[game]
        round_number = state.round_number
        step(state, actions[index], rules)
        is_game_over = state.phase == GAME_OVER
        if is_game_over or state.round_number != round_number:
            write_rewards(state, round_number, rules, form, rewards)
            learner.reward = rewards[learner.seat]
            learner.is_round_over = True
            learner.points = state.round_points[round_number - 1, learner.seat]
            write_rewards(state, round_number, rules, MARGIN, rewards)
            learner.margin = rewards[learner.seat]
            learner.opponent = opponent_of[game, 0]
            learner.went_out = state.went_out[round_number - 1] == learner.seat
        if is_game_over:
            learner.is_game_over = True
            encode(state, int(learner.seat), rules, kind, last_observations[game])
            if deals_next:
                _begin(state, learner, next_seed(state.seed), given_seat, opponent_of[game], bounds, rules)


@compiled
def waiting_games(states: States, learners: Learners, games: Games) -> Games:
    """Those of the games in which an opponent is to act."""
    waiting = np.empty(len(games), np.int64)
    count = 0
    for game in games:
        if states[game].phase != GAME_OVER and states[game].seat != learners[game].seat:
            waiting[count] = game
            count += 1
    return waiting[:count]


@compiled
def ask_each(
    states: States,
    learners: Learners,
    waiting: Games,
    opponent_of: Numbers,
    number: int,
    rules: Rules,
    asked: Games,
    views: States,
    masks: Masks,
) -> int:
    """Write those of the waiting games in which the opponent of a number is to act, and `show_each` of them.

    Gives how many they are.
    """
    count = 0
    for game in waiting:
        state, learner = states[game], learners[game]
        if state.phase == GAME_OVER or state.seat == learner.seat:
            continue
        if opponent_of[game, (int(state.seat) - int(learner.seat)) % rules.num_players - 1] == number:
            asked[count] = game
            count += 1
    show_each(states, asked[:count], rules, views, masks)
    return count


@compiled
def show_each(states: States, games: Games, rules: Rules, views: States, masks: Masks) -> None:
    """Write what the seat to act may know and do in each of the games, at least ``(k,)`` and ``(k, 106) int8``."""
    for index in range(len(games)):
        state = states[games[index]]
        legal_actions(state, rules, masks[index])
        views[index] = state
        hide(views[index], int(state.seat))


@compiled
def act_each(states: States, games: Games, actions: Actions, rules: Rules) -> None:
    """Take the actions ``(k,)``, which must be legal, in the games."""
    for index in range(len(games)):
        step(states[games[index]], actions[index], rules)


@compiled
def look_each(
    states: States, learners: Learners, rules: Rules, kind: int, masks: Masks, observations: Observation
) -> int:
    """Write what every learner may do and what it observes.

    Gives a game that goes on and in which no action is legal: -1, for there is none.
    """
    for game in range(len(states)):
        state = states[game]
        legal_actions(state, rules, masks[game])
        if state.phase != GAME_OVER and not masks[game].any():
            return game
        encode(state, int(learners[game].seat), rules, kind, observations[game])
    return -1


@compiled
def first_refused(masks: Masks, actions: Actions) -> int:
    """The first action ``(k,)`` that its mask ``(k, 106)`` does not allow; -1 if there is none."""
    for index in range(len(actions)):
        if not 0 <= actions[index] < NUM_ACTIONS or masks[index, actions[index]] == 0:
            return index
    return -1
