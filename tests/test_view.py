import numpy as np
import pytest
from scipy.stats import chisquare

from tests.playing import (
    COMPILED,
    EVERY_RULES,
    all_cards,
    legal,
    new_game,
    play_randomly,
    set_hand,
    set_pile,
    shortened,
)
from three_thirteen_env.actions import GO_OUT, parse_action
from three_thirteen_env.cards import cards_of, hand
from three_thirteen_env.game import hand_size_of, step
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NO_CARD, NOBODY, STATE, Phase
from three_thirteen_env.view import count_unseen, hide_each, redeal, unseen_cards, view_of

EVERY_GAME = pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES.keys())


def permute_unseen(state, observer, rng):
    """Another world for one seat: the cards that it cannot see change places, and the seed is another.

    Written from the rules, without the help of `three_thirteen_env.view`.
    """
    other_world = state.copy()
    places = [("stock", index) for index in range(state.stock_size)]
    cards = state.stock[: state.stock_size].tolist()
    for seat in range(len(state.hands)):
        if seat not in (observer, state.out_seat):
            hidden = cards_of(state.hands[seat] - state.known[seat])
            places += [("hand", seat)] * len(hidden)
            cards += hidden
            other_world.hands[seat] = state.known[seat]
    for (kind, where), card in zip(places, rng.permutation(cards).tolist(), strict=True):
        if kind == "stock":
            other_world.stock[where] = card
        else:
            other_world.hands[where, card] += 1
    other_world.seed = rng.integers(2**63)
    return other_world


@EVERY_GAME
def test_permuting_what_a_seat_cannot_know_leaves_its_view_byte_identical_in_every_phase(rules):
    rules = shortened(rules, 20)
    rng = np.random.default_rng(0)
    every_phase = {(phase, is_final) for phase in (0, 1) for is_final in (False, True)}
    phases, worlds_that_differ, seed = set(), 0, 0
    while phases != every_phase:
        seed += 1
        state = new_game(seed, rules)
        for number, _ in enumerate(play_randomly(state, rules, rng)):
            if number % (5 if COMPILED else 25) == 0 or (state.out_seat != NOBODY and number % 3 < 2):
                phases.add((int(state.phase), bool(state.out_seat != NOBODY)))
                for observer in range(rules.num_players):
                    other_world = permute_unseen(state, observer, rng)
                    worlds_that_differ += other_world.stock.tobytes() != state.stock.tobytes()
                    assert view_of(other_world, observer).tobytes() == view_of(state, observer).tobytes()
                    if observer == state.seat:
                        assert legal(other_world, rules) == legal(state, rules)
    assert worlds_that_differ > 10


def test_a_view_keeps_the_own_hand_and_what_is_public_and_blanks_the_rest():
    rules = Rules(num_players=3)
    state = new_game(1, rules)
    taker = state.seat
    for action in (1, min(legal(state))):
        step(state, action if action == 1 else min(legal(state, rules)), rules)
    observer = (taker + 1) % 3
    view = view_of(state, observer)
    assert (view.hands[observer] == state.hands[observer]).all()
    assert (view.hands[taker] == state.known[taker]).all()
    assert not view.hands[(taker + 2) % 3].any()
    assert (view.stock == NO_CARD).all()
    assert (view.seed, view.observer) == (0, observer)
    for field in ("round_number", "phase", "seat", "dealer", "out_seat", "stock_size", "pile_size", "num_turns"):
        assert view[field] == state[field]
    for field in ("pile", "known", "discarded", "scores", "round_points"):
        assert (view[field] == state[field]).all()


def test_only_the_seat_that_went_out_shows_its_hand_and_only_to_the_end_of_the_round():
    rules = Rules(num_players=3)
    state = new_game(1, rules)
    out_seat = int(state.seat)
    step(state, 0, rules)
    set_hand(state, out_seat, "7c 7d 7h Ks")
    step(state, parse_action("out Ks"), rules)
    observer, third = (out_seat + 1) % 3, (out_seat + 2) % 3
    view = view_of(state, observer)
    assert (view.hands[out_seat] == hand("7c 7d 7h")).all()
    assert not view.hands[third].any()
    while state.round_number == 1:
        step(state, min(legal(state, rules)), rules)
    assert not view_of(state, observer).hands[out_seat].any()


def test_a_view_is_a_new_record_and_the_state_is_as_it_was():
    state = new_game()
    before = state.tobytes()
    view = view_of(state, 1)
    view.hands[:] = 0
    assert state.tobytes() == before


def test_many_states_are_hidden_as_one_is():
    rules = Rules(num_players=4)
    states = np.array([new_game(seed, rules) for seed in range(8)], STATE)
    seats = np.arange(8) % 4
    views = states.copy()
    hide_each(views, seats)
    assert [view.tobytes() for view in views] == [
        view_of(state, seat).tobytes() for state, seat in zip(states, seats, strict=True)
    ]


@EVERY_GAME
def test_redealt_worlds_fit_the_view_conserve_the_cards_and_play_on(rules):
    rules = shortened(rules, 6)
    rng = np.random.default_rng(0)
    state = new_game(2, rules)
    num_different = 0
    for number, _ in enumerate(play_randomly(state, rules, rng)):
        if number % 7 == 0:
            for observer in range(rules.num_players):
                view = view_of(state, observer)
                world = redeal(view, rules, rng)
                assert view_of(world, observer).tobytes() == view.tobytes()
                assert (all_cards(world) == rules.num_packs).all()
                assert [hand_size_of(world, seat) for seat in range(rules.num_players)] == world.hands[
                    : rules.num_players
                ].sum(axis=1).tolist()
                assert (world.known <= world.hands).all()
                num_different += world.hands.tobytes() != state.hands.tobytes()
                if number == 7 and observer == 0:
                    for _ in play_randomly(world, rules, rng):
                        pass
                    assert world.phase == Phase.GAME_OVER
    assert num_different >= 5


def test_the_unseen_cards_are_those_of_the_stock_and_the_other_hands():
    rules = Rules(num_players=3)
    state = new_game(4, rules)
    view = view_of(state, 0)
    hidden = state.hands[1:3].sum(axis=0) + np.bincount(state.stock[: state.stock_size], minlength=52)
    assert (unseen_cards(view, rules) == hidden).all()


@EVERY_GAME
def test_a_state_and_its_view_give_the_same_count_of_unseen_cards(rules):
    rules = shortened(rules, 6)
    state = new_game(5, rules)
    for number, _ in enumerate(play_randomly(state, rules, np.random.default_rng(5))):
        if number % 7 == 0 or state.out_seat != NOBODY:
            for seat in range(rules.num_players):
                of_state, of_view = np.empty((2, 52), np.int8)
                view = view_of(state, seat)
                num_unseen = count_unseen(state, seat, rules, of_state)
                assert count_unseen(view, seat, rules, of_view) == num_unseen == of_state.sum()
                assert (of_state == of_view).all()
                assert (of_state == unseen_cards(view, rules)).all()


def test_redeal_is_uniform_over_the_worlds_that_fit():
    """Five unseen cards, three in the other hand and two in the stock: twenty worlds, each equally likely."""
    rules = Rules()
    state = new_game(0, rules)
    observer, other = int(state.seat), 1 - int(state.seat)
    unseen = "Ac 2d 5h 9s Kd"
    set_hand(state, observer, "4c 4d 4h")
    set_hand(state, other, "Ac 2d 5h")
    state.stock[:] = NO_CARD
    state.stock[:2] = cards_of(hand("9s Kd"))
    state.stock_size = 2
    set_pile(state, " ".join(sorted(every_card_but("4c 4d 4h " + unseen))))
    view = view_of(state, observer)
    rng = np.random.default_rng(0)
    worlds: dict[tuple, int] = {}
    for _ in range(4000):
        world = redeal(view, rules, rng)
        key = (tuple(cards_of(world.hands[other])), tuple(world.stock[:2].tolist()))
        worlds[key] = worlds.get(key, 0) + 1
    assert len(worlds) == 20
    assert chisquare(list(worlds.values())).pvalue > 0.001


def every_card_but(text):
    missing = text.split()
    return [rank + suit for suit in "cdhs" for rank in "A23456789TJQK" if rank + suit not in missing]


def test_a_redealt_world_goes_on_from_a_final_turn():
    state = new_game(1)
    step(state, 0, Rules())
    set_hand(state, state.seat, "7c 7d 7h Ks")
    step(state, parse_action("out Ks"), Rules())
    world = redeal(view_of(state, int(state.seat)), Rules(), np.random.default_rng(0))
    step(world, 0, Rules())
    assert not any(action >= GO_OUT for action in legal(world))
