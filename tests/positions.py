"""Positions for the tests of agents: one to order, or many from all over games; and what an agent chooses there."""

import numpy as np

from agents.registry import make_agent
from agents.selective import Selective
from tests.playing import mask_of, new_game, set_hand, set_pile
from three_thirteen_env.actions import NUM_ACTIONS, action_name
from three_thirteen_env.agent import Masks
from three_thirteen_env.cards import NUM_CARDS, cards_of, hand, hand_of, parse_card
from three_thirteen_env.game import legal_actions, step
from three_thirteen_env.rules import Rules, hand_size
from three_thirteen_env.state import NO_CARD, NOBODY, STATE, Phase, State, States
from three_thirteen_env.view import view_of


def position(
    text: str,
    upcard: str,
    rules: Rules = Rules(),
    *,
    round_number: int = 1,
    turns: int = 0,
    taken: str = "",
    is_final: bool = False,
) -> State:
    """A state in which the seat to act holds the hand, and has drawn if that is a card too many.

    In round 1 threes are wild. Each seat had so many turns. The other cards lie anywhere.
    """
    state = new_game(rules=rules._replace(first_round=round_number))
    set_hand(state, state.seat, text)
    set_pile(state, upcard)
    state.num_turns = turns * rules.num_players
    if hand(text).sum() > hand_size(round_number):
        state.phase = Phase.DISCARD
        state.taken = parse_card(taken) if taken else NO_CARD
    _deal_the_rest(state, np.full(NUM_CARDS, rules.num_packs) - hand(text) - hand(upcard), rules)
    if is_final:
        state.out_seat = (state.seat + 1) % rules.num_players
    return state


def _deal_the_rest(state: State, counts: np.ndarray, rules: Rules) -> None:
    cards = np.random.default_rng(0).permutation(cards_of(counts))
    for seat in range(rules.num_players):
        if seat != state.seat:
            size = hand_size(state.round_number)
            state.hands[seat] = hand_of(cards[:size].tolist())
            cards = cards[size:]
    state.stock[:] = NO_CARD
    state.stock[: len(cards)] = cards
    state.stock_size = len(cards)


def choice(name: str, state: State, rules: Rules = Rules()) -> str:
    """What the agent of a name does in a state, in words."""
    agent = make_agent(name, rules)
    shown = state if getattr(agent, "sees_everything", False) else view_of(state, state.seat)
    masks = np.array([mask_of(state, rules)])
    (action,) = agent.act(np.array([shown], STATE), masks, np.random.default_rng(0))
    return action_name(int(action))


def states_of_games(num_states: int, rules: Rules, seed: int = 0) -> States:
    """States from all over some games, many of them near the end of a round, in which a seat is to act.

    The players do as `Selective` does, and now and then anything that is legal.
    """
    rng, player = np.random.default_rng(seed), Selective(rules)
    states = np.empty(num_states, STATE)
    num_kept = 0
    while num_kept < num_states:
        state = new_game(int(rng.integers(2**62)), rules)
        while state.phase != Phase.GAME_OVER and num_kept < num_states:
            if rng.random() < (0.04 if state.out_seat == NOBODY else 0.1):
                states[num_kept] = state
                num_kept += 1
            masks = mask_of(state, rules)[np.newaxis]
            action = player.act(np.array([state], STATE), masks, rng)[0]
            step(state, rng.choice(np.flatnonzero(masks)) if rng.random() < 0.1 else action, rules)
    return states


def shown(states: States, rules: Rules) -> tuple[States, Masks]:
    """The views of the seats to act and their masks."""
    masks = np.empty((len(states), NUM_ACTIONS), np.int8)
    for state, mask in zip(states, masks, strict=True):
        legal_actions(state, rules, mask)
    return np.array([view_of(state, state.seat) for state in states], STATE), masks
