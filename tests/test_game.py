import hashlib

import numpy as np
import pytest

from tests.playing import EVERY_RULES, all_cards, legal, mask_of, new_game, play_randomly, set_hand, set_pile, shortened
from tests.reference import ReferenceGame
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, NUM_ACTIONS, TAKE_UPCARD, parse_action
from three_thirteen_env.cards import NUM_CARDS, cards_of, hand, hand_of, parse_card
from three_thirteen_env.chance import first_dealer, shuffle
from three_thirteen_env.game import step
from three_thirteen_env.rules import NUM_ROUNDS, Rules, hand_size
from three_thirteen_env.state import NO_CARD, NOBODY, Phase

EVERY_GAME = pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES.keys())


def do(state, words, rules=Rules()):
    """Take the actions that the words name, each of them legal: ``do(state, "draw, discard Td")``."""
    for word in words.split(", "):
        assert parse_action(word) in legal(state, rules), word
        step(state, parse_action(word), rules)


def pass_turn(state, rules=Rules()):
    """A turn that changes nothing but the order of the stock: draw, then discard the lowest card."""
    step(state, DRAW_STOCK, rules)
    step(state, min(legal(state, rules)), rules)


def shuffled(cards, seed, round_number, num_reshuffles):
    array = np.array(cards, np.int8)
    shuffle(array, seed, round_number, num_reshuffles)
    return array.tolist()


def check_against_reference(seed, rules):
    """Play one random game beside the reference, and compare everything after every step."""
    state = new_game(seed, rules)
    twin = ReferenceGame(seed, rules, shuffled, first_dealer(seed, rules.num_players))
    for action in play_randomly(state, rules, np.random.default_rng(seed)):
        assert legal(state, rules) == twin.legal()
        assert [cards_of(state.hands[seat]) for seat in range(rules.num_players)] == twin.hands
        assert state.pile[: state.pile_size].tolist() == twin.pile
        assert state.stock[: state.stock_size].tolist() == twin.stock
        assert state.scores[: rules.num_players].tolist() == twin.scores
        assert (state.seat, state.phase, state.dealer, state.round_number, state.out_seat, state.taken) == (
            (twin.seat, twin.phase, twin.dealer, twin.round_number, twin.out_seat, twin.taken)
        )
        assert (state.num_turns, state.num_reshuffles) == (twin.num_turns, twin.num_reshuffles)
        twin.step(action)
    assert twin.over
    assert state.scores[: rules.num_players].tolist() == twin.scores
    assert state.round_points[:, : rules.num_players].tolist() == twin.round_points
    assert state.round_turns.tolist() == twin.round_turns
    assert state.went_out.tolist() == twin.went_out


@EVERY_GAME
def test_random_games_agree_with_the_reference_step_by_step(rules):
    for seed in range(2):
        check_against_reference(seed, shortened(rules, 12))


@pytest.mark.slow
@EVERY_GAME
def test_many_random_games_agree_with_the_reference_step_by_step(rules):
    for seed in range(100, 200):
        check_against_reference(seed, rules)


@EVERY_GAME
def test_after_every_step_cards_are_conserved_and_hands_have_n_or_n_plus_one_cards(rules):
    rules = shortened(rules, 20)
    state = new_game(7, rules)
    for _ in play_randomly(state, rules, np.random.default_rng(7)):
        assert (all_cards(state) == rules.num_packs).all()
        sizes = state.hands[: rules.num_players].sum(axis=1).tolist()
        has_drawn = state.phase == Phase.DISCARD
        assert sizes == [
            hand_size(state.round_number) + (has_drawn and seat == state.seat) for seat in range(rules.num_players)
        ]
        assert (state.known[: rules.num_players] <= state.hands[: rules.num_players]).all()
        assert (state.stock[state.stock_size :] == NO_CARD).all()
        assert (state.pile[state.pile_size :] == NO_CARD).all()


@EVERY_GAME
def test_a_live_seat_always_has_a_legal_action_and_the_first_and_last_can_be_taken(rules):
    rules = shortened(rules, 50)
    for pick in (0, -1):
        state = new_game(3, rules)
        num_steps = 0
        while state.phase != Phase.GAME_OVER:
            actions = np.flatnonzero(mask_of(state, rules))
            step(state, int(actions[pick]), rules)
            num_steps += 1
        assert num_steps >= 2 * (rules.last_round - rules.first_round + 1)
        assert not mask_of(state, rules).any()


def test_games_are_the_same_on_any_machine():
    digest = hashlib.sha256()
    for seed in range(14):
        rules = Rules(num_players=2 + seed % 7, turn_limit=20)
        state = new_game(seed, rules)
        num_steps = 0
        while state.phase != Phase.GAME_OVER:
            actions = np.flatnonzero(mask_of(state, rules))
            step(state, int(actions[(num_steps * 7919 + seed) % len(actions)]), rules)
            num_steps += 1
        digest.update(repr((num_steps, state.round_points.tolist(), state.went_out.tolist())).encode())
    assert digest.hexdigest()[:16] == "db4c529742a470d0"


def test_the_starter_sits_left_of_the_dealer_and_the_deal_rotates():
    rules = Rules(num_players=3)
    state = new_game(5, rules)
    dealers, starters = {}, {}
    for _ in play_randomly(state, rules, np.random.default_rng(0)):
        dealers[state.round_number] = state.dealer
        starters.setdefault(state.round_number, state.seat)
    first = dealers[1]
    assert [dealers[number] for number in range(1, 12)] == [(first + turn) % 3 for turn in range(11)]
    assert [starters[number] for number in range(1, 12)] == [(first + turn + 1) % 3 for turn in range(11)]


def test_the_first_dealer_comes_from_the_seed():
    assert {new_game(seed, Rules(num_players=4)).dealer for seed in range(40)} == {0, 1, 2, 3}


def test_a_game_has_exactly_eleven_rounds_and_the_scores_are_their_sum():
    state = new_game(1)
    rounds = [state.round_number for _ in play_randomly(state, Rules(), np.random.default_rng(1))]
    assert sorted(set(rounds)) == list(range(1, NUM_ROUNDS + 1))
    assert (state.round_turns > 0).all()
    assert state.scores.tolist() == state.round_points.sum(axis=0).tolist()


def test_only_the_rounds_from_first_to_last_are_played():
    rules = Rules(first_round=3, last_round=4)
    state = new_game(1, rules)
    rounds = [state.round_number for _ in play_randomly(state, rules, np.random.default_rng(1))]
    assert sorted(set(rounds)) == [3, 4]
    assert np.flatnonzero(state.round_turns).tolist() == [2, 3]


def test_the_same_seed_deals_the_same_rounds_however_they_are_played():
    deals = []
    for player_seed in (1, 2):
        state = new_game(11)
        seen = {}
        for _ in play_randomly(state, Rules(), np.random.default_rng(player_seed)):
            if state.num_turns == 0 and state.phase == Phase.DRAW:
                seen[state.round_number] = (state.hands.tobytes(), state.stock.tobytes(), state.pile.tobytes())
        deals.append(seen)
    assert len(deals[0]) == NUM_ROUNDS
    assert deals[0] == deals[1]


def test_drawing_from_the_stock_takes_its_top_and_keeps_the_upcard():
    state = new_game()
    top, upcard = state.stock[state.stock_size - 1], state.pile[0]
    before = state.hands[state.seat].copy()
    do(state, "draw")
    assert (state.hands[state.seat] - before == hand_of([top])).all()
    assert state.pile[0] == upcard
    assert state.taken == NO_CARD


def test_taking_the_upcard_is_remembered_until_it_is_discarded():
    state = new_game()
    seat, upcard = state.seat, int(state.pile[0])
    do(state, "take")
    assert cards_of(state.known[seat]) == [upcard]
    assert (state.taken, state.pile_size) == (upcard, 0)
    step(state, DISCARD + upcard, Rules())
    assert not state.known.any()
    assert (state.taken, state.pile[0]) == (NO_CARD, upcard)
    assert cards_of(state.discarded[seat]) == [upcard]


def test_the_upcard_just_taken_may_be_discarded_unless_the_rules_forbid_it():
    forbidding = Rules(may_return_upcard=False, num_packs=4)
    state = new_game(0, forbidding)
    set_pile(state, "Kc")
    set_hand(state, state.seat, "Kc 5d 9h")
    do(state, "take", forbidding)
    assert parse_action("discard Kc") in legal(state, Rules(num_packs=4))
    assert parse_action("discard Kc") not in legal(state, forbidding)
    assert parse_action("discard 5d") in legal(state, forbidding)


def test_nor_may_a_seat_go_out_with_the_upcard_just_taken_where_it_is_forbidden():
    forbidding = Rules(may_return_upcard=False, num_packs=4)
    state = new_game(0, forbidding)
    set_pile(state, "Kc")
    set_hand(state, state.seat, "7c 7d 7h")
    do(state, "take", forbidding)
    assert parse_action("out Kc") in legal(state, Rules(num_packs=4))
    assert parse_action("out Kc") not in legal(state, forbidding)


def test_a_hand_of_nothing_but_the_upcard_taken_may_discard_it_after_all():
    forbidding = Rules(may_return_upcard=False, num_packs=4)
    state = new_game(0, forbidding)
    set_pile(state, "Kc")
    set_hand(state, state.seat, "Kc Kc Kc")
    do(state, "take", forbidding)
    assert legal(state, forbidding) == {parse_action("discard Kc"), parse_action("out Kc")}


@pytest.mark.parametrize(
    ("cards", "out_with"),
    [
        ("7c 7d 7h Ks", "Ks"),
        ("7c 7d 7h 7s", "7c 7d 7h 7s"),
        ("4h 5h 6h 7h", "4h 7h"),
        ("4h 5h 6h 3c", "3c 4h 5h 6h"),
        ("4h 6h 3c Ks", "Ks"),
        ("4h Ks 3c 3d", "4h Ks"),
        ("4h 9s 3c Kd", ""),
        ("4h 4h 4h 4h", "4h"),
        ("3c 3d 3h 3s", "3c 3d 3h 3s"),
        ("4h 5h 5h 6h", "5h"),
    ],
)
def test_going_out_with_a_card_is_legal_exactly_when_the_rest_melds(cards, out_with):
    state = new_game()
    do(state, "draw")
    set_hand(state, state.seat, cards)
    assert {action - GO_OUT for action in legal(state) if action >= GO_OUT} == set(cards_of(hand(out_with)))
    assert {action - DISCARD for action in legal(state) if action < GO_OUT} == set(cards_of(hand(cards)))


def test_a_leftover_that_costs_zero_is_still_a_leftover():
    rules = Rules(wild_points=0, wild_only_melds=False)
    state = new_game(0, rules)
    do(state, "draw", rules)
    set_hand(state, state.seat, "3c 3d 3h Ks")
    assert parse_action("out Ks") not in legal(state, rules)


def test_the_wild_rank_comes_from_the_round_and_not_from_the_size_of_the_hand():
    state = new_game()
    do(state, "draw")
    set_hand(state, state.seat, "7c 7d 4h Ks")
    assert state.hands[state.seat].sum() == 4
    assert parse_action("out Ks") not in legal(state)
    set_hand(state, state.seat, "7c 7d 3h Ks")
    assert parse_action("out Ks") in legal(state)


@pytest.mark.parametrize("num_players", range(2, 9))
def test_after_going_out_each_other_seat_has_exactly_one_turn_in_order_and_none_goes_out(num_players):
    rules = Rules(num_players=num_players)
    for turns_before in range(num_players):
        state = new_game(2, rules)
        for _ in range(turns_before):
            pass_turn(state, rules)
        out_seat = state.seat
        do(state, "draw", rules)
        set_hand(state, out_seat, "7c 7d 7h Ks")
        do(state, "out Ks", rules)
        seats = []
        while state.round_number == 1:
            assert state.out_seat == out_seat
            seats.append(int(state.seat))
            do(state, "draw", rules)
            set_hand(state, state.seat, "8c 8d 8h Qs")
            assert not any(action >= GO_OUT for action in legal(state, rules))
            do(state, "discard Qs", rules)
        assert seats == [(out_seat + turn) % num_players for turn in range(1, num_players)]
        assert (state.round_number, state.out_seat) == (2, NOBODY)
        assert (state.went_out[0], state.round_turns[0]) == (out_seat, turns_before + num_players)


def test_going_out_is_a_choice():
    state = new_game()
    do(state, "draw")
    set_hand(state, state.seat, "7c 7d 7h Ks")
    do(state, "discard Ks")
    assert (state.out_seat, state.round_number) == (NOBODY, 1)


@pytest.mark.parametrize(
    ("pile", "can_draw"), [("Kc", False), ("Kc Qc", True), ("Kc Qc Jc 9d 9h", True)], ids=["one", "two", "many"]
)
def test_from_an_empty_stock_a_seat_draws_if_there_is_a_card_below_the_upcard(pile, can_draw):
    state = new_game()
    state.stock[:] = NO_CARD
    state.stock_size = 0
    set_pile(state, pile)
    assert legal(state) == ({DRAW_STOCK, TAKE_UPCARD} if can_draw else {TAKE_UPCARD})
    before = all_cards(state)
    upcard, size = state.pile[state.pile_size - 1], state.pile_size
    if can_draw:
        do(state, "draw")
        assert (state.pile_size, state.pile[0], state.stock_size) == (1, upcard, size - 2)
        assert state.num_reshuffles == 1
        assert (all_cards(state) == before).all()


def test_after_the_only_upcard_is_taken_the_pile_is_empty_until_the_discard():
    state = new_game()
    state.stock[:] = NO_CARD
    state.stock_size = 0
    do(state, "take")
    assert state.pile_size == 0
    step(state, min(legal(state)), Rules())
    assert state.pile_size == 1
    assert legal(state) == {TAKE_UPCARD}


def test_two_agents_that_pass_one_upcard_to_and_fro_reach_the_turn_limit_and_are_scored():
    rules = Rules(turn_limit=7, last_round=1)
    state = new_game(0, rules)
    set_pile(state, "Kc")
    set_hand(state, 0, "2c 5d 9h")
    set_hand(state, 1, "Ac 6d Th")
    while state.phase != Phase.GAME_OVER:
        do(state, "take, discard Kc", rules)
    assert state.round_turns[0] == 14
    assert state.went_out[0] == NOBODY
    assert state.scores[:2].tolist() == [16, 17]


def test_final_turns_are_played_beyond_the_turn_limit():
    rules = Rules(turn_limit=1, last_round=1)
    state = new_game(0, rules)
    pass_turn(state, rules)
    do(state, "draw", rules)
    set_hand(state, state.seat, "7c 7d 7h Ks")
    do(state, "out Ks", rules)
    assert state.phase == Phase.DRAW
    pass_turn(state, rules)
    assert (state.phase, state.seat, state.round_turns[0]) == (Phase.GAME_OVER, NOBODY, 3)


def test_who_went_out_has_no_points_and_the_others_their_least_deadwood():
    rules = Rules(num_players=3, last_round=1)
    state = new_game(0, rules)
    out_seat = state.seat
    do(state, "draw", rules)
    set_hand(state, out_seat, "7c 7d 7h Ks")
    do(state, "out Ks", rules)
    for cards in ("8c 8d 2h Qs", "3c 9d 9h Qs"):
        do(state, "draw", rules)
        set_hand(state, state.seat, cards)
        do(state, "discard Qs", rules)
    assert state.scores[[out_seat, (out_seat + 1) % 3, (out_seat + 2) % 3]].tolist() == [0, 18, 0]


def test_what_a_seat_threw_is_counted_no_further_than_there_are_packs():
    state = new_game(0, Rules(turn_limit=1000))
    set_pile(state, "Kc")
    seat = state.seat
    for _ in range(6):
        do(state, "take, discard Kc", Rules(turn_limit=1000))
    assert state.discarded[seat].sum() == 1


@pytest.mark.parametrize("action", range(NUM_ACTIONS))
def test_every_action_is_legal_in_some_game_and_steps(action):
    state = new_game()
    if action >= DISCARD:
        do(state, "draw")
        card = (action - DISCARD) % NUM_CARDS
        others = [other for other in (parse_card("7c"), parse_card("7d"), parse_card("7h")) if other != card]
        set_hand(state, state.seat, "")
        state.hands[state.seat] = hand_of([card, *others, *([parse_card("7s")] if len(others) == 2 else [])])
    assert action in legal(state)
    step(state, action, Rules())
    if action >= DISCARD:
        assert state.pile[state.pile_size - 1] == (action - DISCARD) % NUM_CARDS
