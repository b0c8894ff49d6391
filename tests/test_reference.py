"""The reference twins against the rules: tables of hands, the count of round 1, and the course of a game."""

import random
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from tests.reference import (
    ReferenceGame,
    clustered_hand,
    deadwood_points,
    is_run,
    is_set,
    melds_completely,
    random_hand,
)
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, TAKE_UPCARD
from three_thirteen_env.cards import NUM_CARDS, parse_card
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NO_CARD, NOBODY, Phase

DEFAULT = Rules()
ACES_HIGH = Rules(aces_high=True)
NO_WILD_MELDS = Rules(wild_only_melds=False)


def cards(text: str) -> list[int]:
    return [parse_card(word) for word in text.split()]


@pytest.mark.parametrize(
    ("text", "wild_rank", "rules", "expected"),
    [
        pytest.param("Kh Kd Ks", 3, DEFAULT, True, id="three of one rank"),
        pytest.param("Kh Kd Ks Ks", 3, DEFAULT, True, id="suits repeat with two packs"),
        pytest.param("Kh Kh Kh Kh Kh Kd", 3, DEFAULT, True, id="more than four of one rank"),
        pytest.param("Kh Kd", 3, DEFAULT, False, id="two cards are too few"),
        pytest.param("Kh Kd Qs", 3, DEFAULT, False, id="two ranks"),
        pytest.param("Kh Kd 3s", 3, DEFAULT, True, id="wild card for a third king"),
        pytest.param("3h 3d Ks", 3, DEFAULT, True, id="two wild cards and one natural"),
        pytest.param("3h 3d Ks Qs", 3, DEFAULT, False, id="wild cards do not join two ranks"),
        pytest.param("3h 3d 3s", 3, DEFAULT, True, id="wild cards alone"),
        pytest.param("3h 3d 3s", 3, NO_WILD_MELDS, False, id="wild cards alone not allowed"),
        pytest.param("3h 3d Ks", 3, NO_WILD_MELDS, True, id="one natural card is enough"),
        pytest.param("Kh Kd As", 3, ACES_HIGH, False, id="a high ace is no king"),
    ],
)
def test_set(text: str, wild_rank: int, rules: Rules, expected: bool) -> None:
    for order in (cards(text), cards(text)[::-1], sorted(cards(text))):
        assert is_set(order, wild_rank, rules) == expected


@pytest.mark.parametrize(
    ("text", "wild_rank", "rules", "expected"),
    [
        pytest.param("4h 5h 6h", 3, DEFAULT, True, id="three in sequence"),
        pytest.param("4h 5h 6d", 3, DEFAULT, False, id="two suits"),
        pytest.param("4h 5h 7h", 3, DEFAULT, False, id="a gap"),
        pytest.param("4h 5h", 3, DEFAULT, False, id="two cards are too few"),
        pytest.param("4h 4h 5h", 3, DEFAULT, False, id="a rank twice"),
        pytest.param("4h 4h 5h 3s", 3, DEFAULT, False, id="a rank twice, with a wild card"),
        pytest.param("3s Qh Kh", 3, DEFAULT, True, id="W-Q-K"),
        pytest.param("Qh Kh 3s", 3, DEFAULT, True, id="Q-K-W, the wild card below"),
        pytest.param("Ah 2h 7s", 7, DEFAULT, True, id="A-2-W"),
        pytest.param("7s 2h 4h", 7, DEFAULT, True, id="2-W-4"),
        pytest.param("7s 2h 3h", 7, DEFAULT, True, id="W-2-3"),
        pytest.param("Jh 7s Kh", 7, DEFAULT, True, id="J-W-K"),
        pytest.param("Jh Qh Kh 7s 9h", 7, DEFAULT, True, id="9-W-J-Q-K"),
        pytest.param("6h 7h 8h", 7, DEFAULT, True, id="a wild card stands for itself"),
        pytest.param("6h 8h 9h", 7, DEFAULT, False, id="the wild rank is not skipped"),
        pytest.param("6h 7s 8h", 7, DEFAULT, True, id="any wild card on the wild rank"),
        pytest.param("4h 3s 3d 7h", 3, DEFAULT, True, id="two wild cards in one gap"),
        pytest.param("4h 3s 3d 8h", 3, DEFAULT, False, id="two wild cards in a gap of three"),
        pytest.param("Kh Ah 2h", 3, DEFAULT, False, id="K-A-2"),
        pytest.param("Kh Ah 2h", 3, ACES_HIGH, False, id="K-A-2, aces high"),
        pytest.param("Kh 3s 2h", 3, ACES_HIGH, False, id="K-W-2, aces high"),
        pytest.param("Qh Kh Ah", 3, DEFAULT, False, id="Q-K-A"),
        pytest.param("Qh Kh Ah", 3, ACES_HIGH, True, id="Q-K-A, aces high"),
        pytest.param("Ah 2h 4h", 3, ACES_HIGH, False, id="A-2-4, aces high"),
        pytest.param("Ah 2h 3s", 3, ACES_HIGH, True, id="A-2-3, aces high"),
        pytest.param("Ah Kh 3s", 3, DEFAULT, False, id="K-A and a wild card"),
        pytest.param("Ah Kh 3s", 3, ACES_HIGH, True, id="K-A and a wild card, aces high"),
        pytest.param("Kh Kh Ah", 3, ACES_HIGH, False, id="K-K-A, aces high"),
        pytest.param("Ah Ah 3s", 3, ACES_HIGH, False, id="no two aces in a run"),
        pytest.param("Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", 3, DEFAULT, True, id="thirteen cards"),
        pytest.param("2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh Ah", 3, ACES_HIGH, True, id="thirteen cards, 2 to high ace"),
        pytest.param("Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", 3, ACES_HIGH, False, id="no ace at both ends"),
        pytest.param("3s Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", 3, ACES_HIGH, False, id="fourteen with a wild card"),
        pytest.param("3h 3d 3s", 3, DEFAULT, True, id="wild cards alone"),
        pytest.param("3h 3d 3s", 3, NO_WILD_MELDS, False, id="wild cards alone not allowed"),
    ],
)
def test_run(text: str, wild_rank: int, rules: Rules, expected: bool) -> None:
    for order in (cards(text), cards(text)[::-1], sorted(cards(text))):
        assert is_run(order, wild_rank, rules) == expected


@pytest.mark.parametrize(
    ("text", "wild_rank", "rules", "points"),
    [
        pytest.param("Ah", 3, DEFAULT, 1, id="an ace"),
        pytest.param("Ah", 3, ACES_HIGH, 15, id="an ace, aces high"),
        pytest.param("2c 9d Tc Jd Qs Kh", 4, DEFAULT, 51, id="numbers and court cards"),
        pytest.param("2c 9d Tc Jd Qs Kh", 4, Rules(court_cards_ten=False), 57, id="court cards by rank"),
        pytest.param("Ks 9h", 13, DEFAULT, 19, id="a wild card left over costs its rank"),
        pytest.param("Ks 9h", 13, Rules(wild_points=20), 29, id="a wild card left over at a fixed cost"),
        pytest.param("Ks 9h", 13, Rules(wild_points=0), 9, id="a wild card left over for nothing"),
        pytest.param("Ks 9h 2d", 13, DEFAULT, 21, id="one wild card that nothing can use"),
        pytest.param("4h 4h 5h 5h 6h 6h", 3, DEFAULT, 0, id="two equal runs"),
        pytest.param("3h 4h 5h 6h 7h 6s 6d", 9, DEFAULT, 7, id="the six goes into the set"),
        pytest.param("3h 4h 5h 6h 2s 6s 6d", 9, DEFAULT, 2, id="both melds with the six in the set"),
        pytest.param("2h 3h 4h 5h Kh Kd Ks 5d 5s", 9, DEFAULT, 0, id="run, kings and fives"),
        pytest.param("2c 3c 4c 4d 4h Kc", 9, DEFAULT, 15, id="points matter, the dearer meld is kept"),
        pytest.param("Ac 2c 3c 4c Kc Kd 4d 4h", 9, DEFAULT, 20, id="the card of two melds serves one"),
        pytest.param("Ac Ad Ah 5c 5d 5h 9c 9d 9h Kc Kd Kh", 2, DEFAULT, 0, id="four melds"),
        pytest.param("3c 3d 3h", 3, DEFAULT, 0, id="wild cards alone"),
        pytest.param("3c 3d 3h", 3, NO_WILD_MELDS, 9, id="wild cards alone not allowed"),
        pytest.param("3c 3d 3h Ks", 3, NO_WILD_MELDS, 0, id="wild cards with a king"),
    ],
)
def test_deadwood_points(text: str, wild_rank: int, rules: Rules, points: int) -> None:
    assert deadwood_points(cards(text), wild_rank, rules) == points
    assert deadwood_points(cards(text)[::-1], wild_rank, rules) == points


def test_a_leftover_that_costs_nothing_is_still_left_over() -> None:
    rules = Rules(wild_points=0, wild_only_melds=False)
    assert deadwood_points(cards("3c 3d 3h"), 3, rules) == 0
    assert not melds_completely(cards("3c 3d 3h"), 3, rules)
    assert melds_completely(cards("3c 3d 3h"), 3, DEFAULT)


def test_hands_of_three_cards_that_are_melded() -> None:
    melded_by_num_wild = [0, 0, 0, 0]
    for hand in combinations(range(NUM_CARDS), 3):
        if is_set(hand, 3, DEFAULT) or is_run(hand, 3, DEFAULT):
            melded_by_num_wild[sum(card % 13 == 2 for card in hand)] += 1
    assert melded_by_num_wild == [80, 592, 288, 4]


@pytest.mark.parametrize("make_hand", [random_hand, clustered_hand])
def test_random_hands_come_from_the_packs(make_hand: Callable[..., list[int]]) -> None:
    rng = np.random.default_rng(1)
    for num_packs in (1, 2, 3, 4):
        for num_wild in (None, 0, 1, 4):
            hand = make_hand(rng, 14, num_packs, 13, num_wild)
            assert len(hand) == 14
            assert max(hand.count(card) for card in hand) <= num_packs
            assert num_wild in (None, sum(card % 13 == 12 for card in hand))


def shuffle(pack: list[int], seed: int, round_number: int, num_reshuffles: int) -> list[int]:
    return random.Random(f"{seed} {round_number} {num_reshuffles}").sample(pack, len(pack))


def unshuffled(pack: list[int], seed: int, round_number: int, num_reshuffles: int) -> list[int]:
    return list(pack)


def test_the_deal_takes_one_card_at_a_time_from_the_top_left_of_the_dealer_first() -> None:
    game = ReferenceGame(0, DEFAULT, unshuffled, first_dealer=0)
    assert game.hands == [cards("8s Ts Qs"), cards("9s Js Ks")]
    assert game.pile == cards("7s")
    assert game.stock == list(range(45))
    assert (game.seat, game.phase, game.wild_rank) == (1, Phase.DRAW, 3)
    game.step(DRAW_STOCK)
    assert parse_card("6s") in game.hands[1]


@pytest.mark.parametrize("rules", [DEFAULT, Rules(num_players=3, turn_limit=2), Rules(8, last_round=3)])
def test_random_games_keep_every_card_and_end(rules: Rules) -> None:
    rng = random.Random(1)
    rules = rules._replace(last_round=min(rules.last_round, 4))
    game = ReferenceGame(7, rules, shuffle, first_dealer=1)
    while not game.over:
        everything = sorted(sum(game.hands, game.stock + game.pile))
        assert everything == sorted(list(range(NUM_CARDS)) * rules.num_packs)
        drawn = [len(hand) - game.round_number - 2 for hand in game.hands]
        assert drawn == [int(seat == game.seat and game.phase == Phase.DISCARD) for seat in range(rules.num_players)]
        assert game.dealer == (1 + game.round_number - 1) % rules.num_players
        game.step(max(game.legal()) if rng.random() < 0.3 else rng.choice(sorted(game.legal())))
    assert game.legal() == set()
    assert game.scores == [sum(points) for points in zip(*game.round_points, strict=True)]


def game_with(hands: list[str], stock: str, pile: str, rules: Rules) -> ReferenceGame:
    """A game in round 1 with the given cards on the table and seat 0 to draw."""
    game = ReferenceGame(0, rules, unshuffled, first_dealer=rules.num_players - 1)
    game.hands = [sorted(cards(hand)) for hand in hands]
    game.stock, game.pile = cards(stock), cards(pile)
    return game


def test_each_other_seat_has_one_turn_after_one_went_out_and_cannot_go_out_again() -> None:
    rules = Rules(num_players=3, last_round=1)
    game = game_with(["Kh Kd Ks", "Ah Ad As", "2c 5d 9s"], "8c 8d 8h", "7c", rules)
    game.step(DRAW_STOCK)
    assert GO_OUT + parse_card("8h") in game.legal()
    assert DISCARD + parse_card("8h") in game.legal()
    game.step(GO_OUT + parse_card("8h"))
    for seat in (1, 2):
        assert (game.seat, game.out_seat) == (seat, 0)
        game.step(DRAW_STOCK)
        assert max(game.legal()) < GO_OUT
        game.step(min(game.legal()))
    assert game.over
    assert (game.num_turns, game.went_out[0], game.round_turns[0]) == (3, 0, 3)
    assert game.scores == [0, 10, 22]


def test_the_turn_limit_ends_a_round_but_no_final_turns() -> None:
    rules = Rules(num_players=2, first_round=1, last_round=2, turn_limit=1)
    game = game_with(["Kh Kd 9s", "Ah Ad As"], "Ks 4h 8c 8d", "7c", rules)
    for card in ("8d", "8c"):
        game.step(DRAW_STOCK)
        game.step(DISCARD + parse_card(card))
    assert (game.round_number, game.went_out[0], game.scores, game.dealer) == (2, NOBODY, [29, 0], 0)
    game = game_with(["Kh Kd 9s", "Ah Ad As"], "Ks 4h 8c 8d", "7c", rules)
    for action in (DRAW_STOCK, DISCARD + parse_card("8d"), DRAW_STOCK, GO_OUT + parse_card("8c")):
        game.step(action)
    assert (game.round_number, game.seat, game.out_seat, game.num_turns) == (1, 0, 1, 2)
    game.step(DRAW_STOCK)
    game.step(DISCARD + parse_card("4h"))
    assert (game.round_number, game.out_seat, game.went_out[0], game.scores) == (2, NOBODY, 1, [29, 0])


def test_an_empty_stock_is_filled_from_the_pile_but_for_the_upcard() -> None:
    game = game_with(["Kh Kd Ks", "Ah Ad As"], "", "7c", DEFAULT)
    assert game.legal() == {TAKE_UPCARD}
    game = game_with(["Kh Kd Ks", "Ah Ad As"], "", "4c 5c 7c", DEFAULT)
    assert game.legal() == {DRAW_STOCK, TAKE_UPCARD}
    game.step(DRAW_STOCK)
    assert (game.hands[0], game.stock, game.pile) == (sorted(cards("Kh Kd Ks 5c")), cards("4c"), cards("7c"))
    assert game.num_reshuffles == 1


def test_the_upcard_just_taken_may_be_kept_from_the_pile() -> None:
    for rules, is_legal in ((DEFAULT, True), (DEFAULT._replace(may_return_upcard=False), False)):
        game = game_with(["Kh Kd Ks", "Ah Ad As"], "8c", "7c", rules)
        game.step(TAKE_UPCARD)
        seven = parse_card("7c")
        assert {DISCARD + seven in game.legal(), GO_OUT + seven in game.legal()} == {is_legal}
        game.step(DISCARD + parse_card("Ks"))
        assert game.taken == NO_CARD


def test_a_hand_of_nothing_but_the_upcard_taken_may_discard_it() -> None:
    rules = Rules(num_packs=4, may_return_upcard=False)
    game = game_with(["7c 7c 7c", "Ah Ad As"], "8c", "7c", rules)
    game.step(TAKE_UPCARD)
    assert game.legal() == {DISCARD + parse_card("7c"), GO_OUT + parse_card("7c")}
