"""Search: every sensible choice is played to the end of the round, in many worlds that fit what the seat knows."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np
import numpy.typing as npt

from agents.careful import careful_costs, outs_worth
from agents.greedy import choose_discard
from agents.lookahead import NOT_LOOKED_AT, gain_of_upcard, is_settled
from agents.playouts import Choices, play_choices
from agents.worlds import make_world
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.chance import MAX_SEED, generator
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import DRAW_PHASE, Mask
from three_thirteen_env.rules import Rules, checked_integer
from three_thirteen_env.state import NOBODY, STATE, State, States

MAX_ROLLOUTS, MAX_THREADS = 10**9, 1024
MAX_CHOICES = 5
SLACK = 5.0  # points: a choice that costs so much more than the careful one is not searched
WORLDS_IN_ROUND = 32  # worlds after which choices that fall behind are dropped
SURE = 3.0  # standard errors by which a choice falls behind for good
SURE_ENOUGH = 1.0  # standard errors by which a choice must be ahead of the careful one to be taken instead

Margins = npt.NDArray[np.float64]  # (num_worlds, num_choices), points


class Search:
    """Takes the choice that wins most points on average over many worlds, where it is clearly better than `Careful`'s.

    The choices are those of the least cost to `Careful`, whose own comes first. The unseen cards are drawn many times
    (`agents.worlds`), and in each world every choice is played to the end of the round (`agents.playouts`): the same
    worlds for all, so that the luck of the cards is the same too. Choices that fall behind are dropped on the way.
    """

    games_at_once = 8  # in a tournament, for they take long

    def __init__(
        self, rules: Rules, rollouts: int = 800, milliseconds: float | None = None, num_threads: int = 1
    ) -> None:
        """Search with a budget for each decision: rounds played out, and at most some milliseconds.

        With a budget in time what it chooses depends on the machine; with rollouts alone it is fixed by the generator.
        Raises ValueError.
        """
        if milliseconds is not None and not milliseconds > 0:
            raise ValueError(f"milliseconds must be more than 0, not {milliseconds}")
        self.rules = rules
        self.rollouts = checked_integer("rollouts", rollouts, 1, MAX_ROLLOUTS)
        self.seconds = np.inf if milliseconds is None else milliseconds / 1000
        self.num_threads = checked_integer("num_threads", num_threads, 1, MAX_THREADS)
        self._threads = ThreadPoolExecutor(self.num_threads) if self.num_threads > 1 else None

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:
        """The action of the most points in each view."""
        seeds = rng.integers(MAX_SEED, size=len(views))
        games = range(len(views))
        return np.array([self._choose(views[game : game + 1], masks[game], seeds[game]) for game in games], np.int64)

    def _choose(self, view: States, mask: Mask, seed: int) -> int:
        """The action in one view ``(1,)``."""
        start = perf_counter()
        choices = np.empty(MAX_CHOICES, np.int64)
        choices = choices[: sensible_choices(view[0], mask, self.rules, choices)]
        alive = np.arange(len(choices))
        played = np.empty((0, len(choices)))
        budget = self.rollouts
        while len(alive) > 1 and budget >= len(alive) and perf_counter() - start < self.seconds:
            num_worlds = min(WORLDS_IN_ROUND, budget // len(alive))
            margins = np.full((num_worlds, len(choices)), np.nan)
            margins[:, alive] = self._play(view, choices[alive], seed, len(played), num_worlds)
            played = np.concatenate([played, margins])
            budget -= num_worlds * len(alive)
            alive = _not_behind(played, alive)
        return int(choices[_best(played, alive)])

    def _play(self, view: States, choices: Choices, seed: int, first: int, num_worlds: int) -> Margins:
        """The margins of the choices in each of the next worlds; threads share these."""
        margins = np.empty((num_worlds, len(choices)))
        bounds = np.linspace(0, num_worlds, self.num_threads + 1).astype(int)
        parts = [(first + start, margins[start:stop]) for start, stop in itertools.pairwise(bounds)]
        run = map if self._threads is None else self._threads.map
        for _ in run(lambda part: play_worlds(view, choices, self.rules, seed, *part), parts):
            pass
        return margins


def _not_behind(played: Margins, alive: Choices) -> Choices:
    """Those of the choices that may still be the best: the first, and what is not far behind the leader."""
    means = played[:, alive].mean(axis=0)
    leader = alive[means.argmax()]
    behind = played[:, [leader]] - played[:, alive]
    is_behind = behind.mean(axis=0) > SURE * behind.std(axis=0) / np.sqrt(len(played))
    return alive[~is_behind]


def _best(played: Margins, alive: Choices) -> int:
    """The choice to take: the first, unless another is ahead of it by more than chance."""
    if 0 not in alive or len(played) < 2:
        return int(alive[played[:, alive].mean(axis=0).argmax()]) if len(played) else 0
    ahead = played[:, alive] - played[:, [0]]
    surely = ahead.mean(axis=0) - SURE_ENOUGH * ahead.std(axis=0) / np.sqrt(len(played))
    return int(alive[surely.argmax()])


@compiled
def sensible_choices(view: State, mask: Mask, rules: Rules, choices: Choices) -> int:
    """Write the choices worth a search, the careful one first; gives how many they are."""
    if view.phase == DRAW_PHASE:
        gain = gain_of_upcard(view, mask, rules, outs_worth(view, rules))
        choices[0] = TAKE_UPCARD if gain > 0 else DRAW_STOCK
        if abs(gain) > SLACK or view.out_seat != NOBODY:
            return 1
        choices[1] = DRAW_STOCK if gain > 0 else TAKE_UPCARD
        return 2
    if is_settled(view, mask):
        choices[0] = choose_discard(view, mask, rules)
        return 1
    costs = np.empty(NUM_CARDS, np.float64)
    careful_costs(view, mask[DISCARD:GO_OUT], rules, costs)
    most = min(costs.min() + SLACK, NOT_LOOKED_AT - 1)
    num_choices = 0
    while num_choices < MAX_CHOICES:
        card = costs.argmin()
        if num_choices > 0 and costs[card] > most:
            break
        choices[num_choices] = DISCARD + card
        costs[card] = NOT_LOOKED_AT
        num_choices += 1
    return num_choices


@compiled
def play_worlds(view: States, choices: Choices, rules: Rules, seed: int, first: int, margins: Margins) -> None:
    """Write the margin of every choice in every world ``(num_worlds, num_choices)``, in points.

    The worlds are drawn one by one with generators of their own, from number `first` on: world w is the same whoever
    plays it.
    """
    world = np.empty(1, STATE)
    for index in range(len(margins)):
        world[0] = view[0]
        make_world(world[0], rules, generator(seed, first + index, 0))
        play_choices(world[0], choices, rules, margins[index])
