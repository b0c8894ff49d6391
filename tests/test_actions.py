import pytest

from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, NUM_ACTIONS, TAKE_UPCARD, action_name, parse_action
from three_thirteen_env.cards import parse_card


def test_there_are_106_actions_as_documented():
    assert (DRAW_STOCK, TAKE_UPCARD, DISCARD, GO_OUT, NUM_ACTIONS) == (0, 1, 2, 54, 106)


def test_every_action_has_words_that_read_back():
    assert [parse_action(action_name(action)) for action in range(NUM_ACTIONS)] == list(range(NUM_ACTIONS))


def test_discarding_and_going_out_name_their_card():
    assert action_name(DISCARD + parse_card("Qs")) == "discard Qs"
    assert action_name(GO_OUT + parse_card("Qs")) == "out Qs"


@pytest.mark.parametrize("text", ["", "draw Td", "discard", "out", "knock Td", "discard Td Td", "discard Xx"])
def test_unknown_words_are_refused(text):
    with pytest.raises(ValueError, match="is"):
        parse_action(text)


@pytest.mark.parametrize("action", [-1, 106])
def test_a_number_that_is_no_action_has_no_words(action):
    with pytest.raises(ValueError, match="0 to 105"):
        action_name(action)
