"""Worlds: full states that fit a view, in which the other hands are as good as players make them. Compiled.

`three_thirteen_env.view.redeal` draws uniformly from all states that fit. But whoever has played five turns does not
hold five random cards: it has kept what melds and thrown what does not. So a hand that cannot be seen is dealt at
random and then plays as many turns as its seat has played, drawing from the unseen cards and throwing what leaves the
least deadwood; it never throws what it is known to hold, and never comes to go out, for its seat did not.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.chance import Words, below, next_word
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard
from three_thirteen_env.game import hand_size_of
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.state import MAX_CARDS, NOBODY, State
from three_thirteen_env.view import count_unseen

Cards = npt.NDArray[np.int8]


@compiled
def make_world(state: State, rules: Rules, words: Words) -> None:
    """Change a view into a full state that fits it, drawn with the generator `words`."""
    cards = np.empty(MAX_CARDS, np.int8)
    num_cards = _unseen(state, rules, cards)
    for seat in range(rules.num_players):
        num_hidden = hand_size_of(state, seat)
        for card in range(NUM_CARDS):
            num_hidden -= int(state.hands[seat, card])
        if num_hidden == 0:
            continue
        for _ in range(num_hidden):
            num_cards = _deal(state, seat, cards, num_cards, words)
        if num_cards > 0:
            _play_on(state, seat, cards, num_cards, rules, words)
    for index in range(state.stock_size):
        other = below(words, num_cards - index)
        state.stock[index] = cards[other]
        cards[other] = cards[num_cards - index - 1]
    state.seed = next_word(words)
    state.observer = NOBODY


@compiled
def _unseen(state: State, rules: Rules, cards: Cards) -> int:
    """Write the cards that the seat of a view cannot see, in order; gives how many they are."""
    unseen = np.empty(NUM_CARDS, np.int8)
    count_unseen(state, state.observer, rules, unseen)
    num_cards = 0
    for card in range(NUM_CARDS):
        for _ in range(unseen[card]):
            cards[num_cards] = card
            num_cards += 1
    return num_cards


@compiled
def _deal(state: State, seat: int, cards: Cards, num_cards: int, words: Words) -> int:
    """Move one of the cards, drawn at random, to a hand; gives how many are left."""
    index = below(words, num_cards)
    state.hands[seat, cards[index]] += 1
    cards[index] = cards[num_cards - 1]
    return num_cards - 1


@compiled
def _play_on(state: State, seat: int, cards: Cards, num_cards: int, rules: Rules, words: Words) -> None:
    """Let a hand play the turns of its seat: it exchanges cards with those unseen."""
    hand, known = state.hands[seat], state.known[seat]
    wild_rank = wild_rank_of(state.round_number)
    may_throw = np.empty(NUM_CARDS, np.int8)
    num_turns = 0
    for card in range(NUM_CARDS):
        may_throw[card] = hand[card] > known[card]
        num_turns += int(state.discarded[seat, card])
    for _ in range(num_turns):
        index = below(words, num_cards)
        drawn = cards[index]
        hand[drawn] += 1
        may_throw[drawn] = 1
        thrown, left = best_discard(hand, may_throw, wild_rank, rules)
        if left == 0:
            thrown = drawn
        hand[thrown] -= 1
        may_throw[thrown] = hand[thrown] > known[thrown]
        cards[index] = thrown
