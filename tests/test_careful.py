"""Careful: what is kin to a card, as a table, and what a discard costs that gives to others or takes from the hand."""

import numpy as np
import pytest

from agents.careful import (
    FED_WILD_CARD,
    KIN_IN_HAND,
    KIN_KNOWN,
    KIN_UNSEEN,
    POINTS_LATER,
    careful_costs,
    kin_of,
    outs_worth,
)
from agents.lookahead import NOT_LOOKED_AT, costs_after_discards
from tests.playing import mask_of
from tests.positions import choice, position
from three_thirteen_env.actions import DISCARD, GO_OUT
from three_thirteen_env.cards import NUM_CARDS, hand, parse_card
from three_thirteen_env.rules import Rules, card_points
from three_thirteen_env.view import view_of

THREE = Rules(num_players=3)


@pytest.mark.parametrize(
    ("card", "cards", "kin"),
    [
        pytest.param("9c", "9d 9h 9s", 3, id="its rank"),
        pytest.param("9c", "9c 9c", 2, id="its twins"),
        pytest.param("9c", "8c Tc", 2, id="its neighbors"),
        pytest.param("9c", "7c Jc", 1, id="two away counts half"),
        pytest.param("9c", "6c Qc", 0, id="three away is too far"),
        pytest.param("9c", "8d Td 7h", 0, id="neighbors of other suits"),
        pytest.param("9c", "9d 8c Jc Jc", 3, id="all together, twins each"),
        pytest.param("4c", "3c 5c 2c", 1.5, id="a wild card is no neighbor"),
        pytest.param("5c", "3c 6c", 1, id="nor is it two away"),
        pytest.param("3c", "3d 3s 4c", 3, id="wild cards are kin of each other, and of a neighbor"),
        pytest.param("Ac", "Kc Qc 2c Kd", 1, id="below the ace nothing"),
        pytest.param("Ad", "Kc Qc", 0, id="not the king of the suit before it either"),
        pytest.param("Kd", "Qd Jd Ah 2h", 1.5, id="above the king nothing"),
        pytest.param("Ks", "As 2s", 0, id="not the ace, even of the last suit"),
    ],
)
def test_the_kin_of_a_card_is_what_it_can_be_in_a_meld_with(card, cards, kin):
    assert kin_of(parse_card(card), hand(cards), 3) == kin


def extra_costs(state, rules=Rules()):
    """By how much each discard costs the careful more than the prospects alone, by card."""
    view, allowed = view_of(state, state.seat), mask_of(state, rules)[DISCARD:GO_OUT]
    careful, ahead = np.empty(NUM_CARDS), np.empty(NUM_CARDS)
    careful_costs(view, allowed, rules, careful)
    costs_after_discards(view, view.hands[view.seat], allowed, rules, outs_worth(view, rules), ahead)
    assert ((careful == NOT_LOOKED_AT) == (ahead == NOT_LOOKED_AT)).all()
    return careful - ahead


def with_known(state, seats_on, cards):
    """The same, where a seat was seen to take these cards."""
    seat = (state.seat + seats_on) % THREE.num_players
    state.known[seat] = state.hands[seat] = hand(cards)
    return state


@pytest.mark.parametrize(
    ("text", "card", "kin_in_hand", "kin_unseen", "more"),
    [
        pytest.param("Kc 9d 5h 4s", "9d", 1, 6, 0, id="three nines, eight and ten, seven and jack for half"),
        pytest.param("Kc 9d 5h 8d", "9d", 2, 5, 0, id="the eight is in the hand"),
        pytest.param("Kc 9d 9h 7d", "9d", 2.5, 4.5, 0, id="a nine and the seven are in the hand"),
        pytest.param("Kc Qs 5h 9d", "Kc", 1, 4.5, 0, id="the last of a suit"),
        pytest.param("Kc 2d 3c 9s", "3c", 1, 6, FED_WILD_CARD, id="a wild card"),
    ],
)
def test_a_discard_costs_its_kin_and_its_points_more(text, card, kin_in_hand, kin_unseen, more):
    """A card is kin of itself, so that the hand holds one at least."""
    card = parse_card(card)
    points = POINTS_LATER * card_points(card, 3, Rules())
    expected = KIN_IN_HAND * kin_in_hand + KIN_UNSEEN * kin_unseen + points + more
    assert extra_costs(position(text, "2s"))[card] == pytest.approx(expected)


def test_that_fades_as_the_round_goes_on():
    start, later, late = (extra_costs(position("Kc Qd 9h 3c", "2s", turns=turns)) for turns in (0, 5, 40))
    held = hand("Kc Qd 9h 3c") > 0
    assert (start[held] > 1.5 * later[held]).all()
    assert (later[held] > 50 * late[held]).all()


def test_kin_that_the_next_seat_is_known_to_hold_counts_more_and_no_other_seat_does():
    for_next, for_seat_after = (with_known(position("Kc 9d 5h 8d", "2c", THREE), on, "9s 9h Jd") for on in (1, 2))
    dearer = extra_costs(for_next, THREE) - extra_costs(for_seat_after, THREE)
    assert dearer[parse_card("9d")] == pytest.approx(2.5 * KIN_KNOWN / 2)  # of two others one gets it
    assert dearer[parse_card("8d")] == dearer[parse_card("Kc")] == 0


@pytest.mark.parametrize(
    ("text", "known", "lookahead", "fed", "careful"),
    [
        pytest.param("Jc Td 5h 5s", "Jh Js", "discard Jc", "discard Jc", "discard Td", id="two of its rank"),
        pytest.param("Tc Kd 5h 5s", "Qd Jd", "discard Tc", "discard Kd", "discard Tc", id="two of its suit"),
        pytest.param("9c Td 5h 5s", "Th Ts", "discard 9c", "discard Td", "discard 9c", id="a point is no reason"),
    ],
)
def test_the_next_seat_is_not_fed_what_it_is_known_to_collect(text, known, lookahead, fed, careful):
    """The careful would throw `fed` if it were not for the next seat."""
    for_next, for_seat_after = (with_known(position(text, "2c", THREE, turns=1), on, known) for on in (1, 2))
    assert choice("lookahead", for_next, THREE) == lookahead
    assert choice("careful", for_seat_after, THREE) == fed
    assert choice("careful", for_next, THREE) == careful
