"""Observations: what a seat may know, as one vector of numbers from -1 to 1.

`LAYOUT` is the table that everything comes from: the size of the vector, the slices, the documentation and the tests.
An observation is the values of its rows one after the other. Seats are relative to the observer: 0 is the observer,
1 the seat to its left, and so on, so that a policy need not learn the same thing once a seat.

Three kinds: ``"cards"`` is what a person at the table sees and remembers; ``"melds"`` adds the analysis of the solver;
``"outlook"`` adds to that what the next draw can make of the hand.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import deadwood_after_discards
from three_thirteen_env.game import DISCARD_PHASE, DRAW_PHASE
from three_thirteen_env.outlook import outlook, outlook_after_discards
from three_thirteen_env.rules import NUM_ROUNDS, Rules, wild_rank_of
from three_thirteen_env.search import NO_BOUND
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NO_CARD, NOBODY, State, States
from three_thirteen_env.view import count_unseen

Kind = Literal["cards", "melds", "outlook"]
CARDS, MELDS, OUTLOOK = range(3)  # the same in compiled code: each has all of the one before
Observation = npt.NDArray[np.float32]

SCORE_SCALE = 400
DEADWOOD_SCALE = 100
NOT_A_CHOICE = -1.0
FAR_FROM_BEST = 10  # points: what leaves more deadwood than the best discard by more than so many is not looked into


class Row(NamedTuple):
    """One named slice: `length` values, once for each of `seats` ("", "all seats" or "other seats")."""

    name: str
    seats: Literal["", "all seats", "other seats"]
    length: int
    unit: str
    scale: str
    meaning: str


_CARDS = (
    Row("hand", "", NUM_CARDS, "cards", "packs", "one's own hand"),
    Row("upcard", "", NUM_CARDS, "one-hot", "1", "the top of the discard pile, if there is one"),
    Row("pile", "", NUM_CARDS, "cards", "packs", "the whole discard pile, the upcard too"),
    Row(
        "known_hands",
        "other seats",
        NUM_CARDS,
        "cards",
        "packs",
        "what is known of a hand: cards taken from the pile and still held; all of it if the seat went out",
    ),
    Row("discarded", "all seats", NUM_CARDS, "cards", "packs", "what a seat threw in this round"),
    Row("wild_rank", "", NUM_RANKS, "one-hot", "1", "the wild rank, ace first"),
    Row("phase", "", 2, "one-hot", "1", "the seat to act draws, or discards"),
    Row("seat_to_act", "all seats", 1, "one-hot", "1", "whose turn it is"),
    Row("dealer", "all seats", 1, "one-hot", "1", "who dealt"),
    Row("out_seat", "all seats", 1, "one-hot", "1", "who went out, so that these are the final turns"),
    Row("scores", "all seats", 1, "points", f"{SCORE_SCALE}, at most 1", "the points of the rounds that are over"),
    Row("stock_size", "", 1, "cards", "52 × packs", "how many cards the stock has"),
    Row("turns", "", 1, "turns", "turn limit × players, at most 1", "how many turns of the round are over"),
    Row("rounds_left", "", 1, "rounds", f"{NUM_ROUNDS}", "how many rounds come after this one"),
)
_MELDS = (
    Row("deadwood", "", 1, "points", f"{DEADWOOD_SCALE}, at most 1", "the least deadwood of one's hand"),
    Row(
        "deadwood_with_upcard",
        "",
        1,
        "points",
        f"{DEADWOOD_SCALE}, at most 1",
        "the least deadwood after taking the upcard and the best discard; -1 but in the draw phase",
    ),
    Row(
        "deadwood_after_discard",
        "",
        NUM_CARDS,
        "points",
        f"{DEADWOOD_SCALE}, at most 1",
        "the least deadwood after discarding a card; -1 for a card not held, and but in one's own discard phase",
    ),
)

NUM_MELDS = sum(row.length for row in _MELDS)
_OUTLOOK = (
    Row(
        "expected",
        "",
        1,
        "points",
        f"{DEADWOOD_SCALE}, at most 1",
        "the deadwood expected after a draw from the stock and the best discard; -1 but in one's own draw phase",
    ),
    Row("outs", "", 1, "chance", "1", "that such a draw leaves no deadwood; -1 but in one's own draw phase"),
    Row(
        "deadwood_with_upcard_after_discard",
        "",
        NUM_CARDS,
        "points",
        f"{DEADWOOD_SCALE}, at most 1",
        "the least deadwood after taking the upcard and discarding a card; -1 for a card that could not be discarded "
        "then, and but in one's own draw phase",
    ),
    Row(
        "expected_after_discard",
        "",
        NUM_CARDS,
        "points",
        f"{DEADWOOD_SCALE}, at most 1",
        "what is expected after discarding a card, in the draw phase after taking the upcard and discarding a card; "
        f"-1 for a card that cannot be discarded, for one that leaves over {FAR_FROM_BEST} points more deadwood than "
        "the best, and but in one's own turn",
    ),
    Row("outs_after_discard", "", NUM_CARDS, "chance", "1", "that the draw after it leaves no deadwood; -1 likewise"),
)

LAYOUT: dict[Kind, tuple[Row, ...]] = {
    "cards": _CARDS,
    "melds": _CARDS + _MELDS,
    "outlook": _CARDS + _MELDS + _OUTLOOK,
}
KIND_NUMBERS: dict[Kind, int] = {"cards": CARDS, "melds": MELDS, "outlook": OUTLOOK}


def slices(rules: Rules, kind: Kind) -> dict[str, slice]:
    """Where each row of `LAYOUT` lies in an observation.

    >>> slices(Rules(), "cards")["upcard"]
    slice(52, 104, None)
    """
    if kind not in LAYOUT:
        raise ValueError(f"an observation is of kind {' or '.join(map(repr, get_args(Kind)))}, not {kind!r}")
    repeats = {"": 1, "all seats": rules.num_players, "other seats": rules.num_players - 1}
    ends = np.cumsum([row.length * repeats[row.seats] for row in LAYOUT[kind]]).tolist()
    return {row.name: slice(start, end) for row, start, end in zip(LAYOUT[kind], [0, *ends], ends, strict=False)}


def observation_size(rules: Rules, kind: Kind) -> int:
    """How many values an observation has."""
    return max(part.stop for part in slices(rules, kind).values())


def layout_table() -> str:
    """`LAYOUT` as a table in Markdown, with the place of every row for two players."""
    lines = ["| slice | two players | length | unit | divided by | meaning |", "|---|---|---|---|---|---|"]
    places = slices(Rules(), "outlook")
    for row in LAYOUT["outlook"]:
        place = f"{places[row.name].start} to {places[row.name].stop - 1}"
        length = f"{row.length} × {row.seats}" if row.seats else f"{row.length}"
        lines.append(f"| `{row.name}` | {place} | {length} | {row.unit} | {row.scale} | {row.meaning} |")
    return "\n".join(lines)


@compiled
def encode(state: State, seat: int, rules: Rules, kind: int, observation: Observation) -> None:
    """Trusts its caller: write what a seat observes, ``(observation_size,) float32``, of the kind of a number.

    Only what the seat may know is read, so its view gives the same observation as the state.
    """
    players = rules.num_players
    share = np.float32(1 / rules.num_packs)  # of the cards of one face, a card is this much
    observation[:] = 0
    start = _write_counts(state.hands[seat], share, observation, 0)
    if state.pile_size > 0:
        observation[start + int(state.pile[state.pile_size - 1])] = 1
    start += NUM_CARDS
    for index in range(state.pile_size):
        observation[start + int(state.pile[index])] += share
    start += NUM_CARDS
    for relative in range(1, players):
        other = (seat + relative) % players
        known = state.hands[other] if other == state.out_seat else state.known[other]
        start = _write_counts(known, share, observation, start)
    for relative in range(players):
        start = _write_counts(state.discarded[(seat + relative) % players], share, observation, start)
    observation[start + wild_rank_of(state.round_number) - 1] = 1
    start += NUM_RANKS
    observation[start] = state.phase == DRAW_PHASE
    observation[start + 1] = state.phase == DISCARD_PHASE
    start += 2
    for other in (state.seat, state.dealer, state.out_seat):
        if other != NOBODY:
            observation[start + (int(other) - seat) % players] = 1
        start += players
    for relative in range(players):
        observation[start + relative] = min(1, int(state.scores[(seat + relative) % players]) / SCORE_SCALE)
    start += players
    observation[start] = int(state.stock_size) / (NUM_CARDS * rules.num_packs)
    observation[start + 1] = min(1, int(state.num_turns) / (rules.turn_limit * players))
    observation[start + 2] = (rules.last_round - int(state.round_number)) / NUM_ROUNDS
    if kind >= MELDS:
        _write_melds(state, seat, rules, observation[start + 3 :])
    if kind >= OUTLOOK:
        _write_outlook(state, seat, rules, observation[start + 3 + NUM_MELDS :])


def observe_each(views: States, rules: Rules, kind: Kind) -> Observation:
    """What the seat of every view ``(n,)`` observes, ``(n, observation_size)``."""
    observations = np.empty((len(views), observation_size(rules, kind)), np.float32)
    encode_each(views, rules, KIND_NUMBERS[kind], observations)
    return observations


@compiled
def encode_each(views: States, rules: Rules, kind: int, observations: Observation) -> None:
    """Trusts its caller: write the observation of every view ``(n,)`` into a row of ``(n, observation_size)``."""
    for index in range(len(views)):
        encode(views[index], int(views[index].observer), rules, kind, observations[index])


@compiled
def _write_counts(counts: npt.NDArray[np.int8], share: np.float32, observation: Observation, start: int) -> int:
    """Write the counts of cards, each card as its share of its face; gives where the next row starts."""
    for card in range(NUM_CARDS):
        observation[start + card] = np.float32(counts[card]) * share
    return start + NUM_CARDS


@compiled
def _write_melds(state: State, seat: int, rules: Rules, values: Observation) -> None:
    """Write what the solver says of a hand: the three rows that only the kind "melds" has."""
    wild_rank = wild_rank_of(state.round_number)
    hand = state.hands[seat].copy()
    after_discards = np.empty(NUM_CARDS, np.int16)
    values[0] = min(1, least_deadwood(hand, wild_rank, rules) / DEADWOOD_SCALE)
    values[1:] = NOT_A_CHOICE
    if state.phase == DRAW_PHASE:
        hand[state.pile[state.pile_size - 1]] += 1
        deadwood_after_discards(hand, wild_rank, rules, after_discards)
        least = NO_BOUND
        for card in range(NUM_CARDS):
            if after_discards[card] >= 0:
                least = min(least, int(after_discards[card]))
        values[1] = min(1, least / DEADWOOD_SCALE)
    elif state.phase == DISCARD_PHASE and state.seat == seat:
        deadwood_after_discards(hand, wild_rank, rules, after_discards)
        for card in range(NUM_CARDS):
            if after_discards[card] >= 0:
                values[2 + card] = min(1, int(after_discards[card]) / DEADWOOD_SCALE)


@compiled
def _write_outlook(state: State, seat: int, rules: Rules, values: Observation) -> None:
    """Write what the next draw can make of a hand: the five rows that only the kind "outlook" has."""
    values[:] = NOT_A_CHOICE
    if state.seat != seat:
        return
    hand, wild_rank = state.hands[seat].copy(), wild_rank_of(state.round_number)
    unseen = np.empty(NUM_CARDS, np.int8)
    num_unseen = count_unseen(state, seat, rules, unseen)
    may_discard = np.ones(NUM_CARDS, np.int8)
    if state.phase == DRAW_PHASE:
        if num_unseen > 0:
            expected, outs = outlook(hand, unseen, num_unseen, wild_rank, rules)
            values[0] = min(1, expected / DEADWOOD_SCALE)
            values[1] = outs
        upcard = state.pile[state.pile_size - 1]
        may_discard[upcard] = hand[upcard] > 0 and rules.may_return_upcard
        hand[upcard] += 1
    elif state.taken != NO_CARD and not rules.may_return_upcard:
        may_discard[state.taken] = 0
    deadwood = np.empty(NUM_CARDS, np.int16)
    deadwood_after_discards(hand, wild_rank, rules, deadwood)
    least = NO_BOUND
    for card in range(NUM_CARDS):
        if deadwood[card] >= 0 and may_discard[card]:
            least = min(least, int(deadwood[card]))
    for card in range(NUM_CARDS):
        if deadwood[card] < 0 or not may_discard[card]:
            may_discard[card] = 0
            continue
        if state.phase == DRAW_PHASE:
            values[2 + card] = min(1, deadwood[card] / DEADWOOD_SCALE)
        may_discard[card] = deadwood[card] <= least + FAR_FROM_BEST
    if num_unseen == 0:
        return
    each_expected, each_outs = np.empty(NUM_CARDS, np.float64), np.empty(NUM_CARDS, np.float64)
    outlook_after_discards(hand, may_discard, unseen, num_unseen, wild_rank, rules, each_expected, each_outs)
    for card in range(NUM_CARDS):
        if may_discard[card]:
            values[2 + NUM_CARDS + card] = min(1, each_expected[card] / DEADWOOD_SCALE)
            values[2 + 2 * NUM_CARDS + card] = each_outs[card]
