import numpy as np
import pytest

from tests.playing import EVERY_RULES, new_game, play_randomly, shortened
from tests.reference import deadwood_points
from three_thirteen_env.cards import cards_of, hand_of
from three_thirteen_env.observation import (
    DEADWOOD_SCALE,
    FAR_FROM_BEST,
    KIND_NUMBERS,
    LAYOUT,
    MELDS,
    SCORE_SCALE,
    encode,
    encode_each,
    observation_size,
    slices,
)
from three_thirteen_env.rules import NUM_ROUNDS, Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NOBODY, STATE, Phase
from three_thirteen_env.view import unseen_cards, view_of


def observe(view, rules, kind):
    observation = np.full(observation_size(rules, kind), np.nan, np.float32)
    encode(view, int(view.observer), rules, KIND_NUMBERS[kind], observation)
    return observation


def described(view, rules, kind):
    """What `LAYOUT` says of a view, row by row, written again without a thought for speed."""
    n, packs, me = rules.num_players, rules.num_packs, int(view.observer)
    seats = [(me + relative) % n for relative in range(n)]
    pile = view.pile[: view.pile_size].tolist()
    rows = {
        "hand": view.hands[me] / packs,
        "upcard": hand_of(pile[-1:]),
        "pile": hand_of(pile) / packs,
        "known_hands": np.concatenate([view.hands[seat] / packs for seat in seats[1:]]),
        "discarded": np.concatenate([view.discarded[seat] / packs for seat in seats]),
        "wild_rank": [rank == wild_rank_of(view.round_number) for rank in range(1, 14)],
        "phase": [view.phase == Phase.DRAW, view.phase == Phase.DISCARD],
        "seat_to_act": [seat == view.seat for seat in seats],
        "dealer": [seat == view.dealer for seat in seats],
        "out_seat": [seat == view.out_seat for seat in seats],
        "scores": [min(1, view.scores[seat] / SCORE_SCALE) for seat in seats],
        "stock_size": [view.stock_size / (52 * packs)],
        "turns": [min(1, view.num_turns / (n * rules.turn_limit))],
        "rounds_left": [(rules.last_round - view.round_number) / NUM_ROUNDS],
    }
    if kind != "cards":
        rows |= described_melds(view, rules, pile)
    if kind == "outlook":
        rows |= described_outlook(view, rules, pile)
    return rows


def described_melds(view, rules, pile):
    wild_rank = wild_rank_of(view.round_number)
    held = cards_of(view.hands[view.observer])

    def scaled(cards):
        return min(1, deadwood_points(cards, wild_rank, rules) / DEADWOOD_SCALE)

    def without(cards, card):
        rest = list(cards)
        rest.remove(card)
        return rest

    with_upcard, after_discard = -1, np.full(52, -1.0)
    if view.phase == Phase.DRAW:
        cards = [*held, pile[-1]]
        with_upcard = min(scaled(without(cards, card)) for card in cards)
    if view.phase == Phase.DISCARD and view.seat == view.observer:
        for card in held:
            after_discard[card] = scaled(without(held, card))
    return {
        "deadwood": [scaled(held)],
        "deadwood_with_upcard": [with_upcard],
        "deadwood_after_discard": after_discard,
    }


def described_outlook(view, rules, pile):
    wild_rank = wild_rank_of(view.round_number)
    expected, outs = -1, -1
    with_upcard, each_expected, each_outs = (np.full(52, -1.0) for _ in range(3))
    if view.seat == view.observer:
        hand, unseen = view.hands[view.observer].copy(), unseen_cards(view, rules)
        barred = view.taken
        if view.phase == Phase.DRAW:
            expected, outs = expected_and_outs(hand, unseen, wild_rank, rules)
            hand[pile[-1]] += 1
            barred = pile[-1]
        may_discard = {
            card: least_deadwood(without_card(hand, card), wild_rank, rules)
            for card in np.flatnonzero(hand)
            if rules.may_return_upcard or card != barred
        }
        if view.phase == Phase.DRAW:
            if rules.may_return_upcard and view.hands[view.observer, barred] == 0:
                del may_discard[barred]  # that would be no exchange
            with_upcard[list(may_discard)] = [min(1, points / DEADWOOD_SCALE) for points in may_discard.values()]
        for card, points in may_discard.items():
            if points <= min(may_discard.values()) + FAR_FROM_BEST:
                rest = without_card(hand, card)
                each_expected[card], each_outs[card] = expected_and_outs(rest, unseen, wild_rank, rules)
    return {
        "expected": [expected],
        "outs": [outs],
        "deadwood_with_upcard_after_discard": with_upcard,
        "expected_after_discard": each_expected,
        "outs_after_discard": each_outs,
    }


def expected_and_outs(hand, unseen, wild_rank, rules):
    """What is expected of a hand, draw by draw and discard by discard."""
    least = []
    for card in cards_of(unseen):
        full = with_card(hand, card)
        least.append(min(least_deadwood(without_card(full, other), wild_rank, rules) for other in np.flatnonzero(full)))
    return min(1, np.mean(least) / DEADWOOD_SCALE), np.mean(np.array(least) == 0)


def with_card(hand, card):
    return hand + (np.arange(52) == card).astype(np.int8)


def without_card(hand, card):
    return hand - (np.arange(52) == card).astype(np.int8)


@pytest.mark.parametrize("kind", LAYOUT)
@pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES.keys())
def test_every_slice_says_what_the_layout_says(rules, kind):
    rules = shortened(rules, 8)
    state = new_game(3, rules)
    for number, _ in enumerate(play_randomly(state, rules, np.random.default_rng(3))):
        if number % (61 if kind == "outlook" else 17) == 0 or (state.out_seat != NOBODY and number % 3 == 0):
            check(state, rules, kind)
    check(state, rules, kind)


def check(state, rules, kind):
    # To describe the outlook takes long: of the seats that are not to act, whose outlook says nothing, one is enough.
    to_look = (
        range(rules.num_players) if kind != "outlook" else {max(0, state.seat), state.num_turns % rules.num_players}
    )
    for observer in map(int, to_look):
        view = view_of(state, observer)
        observation = observe(view, rules, kind)
        from_state = np.empty_like(observation)
        encode(state, observer, rules, KIND_NUMBERS[kind], from_state)
        assert (from_state == observation).all()
        assert np.abs(observation).max() <= 1
        rows = described(view, rules, kind)
        assert rows.keys() == slices(rules, kind).keys()
        for name, part in slices(rules, kind).items():
            np.testing.assert_allclose(observation[part], np.asarray(rows[name], np.float32), atol=1e-6, err_msg=name)


@pytest.mark.parametrize("kind", LAYOUT)
@pytest.mark.parametrize("num_players", range(2, 9))
def test_the_slices_fill_the_vector_without_gap_or_overlap(num_players, kind):
    rules = Rules(num_players=num_players)
    parts = list(slices(rules, kind).values())
    assert parts[0].start == 0
    assert [part.stop for part in parts[:-1]] == [part.start for part in parts[1:]]
    assert parts[-1].stop == observation_size(rules, kind)


def test_the_sizes_are_the_documented_ones():
    assert [observation_size(Rules(), kind) for kind in LAYOUT] == [338, 392, 550]


def test_many_views_are_encoded_as_one_is():
    rules = Rules(num_players=3)
    views = np.array([view_of(new_game(seed, rules), seed % 3) for seed in range(5)], STATE)
    observations = np.empty((5, observation_size(rules, "melds")), np.float32)
    encode_each(views, rules, MELDS, observations)
    for view, observation in zip(views, observations, strict=True):
        assert (observation == observe(view, rules, "melds")).all()


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'cards' or 'melds' or 'outlook', not 'planes'"):
        observation_size(Rules(), "planes")
