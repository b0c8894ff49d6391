"""The rules of Three Thirteen, and every choice that they leave open.

The game (as pagat.com and Wikipedia's "Three thirteen" give it). Two or more players play eleven rounds. Round r deals
r + 2 cards to every seat, and the rank r + 2 is wild: threes in round 1, kings in round 11. The rest of the cards is
the stock, face down; its top card is turned up and starts the discard pile.

- *Turn.* The seat left of the dealer starts and play goes clockwise. A turn draws one card, the top of the stock or
  the upcard (the top of the discard pile), then discards one card face up.
- *Melds.* A set is three or more cards of one rank. A run is three or more cards of one suit in sequence. No card
  serves two melds, and nobody adds to the melds of another.
- *Wild cards* stand for any card, any number of them in a meld. A run that passes over the wild rank needs a wild card
  there like anywhere else.
- *Going out.* After drawing, a seat may go out if all its cards but one fit in melds; it lays them down and discards
  that one. Each other seat then has exactly one more turn, and the round ends.
- *Scoring.* Every hand is arranged so that its leftover cards, the deadwood, cost least: ace 1, two to ten their
  number, jack, queen and king 10 each. The lowest total over the rounds wins; equal lowest totals share the win.

Where the sources are silent or differ, `Rules` says what is played: the default, and what can be had instead.

    stock runs out        when a seat draws from the empty stock, the discard pile but for the upcard is shuffled into
                          a new one; if the upcard lies alone, it is the only card that can be drawn
    nobody goes out       after `turn_limit` turns of every seat the round ends and every hand is scored as it stands
    upcard just taken     may be discarded again, unless `may_return_upcard` is False; then no card of its face may,
                          for twins cannot be told apart (unless the hand holds nothing else)
    wild cards alone      make a meld, unless `wild_only_melds` is False
    wild card left over   costs what its rank says, or `wild_points`
    jack, queen, king     10 each, or 11, 12 and 13 where `court_cards_ten` is False
    ace                   low, A-2-3 and 1 point; with `aces_high` also Q-K-A, and 15 points. K-A-2 is never a run
    packs                 half as many as players, rounded up, or `num_packs`
    rounds                `first_round` to `last_round`, for curricula and short experiments

Not implemented: jokers, and laying off cards on the melds of another.
"""

import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

from three_thirteen_env.cards import ACE, JACK, NUM_CARDS, rank_of
from three_thirteen_env.compiled import compiled

MIN_PLAYERS, MAX_PLAYERS = 2, 8
MAX_PACKS = 4
NUM_ROUNDS = 11
MIN_MELD = 3  # cards
HIGH_ACE_POINTS = 15  # of an ace left over, where aces are high
COURT_POINTS = 10  # of a jack, queen or king left over, where they do not cost 11, 12 and 13
DEALT_MORE = 2  # a round deals this many cards more than its number, and the wild rank is this much higher
MAX_HAND = NUM_ROUNDS + DEALT_MORE + 1  # the thirteen cards of the last round and the one just drawn

WILD_RANK_POINTS = -1  # `wild_points`: a wild card left over costs what its rank says

_ALLOWED = {
    "num_players": (MIN_PLAYERS, MAX_PLAYERS),
    "num_packs": (1, MAX_PACKS),
    "first_round": (1, NUM_ROUNDS),
    "last_round": (1, NUM_ROUNDS),
    "turn_limit": (1, 1000),
    "wild_points": (WILD_RANK_POINTS, 50),
}


class _Fields(NamedTuple):
    num_players: int
    num_packs: int
    first_round: int
    last_round: int
    turn_limit: int
    wild_points: int
    aces_high: bool
    court_cards_ten: bool
    wild_only_melds: bool
    may_return_upcard: bool


class Rules(_Fields):
    """Every choice of rule: a tuple of integers and booleans, checked when made, that compiled code takes as it is.

    Raises ValueError, which names the field, what came and what is allowed.

    >>> Rules(num_players=4).num_packs
    2
    """

    __slots__ = ()

    def __new__(
        cls,
        num_players: int = 2,  # seats at the table, 2 to 8
        num_packs: int | None = None,  # packs of 52 cards, 1 to 4; by default half as many as players, rounded up
        first_round: int = 1,  # the first round played, 1 to 11
        last_round: int = NUM_ROUNDS,  # the last round played, 1 to 11
        turn_limit: int = 50,  # turns of each seat after which a round that nobody ends is over, 1 to 1000
        wild_points: int = WILD_RANK_POINTS,  # points of a wild card left over, 0 to 50; -1: what its rank says
        aces_high: bool = False,  # an ace also follows the king in a run, and costs 15 points
        court_cards_ten: bool = True,  # jack, queen and king cost 10 each; otherwise 11, 12 and 13
        wild_only_melds: bool = True,  # wild cards alone make a meld
        may_return_upcard: bool = True,  # the upcard just taken may be discarded in the same turn
    ) -> "Rules":
        """Check every choice, alone and together."""
        num_players = _integer("num_players", num_players)
        if num_packs is None:
            num_packs = (num_players + 1) // 2
        self = super().__new__(
            cls,
            num_players,
            _integer("num_packs", num_packs),
            _integer("first_round", first_round),
            _integer("last_round", last_round),
            _integer("turn_limit", turn_limit),
            _integer("wild_points", wild_points),
            _boolean("aces_high", aces_high),
            _boolean("court_cards_ten", court_cards_ten),
            _boolean("wild_only_melds", wild_only_melds),
            _boolean("may_return_upcard", may_return_upcard),
        )
        _check_together(self)
        return self

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> "Rules":  # type: ignore[override]
        """The rules with these values in the order of the fields, checked; `_replace` comes through here too."""
        return cls(*iterable)


def _integer(field: str, value: Any) -> int:
    return checked_integer(field, value, *_ALLOWED[field])


def checked_integer(name: str, value: Any, low: int, high: int) -> int:
    """A value as an integer; raises ValueError unless it is one from `low` to `high`."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}")
    return number


def _boolean(field: str, value: Any) -> bool:
    if type(value).__name__ not in ("bool", "bool_"):  # NumPy has a boolean of its own
        raise ValueError(f"{field} must be True or False, not {value!r}")
    return bool(value)


def _check_together(rules: Rules) -> None:
    if rules.first_round > rules.last_round:
        raise ValueError(f"first_round must not come after last_round {rules.last_round}, but is {rules.first_round}")
    needed = rules.num_players * (rules.last_round + DEALT_MORE) + 2  # the hands, the upcard and one card of stock
    if NUM_CARDS * rules.num_packs < needed:
        raise ValueError(
            f"num_packs {rules.num_packs} is too few: the deal of round {rules.last_round} to {rules.num_players} "
            f"players takes {needed} cards, and there are {NUM_CARDS * rules.num_packs}"
        )


@compiled
def hand_size(round_number: int) -> int:
    """How many cards every seat is dealt in a round."""
    return int(round_number) + DEALT_MORE


@compiled
def wild_rank_of(round_number: int) -> int:
    """The rank that is wild in a round."""
    return int(round_number) + DEALT_MORE


@compiled
def card_points(card: int, wild_rank: int, rules: Rules) -> int:
    """What a card costs that is left over, in points."""
    rank = rank_of(card)
    if rank == wild_rank and rules.wild_points != WILD_RANK_POINTS:
        return rules.wild_points
    if rank == ACE:
        return HIGH_ACE_POINTS if rules.aces_high else ACE
    if rank >= JACK and rules.court_cards_ten:
        return COURT_POINTS
    return rank
