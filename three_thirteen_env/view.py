"""What one seat may know, and the full states that fit it.

A view is a state with everything blanked out that its seat may not know: the cards of the other hands, but for those
seen to be taken from the discard pile and still held; the order of the stock; the seed. A seat that went out has laid
its hand down, so that hand stays whole. Agents get views, never states, so they cannot know more than they should.

The pile is public card by card, and `discarded` remembers what every seat threw in the round. That the cards of a
reshuffled pile lie in the new stock is remembered no further: to `redeal` they are unseen, like any others.
"""

import numpy as np

from three_thirteen_env.cards import NUM_CARDS, Hand, cards_of
from three_thirteen_env.chance import MAX_SEED
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import hand_size_of
from three_thirteen_env.rules import MAX_PLAYERS, Rules
from three_thirteen_env.state import NO_CARD, NOBODY, STATE, State, States


@compiled
def hide(state: State, seat: int) -> None:
    """Change a state into the view of a seat. The state is lost: hide a copy of it."""
    for other in range(MAX_PLAYERS):
        if other != seat and other != state.out_seat:
            for card in range(NUM_CARDS):
                state.hands[other, card] = state.known[other, card]
    for index in range(state.stock_size):
        state.stock[index] = NO_CARD
    state.seed = 0
    state.observer = seat


@compiled
def hide_each(states: States, seats: np.ndarray) -> None:
    """Change each state ``(n,)`` into the view of its seat ``(n,)``. The states are lost: hide a copy of them."""
    for index in range(len(states)):
        hide(states[index], seats[index])


def view_of(state: State, seat: int) -> State:
    """The view of a seat: a new record, the state as it was."""
    view = np.array([state], STATE)
    hide(view[0], seat)
    return view[0]


def unseen_cards(view: State, rules: Rules) -> Hand:
    """How many of each card the seat of a view cannot see: in the stock and in the other hands, ``(52,)`` counts."""
    unseen = np.empty(NUM_CARDS, np.int8)
    count_unseen(view, view.observer, rules, unseen)
    return unseen


@compiled
def count_unseen(state: State, seat: int, rules: Rules, unseen: Hand) -> int:
    """Write how many of each card a seat cannot see, ``(52,)``; gives how many cards that is in all.

    Of a state only what the seat may know is read, so its view gives the same.
    """
    for card in range(NUM_CARDS):
        num_seen = 0
        for other in range(rules.num_players):
            is_open = other == seat or other == state.out_seat
            num_seen += int(state.hands[other, card] if is_open else state.known[other, card])
        unseen[card] = rules.num_packs - num_seen
    for index in range(state.pile_size):
        unseen[state.pile[index]] -= 1
    num_unseen = 0
    for card in range(NUM_CARDS):
        num_unseen += int(unseen[card])
    return num_unseen


def redeal(view: State, rules: Rules, rng: np.random.Generator) -> State:
    """A full state drawn uniformly from those that fit a view: the unseen cards dealt anew, and another seed."""
    states = np.array([view], STATE)
    state = states[0]
    cards = rng.permutation(cards_of(unseen_cards(view, rules)))
    num_dealt = 0
    for seat in range(rules.num_players):
        num_hidden = hand_size_of(view, seat) - int(view.hands[seat].sum())
        np.add.at(state.hands[seat], cards[num_dealt : num_dealt + num_hidden], 1)
        num_dealt += num_hidden
    state.stock[: view.stock_size] = cards[num_dealt:]
    state.seed = rng.integers(MAX_SEED, endpoint=True)
    state.observer = NOBODY
    return state
