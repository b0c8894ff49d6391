import numpy as np
import pytest

from tests.playing import COMPILED
from tests.test_melds import random_rules
from three_thirteen_env.cards import ACE, KING, NUM_CARDS, cards_of, hand, hand_of, hand_text, parse_card, rank_of
from three_thirteen_env.compiled import compiled
from three_thirteen_env.discards import best_discard
from three_thirteen_env.outlook import NOT_ASKED, outlook, outlook_after_discards
from three_thirteen_env.rules import MAX_HAND, Rules

EVERYTHING = np.ones(NUM_CARDS, np.int8)


@compiled
def plain_outlook(held, unseen, num_unseen, wild_rank, rules):
    """The plain twin of `outlook`: every card drawn, and every card thrown."""
    everything = np.ones(NUM_CARDS, np.int8)
    total, num_outs = 0, 0
    for draw in range(NUM_CARDS):
        if unseen[draw] > 0:
            held[draw] += 1
            points = best_discard(held, everything, wild_rank, rules)[1]
            held[draw] -= 1
            total += int(unseen[draw]) * points
            num_outs += int(unseen[draw]) * (points == 0)
    return total / num_unseen, num_outs / num_unseen


@compiled
def plain_outlook_after_discards(held, mask, unseen, num_unseen, wild_rank, rules, expected, outs):
    """The plain twin of `outlook_after_discards`."""
    for card in range(NUM_CARDS):
        expected[card], outs[card] = -1, -1
        if held[card] > 0 and mask[card]:
            held[card] -= 1
            expected[card], outs[card] = plain_outlook(held, unseen, num_unseen, wild_rank, rules)
            held[card] += 1


OUTLOOKS = [
    ("one card: the cheaper of the two stays", "Kc", "2d Kd", 5, Rules(), 6, 0),
    ("two cards make no meld", "7c 7d", "7h", 5, Rules(), 14, 0),
    ("a pair finds its third card, or does not", "7c 7d Kc", "7h 9s", 5, Rules(), (0 + 14 + 9) / 2, 1 / 2),
    ("a run finds its end, its other end, or neither", "4h 5h Kc", "3h 6h Qd", 9, Rules(), (9 + 10) / 3, 2 / 3),
    ("a gap in a run", "4h 6h Kc", "5h", 9, Rules(), 0, 1),
    ("queen and king wait for a high ace", "Qh Kh 2c", "Ah", 9, Rules(aces_high=True), 0, 1),
    ("aces are not high by default", "Qh Kh 2c", "Ah", 9, Rules(), 1 + 2 + 10, 0),
    ("a wild card completes any pair", "4c 4h Kc", "8s", 8, Rules(), 0, 1),
    ("two wild cards complete any card", "8c 8d Kc", "2h", 8, Rules(), 0, 1),
    ("a melded hand throws what it draws", "4h 5h 6h", "Kc Qd", 9, Rules(), 0, 1),
    ("a melded hand with a card drawn to it throws an end", "4h 5h 6h", "7h", 9, Rules(), 0, 1),
    ("every card unseen counts", "7c 7d Kc", "7h 7s 9s 9s", 5, Rules(), (0 + 0 + 23 + 23) / 4, 1 / 2),
    ("a wild card that costs much is thrown", "Kc 3d", "8s", 8, Rules(wild_points=20), 13, 0),
    ("a twin joins no run of its twin", "4h 5h 6h 2c", "5h", 9, Rules(), 2, 0),
    ("a twin joins the set", "5h 5c Kc", "5h", 9, Rules(), 0, 1),
]


@pytest.mark.parametrize(
    ("cards", "unseen", "wild_rank", "rules", "expected", "outs"),
    [row[1:] for row in OUTLOOKS],
    ids=[row[0] for row in OUTLOOKS],
)
def test_what_the_next_draw_makes_of_a_hand(cards, unseen, wild_rank, rules, expected, outs):
    held, draws = hand(cards), hand(unseen)
    assert outlook(held, draws, int(draws.sum()), wild_rank, rules) == (expected, outs)
    assert plain_outlook(held, draws, int(draws.sum()), wild_rank, rules) == (expected, outs)


def test_what_each_discard_leaves_to_hope_for():
    expected, outs = np.empty(NUM_CARDS), np.empty(NUM_CARDS)
    mask = EVERYTHING.copy()
    mask[parse_card("Kc")] = 0
    outlook_after_discards(hand("7c 7d 2h Kc"), mask, hand("7h 9s"), 2, 5, Rules(), expected, outs)
    assert expected[parse_card("2h")] == (0 + 7 + 7 + 9) / 2
    assert outs[parse_card("2h")] == 1 / 2
    assert expected[parse_card("7c")] == (7 + 2 + 7 + 7 + 2 + 9) / 2
    assert outs[parse_card("7c")] == 0
    assert (np.flatnonzero(expected != NOT_ASKED) == cards_of(hand("7c 7d 2h"))).all()
    assert (np.flatnonzero(outs != NOT_ASKED) == cards_of(hand("7c 7d 2h"))).all()


def random_questions(rng, count, largest=MAX_HAND):
    """Hands of 2 to 14 cards from 1 to 4 packs, melds common, with cards unseen, discards allowed, and rules."""
    for _ in range(count if COMPILED else count // 200):
        size = int(rng.integers(2, 1 + (largest if COMPILED else 5)))
        num_packs, wild_rank = int(rng.integers(1, 5)), int(rng.integers(ACE, KING + 1))
        pack = np.repeat(np.arange(NUM_CARDS), num_packs)
        weights = rng.random(len(pack)) ** rng.choice([0.5, 4])
        if rng.integers(2):
            for card in rng.integers(NUM_CARDS, size=3):
                is_near = (pack // 13 == card // 13) & (abs(pack - card) < 3) | (pack % 13 == card % 13)
                weights[is_near] *= 6
        if rng.integers(3) == 0:
            weights[pack % 13 == wild_rank - 1] *= 6
        pack = rng.choice(pack, len(pack), replace=False, p=weights / weights.sum())
        num_unseen = int(rng.integers(1, len(pack) - size + 1 if COMPILED else 10))
        unseen = hand_of(rng.permutation(pack[size:])[:num_unseen].tolist())
        mask = (rng.random(NUM_CARDS) < 0.8).astype(np.int8)
        yield hand_of(pack[:size].tolist()), mask, unseen, num_unseen, wild_rank, random_rules(rng)


def check_question(held, mask, unseen, num_unseen, wild_rank, rules):
    """Hold both outlooks to their plain twins: the same numbers, to the last bit."""
    before = held.copy()
    expected, outs, plain_expected, plain_outs = np.empty((4, NUM_CARDS))
    outlook_after_discards(held, mask, unseen, num_unseen, wild_rank, rules, expected, outs)
    plain_outlook_after_discards(held, mask, unseen, num_unseen, wild_rank, rules, plain_expected, plain_outs)
    what = (hand_text(held), hand_text(unseen), wild_rank, rules)
    assert (expected == plain_expected).all(), what
    assert (outs == plain_outs).all(), what
    if held.sum() < MAX_HAND:
        plain = plain_outlook(held, unseen, num_unseen, wild_rank, rules)
        assert outlook(held, unseen, num_unseen, wild_rank, rules) == plain, what
    assert (held == before).all()


def test_the_outlook_and_its_plain_twin_agree_on_hands_of_every_kind():
    for question in random_questions(np.random.default_rng(1), 4000):
        check_question(*question)


@pytest.mark.slow
def test_the_outlook_and_its_plain_twin_agree_on_tens_of_millions_of_draws():
    for question in random_questions(np.random.default_rng(2), 100_000):
        check_question(*question)


@pytest.mark.skipif(not COMPILED, reason="fourteen cards take minutes in plain Python")
@pytest.mark.parametrize(
    "cards",
    [
        "5c 5d 5h 5s 6c 6d 6h 6s 7c 7d 7h 7s Kc Kd",
        "4c 4d 4h 4s 5c 5d 5h 5s 6c 6d 6h 6s Kc Kd",
        "5c 5c 6c 6c 7c 7c 5d 6d 7d 8d Kc Kd Kh Ks",
        "Kc Kd Kh Ks Kc Kd Kh Ks Kc Kd Kh Ks 2c 7d",
        "9c 9c 9d 9d 9h 9h 9s 9s 8c 8d 8h 8s Tc Kd",
    ],
    ids=["two wild cards, many sets", "many sets", "runs twice", "wild cards", "twins"],
)
def test_hands_with_very_many_arrangements(cards):
    rules = Rules(num_packs=4)
    unseen = (4 - hand(cards)).astype(np.int8)
    check_question(hand(cards), EVERYTHING, unseen, int(unseen.sum()), KING, rules)


def test_one_wild_card_is_as_good_a_discard_as_another():
    expected, outs = np.empty(NUM_CARDS), np.empty(NUM_CARDS)
    held = hand("8c 8h 8s 2d 5h")
    outlook_after_discards(held, EVERYTHING, hand("Ac 5d"), 2, 8, Rules(), expected, outs)
    wild_cards = [card for card in cards_of(held) if rank_of(card) == 8]
    assert len({(expected[card], outs[card]) for card in wild_cards}) == 1
