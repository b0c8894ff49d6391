"""The 106 actions: numbers for the learner, words for people.

    0          draw the top of the stock
    1          take the upcard
    2 + card   discard the card
    54 + card  go out, discarding the card

Where going out with a card is legal, the plain discard of it is too: going out is a choice.
"""

from three_thirteen_env.cards import NUM_CARDS, card_name, parse_card

DRAW_STOCK = 0
TAKE_UPCARD = 1
DISCARD = 2  # + card
GO_OUT = DISCARD + NUM_CARDS  # + card
NUM_ACTIONS = GO_OUT + NUM_CARDS


def action_name(action: int) -> str:
    """An action in words.

    >>> [action_name(action) for action in (0, 1, 24, 76)]
    ['draw', 'take', 'discard Td', 'out Td']
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"an action is a number from 0 to {NUM_ACTIONS - 1}, not {action}")
    if action == DRAW_STOCK:
        return "draw"
    if action == TAKE_UPCARD:
        return "take"
    if action < GO_OUT:
        return f"discard {card_name(action - DISCARD)}"
    return f"out {card_name(action - GO_OUT)}"


def parse_action(text: str) -> int:
    """The action that the words name: ``draw``, ``take``, ``discard Td`` or ``out Td``.

    >>> parse_action("out Td")
    76
    """
    match text.split():
        case ["draw"]:
            return DRAW_STOCK
        case ["take"]:
            return TAKE_UPCARD
        case ["discard", card]:
            return DISCARD + parse_card(card)
        case ["out", card]:
            return GO_OUT + parse_card(card)
    raise ValueError(f"an action is 'draw', 'take', 'discard Td' or 'out Td', not {text!r}")
