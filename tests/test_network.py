"""The network that is trained: it says the same whoever asks, and learns what to believe of the prior."""

import pytest
import torch

from agents.network import ILLEGAL
from agents.search import SLACK
from tests.playing import COMPILED, EVERY_RULES, shortened
from tests.policies import untrained_policy
from tests.positions import shown, states_of_games
from three_thirteen_env.actions import DISCARD, DRAW_STOCK, TAKE_UPCARD
from three_thirteen_env.observation import observe_each
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY

NUM_POSITIONS = 60 if COMPILED else 5


def new_policy(rules, observation="outlook"):
    policy = untrained_policy(rules, observation, width=32, card_width=16)
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


def test_it_learns_how_much_to_believe_of_what_the_prior_thinks_of_an_upcard():
    rules = shortened(Rules(), turn_limit=10)
    views, masks = shown(states_of_games(4 * NUM_POSITIONS, rules), rules)
    views = views[masks[:, DRAW_STOCK] & masks[:, TAKE_UPCARD] > 0]
    network, observations = new_policy(rules).network, observed(views, rules)
    network.requires_grad_(False)
    gain = network.encoder.prior.judge(observations).gain.flatten()
    is_open = (gain.abs() <= SLACK) & torch.from_numpy(views["out_seat"] == NOBODY)
    before = network.forward_actor(observations)
    network.trust.bias += 0.5
    changed = network.forward_actor(observations) - before
    assert 0 < is_open.sum() < len(views)
    torch.testing.assert_close(changed[is_open, TAKE_UPCARD], 0.5 * gain[is_open], atol=1e-4, rtol=1e-4)
    assert not changed[~is_open].any()
    assert not changed[:, DRAW_STOCK].any()
    assert not changed[:, DISCARD:].any()
