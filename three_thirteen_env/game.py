"""The game: deal, legal actions, step, score. Functions on one record of `STATE`, all compiled.

They trust their caller: the action of a step must be one that `legal_actions` allows. A game is played by

    start(state, seed, rules)
    while state.phase != Phase.GAME_OVER:
        legal_actions(state, rules, mask)
        step(state, action, rules)

The end of a round is no step of its own: the last discard of a round also scores it and deals the next one.
"""

import numpy as np
import numpy.typing as npt

from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, NUM_ACTIONS, TAKE_UPCARD
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.chance import first_dealer, shuffle
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import cards_to_go_out_with
from three_thirteen_env.rules import Rules, hand_size, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import MAX_CARDS, NO_CARD, NOBODY, Phase, State

DRAW_PHASE, DISCARD_PHASE, GAME_OVER = int(Phase.DRAW), int(Phase.DISCARD), int(Phase.GAME_OVER)

Mask = npt.NDArray[np.int8]  # (106,), 1 where the action is legal


@compiled
def start(state: State, seed: int, rules: Rules) -> None:
    """Change a state into the first deal of the game of a seed, 0 to `MAX_SEED`."""
    state.seed = seed
    state.observer = NOBODY
    state.scores[:] = 0
    state.round_points[:] = 0
    state.round_turns[:] = 0
    state.went_out[:] = NOBODY
    state.dealer = first_dealer(seed, rules.num_players)
    state.round_number = rules.first_round
    deal(state, rules)


@compiled
def deal(state: State, rules: Rules) -> None:
    """Deal the round `round_number` by its dealer; the seat to the dealer's left starts."""
    num_cards = NUM_CARDS * rules.num_packs
    for index in range(num_cards):
        state.stock[index] = index % NUM_CARDS
    for index in range(num_cards, MAX_CARDS):
        state.stock[index] = NO_CARD
    shuffle(state.stock[:num_cards], state.seed, state.round_number, 0)
    state.stock_size = num_cards
    state.pile[:] = NO_CARD
    state.hands[:] = 0
    state.known[:] = 0
    state.discarded[:] = 0
    state.num_turns = 0
    state.num_reshuffles = 0
    state.out_seat = NOBODY
    state.taken = NO_CARD
    state.phase = DRAW_PHASE
    state.seat = (state.dealer + 1) % rules.num_players
    for index in range(hand_size(state.round_number) * rules.num_players):
        state.hands[(state.seat + index) % rules.num_players, _pop_stock(state)] += 1
    state.pile[0] = _pop_stock(state)
    state.pile_size = 1


@compiled
def legal_actions(state: State, rules: Rules, mask: Mask) -> None:
    """Write which actions the seat to act may choose, ``(106,) int8`` of 0 and 1; none when the game is over."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if state.phase == DRAW_PHASE:
        mask[DRAW_STOCK] = state.stock_size > 0 or state.pile_size > 1
        mask[TAKE_UPCARD] = 1
    elif state.phase == DISCARD_PHASE:
        _legal_discards(state, rules, mask)


@compiled
def step(state: State, action: int, rules: Rules) -> None:
    """Change the state by a legal action of the seat to act."""
    if action == DRAW_STOCK:
        if state.stock_size == 0:
            _reshuffle(state)
        card = _pop_stock(state)
        state.hands[state.seat, card] += 1
        state.phase = DISCARD_PHASE
    elif action == TAKE_UPCARD:
        state.pile_size -= 1
        card = state.pile[state.pile_size]
        state.pile[state.pile_size] = NO_CARD
        state.hands[state.seat, card] += 1
        state.known[state.seat, card] += 1
        state.taken = card
        state.phase = DISCARD_PHASE
    elif action < GO_OUT:
        _discard(state, action - DISCARD, rules)
    else:
        state.out_seat = state.seat
        _discard(state, action - GO_OUT, rules)


@compiled
def score(state: State, rules: Rules) -> None:
    """Write what the round costs every seat, and add it to the scores."""
    row = state.round_number - 1
    wild_rank = wild_rank_of(state.round_number)
    for seat in range(rules.num_players):
        points = least_deadwood(state.hands[seat], wild_rank, rules)
        state.round_points[row, seat] = points
        state.scores[seat] += points
    state.round_turns[row] = state.num_turns
    state.went_out[row] = state.out_seat


@compiled
def hand_size_of(state: State, seat: int) -> int:
    """How many cards a seat holds, which everyone can see: one more between its draw and its discard."""
    return hand_size(state.round_number) + (state.phase == DISCARD_PHASE and state.seat == seat)


@compiled
def _legal_discards(state: State, rules: Rules, mask: Mask) -> None:
    hand = state.hands[state.seat]
    wild_rank = wild_rank_of(state.round_number)
    barred = NO_CARD if rules.may_return_upcard else state.taken
    if barred != NO_CARD and hand[barred] == hand_size_of(state, state.seat):
        barred = NO_CARD
    if state.out_seat == NOBODY:
        cards_to_go_out_with(hand, wild_rank, rules, mask[GO_OUT:])
    for card in range(NUM_CARDS):
        mask[DISCARD + card] = hand[card] > 0
    if barred != NO_CARD:
        mask[DISCARD + barred] = mask[GO_OUT + barred] = 0


@compiled
def _pop_stock(state: State) -> int:
    """Take the top card from the stock."""
    state.stock_size -= 1
    card = state.stock[state.stock_size]
    state.stock[state.stock_size] = NO_CARD
    return card


@compiled
def _reshuffle(state: State) -> None:
    """Shuffle all cards of the pile but the upcard into a new stock."""
    size = state.pile_size - 1
    upcard = state.pile[size]
    for index in range(size):
        state.stock[index] = state.pile[index]
    state.pile[:] = NO_CARD
    state.pile[0] = upcard
    state.pile_size = 1
    state.stock_size = size
    state.num_reshuffles += 1
    shuffle(state.stock[:size], state.seed, state.round_number, state.num_reshuffles)


@compiled
def _discard(state: State, card: int, rules: Rules) -> None:
    """Put a card of the seat to act on the pile, and pass the turn on or end the round."""
    seat = state.seat
    state.hands[seat, card] -= 1
    if state.known[seat, card] > 0:
        state.known[seat, card] -= 1
    if state.discarded[seat, card] < rules.num_packs:
        state.discarded[seat, card] += 1
    state.pile[state.pile_size] = card
    state.pile_size += 1
    state.taken = NO_CARD
    state.num_turns += 1
    state.seat = (seat + 1) % rules.num_players
    state.phase = DRAW_PHASE
    if _is_round_over(state, rules):
        score(state, rules)
        _next_round(state, rules)


@compiled
def _is_round_over(state: State, rules: Rules) -> bool:
    """Whether the final turns are played, or nobody went out within the turn limit."""
    if state.out_seat != NOBODY:
        return state.seat == state.out_seat
    return state.num_turns == rules.turn_limit * rules.num_players


@compiled
def _next_round(state: State, rules: Rules) -> None:
    if state.round_number == rules.last_round:
        state.phase = GAME_OVER
        state.seat = NOBODY
    else:
        state.round_number += 1
        state.dealer = (state.dealer + 1) % rules.num_players
        deal(state, rules)
