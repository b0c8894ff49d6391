"""The solver: random hands of every size that a round deals, from one, two and four packs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measure import Benchmark, Run, throughput
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import deadwood_after_discards
from three_thirteen_env.melds import arrange, deadwood_points
from three_thirteen_env.rules import MAX_HAND, Rules
from three_thirteen_env.search import MAX_MELDS, NO_BOUND, search
from three_thirteen_env.solver import least_deadwood

GROUP = "solver"
NUM_HANDS = 4096
SIZES = (3, 7, 10, 13)
PACKS = (1, 2, 4)
SEED = 0

Hands = npt.NDArray[np.int8]  # (n, 52) counts


def benchmarks(num_hands: int = NUM_HANDS) -> Iterator[Benchmark]:
    """The fast solver and its plain twin by hand size and packs, all discards at once, and the doors for Python."""
    for packs in PACKS:
        for size in SIZES:
            name = f"{size} cards, {_packs_text(packs)}"
            yield _benchmark(name, _solve_each, size, packs, num_hands)
            plain = f"{name}, plain search"
            yield _benchmark(plain, _search_each, size, packs, num_hands // 8, beside=f"{GROUP}: {name}")
    for packs in PACKS:
        name = f"all discards of {MAX_HAND} cards, {_packs_text(packs)}"
        yield _benchmark(name, _solve_discards_of_each, MAX_HAND, packs, num_hands // 4)
    for door in (deadwood_points, arrange):
        name = f"{door.__name__}() from Python, 13 cards, 2 packs"
        yield _benchmark(name, _loop_over(door), 13, 2, num_hands // 64)


def random_hands(size: int, packs: int, num_hands: int, rng: np.random.Generator) -> Hands:
    """Hands dealt from shuffled packs, ``(num_hands, 52)`` counts."""
    hands = np.zeros((num_hands, NUM_CARDS), np.int8)
    for hand in hands:
        cards = rng.permutation(NUM_CARDS * packs)[:size] % NUM_CARDS
        np.add.at(hand, cards, 1)
    return hands


def _benchmark(name: str, solve: Any, size: int, packs: int, num_hands: int, beside: str = "") -> Benchmark:
    def prepare() -> Run:
        hands = random_hands(size, packs, max(1, num_hands), np.random.default_rng(SEED))
        wild_rank = min(size, 13)  # as in the round that deals so many cards; the fourteenth is drawn
        rules = Rules(num_packs=packs)

        def work() -> int:
            solve(hands, wild_rank, rules)
            return len(hands)

        return throughput(work)

    return Benchmark(GROUP, name, "hands/s", prepare, beside)


def _packs_text(packs: int) -> str:
    return "1 pack" if packs == 1 else f"{packs} packs"


def _loop_over(door: Any) -> Any:
    def loop(hands: Hands, wild_rank: int, rules: Rules) -> None:
        for hand in hands:
            door(hand, wild_rank, rules)

    return loop


@compiled
def _solve_each(hands: Hands, wild_rank: int, rules: Rules) -> int:
    points = 0
    for index in range(len(hands)):
        points += least_deadwood(hands[index], wild_rank, rules)
    return points


@compiled
def _search_each(hands: Hands, wild_rank: int, rules: Rules) -> int:
    points, melds = 0, np.empty(MAX_MELDS, np.int64)
    for index in range(len(hands)):
        points += search(hands[index], wild_rank, rules, NO_BOUND, melds)[0]
    return points


@compiled
def _solve_discards_of_each(hands: Hands, wild_rank: int, rules: Rules) -> int:
    points, after = 0, np.empty(NUM_CARDS, np.int16)
    for index in range(len(hands)):
        deadwood_after_discards(hands[index], wild_rank, rules, after)
        points += after[0]
    return points
