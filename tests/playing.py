"""Whole games for the tests: hands as text, states to order, and games of random legal actions."""

from collections.abc import Iterator

import numba
import numpy as np

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.cards import NUM_CARDS, hand, parse_card
from three_thirteen_env.game import Mask, legal_actions, start, step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NO_CARD, STATE, Phase, State

# Everything is tested as plain Python too (NUMBA_DISABLE_JIT=1), a hundred times slower: on fewer and shorter hands.
COMPILED = not numba.config.DISABLE_JIT

# One set of rules for every field of `Rules` that differs from the default, and for every number of players.
EVERY_RULES = {
    "default": Rules(),
    "three players": Rules(num_players=3),
    "four players": Rules(num_players=4),
    "five players": Rules(num_players=5),
    "eight players": Rules(num_players=8),
    "four packs": Rules(num_packs=4),
    "middle rounds": Rules(first_round=4, last_round=6),
    "short turn limit": Rules(num_players=3, turn_limit=4),
    "aces high": Rules(aces_high=True),
    "wild cards cost 20": Rules(wild_points=20),
    "wild cards cost nothing": Rules(wild_points=0),
    "court cards cost 11 to 13": Rules(court_cards_ten=False),
    "no melds of wild cards alone": Rules(wild_only_melds=False),
    "upcard may not be returned": Rules(num_packs=4, may_return_upcard=False),
}


def new_game(seed: int = 0, rules: Rules = Rules()) -> State:
    """The first deal of a game."""
    state = np.zeros(1, STATE)[0]
    start(state, seed, rules)
    return state


def shortened(rules: Rules, turn_limit: int) -> Rules:
    """The rules with a lower turn limit, for games that random play does not draw out."""
    last_round = rules.last_round if COMPILED else min(rules.last_round, rules.first_round + 2)
    return rules._replace(turn_limit=min(rules.turn_limit, turn_limit), last_round=last_round)


def mask_of(state: State, rules: Rules = Rules()) -> Mask:
    """The legal actions of the seat to act."""
    mask = np.empty(NUM_ACTIONS, np.int8)
    legal_actions(state, rules, mask)
    return mask


def legal(state: State, rules: Rules = Rules()) -> set[int]:
    """The legal actions of the seat to act, as a set."""
    return set(np.flatnonzero(mask_of(state, rules)).tolist())


def play_randomly(state: State, rules: Rules, rng: np.random.Generator) -> Iterator[int]:
    """Plays a game to its end; gives each action before it is taken. Goes out more often than chance would."""
    while state.phase != Phase.GAME_OVER:
        actions = np.flatnonzero(mask_of(state, rules))
        action = int(actions[-1] if rng.random() < 0.3 else rng.choice(actions))
        yield action
        step(state, action, rules)


def set_hand(state: State, seat: int, text: str) -> None:
    """Give a seat another hand, from nowhere: only for tests of a rule that looks at one hand."""
    state.hands[seat] = hand(text)


def set_pile(state: State, text: str) -> None:
    """Give the discard pile other cards, the upcard last."""
    cards = [parse_card(word) for word in text.split()]
    state.pile[:] = NO_CARD
    state.pile[: len(cards)] = cards
    state.pile_size = len(cards)


def all_cards(state: State) -> np.ndarray:
    """How many of each card there are in the hands, the stock and the pile together, ``(52,)``."""
    counts = state.hands.sum(axis=0, dtype=np.int64)
    counts += np.bincount(state.stock[: state.stock_size], minlength=NUM_CARDS)
    counts += np.bincount(state.pile[: state.pile_size], minlength=NUM_CARDS)
    return counts
