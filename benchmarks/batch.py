"""Random legal play of a batch, two ways, on one thread and on two, with and without observations.

*Compiled loop*: what a user of the compiled functions writes. One call plays many steps of every game, samples each
action from the game's mask, and deals a game anew when it is over; a second thread plays the other half of the games.

*Batch.step from Python*: what a learner does. NumPy samples all actions from all masks, then `Batch.step` plays them.

The games are begun in all their rounds, evenly, as they would be after a long time of play: a step of the first round,
with three cards in a hand, costs less than one of the last.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from benchmarks.measure import Benchmark, Run, throughput
from benchmarks.random_play import pick_each
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Masks
from three_thirteen_env.batch import Batch
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import Mask, legal_actions, start, step
from three_thirteen_env.observation import KIND_NUMBERS, Kind, Observation, encode, observation_size
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, Phase, States

GROUP = "batch"
SIZES = (1024, 4096)
THREADS = (1, 2)
OBSERVATIONS: tuple[Kind | None, ...] = (None, "cards", "melds")
STEPS_A_CALL = 16  # of the compiled loop
SEED = 0
STEPS_A_GAME = 2000  # about, at random: a round seldom ends before the turn limit
NO_OBSERVATION = -1  # in compiled code, where a kind is a number
GAME_OVER = int(Phase.GAME_OVER)

Words = npt.NDArray[np.uint64]  # (num_games,) the state of a xorshift generator for each game


def benchmarks(sizes: tuple[int, ...] = SIZES) -> Iterator[Benchmark]:
    """Every size, number of threads and kind of observation, both ways."""
    for form, prepare in (("compiled loop", _compiled_loop), ("Batch.step from Python", _from_python)):
        for num_games, num_threads, observation in product(sizes, THREADS, OBSERVATIONS):
            name = f"{form}, {num_games:,} games"
            name += f", {num_threads} threads" if num_threads > 1 else ""
            name += f', "{observation}"' if observation else ""
            yield Benchmark(GROUP, name, "steps/s", partial(prepare, num_games, num_threads, observation))


@cache
def mixed_states(num_games: int, rules: Rules = Rules()) -> States:
    """Games at random places in all their rounds, ``(num_games,) STATE``: for everyone to copy."""
    states, words = np.zeros(num_games, STATE), _words(num_games)
    _spread(states, words, rules)
    return states


def _words(num_games: int) -> Words:
    return np.random.default_rng(num_games).integers(1, 2**64, num_games, np.uint64)


def _compiled_loop(num_games: int, num_threads: int, observation: Kind | None) -> Run:
    rules, states, words = Rules(), mixed_states(num_games).copy(), _words(num_games)
    masks = np.zeros((num_games, NUM_ACTIONS), np.int8)
    size = observation_size(rules, observation) if observation else 0
    observations = np.zeros((num_games, size), np.float32)
    _look(states, masks, rules)
    ends = [num_games * number // num_threads for number in range(num_threads + 1)]
    parts = [
        (states[start:end], masks[start:end], observations[start:end], words[start:end])
        for start, end in pairwise(ends)
    ]
    pool = ThreadPoolExecutor(num_threads)
    kind = NO_OBSERVATION if observation is None else KIND_NUMBERS[observation]

    def play_part(part: tuple[States, Masks, Observation, Words]) -> None:
        _play(*part, kind, rules, STEPS_A_CALL)

    def work() -> int:
        if num_threads == 1:
            play_part(parts[0])
        else:
            list(pool.map(play_part, parts))
        return STEPS_A_CALL * num_games

    return throughput(work)


def _from_python(num_games: int, num_threads: int, observation: Kind | None) -> Run:
    batch = Batch(num_games, observation=observation, autoreset=True, num_threads=num_threads)
    batch.load(mixed_states(num_games))
    rng = np.random.default_rng(SEED)

    def work() -> int:
        batch.step(pick_each(batch.masks, rng))
        return num_games

    return throughput(work)


@compiled
def _play(
    states: States, masks: Masks, observations: Observation, words: Words, kind: int, rules: Rules, num_steps: int
) -> None:
    """Play so many random steps of every game, and write the mask, and the observation if there is a kind of it."""
    for _ in range(num_steps):
        for game in range(len(states)):
            step(states[game], _pick(masks[game], words[game : game + 1]), rules)
            if states[game].phase == GAME_OVER:
                start(states[game], states[game].seed + len(states), rules)
            legal_actions(states[game], rules, masks[game])
            if kind != NO_OBSERVATION:
                encode(states[game], int(states[game].seat), rules, kind, observations[game])


@compiled
def _look(states: States, masks: Masks, rules: Rules) -> None:
    for game in range(len(states)):
        legal_actions(states[game], rules, masks[game])


@compiled
def _spread(states: States, words: Words, rules: Rules) -> None:
    """Begin every game, and play each one longer than the one before it."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for game in range(len(states)):
        start(states[game], game, rules)
        for _ in range(STEPS_A_GAME * game // len(states)):
            legal_actions(states[game], rules, mask)
            step(states[game], _pick(mask, words[game : game + 1]), rules)
            if states[game].phase == GAME_OVER:
                start(states[game], states[game].seed + len(states), rules)


@compiled
def _pick(mask: Mask, word: Words) -> int:
    """One of the legal actions, each equally likely."""
    number = int(_random_bits(word) % np.uint64(mask.sum()))
    for action in range(NUM_ACTIONS):
        number -= mask[action]
        if number < 0:
            return action
    return 0


@compiled
def _random_bits(word: Words) -> np.uint64:
    """The next 64 bits of a generator: xorshift64 (George Marsaglia, 2003)."""
    bits = word[0]
    bits ^= bits << np.uint64(13)
    bits ^= bits >> np.uint64(7)
    bits ^= bits << np.uint64(17)
    word[0] = bits
    return bits
