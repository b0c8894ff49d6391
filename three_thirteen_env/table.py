"""What there is to see on a table: a game or a view in the words and groups of cards that `render` shows.

Of a view this is what its seat may see: other hands are a few known cards and others face down.
"""

from collections.abc import Sequence
from typing import NamedTuple

from three_thirteen_env.cards import card_name, cards_of
from three_thirteen_env.game import hand_size_of
from three_thirteen_env.melds import arrange
from three_thirteen_env.rules import DEALT_MORE, Rules, wild_rank_of
from three_thirteen_env.state import NO_CARD, NOBODY, Phase, State

PILE_SHOWN = 6  # cards of the discard pile that are shown, the upcard among them

NOTES = DEALER, TO_ACT, FINAL_TURN, WENT_OUT, WINS = "dealer", "to act", "final turn", "went out", "wins"

_WILD_RANKS = ("threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "jacks", "queens", "kings")


class Group(NamedTuple):
    """Cards of a hand that lie together: a meld, the deadwood, known cards, or cards face down (`NO_CARD` each)."""

    label: str
    cards: tuple[int, ...]
    stands_for: tuple[int, ...]  # the card that each stands for: another one only for wild cards in a meld


class Place(NamedTuple):
    """What lies at one seat."""

    name: str
    score: int
    last_points: int | None  # what the last round that is over cost, or None in the first
    notes: tuple[str, ...]  # of `NOTES`
    groups: tuple[Group, ...]


class Table(NamedTuple):
    """The whole table; `nearest` is the seat that looks at it, and `pile` ends with the upcard."""

    heading: str
    status: str
    wild_rank: int
    nearest: int
    stock_size: int
    pile_size: int
    pile: tuple[int, ...]
    places: tuple[Place, ...]


def look(state: State, rules: Rules, seat_names: Sequence[str] | None = None) -> Table:
    """What there is to see of a game or a view. Raises ValueError unless there is one name for every seat."""
    names = [f"player_{seat}" for seat in range(rules.num_players)] if seat_names is None else list(seat_names)
    if len(names) != rules.num_players:
        raise ValueError(f"seat_names must be {rules.num_players} names, one for every seat, not {names!r}")
    wild_rank = int(wild_rank_of(state.round_number))
    pile_size = int(state.pile_size)
    return Table(
        heading=f"round {state.round_number} of {rules.last_round}, {_WILD_RANKS[wild_rank - 1 - DEALT_MORE]} are wild",
        status=_status(state, rules, names),
        wild_rank=wild_rank,
        nearest=max(int(state.observer), 0),
        stock_size=int(state.stock_size),
        pile_size=pile_size,
        pile=tuple(int(card) for card in state.pile[max(pile_size - PILE_SHOWN, 0) : pile_size]),
        places=tuple(_place(state, seat, rules, names[seat]) for seat in range(rules.num_players)),
    )


def _status(state: State, rules: Rules, names: list[str]) -> str:
    """Who does what next, or who has won."""
    if state.phase == Phase.GAME_OVER:
        best = [names[seat] for seat in _winners(state, rules)]
        if len(best) == 1:
            return f"game over, {best[0]} wins"
        return f"game over, {', '.join(best[:-1])} and {best[-1]} share the win"
    if state.phase == Phase.DRAW:
        status = f"{names[state.seat]} to draw"
    elif state.taken == NO_CARD:
        status = f"{names[state.seat]} drew from the stock, to discard"
    else:
        status = f"{names[state.seat]} took {card_name(state.taken)}, to discard"
    return status if state.out_seat == NOBODY else f"{status} ({FINAL_TURN})"


def _winners(state: State, rules: Rules) -> list[int]:
    """The seats with the lowest score."""
    scores = state.scores[: rules.num_players]
    return [seat for seat in range(rules.num_players) if scores[seat] == scores.min()]


def _place(state: State, seat: int, rules: Rules, name: str) -> Place:
    is_over = state.phase == Phase.GAME_OVER
    last_round = int(state.round_number) if is_over else int(state.round_number) - 1
    return Place(
        name=name,
        score=int(state.scores[seat]),
        last_points=int(state.round_points[last_round - 1, seat]) if last_round >= rules.first_round else None,
        notes=_notes(state, seat, rules),
        groups=_groups(state, seat, rules),
    )


def _notes(state: State, seat: int, rules: Rules) -> tuple[str, ...]:
    """What there is to say of a seat, in the order of `NOTES`."""
    is_over = state.phase == Phase.GAME_OVER
    is_to_act = not is_over and seat == state.seat
    applies = {
        DEALER: seat == state.dealer,
        TO_ACT: is_to_act,
        FINAL_TURN: is_to_act and state.out_seat != NOBODY,
        WENT_OUT: seat == state.out_seat,
        WINS: is_over and seat in _winners(state, rules),
    }
    return tuple(note for note in NOTES if applies[note])


def _groups(state: State, seat: int, rules: Rules) -> tuple[Group, ...]:
    """The cards of a seat: a hand that is seen whole is arranged in melds and deadwood, any other is not."""
    cards = tuple(cards_of(state.hands[seat]))
    num_hidden = int(hand_size_of(state, seat)) - len(cards)
    if num_hidden > 0:
        face_down = (NO_CARD,) * num_hidden
        groups = [Group("known", cards, cards), Group(f"{num_hidden} face down", face_down, face_down)]
    else:
        arrangement = arrange(state.hands[seat], int(wild_rank_of(state.round_number)), rules)
        groups = [Group(meld.kind, meld.cards, meld.stands_for) for meld in arrangement.melds]
        groups.append(Group(f"deadwood {arrangement.points}", arrangement.deadwood, arrangement.deadwood))
    return tuple(group for group in groups if group.cards)
