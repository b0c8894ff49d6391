"""Many games at once, in one array of records: `Batch` for learners, and the functions of the game over arrays.

    batch = Batch(1024, num_players=2, observation="cards")
    batch.reset(range(1024))
    while not batch.done.all():
        actions = ...  # one legal action (batch.masks) for each of batch.observations
        batch.step(actions)

A game of a batch is the very game that an environment plays of its seed, whatever the size of the batch and the number
of threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.chance import MAX_SEED
from three_thirteen_env.checks import (
    check_state,
    checked_choice,
    checked_integer,
    checked_integers,
    checked_rules,
    checked_seeds,
    refusal,
)
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import GAME_OVER, legal_actions, start, step
from three_thirteen_env.observation import KIND_NUMBERS, Kind, Observation, encode, observation_size
from three_thirteen_env.rewards import Reward, form_number, write_rewards
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY, STATE, State, States

Observe = Literal["seat", "all"]

MAX_GAMES = 10_000_000
MAX_THREADS = 256
NOTHING = -1  # the number of the kind of observation where there is none


class Batch:
    """Games of the same rules that are played side by side.

    Its arrays are written in place by every `reset`, `step` and `load`; whoever keeps one copies it. All but the
    observations are read-only.

        states        (num_games,) STATE
        masks         (num_games, 106) int8: the legal actions; none when a game is over
        observations  (num_games, size) float32, what the seat to act observes, zeros when a game is over; or
                      (num_games, num_players, size) float32, what all seats do; or None
        rewards       (num_games, num_players) float32: what every seat got in the last step
        done          (num_games,) bool: the game is over; with `autoreset`: it ended in the last step
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | None = None,
        *,
        observation: Kind | None = "cards",
        observe: Observe = "seat",
        reward: Reward = "points",
        autoreset: bool = False,
        num_threads: int = 1,
        observations: Observation | None = None,
        **choices: Any,
    ) -> None:
        """Deal the games of the seeds 0, 1, and so on.

        Args:
            num_games: how many games there are.
            rules: the rules, or field by field: ``Batch(1024, num_players=4)``.
            observation: the kind of `observation.LAYOUT`, or None for no observations.
            observe: whether the observations are those of the seat to act, or of all seats.
            reward: the form of `rewards`.
            autoreset: deal a game that has ended anew in the same step, from its next seed: `num_games` higher.
            num_threads: how many threads share the games.
            observations: the array to write observations into, of the shape above; by default a new one.
            choices: fields of `Rules`.

        Raises ValueError for what is out of range, and for an array that does not fit.

        """
        self.num_games = checked_integer("num_games", num_games, 1, MAX_GAMES)
        self.rules = checked_rules(rules, choices)
        self.reward_form = checked_choice("reward", reward, get_args(Reward))
        if observation is not None:
            checked_choice("observation", observation, get_args(Kind))
        self.observation = observation
        self.observe = checked_choice("observe", observe, get_args(Observe))
        self.autoreset = bool(autoreset)
        self.num_threads = checked_integer("num_threads", num_threads, 1, MAX_THREADS)
        self._states = np.zeros(self.num_games, STATE)
        self._masks = np.zeros((self.num_games, NUM_ACTIONS), np.int8)
        self._rewards = np.zeros((self.num_games, self.rules.num_players), np.float32)
        self._done = np.zeros(self.num_games, np.bool_)
        self.states, self.masks, self.rewards, self.done = map(
            _read_only, (self._states, self._masks, self._rewards, self._done)
        )
        self.observations = self._checked_observations(observations)
        self._kind = NOTHING if observation is None else KIND_NUMBERS[observation]
        # Compiled code takes one shape: (num_games, observers, size).
        shape = (num_games, self._num_observers, -1) if observation else (num_games, 0, 0)
        whole = self.observations if self.observations is not None else np.zeros((num_games, 0), np.float32)
        self._observations = whole.reshape(shape)
        ends = np.linspace(0, num_games, min(self.num_threads, num_games) + 1).astype(int).tolist()
        self._parts = [slice(first, end) for first, end in pairwise(ends)]
        self._threads = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self.reset(np.arange(num_games))

    def reset(self, seeds: npt.ArrayLike) -> None:
        """Deal the games of the seeds, ``(num_games,)`` integers from 0 to 2**63 - 1.

        Raises ValueError, and changes nothing, for anything else.
        """
        numbers = checked_seeds(seeds, self.num_games)
        self._rewards[:] = 0
        self._done[:] = False
        self._in_parts(lambda part: start_each(self._states[part], numbers[part], self.rules))
        self._write()

    def step(self, actions: npt.ArrayLike) -> None:
        """Take one action in every game, ``(num_games,)`` integers; in games that are over it is no matter which.

        Raises ValueError, which names the game, and changes nothing, unless each of them is legal.
        """
        numbers = checked_actions(actions, self._states, self._masks)
        self._in_parts(
            lambda part: _step_part(
                self._states[part],
                numbers[part],
                self.rules,
                form_number(self.reward_form),
                self.num_games if self.autoreset else 0,
                self._masks[part],
                self._rewards[part],
                self._done[part],
                self._kind,
                self._observations[part],
            )
        )

    def save(self) -> States:
        """All games as one array, a copy: ``np.save`` keeps it, and `load` goes on from it."""
        return self._states.copy()

    def load(self, states: States) -> None:
        """Go on from states that `save` gave. Rewards are zero until the next step.

        Raises ValueError, and changes nothing, for an array of other games than these rules lead to, as far as can be
        told.
        """
        if not isinstance(states, np.ndarray) or states.dtype != STATE or states.shape != (self.num_games,):
            raise ValueError(f"load takes ({self.num_games},) records of STATE, as save gives")
        states = states.view(STATE)  # np.load gives plain records, whose fields are no attributes
        for index in range(self.num_games):
            try:
                check_state(states[index], self.rules)
            except ValueError as error:
                raise ValueError(f"game {index}: {error}") from None
        if self.autoreset and (states["phase"] == GAME_OVER).any():
            index = int((states["phase"] == GAME_OVER).argmax())
            raise ValueError(f"game {index} is over, and with autoreset a game never is")
        self._states[:] = states
        self._rewards[:] = 0
        self._done[:] = states["phase"] == GAME_OVER
        self._write()

    def close(self) -> None:
        """Stop the threads."""
        if self._threads is not None:
            self._threads.shutdown()

    def _write(self) -> None:
        self._in_parts(
            lambda part: _write_part(
                self._states[part], self.rules, self._masks[part], self._kind, self._observations[part]
            )
        )

    def _in_parts(self, work: Callable[[slice], None]) -> None:
        """Do the work on every part of the games, each in a thread of its own if there are more than one."""
        if self._threads is None:
            work(self._parts[0])
        else:
            list(self._threads.map(work, self._parts))

    @property
    def _num_observers(self) -> int:
        return self.rules.num_players if self.observe == "all" else 1

    def _checked_observations(self, observations: Observation | None) -> Observation | None:
        if self.observation is None:
            if observations is not None:
                raise ValueError("observations are given, but observation is None")
            return None
        size = observation_size(self.rules, self.observation)
        shape = (self.num_games, self._num_observers, size) if self.observe == "all" else (self.num_games, size)
        if observations is None:
            return np.zeros(shape, np.float32)
        fits = isinstance(observations, np.ndarray) and observations.shape == shape
        if not fits or observations.dtype != np.float32 or not observations.flags.carray:
            raise ValueError(f"observations must be a contiguous, writeable float32 array of shape {shape}")
        return observations


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def checked_actions(actions: npt.ArrayLike, states: States, masks: Masks) -> Actions:
    """Actions, one a game; raises ValueError unless they are integers, and legal in all games that go on."""
    numbers = checked_integers("actions", actions, len(states))
    index = first_illegal(states, masks, numbers)
    if index >= 0:
        raise ValueError(f"game {index}: {refusal(int(numbers[index]), states[index], masks[index])}")
    return numbers


@compiled
def first_illegal(states: States, masks: Masks, actions: Actions) -> int:
    """Trusts its caller: the first game whose action ``(n,)`` is not legal there; -1 if there is none."""
    for index in range(len(actions)):
        if states[index].phase == GAME_OVER:
            continue
        if not 0 <= actions[index] < NUM_ACTIONS or masks[index, actions[index]] == 0:
            return index
    return -1


@compiled
def start_each(states: States, seeds: npt.NDArray[np.int64], rules: Rules) -> None:
    """Trusts its caller: change every state ``(n,)`` into the first deal of the game of its seed ``(n,)``."""
    for index in range(len(states)):
        start(states[index], seeds[index], rules)


@compiled
def legal_actions_each(states: States, rules: Rules, masks: Masks) -> None:
    """Trusts its caller: write the legal actions of every state ``(n,)`` into ``(n, 106) int8``."""
    for index in range(len(states)):
        legal_actions(states[index], rules, masks[index])


@compiled
def step_each(states: States, actions: Actions, rules: Rules) -> None:
    """Trusts its caller: change every state ``(n,)`` by its action ``(n,)``, which must be legal."""
    for index in range(len(states)):
        step(states[index], actions[index], rules)


@compiled
def _step_part(
    states: States,
    actions: Actions,
    rules: Rules,
    form: int,
    seeds_on: int,
    masks: Masks,
    rewards: npt.NDArray[np.float32],
    done: npt.NDArray[np.bool_],
    kind: int,
    observations: Observation,
) -> None:
    """Play one step of games, and write all that there is to know of it. A game that ends is dealt anew `seeds_on`
    seeds on, unless that is 0.
    """
    for index in range(len(states)):
        state = states[index]
        rewards[index] = 0
        if state.phase == GAME_OVER:
            continue
        round_number = state.round_number
        step(state, actions[index], rules)
        is_over = state.phase == GAME_OVER
        if is_over or state.round_number != round_number:
            write_rewards(state, round_number, rules, form, rewards[index])
        done[index] = is_over
        if is_over and seeds_on:
            start(state, int(state.seed) + seeds_on & MAX_SEED, rules)
        legal_actions(state, rules, masks[index])
        _observe(state, rules, kind, observations[index])


@compiled
def _write_part(states: States, rules: Rules, masks: Masks, kind: int, observations: npt.NDArray[np.float32]) -> None:
    for index in range(len(states)):
        legal_actions(states[index], rules, masks[index])
        _observe(states[index], rules, kind, observations[index])


@compiled
def _observe(state: State, rules: Rules, kind: int, observations: Observation) -> None:
    """Write what one seat to act, or every seat, observes ``(observers, size)``."""
    if kind == NOTHING:
        return
    if len(observations) > 1:
        for seat in range(len(observations)):
            encode(state, seat, rules, kind, observations[seat])
    elif state.seat == NOBODY:
        observations[0] = 0
    else:
        encode(state, int(state.seat), rules, kind, observations[0])
