from itertools import combinations, pairwise

import numpy as np
import pytest

from tests import reference
from tests.playing import COMPILED
from three_thirteen_env.cards import NUM_CARDS, cards_of, hand, hand_of, parse_card, rank_of, suit_of
from three_thirteen_env.discards import cards_to_go_out_with, deadwood_after_discards
from three_thirteen_env.melds import arrange, can_go_out, deadwood_points, is_run, is_set
from three_thirteen_env.rules import MAX_HAND, Rules, card_points
from three_thirteen_env.run_table import MAX_TABLE_WILD, RANK_POINTS, RUN_POINTS, points_saved, table_index
from three_thirteen_env.search import MAX_MELDS, NO_BOUND, search
from three_thirteen_env.solver import least_deadwood

W = 8  # the wild rank of the tables: eights
ACES_HIGH = Rules(aces_high=True)
NATURAL_MELDS = Rules(wild_only_melds=False)


@pytest.mark.parametrize(
    ("rule", "cards", "is_one"),
    [
        ("three of a rank", "7c 7d 7h", True),
        ("two of a rank are none", "7c 7d", False),
        ("two ranks are none", "7c 7d 6h", False),
        ("suits may repeat", "Kh Kd Ks Ks", True),
        ("five and more of a rank", "7c 7d 7h 7s 7c 7d", True),
        ("with one wild card", "7c 7d 8h", True),
        ("with two wild cards", "7c 8d 8h", True),
        ("wild cards alone", "8c 8d 8h", True),
        ("two wild cards are none", "8c 8d", False),
        ("an ace is not a king", "Kc Kd Ac", False),
    ],
    ids=lambda value: value if (isinstance(value, str) and " of " in value) or value is None else None,
)
def test_what_is_a_set(rule, cards, is_one):
    assert is_set(hand(cards), W, ACES_HIGH) == is_one, rule
    assert reference.is_set(cards_of(hand(cards)), W, ACES_HIGH) == is_one, rule


RUNS = [
    ("three in sequence", "4h 5h 6h", Rules(), True),
    ("order is no matter", "6h 4h 5h", Rules(), True),
    ("two are none", "4h 5h", Rules(), False),
    ("a gap is none", "3h 4h 6h", Rules(), False),
    ("two suits are none", "4h 5h 6d", Rules(), False),
    ("a twin is none", "4h 4h 5h", Rules(), False),
    ("a wild card cannot make a twin fit", "4h 4h 5h 8c", Rules(), False),
    ("a wild card in the middle", "4h 8c 6h", Rules(), True),
    ("two wild cards in the middle", "4h 8c 8d 7h", Rules(), True),
    ("a wild card at the low end, W-Q-K", "8c Qh Kh", Rules(), True),
    ("a wild card at the high end, Q-K-W", "Qh Kh 8c", Rules(), True),
    ("A-2-W", "Ah 2h 8c", Rules(), True),
    ("W-2-3", "8c 2h 3h", Rules(), True),
    ("J-Q-K, W and 9", "9h 8c Jh Qh Kh", Rules(), True),
    ("across the wild rank with a wild card", "7h 8s 9h", Rules(), True),
    ("a wild card may stand for itself", "7h 8h 9h", Rules(), True),
    ("across the wild rank without a wild card", "6h 7h 9h", Rules(), False),
    ("the ace is low", "Ah 2h 3h", ACES_HIGH, True),
    ("the ace is high", "Qh Kh Ah", ACES_HIGH, True),
    ("the ace is not high by default", "Qh Kh Ah", Rules(), False),
    ("a wild card between king and queen", "Qh 8c Ah", ACES_HIGH, True),
    ("K-A-2 is none, aces low", "Kh Ah 2h", Rules(), False),
    ("K-A-2 is none, aces high", "Kh Ah 2h", ACES_HIGH, False),
    ("K-A-2 and a wild card is none", "Kh Ah 2h 8c", ACES_HIGH, False),
    ("thirteen cards", "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", ACES_HIGH, True),
    ("fourteen cards are none", "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh 8c", ACES_HIGH, False),
    ("two aces are none", "Ah Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh", ACES_HIGH, False),
    ("wild cards alone", "8c 8d 8h", Rules(), True),
    ("wild cards alone where they may not", "8c 8d 8h", NATURAL_MELDS, False),
]


@pytest.mark.parametrize(("cards", "rules", "is_one"), [row[1:] for row in RUNS], ids=[row[0] for row in RUNS])
def test_what_is_a_run(cards, rules, is_one):
    assert is_run(hand(cards), W, rules) == is_one
    assert reference.is_run(cards_of(hand(cards)), W, rules) == is_one


DEADWOOD = [
    ("no meld at all", "2c 4d 6h", W, Rules(), 12),
    ("one card", "Kc", W, Rules(), 10),
    ("a melded hand", "4h 5h 6h", W, Rules(), 0),
    ("the six of hearts goes where it saves most", "3h 4h 5h 6h 7h 6s 6d", 9, Rules(), 7),
    ("points matter, not the number of cards melded", "Kc Kd Kh Jh Qh 2h 3h", 9, Rules(), 5 + 20),
    ("the run of few dear cards, not the long set", "Th Jh Qh 9h Tc Td Ts 2c", 5, Rules(), 2),
    ("four melds", "2c 2d 2h 4c 5c 6c 9d 9h 9s Js Qs Ks", W, Rules(), 0),
    ("fourteen cards, one left over", "2c 2d 2h 4c 5c 6c 9d 9h 9s Js Qs Ks As Ts", 3, Rules(), 1),
    ("two runs of twins", "4h 4h 5h 5h 6h 6h", W, Rules(num_packs=2), 0),
    ("twins are no run", "4h 4h 5h", W, Rules(num_packs=2), 13),
    ("a set with twins", "Kh Kd Ks Ks", W, Rules(num_packs=2), 0),
    ("an ace is no king", "Kh Kd Ac", W, ACES_HIGH, 35),
    ("an ace left over costs 15 when high", "Ac 4d 6h", W, ACES_HIGH, 25),
    ("a high ace may be used low", "Ah 2h 3h Kh", W, ACES_HIGH, 10),
    ("one ace is used where it saves most", "Ah 2h 3h Kh Qh", W, ACES_HIGH, 5),
    ("two aces are used low and high", "Ah Ah 2h 3h Kh Qh", W, Rules(num_packs=2, aces_high=True), 0),
    ("Q-K-A costs all when aces are low", "Qh Kh Ah", W, Rules(), 21),
    ("court cards at face value", "Jc Qd Kh", W, Rules(court_cards_ten=False), 36),
    ("one wild card that nothing can use", "8c 2d 5h", W, Rules(), 15),
    ("one wild card that nothing can use, at a fixed cost", "8c 2d 5h", W, Rules(wild_points=20), 27),
    ("one wild card joins a pair", "8c 5d 5h", W, Rules(), 0),
    ("one wild card helps the dearer pair", "8c 5d 5h Kc Kd", W, Rules(), 10),
    ("one wild card over attaches to a meld", "4h 5h 6h 8c", W, Rules(), 0),
    ("two wild cards rescue the dearest card", "8c 8d Kh 2c", W, Rules(), 2),
    ("two wild cards and one natural", "8c 8d Kh", W, Rules(), 0),
    ("three wild cards alone", "8c 8d 8h", W, Rules(), 0),
    ("two wild cards alone", "8c 8d", W, Rules(), 16),
    ("three wild cards alone where they may not", "8c 8d 8h", W, NATURAL_MELDS, 24),
    ("the same, at a fixed cost", "8c 8d 8h", W, Rules(wild_only_melds=False, wild_points=15), 45),
    ("wild cards that may not alone need one natural", "8c 8d 8h 8s 2c", W, NATURAL_MELDS, 0),
    ("a run of thirteen and one wild card more", "Ah 2h 3h 4h 5h 6h 7h 8h 9h Th Jh Qh Kh 8c", W, NATURAL_MELDS, 0),
    ("a wild card left over may cost nothing", "8c 2d 5h", W, Rules(wild_points=0), 7),
]


@pytest.mark.parametrize(
    ("cards", "wild_rank", "rules", "points"), [row[1:] for row in DEADWOOD], ids=[row[0] for row in DEADWOOD]
)
def test_the_least_deadwood(cards, wild_rank, rules, points):
    assert deadwood_points(hand(cards), wild_rank, rules) == points
    assert arrange(hand(cards), wild_rank, rules).points == points
    if COMPILED or hand(cards).sum() < 12:
        assert reference.deadwood_points(cards_of(hand(cards)), wild_rank, rules) == points


def test_a_leftover_that_costs_zero_is_still_a_leftover():
    assert deadwood_points(hand("8c"), W, Rules(wild_points=0)) == 0
    assert not can_go_out(hand("8c 8d"), W, Rules(wild_points=0))
    assert not can_go_out(hand("8c 8d 8h"), W, Rules(wild_points=0, wild_only_melds=False))


def test_every_wild_card_of_an_arrangement_says_what_it_stands_for():
    (meld,) = arrange(hand("8c Qh Kh"), W).melds
    assert (meld.kind, meld.cards, meld.stands_for) == ("run", *(tuple(cards) for cards in ([7, 37, 38], [36, 37, 38])))
    (meld,) = arrange(hand("8c 5d 5h"), W).melds
    assert meld.kind == "set"
    assert {rank_of(card) for card in meld.stands_for} == {5}


def random_rules(rng):
    return Rules(
        num_packs=4,
        aces_high=bool(rng.integers(2)),
        court_cards_ten=bool(rng.integers(2)),
        wild_only_melds=bool(rng.integers(2)),
        wild_points=int(rng.choice([-1, 0, 15, 20])),
    )


def random_hands(rng, count):
    """Hands of every kind: 1 to 14 cards of 1 to 4 packs, any number of wild cards, melds common; with rules."""
    for _ in range(count if COMPILED else count // 40):
        size = int(rng.integers(1, 1 + (MAX_HAND if COMPILED else 9)))
        num_packs, wild_rank = int(rng.integers(1, 5)), int(rng.integers(3, 14))
        num_wild = int(rng.integers(0, min(size, 4 * num_packs) + 1)) if rng.integers(2) else None
        draw = reference.random_hand if rng.integers(3) == 0 else reference.clustered_hand
        yield draw(rng, size, num_packs, wild_rank, num_wild), wild_rank, random_rules(rng)


def check_hand(cards, wild_rank, rules):
    """Hold every answer about one hand to the reference."""
    held = hand_of(cards)
    before = held.copy()
    what = (cards, wild_rank, rules)
    points = reference.deadwood_points(cards, wild_rank, rules)
    assert deadwood_points(held, wild_rank, rules) == points, what
    assert can_go_out(held, wild_rank, rules) == reference.melds_completely(cards, wild_rank, rules), what
    melds, deadwood, arranged_points = arrange(held, wild_rank, rules)
    assert arranged_points == points, what
    assert sorted([*deadwood, *(card for meld in melds for card in meld.cards)]) == sorted(cards), what
    assert sum(reference.deadwood_points([card], wild_rank, rules) for card in deadwood) == points, what
    for meld in melds:
        is_meld = {"set": (is_set, reference.is_set), "run": (is_run, reference.is_run)}[meld.kind]
        assert is_meld[0](hand_of(meld.cards), wild_rank, rules), what
        assert is_meld[1](meld.cards, wild_rank, rules), what
        check_stand_ins(meld, wild_rank)
    assert (held == before).all()


def check_stand_ins(meld, wild_rank):
    """Natural cards stand for themselves, and what the cards stand for is the set or the run."""
    for card, stands_for in zip(meld.cards, meld.stands_for, strict=True):
        assert card == stands_for or rank_of(card) == wild_rank
    if meld.kind == "set":
        assert len({rank_of(card) for card in meld.stands_for}) == 1
    else:
        assert len({suit_of(card) for card in meld.stands_for}) == 1
        ranks = [rank_of(card) for card in meld.stands_for]
        assert all(higher - lower in (1, -12) for lower, higher in pairwise(ranks))


def test_solver_and_reference_agree_on_hands_of_every_kind():
    for cards, wild_rank, rules in random_hands(np.random.default_rng(1), 4000):
        check_hand(cards, wild_rank, rules)


def test_the_fast_solver_and_its_plain_twin_agree():
    melds = np.empty(MAX_MELDS, np.int64)
    for cards, wild_rank, rules in random_hands(np.random.default_rng(7), 20_000):
        held = hand_of(cards)
        assert least_deadwood(held, wild_rank, rules) == search(held, wild_rank, rules, NO_BOUND, melds)[0]


@pytest.mark.slow
def test_solver_and_reference_agree_on_millions_of_hands():
    for cards, wild_rank, rules in random_hands(np.random.default_rng(2), 2_000_000):
        held = hand_of(cards)
        assert deadwood_points(held, wild_rank, rules) == reference.deadwood_points(cards, wild_rank, rules)
        assert can_go_out(held, wild_rank, rules) == reference.melds_completely(cards, wild_rank, rules)


def test_of_22100_hands_of_three_cards_964_are_melded_when_threes_are_wild():
    melded = [0, 0, 0, 0]
    for cards in combinations(range(NUM_CARDS), 3):
        if can_go_out(hand_of(cards), 3):
            melded[sum(rank_of(card) == 3 for card in cards)] += 1
    assert melded == [80, 592, 288, 4]


def test_renaming_the_suits_changes_no_deadwood():
    rng = np.random.default_rng(3)
    for cards, wild_rank, rules in random_hands(rng, 500):
        held = hand_of(cards)
        renamed = held.reshape(4, 13)[rng.permutation(4)].ravel()
        assert deadwood_points(held, wild_rank, rules) == deadwood_points(renamed, wild_rank, rules)


def test_one_card_more_never_costs_more_than_itself_and_one_less_never_saves_more():
    rng = np.random.default_rng(4)
    after = np.empty(NUM_CARDS, np.int16)
    for cards, wild_rank, rules in random_hands(rng, 500):
        held = hand_of(cards)
        points = deadwood_points(held, wild_rank, rules)
        deadwood_after_discards(held, wild_rank, rules, after)
        assert ((after >= 0) == (held > 0)).all()
        for card in set(cards):
            rest = list(cards)
            rest.remove(card)
            expected = reference.deadwood_points(rest, wild_rank, rules) if rest else 0
            assert after[card] == expected
            assert points <= expected + reference.deadwood_points([card], wild_rank, rules)


def test_the_cards_to_go_out_with_are_those_without_which_the_hand_melds():
    is_way_out = np.empty(NUM_CARDS, np.int8)
    for cards, wild_rank, rules in random_hands(np.random.default_rng(5), 2000):
        cards_to_go_out_with(hand_of(cards), wild_rank, rules, is_way_out)
        expected = reference.cards_to_go_out_with(cards, wild_rank, rules) if len(cards) > 1 else set()
        assert set(np.flatnonzero(is_way_out).tolist()) == expected, (cards, wild_rank, rules)


def test_the_tables_of_the_solver_cost_what_the_rules_say():
    for rules in [Rules(aces_high=high, court_cards_ten=ten) for high in (False, True) for ten in (False, True)]:
        costs = RANK_POINTS[table_index(rules)]
        assert [costs[rank] for rank in range(1, 14)] == [card_points(rank - 1, 0, rules) for rank in range(1, 14)]


@pytest.mark.parametrize("rules", [Rules(), ACES_HIGH], ids=["aces low", "aces high"])
def test_the_table_of_runs_saves_what_the_reference_saves_in_one_suit(rules):
    """A suit with up to six wild cards of another: no sets, so the table alone is the answer."""
    rng = np.random.default_rng(6)
    for num_wild in range(MAX_TABLE_WILD + 1):
        for mask in rng.integers(1, 2**13, 60 if COMPILED else 4).tolist():
            cards = [card for card in range(13) if mask >> card & 1 and rank_of(card) != W][: 14 - num_wild]
            if not COMPILED:
                cards = cards[: 8 - num_wild]
            row = RUN_POINTS[table_index(rules), sum(1 << card for card in cards)]
            wild_cards = [parse_card(text) for text in ("8c", "8d", "8h", "8s", "8c", "8d")][:num_wild]
            if cards and len(cards) + num_wild >= 3:
                total = sum(card_points(card, W, rules) for card in cards)
                saved = points_saved(row, num_wild)
                unused = 8 * num_wild if saved == 0 else 0
                assert total - saved + unused == reference.deadwood_points(cards + wild_cards, W, rules)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (hand(""), "1 to 14 cards, not 0"),
        (hand("Kc " * 15), "1 to 14 cards, not 15"),
        (np.zeros(51, np.int8), "52 counts"),
        (np.zeros(52), "52 counts"),
        (-hand("Kc"), "52 counts"),
        (["Kc"], "52 counts"),
    ],
    ids=["nothing", "fifteen cards", "51 counts", "not integers", "negative", "text"],
)
@pytest.mark.parametrize("function", [deadwood_points, arrange, can_go_out])
def test_what_is_no_hand_is_refused(function, bad, message):
    with pytest.raises(ValueError, match=message):
        function(bad, W)


@pytest.mark.parametrize("wild_rank", [2, 14, 3.5, None])
def test_a_wild_rank_that_no_round_has_is_refused(wild_rank):
    with pytest.raises(ValueError, match="from 3 to 13"):
        deadwood_points(hand("Kc"), wild_rank)
    assert parse_card("Kc") == 12
