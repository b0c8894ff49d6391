"""`STATE`: one NumPy structured record is one whole game.

A record is padded to 8 seats and 4 packs, so every game has the same size: an array of records is a batch, and to copy,
save, compare or fork a game is a line of NumPy. Seats are numbered clockwise, so the seat left of `s` is `s + 1`.

The stock and the discard pile share one idea: a row of cards and its size, the top card last.

    stock  [ bottom ... top | unused ]        stock[stock_size - 1] is drawn next
    pile   [ oldest ... upcard | unused ]     pile[pile_size - 1] is the upcard
"""

from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.rules import MAX_PACKS, MAX_PLAYERS, NUM_ROUNDS

MAX_CARDS = NUM_CARDS * MAX_PACKS
NOBODY = -1  # a seat that is none: nobody went out yet
NO_CARD = -1  # a card that is none: the unused end of the stock and the pile, and a draw from the stock


class Phase(IntEnum):
    """What the seat to act does next."""

    DRAW = 0
    DISCARD = 1
    GAME_OVER = 2


STATE = np.dtype(
    (
        np.record,
        [
            ("seed", np.int64),  # with the round and the number of reshuffles it decides every chance event
            ("round_number", np.int8),  # 1 to 11
            ("phase", np.int8),  # a Phase
            ("seat", np.int8),  # the seat to act
            ("dealer", np.int8),
            ("out_seat", np.int8),  # who went out in this round, or NOBODY
            ("taken", np.int8),  # the upcard that the seat to act took in this turn, or NO_CARD
            ("observer", np.int8),  # NOBODY in a state; in a view the seat whose view it is
            ("num_turns", np.int16),  # turns ended in this round, by all seats together
            ("num_reshuffles", np.int16),  # in this round
            ("stock_size", np.int16),
            ("pile_size", np.int16),
            ("stock", np.int8, (MAX_CARDS,)),  # cards, top last
            ("pile", np.int8, (MAX_CARDS,)),  # cards, the upcard last
            ("hands", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # counts
            ("known", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # counts: taken from the pile in this round and still held
            ("discarded", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # counts: thrown in this round, at most num_packs
            ("scores", np.int16, (MAX_PLAYERS,)),  # points so far; the lowest wins
            ("round_points", np.int16, (NUM_ROUNDS, MAX_PLAYERS)),  # points of every round that is over
            ("round_turns", np.int16, (NUM_ROUNDS,)),  # how many turns every round took
            ("went_out", np.int8, (NUM_ROUNDS,)),  # who went out in every round, or NOBODY
        ],
    )
)

State: TypeAlias = Any  # one game: an element of an array of STATE, whose fields no type checker knows
States: TypeAlias = npt.NDArray[Any]  # many games: (num_games,) STATE
