"""Chance as a function: the seed, the round and the number of the reshuffle decide the order of the cards.

Nothing that is played before a deal changes it, so a game is the same alone and in a batch, on any machine, and two
strategies can be given the same deals. The generator is sfc32 (Chris Doty-Humphrey, PractRand), seeded as there: three
words of state, a counter, and fifteen steps to mix them. Its 32-bit words are held in 64-bit integers, which leaves
room for every intermediate value, compiled or not.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.compiled import compiled

MAX_SEED = 2**63 - 1
EVALUATION_SEEDS = 2**62  # games from this seed on are for evaluation: training and environments draw below it
WORD = 0xFFFFFFFF
MIXING_STEPS = 15

Words = npt.NDArray[np.int64]


@compiled
def shuffle(cards: npt.NDArray[np.int8], seed: int, round_number: int, num_reshuffles: int) -> None:
    """Shuffle cards in place: every order is equally likely. The deal of a round is its reshuffle 0."""
    shuffle_by(cards, generator(seed, round_number, num_reshuffles))


@compiled
def shuffle_by(cards: npt.NDArray[np.int8], words: Words) -> None:
    """The same with a generator that has begun."""
    for last in range(len(cards) - 1, 0, -1):
        other = below(words, last + 1)
        cards[last], cards[other] = cards[other], cards[last]


@compiled
def first_dealer(seed: int, num_players: int) -> int:
    """The seat that deals the first round."""
    return below(generator(seed, 0, 0), num_players)


@compiled
def learner_seat(seed: int, num_players: int) -> int:
    """The seat of the one who learns, where nobody says which."""
    return below(generator(seed, 0, 1), num_players)


@compiled
def opponent_share(seed: int) -> float:
    """From 0 to less than 1: which opponent the one who learns meets, where one of several is drawn."""
    return next_word(generator(seed, 0, 3)) / (WORD + 1)


@compiled
def next_seed(seed: int) -> int:
    """The seed of the game that is played after another, where nobody says which: below `EVALUATION_SEEDS`."""
    words = generator(seed, 0, 2)
    return next_word(words) << 30 | next_word(words) >> 2


@compiled
def generator(seed: int, round_number: int, num_reshuffles: int) -> Words:
    """The state of a new generator, which its two words beside the seed tell from others of the same seed."""
    words = np.empty(4, np.int64)
    words[0] = seed & WORD
    words[1] = seed >> 32 & WORD
    words[2] = int(round_number) << 16 | int(num_reshuffles)
    words[3] = 1
    for _ in range(MIXING_STEPS):
        next_word(words)
    return words


@compiled
def next_word(words: Words) -> int:
    """The next 32 random bits."""
    a, b, c, counter = words
    word = (a + b + counter) & WORD
    words[0] = b ^ b >> 9
    words[1] = c + (c << 3) & WORD
    words[2] = (c << 21 & WORD | c >> 11) + word & WORD
    words[3] = counter + 1 & WORD
    return word


@compiled
def below(words: Words, bound: int) -> int:
    """A whole number from 0 to bound - 1, each equally likely."""
    limit = WORD + 1 - (WORD + 1) % bound
    word = next_word(words)
    while word >= limit:
        word = next_word(words)
    return word % bound
