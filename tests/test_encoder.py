"""What the networks see: which cards a meld needs, and the cards summed up."""

import numpy as np
import pytest
import torch

from agents.encoder import NUM_SUMS, SUM_WIDTH, Encoder
from tests.playing import COMPILED, shortened
from tests.positions import position, shown, states_of_games
from three_thirteen_env.cards import NUM_CARDS, NUM_SUITS, hand
from three_thirteen_env.observation import observe_each
from three_thirteen_env.rules import Rules

NUM_POSITIONS = 60 if COMPILED else 5


def needed_for_melds(state, rules=Rules()):
    views, _ = shown(np.array([state]), rules)
    observations = torch.from_numpy(observe_each(views, rules, "outlook"))
    return Encoder(rules, "outlook").needed_for_melds(observations)[0]


def cards(text, number=1.0):
    return number * torch.from_numpy(hand(text)).float()


def test_it_knows_which_cards_a_meld_needs():
    """Without one card of the run the others cost what is left of its 12 points: 12 more than now, with its own."""
    more, is_none = needed_for_melds(position("3h 4h 5h 9c 9d Qs Kc", "2d", round_number=4))
    torch.testing.assert_close(more, cards("3h 4h 5h", 1.2), atol=1e-4, rtol=0)
    assert torch.equal(is_none, cards("9c 9d Qs Kc"))


def test_before_a_draw_it_knows_which_cards_the_upcard_would_meld_with():
    more, is_none = needed_for_melds(position("4h 5h 9c 9d Qs Kc", "3h", round_number=4))
    torch.testing.assert_close(more, cards("4h 5h", 1.2), atol=1e-4, rtol=0)
    assert torch.equal(is_none, cards("9c 9d Qs Kc"))


def test_where_wild_cards_have_a_cost_of_their_own_it_is_that():
    """In round 4 sixes are wild: 20 points here, and a run of four with the wild card leaves 9 and 10."""
    rules = Rules(wild_points=20)
    more, is_none = needed_for_melds(position("3h 4h 5h 6c 9d Qs Kc", "2d", rules, round_number=4), rules)
    assert torch.equal(is_none, cards("9d Qs Kc"))
    assert more[hand("6c") > 0].item() == pytest.approx(2.0, abs=1e-4)


def test_where_every_card_is_in_a_meld_it_is_compared_with_the_least_loss():
    more, is_none = needed_for_melds(position("3h 3d 3c 4h 4d 4s 4c", "2d", round_number=4))
    assert torch.equal(is_none, cards("4h 4d 4s 4c"))
    torch.testing.assert_close(more, cards("3h 3d 3c", 0.5), atol=1e-4, rtol=0)


@pytest.mark.parametrize("observation", ["cards", "melds", "outlook"])
def test_what_cards_add_up_to_has_no_suits(observation):
    """With the suits changed for others, all over the observation, the sums are the same."""
    torch.manual_seed(0)
    rules = shortened(Rules(), turn_limit=10)
    views, _ = shown(states_of_games(NUM_POSITIONS, rules), rules)
    encoder, observations = Encoder(rules, observation), torch.from_numpy(observe_each(views, rules, observation))
    other_suits = torch.arange(NUM_CARDS).reshape(NUM_SUITS, -1)[[2, 0, 3, 1]].flatten()
    changed = observations.clone()
    for place in encoder.places.values():
        for start in range(place.start, place.stop - NUM_CARDS + 1, NUM_CARDS):
            changed[:, start : start + NUM_CARDS] = observations[:, start + other_suits]
    with torch.no_grad():
        sums, of_changed = (encoder(seen).values[:, -NUM_SUMS * SUM_WIDTH :] for seen in (observations, changed))
    torch.testing.assert_close(of_changed, sums)
    assert not torch.equal(changed, observations)
    assert sums.std() > 0.01
