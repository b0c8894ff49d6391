"""Cards as small integers, and hands as counts.

A card is ``13 * suit + rank - 1``: suits clubs 0, diamonds 1, hearts 2, spades 3; ranks ace 1 to king 13.

           A   2   3   4   5   6   7   8   9   T   J   Q   K
    clubs  0   1   2   3   4   5   6   7   8   9  10  11  12
    diam. 13  14  15  16  17  18  19  20  21  22  23  24  25
    hearts 26  27  28  29  30  31  32  33  34  35  36  37  38
    spades 39  40  41  42  43  44  45  46  47  48  49  50  51

A hand is how many of each card it holds, ``(52,) int8``: with several packs a card may be held more than once, and
the order of the cards is nobody's business. As text a card is rank and suit (``Td``, ``As``) and a hand is its cards,
separated by spaces.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from three_thirteen_env.compiled import compiled

NUM_SUITS = 4
NUM_RANKS = 13
NUM_CARDS = NUM_SUITS * NUM_RANKS

SUITS = "cdhs"
RANKS = "A23456789TJQK"

ACE, JACK, QUEEN, KING = 1, 11, 12, 13

Hand = npt.NDArray[np.int8]


@compiled
def rank_of(card: int) -> int:
    """The rank of a card, 1 (ace) to 13 (king)."""
    return card % NUM_RANKS + 1


@compiled
def suit_of(card: int) -> int:
    """The suit of a card, 0 to 3 in the order of `SUITS`."""
    return card // NUM_RANKS


@compiled
def card_of(suit: int, rank: int) -> int:
    """The card of a suit (0 to 3) and a rank (1 to 13)."""
    return NUM_RANKS * suit + rank - 1


def card_name(card: int) -> str:
    """A card as text.

    >>> card_name(22)
    'Td'
    """
    if not 0 <= card < NUM_CARDS:
        raise ValueError(f"a card is a number from 0 to {NUM_CARDS - 1}, not {card}")
    return RANKS[rank_of(card) - 1] + SUITS[suit_of(card)]


def parse_card(text: str) -> int:
    """The card that a text names: a rank of ``A23456789TJQK``, then a suit of ``cdhs``, in either case.

    >>> parse_card("Td")
    22
    """
    rank, suit = text[:-1].upper(), text[-1:].lower()
    if rank == "10":
        rank = "T"
    if len(rank) != 1 or rank not in RANKS or not suit or suit not in SUITS:
        raise ValueError(f"a card is a rank of {RANKS} and a suit of {SUITS}, such as Td or As, not {text!r}")
    return int(card_of(SUITS.index(suit), RANKS.index(rank) + 1))


def hand(text: str) -> Hand:
    """The hand that a text lists, ``(52,) int8``: ``hand("7h 2s Td")``. Raises ValueError at an unknown card."""
    return hand_of(parse_card(word) for word in text.replace(",", " ").split())


def hand_of(cards: Iterable[int]) -> Hand:
    """The hand that holds the given cards, ``(52,) int8``."""
    counts = np.zeros(NUM_CARDS, np.int8)
    for card in cards:
        if not 0 <= card < NUM_CARDS:
            raise ValueError(f"a card is a number from 0 to {NUM_CARDS - 1}, not {card}")
        counts[card] += 1
    return counts


def cards_of(hand: Hand) -> list[int]:
    """The cards that a hand holds, in ascending order, twins repeated."""
    return [int(card) for card in np.repeat(np.arange(NUM_CARDS), hand)]


def hand_text(hand: Hand) -> str:
    """A hand as text, by suit and then by rank; `hand` reads it back.

    >>> hand_text(hand("Td 7h 2s"))
    'Td 7h 2s'
    """
    return " ".join(card_name(card) for card in cards_of(hand))
