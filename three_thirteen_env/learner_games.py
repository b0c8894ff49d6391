"""Many games side by side, in each of which one seat learns and agents play the others: what the vector forms stand on.

A step takes an action of the learner in every game, and goes on until the learner is to act again or the game is over.
No Python code runs for one game: compiled functions step, look and hide many at a time, and an opponent is asked once
about all games in which it is to act.

The game of a seed, and where the learner sits in it, are those of `gym_env.ThreeThirteenEnv`; so is which game follows.
At most one round ends in a step, for the learner takes part in every round.
"""

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Actions, Agent, Masks, one_for_each_other_seat
from three_thirteen_env.batch import MAX_GAMES, checked_actions
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.checks import checked_choice, checked_integer, checked_rules, checked_seeds, refusal
from three_thirteen_env.game import GAME_OVER
from three_thirteen_env.learners import (
    LEARNER,
    Games,
    Seeds,
    ask_each,
    begin_each,
    first_refused,
    forget_each,
    look_each,
    next_seed_each,
    play_each,
    waiting_games,
)
from three_thirteen_env.observation import KIND_NUMBERS, Kind, observation_size
from three_thirteen_env.rewards import Reward, form_number
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY, STATE

Saved = tuple[dict[str, npt.NDArray[Any]], Any]  # the arrays of `SAVED`, and the state of the opponents' generator
SAVED = ("states", "learners", "last_observations", "_opponent_of")


class LearnerGames:
    """Games of the same rules, each seen by its learner; `reset` deals the first ones.

    The arrays that a reset or a step gives are new ones, but for `states`, `learners` and `last_observations`.

        states             (num_games,) STATE
        learners           (num_games,) LEARNER
        masks              (num_games, 106) int8: the legal actions of the learner; none when its game is over
        observations       (num_games, size) float32, what the learner observes
        last_observations  (num_games, size) float32: what it observed at the end of the last game that is over
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | None = None,
        *,
        opponents: Agent | Sequence[Agent] | None = None,
        seat: int | None = None,
        observation: Kind = "cards",
        reward: Reward = "points",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **choices: Any,
    ) -> None:
        """The arguments are those of `ThreeThirteenEnv`, and which way a game that is over is followed by the next.

        Raises ValueError for what is out of range.
        """
        self.num_games = checked_integer("num_games", num_games, 1, MAX_GAMES)
        self.rules = checked_rules(rules, choices)
        self.seat = None if seat is None else checked_integer("seat", seat, 0, self.rules.num_players - 1)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.size = observation_size(self.rules, observation)
        self._kind = KIND_NUMBERS[observation]
        self._reward_form = form_number(checked_choice("reward", reward, get_args(Reward)))
        in_order = one_for_each_other_seat(opponents, self.rules.num_players)
        self.opponents = [agent for index, agent in enumerate(in_order) if _place(agent, in_order) == index]
        numbers = [_place(agent, self.opponents) for agent in in_order]
        self._opponent_of = np.tile(np.array(numbers), (self.num_games, 1))
        self._bounds = np.zeros(0)
        self.states = np.zeros(self.num_games, STATE)
        self.learners = np.zeros(self.num_games, LEARNER)
        self.masks = np.zeros((self.num_games, NUM_ACTIONS), np.int8)
        self.observations = np.zeros((self.num_games, self.size), np.float32)
        self.last_observations = np.zeros((self.num_games, self.size), np.float32)
        self._all = np.arange(self.num_games)
        self._views = np.zeros(self.num_games, STATE)
        self._view_masks = np.zeros((self.num_games, NUM_ACTIONS), np.int8)
        self._asked = np.zeros(self.num_games, np.int64)
        self._rng = np.random.default_rng()  # of the opponents
        self.states["seed"] = self._rng.integers(EVALUATION_SEEDS, size=self.num_games)
        self._is_ready = False  # whether the learner is to act in all games that go on

    def reset(self, seeds: npt.ArrayLike | None = None, games: Games | None = None) -> None:
        """Deal the games of the seeds, or without seeds the games that follow, in all games or only in some.

        Seeds also fix what is random about the opponents. Raises ValueError, and changes nothing, for bad seeds.
        """
        if games is None:
            games = self._all
        elif not self._is_ready:
            raise ValueError("the games have not begun: reset all of them")
        numbers = self.next_seeds()[games] if seeds is None else checked_seeds(seeds, len(games))
        if seeds is not None:
            self._rng = np.random.default_rng(numbers)
        forget_each(self.learners)
        self._begin(games, numbers)
        self._go_on(games)

    def draw_opponents(self, opponents: Sequence[Agent], weights: npt.ArrayLike) -> None:
        """From now on one of these opponents sits in all other seats of a game, drawn by weight with the game's seed.

        The games that have begun go on against the opponent of the number that they drew. Raises ValueError unless
        there is a weight for each opponent, none below 0 and not all 0.
        """
        shares = np.asarray(weights, np.float64)
        if shares.shape != (len(opponents),) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
            raise ValueError(f"weights must be {len(opponents)} numbers from 0 up, not all 0, not {weights!r}")
        if self._is_ready and self._opponent_of.max() >= len(opponents):
            raise ValueError(f"games go on against {self._opponent_of.max() + 1} opponents, and now there are fewer")
        self.opponents = list(opponents)
        self._bounds = shares.cumsum() / shares.sum()

    def save(self) -> Saved:
        """All that decides how the games go on, but for the opponents themselves and their weights: a copy."""
        arrays = {name: getattr(self, name).copy() for name in SAVED}
        return arrays, self._rng.bit_generator.state

    def load(self, saved: Saved) -> None:
        """Trusts its caller: go on from what `save` gave of games that were made with the same arguments."""
        arrays, self._rng.bit_generator.state = saved
        for name in SAVED:
            getattr(self, name)[:] = arrays[name]
        self._go_on(self._all[:0])

    def next_seeds(self) -> Seeds:
        """The seeds of the games that follow, ``(num_games,)``."""
        return next_seed_each(self.states)

    def step(self, actions: npt.ArrayLike) -> None:
        """Take an action in every game, ``(num_games,)`` integers.

        Raises ValueError, which names the game, and changes nothing, unless each action is legal. In a game that is
        over it is no matter which, but only if it is to be dealt anew now: otherwise this raises ValueError too.
        """
        if not self._is_ready:
            raise ValueError("the games have not begun: call reset()")
        numbers = checked_actions(actions, self.states, self.masks)
        games = self._all
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            is_over = self.states["phase"] == GAME_OVER
            over, games = np.flatnonzero(is_over), np.flatnonzero(~is_over)
            if len(over) > 0 and self.autoreset_mode is AutoresetMode.DISABLED:
                raise ValueError(f"game {over[0]} is over: reset it")
            self._begin(over, self.next_seeds()[over])
            numbers = numbers[games]
        forget_each(self.learners)
        self._play(games, numbers)
        self._go_on(self._all)

    def _begin(self, games: Games, seeds: Seeds) -> None:
        begin_each(
            self.states,
            self.learners,
            games,
            seeds,
            self._given_seat,
            self._opponent_of,
            self._bounds,
            self.rules,
        )

    def _go_on(self, games: Games) -> None:
        """Let the opponents play in the games until the learner is to act, and look what every learner sees then."""
        self._is_ready = False
        waiting = waiting_games(self.states, self.learners, games)
        while len(waiting) > 0:
            for number in range(len(self.opponents)):
                self._ask(number, waiting)
            waiting = waiting_games(self.states, self.learners, waiting)
        self.masks, self.observations = np.empty_like(self.masks), np.empty_like(self.observations)
        stuck = look_each(self.states, self.learners, self.rules, self._kind, self.masks, self.observations)
        assert stuck < 0, f"no action is legal in game {stuck}: {self.states[stuck]}"
        self._is_ready = True

    def _ask(self, number: int, waiting: Games) -> None:
        """Let an opponent act, once, in all games that wait for it."""
        opponent = self.opponents[number]
        count = ask_each(
            self.states,
            self.learners,
            waiting,
            self._opponent_of,
            number,
            self.rules,
            self._asked,
            self._views,
            self._view_masks,
        )
        if count == 0:
            return
        games, views, masks = self._asked[:count], self._views[:count], self._view_masks[:count]
        actions = np.asarray(opponent.act(views, masks.copy(), self._rng))
        self._play(games, self._checked(opponent, actions, games, masks))

    def _play(self, games: Games, actions: Actions) -> None:
        play_each(
            self.states,
            self.learners,
            games,
            actions,
            self.rules,
            self._reward_form,
            self._kind,
            self.autoreset_mode is AutoresetMode.SAME_STEP,
            self._given_seat,
            self._opponent_of,
            self._bounds,
            self.last_observations,
        )

    @property
    def _given_seat(self) -> int:
        return NOBODY if self.seat is None else self.seat

    def _checked(self, opponent: Agent, actions: npt.NDArray[Any], games: Games, masks: Masks) -> Actions:
        """The actions that an opponent chose; raises ValueError unless each is legal."""
        index = 0
        if actions.shape != games.shape:
            what = f"actions of shape {actions.shape}, not {games.shape}, came from act()"
        elif actions.dtype.kind not in "iu":
            what = f"actions of type {actions.dtype}, not integers, came from act()"
        else:
            actions = actions.astype(np.int64)
            index = first_refused(masks, actions)
            if index < 0:
                return actions
            what = refusal(int(actions[index]), self.states[games[index]], masks[index])
        state = self.states[games[index]]
        raise ValueError(
            f"opponent {type(opponent).__name__} in round {state.round_number}, turn {state.num_turns + 1} of the "
            f"game of seed {state.seed}: {what}"
        )


def _place(agent: Agent, agents: Sequence[Agent]) -> int:
    """Where the agent first comes among the agents: it itself, whatever it says that it is equal to."""
    return next(index for index, other in enumerate(agents) if other is agent)
