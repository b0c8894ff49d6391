import pickle

import numpy as np
import pytest

from three_thirteen_env.cards import parse_card
from three_thirteen_env.rules import MAX_PLAYERS, MIN_PLAYERS, NUM_ROUNDS, Rules, card_points, hand_size, wild_rank_of


@pytest.mark.parametrize(("num_players", "num_packs"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (7, 4), (8, 4)])
def test_there_are_half_as_many_packs_as_players(num_players, num_packs):
    assert Rules(num_players=num_players).num_packs == num_packs


def test_three_cards_and_wild_threes_in_the_first_round_thirteen_and_wild_kings_in_the_last():
    assert [hand_size(number) for number in range(1, NUM_ROUNDS + 1)] == list(range(3, 14))
    assert [wild_rank_of(number) for number in range(1, NUM_ROUNDS + 1)] == list(range(3, 14))


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"num_players": 1}, "num_players must be an integer from 2 to 8, not 1"),
        ({"num_players": 9}, "num_players must be an integer from 2 to 8, not 9"),
        ({"num_players": 2.0}, "num_players must be an integer from 2 to 8, not 2.0"),
        ({"num_players": True}, "num_players must be an integer from 2 to 8, not True"),
        ({"num_packs": 0}, "num_packs must be an integer from 1 to 4, not 0"),
        ({"num_packs": 5}, "num_packs must be an integer from 1 to 4, not 5"),
        ({"first_round": 0}, "first_round must be an integer from 1 to 11, not 0"),
        ({"last_round": 12}, "last_round must be an integer from 1 to 11, not 12"),
        ({"turn_limit": 0}, "turn_limit must be an integer from 1 to 1000, not 0"),
        ({"turn_limit": "many"}, "turn_limit must be an integer from 1 to 1000, not 'many'"),
        ({"wild_points": -2}, "wild_points must be an integer from -1 to 50, not -2"),
        ({"wild_points": 51}, "wild_points must be an integer from -1 to 50, not 51"),
        ({"aces_high": 1}, "aces_high must be True or False, not 1"),
        ({"court_cards_ten": None}, "court_cards_ten must be True or False, not None"),
        ({"wild_only_melds": "no"}, "wild_only_melds must be True or False, not 'no'"),
        ({"may_return_upcard": 0}, "may_return_upcard must be True or False, not 0"),
        ({"first_round": 5, "last_round": 4}, "first_round must not come after last_round 4, but is 5"),
        ({"num_players": 4, "num_packs": 1}, "num_packs 1 is too few.*takes 54 cards, and there are 52"),
        ({"num_players": 8, "num_packs": 2}, "num_packs 2 is too few.*takes 106 cards, and there are 104"),
    ],
    ids=str,
)
def test_a_bad_choice_is_refused_by_name_value_and_what_is_allowed(choice, message):
    with pytest.raises(ValueError, match=message):
        Rules(**choice)


def test_fewer_packs_are_enough_for_fewer_rounds():
    assert Rules(num_players=4, num_packs=1, last_round=10).num_packs == 1


def test_a_choice_replaced_is_checked_too():
    assert Rules()._replace(aces_high=True) == Rules(aces_high=True)
    with pytest.raises(ValueError, match="turn_limit"):
        Rules()._replace(turn_limit=-1)


def test_numpy_numbers_are_taken_and_kept_as_plain_ones():
    rules = Rules(num_players=np.int8(3), aces_high=np.True_)
    assert rules == Rules(num_players=3, aces_high=True)
    assert type(rules.num_players) is int
    assert type(rules.aces_high) is bool


def test_rules_survive_pickling():
    rules = Rules(num_players=5, wild_points=15)
    copy = pickle.loads(pickle.dumps(rules))
    assert (copy, type(copy)) == (rules, Rules)


def test_every_number_of_players_can_play_all_eleven_rounds():
    for num_players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        assert Rules(num_players=num_players).last_round == NUM_ROUNDS


@pytest.mark.parametrize(
    ("card", "wild_rank", "choices", "points"),
    [
        ("As", 3, {}, 1),
        ("As", 3, {"aces_high": True}, 15),
        ("2s", 3, {}, 2),
        ("Td", 3, {}, 10),
        ("Jd", 3, {}, 10),
        ("Kd", 3, {}, 10),
        ("Jd", 3, {"court_cards_ten": False}, 11),
        ("Kd", 3, {"court_cards_ten": False}, 13),
        ("3c", 3, {}, 3),
        ("Kd", 13, {}, 10),
        ("Kd", 13, {"court_cards_ten": False}, 13),
        ("3c", 3, {"wild_points": 20}, 20),
        ("3c", 3, {"wild_points": 0}, 0),
        ("4c", 3, {"wild_points": 20}, 4),
    ],
)
def test_what_a_card_left_over_costs(card, wild_rank, choices, points):
    assert card_points(parse_card(card), wild_rank, Rules(**choices)) == points
