import numpy as np
import pytest
from scipy.stats import chisquare

from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED, first_dealer, learner_seat, next_seed, shuffle


def sfc32(seed, round_number, num_reshuffles):
    """The generator again, on Python's unbounded integers: yields words of 32 bits."""
    word = 2**32 - 1
    a, b, c, counter = seed & word, seed >> 32, round_number << 16 | num_reshuffles, 1
    number = 0
    while True:
        result = (a + b + counter) & word
        a, b, c, counter = b ^ b >> 9, (c + (c << 3)) & word, ((c << 21 | c >> 11) + result) & word, counter + 1 & word
        number += 1
        if number > 15:
            yield result


def shuffled(size, seed, round_number=1, num_reshuffles=0):
    cards = np.arange(size, dtype=np.int8)
    shuffle(cards, seed, round_number, num_reshuffles)
    return cards.tolist()


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**32 - 1, EVALUATION_SEEDS, MAX_SEED])
def test_a_shuffle_is_fisher_and_yates_over_sfc32(seed):
    words = sfc32(seed, 3, 2)
    cards = list(range(104))
    for last in range(103, 0, -1):
        word = next(words)
        while word >= 2**32 - 2**32 % (last + 1):
            word = next(words)
        other = word % (last + 1)
        cards[last], cards[other] = cards[other], cards[last]
    assert shuffled(104, seed, 3, 2) == cards


def test_the_type_of_the_round_is_no_matter():
    assert shuffled(52, np.int64(5), np.int8(3), np.int16(1)) == shuffled(52, 5, 3, 1)


def test_seed_round_and_reshuffle_each_change_the_order():
    orders = {tuple(shuffled(52, *key)) for key in [(0, 1, 0), (1, 1, 0), (2**32, 1, 0), (0, 2, 0), (0, 1, 1)]}
    assert len(orders) == 5


def test_every_order_is_equally_likely():
    seen = np.zeros(27)
    for seed in range(6000):
        a, b, c = shuffled(3, seed)
        seen[9 * a + 3 * b + c] += 1
    assert (seen > 0).sum() == 6
    assert chisquare(seen[seen > 0]).pvalue > 0.001


def test_every_seat_is_equally_likely_to_deal_first():
    dealers = np.bincount([first_dealer(seed, 5) for seed in range(5000)], minlength=5)
    assert chisquare(dealers).pvalue > 0.001


def test_every_seat_is_equally_likely_to_learn_whoever_deals():
    counts = np.zeros((3, 3))
    for seed in range(5000):
        counts[first_dealer(seed, 3), learner_seat(seed, 3)] += 1
    assert chisquare(counts.ravel()).pvalue > 0.001


@pytest.mark.parametrize("seed", [0, 1, 2**32, EVALUATION_SEEDS, MAX_SEED])
def test_the_next_seed_is_the_upper_bits_of_two_words(seed):
    words = sfc32(seed, 0, 2)
    assert next_seed(seed) == (next(words) * 2**32 + next(words)) // 4


def test_the_seeds_that_follow_are_all_others_and_none_for_evaluation():
    seeds = [0]
    for _ in range(5000):
        seeds.append(int(next_seed(seeds[-1])))
    assert len(set(seeds)) == len(seeds)
    assert max(seeds) < EVALUATION_SEEDS
    assert chisquare(np.histogram(seeds[1:], 8, (0, EVALUATION_SEEDS))[0]).pvalue > 0.001
