"""The slow, obviously right twins of the compiled game, written from the rules alone.

The tests hold the compiled code to them. The solver looks at every subset of a hand (`tests.reference_solver`), and
`ReferenceGame` plays on plain lists. Neither is clever, and neither shares code with what it checks: only the numbers
of the cards, the actions and the phases, and `Rules`.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tests.reference_solver import cover_exactly, forms_run, forms_set, least_points, leaves_nothing, table_of_melds
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from three_thirteen_env.rules import NUM_ROUNDS, Rules
from three_thirteen_env.state import NO_CARD, NOBODY, Phase

# Puts cards in a new order: takes the cards, the seed, the round and the number of reshuffles in it so far.
Shuffle = Callable[[list[int], int, int, int], list[int]]


def is_set(cards: Sequence[int], wild_rank: int, rules: Rules) -> bool:
    """Whether all the cards together are one set."""
    return bool(forms_set(np.array(cards, np.int64), wild_rank, rules))


def is_run(cards: Sequence[int], wild_rank: int, rules: Rules) -> bool:
    """Whether all the cards together are one run."""
    return bool(forms_run(np.array(cards, np.int64), wild_rank, rules))


def deadwood_points(cards: Sequence[int], wild_rank: int, rules: Rules) -> int:
    """What the hand costs, arranged so that its leftover cards cost least."""
    return int(least_points(np.array(cards, np.int64), wild_rank, rules))


def melds_completely(cards: Sequence[int], wild_rank: int, rules: Rules) -> bool:
    """Whether all the cards of the hand fit in melds."""
    return bool(leaves_nothing(np.array(cards, np.int64), wild_rank, rules))


def cards_to_go_out_with(cards: Sequence[int], wild_rank: int, rules: Rules) -> set[int]:
    """The cards of the hand that leave one that melds completely when they are discarded."""
    is_meld = table_of_melds(np.array(cards, np.int64), wild_rank, rules)
    whole_hand = (1 << len(cards)) - 1
    return {card for index, card in enumerate(cards) if cover_exactly(is_meld, whole_hand ^ (1 << index))}


class ReferenceGame:
    """One game on plain lists: `legal` says what the seat to act may do, `step` does it.

    Chance is passed in: who deals first, and a function that returns cards in a new order. It is called with the
    reshuffles of the round so far: 0 for the deal, 1 for the first reshuffle. Lists of cards have their top last.
    `round_points`, `round_turns` and `went_out` have a place for each of the eleven rounds, played or not.
    """

    def __init__(self, seed: int, rules: Rules, shuffle: Shuffle, first_dealer: int) -> None:
        self.seed = seed
        self.rules = rules
        self.shuffle = shuffle
        self.dealer = first_dealer
        self.round_number = rules.first_round
        self.scores = [0] * rules.num_players
        self.round_points = [[0] * rules.num_players for _ in range(NUM_ROUNDS)]
        self.round_turns = [0] * NUM_ROUNDS
        self.went_out = [NOBODY] * NUM_ROUNDS
        self._deal()

    @property
    def wild_rank(self) -> int:
        """The rank that is wild in this round: threes in the first."""
        return self.round_number + 2

    @property
    def over(self) -> bool:
        """Whether the last round has been scored."""
        return self.phase == Phase.GAME_OVER

    def _deal(self) -> None:
        pack = list(range(NUM_CARDS)) * self.rules.num_packs
        self.num_reshuffles = 0
        self.stock = self.shuffle(pack, self.seed, self.round_number, self.num_reshuffles)
        self.hands: list[list[int]] = [[] for _ in range(self.rules.num_players)]
        for _ in range(self.round_number + 2):
            for places_left_of_dealer in range(1, self.rules.num_players + 1):
                self.hands[(self.dealer + places_left_of_dealer) % self.rules.num_players].append(self.stock.pop())
        for hand in self.hands:
            hand.sort()
        self.pile = [self.stock.pop()]
        self.out_seat = NOBODY
        self.num_turns = 0
        self._start_turn(self._left_of(self.dealer))

    def _left_of(self, seat: int) -> int:
        return (seat + 1) % self.rules.num_players

    def _start_turn(self, seat: int) -> None:
        self.seat = seat
        self.phase = Phase.DRAW
        self.taken = NO_CARD

    def legal(self) -> set[int]:
        """The actions of the seat to act; none when the game is over."""
        if self.over:
            return set()
        if self.phase == Phase.DRAW:
            nothing_to_draw = not self.stock and len(self.pile) == 1
            return {TAKE_UPCARD} if nothing_to_draw else {DRAW_STOCK, TAKE_UPCARD}
        hand = self.hands[self.seat]
        allowed = set(hand)
        if not self.rules.may_return_upcard and allowed != {self.taken}:
            allowed.discard(self.taken)
        actions = {DISCARD + card for card in allowed}
        if self.out_seat == NOBODY:
            ways_out = cards_to_go_out_with(hand, self.wild_rank, self.rules)
            actions |= {GO_OUT + card for card in allowed & ways_out}
        return actions

    def step(self, action: int) -> None:
        """Apply a legal action; the last of a round also scores it and deals the next, or ends the game."""
        hand = self.hands[self.seat]
        if action == DRAW_STOCK:
            if not self.stock:
                self._reshuffle()
            hand.append(self.stock.pop())
        elif action == TAKE_UPCARD:
            self.taken = self.pile.pop()
            hand.append(self.taken)
        elif action < GO_OUT:
            hand.remove(action - DISCARD)
            self.pile.append(action - DISCARD)
        else:
            hand.remove(action - GO_OUT)
            self.pile.append(action - GO_OUT)
            self.out_seat = self.seat
        hand.sort()
        if self.phase == Phase.DRAW:
            self.phase = Phase.DISCARD
        else:
            self._end_turn()

    def _reshuffle(self) -> None:
        self.num_reshuffles += 1
        upcard = self.pile.pop()
        self.stock = self.shuffle(self.pile, self.seed, self.round_number, self.num_reshuffles)
        self.pile = [upcard]

    def _end_turn(self) -> None:
        self.num_turns += 1
        next_seat = self._left_of(self.seat)
        if self.out_seat == NOBODY:
            is_round_over = self.num_turns == self.rules.turn_limit * self.rules.num_players
        else:
            is_round_over = next_seat == self.out_seat  # every other seat has had its final turn
        if is_round_over:
            self._end_round()
        else:
            self._start_turn(next_seat)

    def _end_round(self) -> None:
        points = [deadwood_points(hand, self.wild_rank, self.rules) for hand in self.hands]
        self.scores = [score + more for score, more in zip(self.scores, points, strict=True)]
        self.round_points[self.round_number - 1] = points
        self.round_turns[self.round_number - 1] = self.num_turns
        self.went_out[self.round_number - 1] = self.out_seat
        if self.round_number == self.rules.last_round:
            self.phase = Phase.GAME_OVER
            self.taken = NO_CARD
            return
        self.round_number += 1
        self.dealer = self._left_of(self.dealer)
        self._deal()


def random_hand(
    rng: np.random.Generator, size: int, num_packs: int, wild_rank: int, num_wild: int | None = None
) -> list[int]:
    """Cards drawn from the packs, each as likely as any other, in random order.

    With `num_wild`, exactly so many of them are wild. Raises ValueError if the packs do not have enough cards.
    """
    return _drawn(rng, np.ones(NUM_CARDS), size, num_packs, wild_rank, num_wild)


def clustered_hand(
    rng: np.random.Generator, size: int, num_packs: int, wild_rank: int, num_wild: int | None = None
) -> list[int]:
    """As `random_hand`, but a few suits and ranks, drawn anew for every hand, are far likelier: melds are common."""
    suit_weights = rng.exponential(size=NUM_SUITS) ** 3
    rank_weights = rng.exponential(size=NUM_RANKS) ** 3
    weights = np.outer(suit_weights, rank_weights).ravel() + 1e-9
    return _drawn(rng, weights, size, num_packs, wild_rank, num_wild)


def _drawn(
    rng: np.random.Generator,
    weights: npt.NDArray[np.float64],
    size: int,
    num_packs: int,
    wild_rank: int,
    num_wild: int | None,
) -> list[int]:
    pack = np.tile(np.arange(NUM_CARDS), num_packs)
    is_wild = pack % NUM_RANKS + 1 == wild_rank
    parts = [(pack, size)] if num_wild is None else [(pack[is_wild], num_wild), (pack[~is_wild], size - num_wild)]
    drawn = [rng.choice(cards, count, replace=False, p=weights[cards] / weights[cards].sum()) for cards, count in parts]
    return [int(card) for card in rng.permutation(np.concatenate(drawn))]
