"""The prior: over tensors it says what `Careful` does, so that a network may start from there."""

import numpy as np
import pytest
import torch

from agents.careful import Careful, careful_costs, kin_of, outs_worth
from agents.lookahead import gain_of_upcard
from agents.prior import LOGITS_A_POINT, Prior, _kin
from agents.search import MAX_CHOICES, SLACK, sensible_choices
from tests.playing import COMPILED, EVERY_RULES, shortened
from tests.positions import shown, states_of_games
from three_thirteen_env.actions import DISCARD, GO_OUT, NUM_ACTIONS
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.observation import OUTLOOK, encode_each, observation_size, slices
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NOBODY, Phase

NUM_POSITIONS = 150 if COMPILED else 5
TIE = 1e-3  # points, for the precision of an observation
NAMES = ("default", "three players", "four players", "aces high", "wild cards cost 20", "upcard may not be returned")


def observed(views, rules):
    observations = np.empty((len(views), observation_size(rules, "outlook")), np.float32)
    encode_each(views, rules, OUTLOOK, observations)
    return torch.from_numpy(observations)


def said_by(prior, observations, learned=0.0):
    """The logits, where a network has learned to add the same to every action of a kind."""
    return prior(observations, torch.full((len(observations), NUM_ACTIONS), learned))


def choices(prior, observations, masks):
    with torch.no_grad():
        return said_by(prior, observations).masked_fill(torch.from_numpy(masks) == 0, -torch.inf).argmax(dim=1).numpy()


def are_as_good(view, mask, action, other, rules):
    """Whether two actions are the same but for chance: `Careful` takes the first of those that cost the same."""
    if action == other or (action >= GO_OUT and other >= GO_OUT):
        return True
    if action >= GO_OUT or other >= GO_OUT:
        return False
    if view.phase == Phase.DRAW:
        return abs(gain_of_upcard(view, mask, rules, outs_worth(view, rules))) < TIE
    if view.out_seat != NOBODY:
        costs = left_after_discards(view, rules)
    else:
        costs = np.empty(NUM_CARDS)
        careful_costs(view, mask[DISCARD:GO_OUT], rules, costs)
    return abs(costs[action - DISCARD] - costs[other - DISCARD]) < TIE


def left_after_discards(view, rules):
    hand = view.hands[view.seat]
    rests = {card: hand - (np.arange(NUM_CARDS) == card).astype(np.int8) for card in np.flatnonzero(hand)}
    costs = np.full(NUM_CARDS, 1000.0)
    for card, rest in rests.items():
        costs[card] = least_deadwood(rest, wild_rank_of(view.round_number), rules)
    return costs


@pytest.mark.parametrize("rules", [EVERY_RULES[name] for name in NAMES], ids=NAMES)
def test_what_it_prefers_is_what_the_careful_does(rules):
    """But for discards that the observation does not look into, for they leave ten points more than the best."""
    rules = shortened(rules, 20)
    views, masks = shown(states_of_games(NUM_POSITIONS, rules), rules)
    observations = observed(views, rules)
    preferred = choices(Prior(rules), observations, masks)
    careful = Careful(rules).act(views, masks, np.random.default_rng(0))
    expected = observations[:, slices(rules, "outlook")["expected_after_discard"]].numpy()
    num_not_seen = 0
    for index, (action, other) in enumerate(zip(preferred, careful, strict=True)):
        if not are_as_good(views[index], masks[index], action, other, rules):
            assert DISCARD <= other < GO_OUT
            assert expected[index, other - DISCARD] < 0
            num_not_seen += 1
    assert num_not_seen <= 0.02 * len(views)


def test_kin_are_counted_as_the_careful_does():
    rng = np.random.default_rng(0)
    wild_ranks = rng.integers(3, 14, 40)
    cards = rng.integers(0, 3, (40, NUM_CARDS)).astype(np.int8)
    is_wild = np.arange(NUM_CARDS) % 13 + 1 == wild_ranks[:, np.newaxis]
    kin = _kin(torch.from_numpy(cards).float(), torch.from_numpy(is_wild).float())
    expected = [
        [kin_of(card, held, wild_rank) for card in range(NUM_CARDS)]
        for held, wild_rank in zip(cards, wild_ranks, strict=True)
    ]
    assert kin.tolist() == expected


def test_what_it_says_is_finite_and_what_is_added_to_it_can_be_learned():
    rules = shortened(Rules(num_players=3), 20)
    prior = Prior(rules)
    views, _ = shown(states_of_games(NUM_POSITIONS, rules), rules)
    learned = torch.zeros(len(views), NUM_ACTIONS, requires_grad=True)
    logits = prior(observed(views, rules), learned)
    assert logits.shape == (len(views), NUM_ACTIONS)
    assert logits.isfinite().all()
    logits.log_softmax(dim=1)[:, 0].sum().backward()
    assert learned.grad.abs().sum() > 0


def test_nothing_is_learned_of_how_sure_it_is():
    """A network that took its own view for the whole truth once turned that off, and was lost where it has no say."""
    assert list(Prior(Rules()).parameters()) == []


def test_a_network_has_a_say_only_where_choices_are_close():
    rules = shortened(Rules(), 20)
    views, masks = shown(states_of_games(NUM_POSITIONS, rules), rules)
    prior = Prior(rules)
    observations, legal = observed(views, rules), torch.from_numpy(masks) > 0
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        before = said_by(prior, observations)
        after = prior(observations, 100 * torch.randn(len(views), NUM_ACTIONS, generator=generator))
    is_settled = torch.from_numpy((views["out_seat"] != NOBODY) | masks[:, GO_OUT:].any(axis=1))
    assert (after == before)[is_settled].all()
    changed = ((after != before) & legal).any(dim=1)
    assert 0 < changed.sum() <= (~is_settled).sum()
    gaps = before[:, DISCARD:GO_OUT].amax(dim=1, keepdim=True) - before[:, DISCARD:GO_OUT]
    is_far = (gaps > LOGITS_A_POINT * SLACK) & legal[:, DISCARD:GO_OUT]
    assert (after == before)[:, DISCARD:GO_OUT][is_far].all()


def test_it_is_open_what_is_studied_and_nothing_else():
    """What was never played out must not be chosen for what a network says of it."""
    rules = shortened(Rules(), 20)
    views, masks = shown(states_of_games(NUM_POSITIONS, rules), rules)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        prior, observations = Prior(rules), observed(views, rules)
        learned = torch.randn(len(views), NUM_ACTIONS, generator=generator)
        is_changed = (prior(observations, learned) != said_by(prior, observations)).numpy()
    num_open = 0
    for view, mask, changed in zip(views, masks, is_changed, strict=True):
        studied = np.empty(MAX_CHOICES, np.int64)
        studied = studied[: sensible_choices(view, mask, rules, studied)]
        expected = set(studied.tolist()) if len(studied) > 1 else set()
        if view.phase == Phase.DISCARD and len(expected) > 0:
            num_open += 1
            assert set(np.flatnonzero(changed).tolist()) >= expected
            assert changed.sum() - len(expected) <= 1  # two that cost the same are both the last
        elif view.phase == Phase.DRAW:
            assert changed[:DISCARD].any() == (len(expected) > 0)
    assert num_open > 0


def test_what_is_learned_of_discards_only_compares_them():
    """A study says by how many points discards differ. What a network says of all alike once drove it to others."""
    rules = shortened(Rules(), 20)
    views, _ = shown(states_of_games(NUM_POSITIONS, rules), rules)
    observations = observed(views, rules)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        learned = torch.randn(len(views), NUM_ACTIONS, generator=generator)
        raised = learned.clone()
        raised[:, DISCARD:GO_OUT] -= 50
        prior = Prior(rules)
        torch.testing.assert_close(prior(observations, raised), prior(observations, learned), atol=1e-3, rtol=0)
