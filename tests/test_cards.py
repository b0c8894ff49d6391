import numpy as np
import pytest

from three_thirteen_env.cards import (
    NUM_CARDS,
    card_name,
    card_of,
    cards_of,
    hand,
    hand_of,
    hand_text,
    parse_card,
    rank_of,
    suit_of,
)


def test_every_card_has_a_name_that_reads_back():
    assert [parse_card(card_name(card)) for card in range(NUM_CARDS)] == list(range(NUM_CARDS))
    assert len({card_name(card) for card in range(NUM_CARDS)}) == NUM_CARDS


def test_a_card_is_its_suit_and_its_rank():
    assert [card_of(suit_of(card), rank_of(card)) for card in range(NUM_CARDS)] == list(range(NUM_CARDS))


@pytest.mark.parametrize(("text", "card"), [("Ac", 0), ("Kc", 12), ("Td", 22), ("10d", 22), ("td", 22), ("KS", 51)])
def test_cards_are_read_in_either_case(text, card):
    assert parse_card(text) == card


@pytest.mark.parametrize("text", ["", "T", "1d", "Tx", "d", "11d", "Tdd", "🂡", "joker", "T d", "A2c"])
def test_an_unknown_card_is_refused(text):
    with pytest.raises(ValueError, match="a card is a rank of"):
        parse_card(text)


@pytest.mark.parametrize("card", [-1, 52])
def test_a_number_that_is_no_card_has_no_name(card):
    with pytest.raises(ValueError, match="0 to 51"):
        card_name(card)
    with pytest.raises(ValueError, match="0 to 51"):
        hand_of([card])


def test_the_order_of_the_cards_in_a_hand_is_no_matter_and_twins_are_kept():
    assert (hand("7h 2s Td 7h") == hand("Td, 7h, 7h, 2s")).all()
    assert hand("7h 7h").sum() == 2
    assert hand("").sum() == 0


def test_a_hand_as_text_reads_back():
    rng = np.random.default_rng(0)
    for size in range(15):
        cards = sorted(rng.choice(np.tile(np.arange(NUM_CARDS), 2), size, replace=False).tolist())
        assert cards_of(hand(hand_text(hand_of(cards)))) == cards
