"""Careful: lookahead that also sees the table: what a discard gives the next seat, and what the hand may yet use."""

import numpy as np
import numpy.typing as npt

from agents.greedy import choose_discard
from agents.lookahead import NOT_LOOKED_AT, Costs, choose_draw, costs_after_discards, is_settled
from three_thirteen_env.actions import DISCARD, GO_OUT
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.cards import ACE, KING, NUM_CARDS, NUM_RANKS, NUM_SUITS, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import DRAW_PHASE
from three_thirteen_env.rules import Rules, card_points, wild_rank_of
from three_thirteen_env.state import State, States
from three_thirteen_env.view import count_unseen

LATE_OUTS, EARLY_OUTS = 3.0, 40.0  # points that it is worth to leave no deadwood: at any time, and more at the start
KIN_UNSEEN, KIN_KNOWN = 0.85, 3.0  # points for each of its kin, unseen or known to be in the hand of the next seat
FED_WILD_CARD = 11.0  # points
KIN_IN_HAND = 2.0  # points for each of its kin in one's own hand
POINTS_LATER = 0.2  # points for each point of the card

Counts = npt.NDArray[np.int8]  # (52,)


class Careful:
    """Looks ahead as `Lookahead` does, and also at how far the round has come, and at what a discard gives and takes.

    To leave no deadwood is worth the more, the fewer turns were played: the more the others will be caught with. That
    goes for draws and discards. A card has kin: the cards of its rank, and those of its suit next to it or one rank
    further. A discard costs more

    - the more kin of it the next seat is known to hold, and the more kin is unseen and may be in its hand: it may take
      the card, the more so early in a round, while hands are open; a wild card it will always take. Where there are
      more seats that costs less, for only one of those to beat gets it;
    - the more kin of it one's own hand holds: melds may yet come of these, as long as there are draws to come;
    - the dearer the card is, for early in a round there is time to throw it later.

    Each of these fades as the round goes on. The numbers come from the same positions as those of `Lookahead`.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:  # noqa: ARG002
        """The careful action in each view."""
        actions = np.empty(len(views), np.int64)
        _choose_each(views, masks, self.rules, actions)
        return actions


@compiled
def _choose_each(views: States, masks: Masks, rules: Rules, actions: Actions) -> None:
    costs = np.empty(NUM_CARDS, np.float64)
    for index in range(len(views)):
        view, mask = views[index], masks[index]
        if view.phase == DRAW_PHASE:
            actions[index] = choose_draw(view, mask, rules, outs_worth(view, rules))
        elif is_settled(view, mask):
            actions[index] = choose_discard(view, mask, rules)
        else:
            careful_costs(view, mask[DISCARD:GO_OUT], rules, costs)
            actions[index] = DISCARD + costs.argmin()


@compiled
def careful_costs(view: State, mask: Counts, rules: Rules, costs: Costs) -> None:
    """Write what each discard is likely to cost, ``(52,)`` in points; `NOT_LOOKED_AT` for one that is not sensible."""
    hand, wild_rank = view.hands[view.seat], wild_rank_of(view.round_number)
    known = view.known[(view.seat + 1) % rules.num_players]
    unseen = np.empty(NUM_CARDS, np.int8)
    count_unseen(view, view.seat, rules, unseen)
    costs_after_discards(view, hand, mask, rules, outs_worth(view, rules), costs)
    to_build, to_feed = earliness(view, rules, 3), earliness(view, rules, 5)
    for card in range(NUM_CARDS):
        if costs[card] == NOT_LOOKED_AT:
            continue
        given = KIN_KNOWN * kin_of(card, known, wild_rank)
        given += KIN_UNSEEN * kin_of(card, unseen, wild_rank) / rules.num_packs
        if rank_of(card) == wild_rank:
            given += FED_WILD_CARD
        taken = KIN_IN_HAND * kin_of(card, hand, wild_rank) + POINTS_LATER * card_points(card, wild_rank, rules)
        costs[card] += to_feed * given / (rules.num_players - 1) + to_build * taken


@compiled
def outs_worth(view: State, rules: Rules) -> float:
    """How many points it is worth to leave no deadwood after the next draw."""
    return LATE_OUTS + EARLY_OUTS * earliness(view, rules, 3)


@compiled
def earliness(view: State, rules: Rules, scale: float) -> float:
    """1 at the start of a round, and less by a factor e whenever every seat had `scale` more turns."""
    return np.exp(-view.num_turns / (rules.num_players * scale))


@compiled
def kin_of(card: int, cards: Counts, wild_rank: int) -> float:
    """How many of some cards can be in a meld beside a card: its rank, its neighbors, and for half those after them."""
    rank = rank_of(card)
    kin = 0.0
    for suit in range(NUM_SUITS):
        kin += int(cards[NUM_RANKS * suit + rank - 1])
    for distance in range(-2, 3):
        if distance != 0 and ACE <= rank + distance <= KING and rank + distance != wild_rank:
            kin += int(cards[card + distance]) / abs(distance)
    return kin
