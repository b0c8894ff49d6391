"""The network that is trained: what it knows of cards, and that it says the same whoever asks."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from agents.network import ILLEGAL, NUM_SUMS, SUM_WIDTH, CardPolicy
from agents.search import SLACK
from tests.playing import COMPILED, EVERY_RULES, shortened
from tests.positions import position, shown, states_of_games
from three_thirteen_env.actions import DRAW_STOCK, NUM_ACTIONS, TAKE_UPCARD
from three_thirteen_env.cards import NUM_CARDS, NUM_SUITS, hand
from three_thirteen_env.observation import observation_size, observe_each
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

NUM_POSITIONS = 60 if COMPILED else 5


def new_policy(rules, observation="outlook"):
    torch.manual_seed(0)
    size = observation_size(rules, observation)
    box, actions = spaces.Box(-1, 1, (size,), np.float32), spaces.Discrete(NUM_ACTIONS)
    policy = CardPolicy(box, actions, lambda _: 1e-3, rules=rules, observation=observation, width=32, card_width=16)
    with torch.no_grad():
        for layer in (policy.network.draw, policy.network.discard, policy.network.trust):
            if layer is not None:
                layer.weight.mul_(100)  # its first weights are so small that all would be alike
    return policy


def observed(views, rules, observation="outlook"):
    return torch.from_numpy(observe_each(views, rules, observation))


@pytest.mark.parametrize("observation", ["cards", "melds", "outlook"])
@pytest.mark.parametrize("rules", [pytest.param(EVERY_RULES[name], id=name) for name in ("default", "three players")])
def test_it_says_the_same_of_what_is_legal_whether_it_is_told_what_that_is_or_not(rules, observation):
    rules = shortened(rules, turn_limit=10)
    views, masks = shown(states_of_games(NUM_POSITIONS, rules), rules)
    network, observations = new_policy(rules, observation).network, observed(views, rules, observation)
    legal = torch.from_numpy(masks).bool()
    with torch.no_grad():
        everything, features = network(observations)
        logits, of_legal = network.judge(observations, legal)
        assert torch.equal(network.legal_logits(observations, legal), logits)
    torch.testing.assert_close(logits, everything.masked_fill(~legal, ILLEGAL), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(features, of_legal)
    assert logits[legal].std() > 0.01


def test_it_knows_which_cards_a_meld_needs():
    """Without the 3, the 4 and the 5 of hearts cost 12 points less the one thrown: 12 more than the hand costs now."""
    state = position("3h 4h 5h 9c 9d Qs Kc", "2d", round_number=4)
    views, _ = shown(np.array([state]), Rules())
    more, is_none = new_policy(Rules()).network._holds(observed(views, Rules()))[0]
    assert torch.allclose(more, 1.2 * torch.from_numpy(hand("3h 4h 5h")).float(), atol=1e-4)
    assert torch.equal(is_none, torch.from_numpy(hand("9c 9d Qs Kc")).float())


def test_before_a_draw_it_knows_which_cards_the_upcard_would_meld_with():
    state = position("4h 5h 9c 9d Qs Kc", "3h", round_number=4)
    views, _ = shown(np.array([state]), Rules())
    more, is_none = new_policy(Rules()).network._holds(observed(views, Rules()))[0]
    assert torch.allclose(more, 1.2 * torch.from_numpy(hand("4h 5h")).float(), atol=1e-4)
    assert torch.equal(is_none, torch.from_numpy(hand("9c 9d Qs Kc")).float())


def test_it_learns_how_much_to_believe_of_what_the_prior_thinks_of_an_upcard():
    rules = shortened(Rules(), turn_limit=10)
    views, masks = shown(states_of_games(4 * NUM_POSITIONS, rules), rules)
    views = views[masks[:, DRAW_STOCK] & masks[:, TAKE_UPCARD] > 0]
    network, observations = new_policy(rules).network, observed(views, rules)
    network.requires_grad_(False)
    gain = network.prior.judge(observations).gain.flatten()
    is_open = (gain.abs() <= SLACK) & torch.from_numpy(views["out_seat"] == NOBODY)
    before = network.forward_actor(observations)
    network.trust.bias += 0.5
    changed = network.forward_actor(observations) - before
    assert 0 < is_open.sum() < len(views)
    torch.testing.assert_close(changed[is_open, TAKE_UPCARD], 0.5 * gain[is_open], atol=1e-4, rtol=1e-4)
    assert not changed[~is_open].any()
    assert not changed[:, DRAW_STOCK].any()


@pytest.mark.parametrize("observation", ["cards", "melds", "outlook"])
def test_what_cards_add_up_to_has_no_suits(observation):
    """With the suits changed for others, all over the observation, the sums are the same."""
    rules = shortened(Rules(), turn_limit=10)
    views, _ = shown(states_of_games(NUM_POSITIONS, rules), rules)
    network, observations = new_policy(rules, observation).network, observed(views, rules, observation)
    other_suits = torch.arange(NUM_CARDS).reshape(NUM_SUITS, -1)[[2, 0, 3, 1]].flatten()
    changed = observations.clone()
    for place in network.places.values():
        for start in range(place.start, place.stop - NUM_CARDS + 1, NUM_CARDS):
            changed[:, start : start + NUM_CARDS] = observations[:, start + other_suits]
    with torch.no_grad():
        sums, of_changed = (
            network._inputs(seen).values[:, -NUM_SUMS * SUM_WIDTH :] for seen in (observations, changed)
        )
    torch.testing.assert_close(of_changed, sums)
    assert not torch.equal(changed, observations)
    assert sums.std() > 0.01
