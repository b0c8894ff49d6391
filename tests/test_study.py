"""Studied positions: what is in them, and that a policy learns from them."""

from itertools import islice

import numpy as np
import pytest
import torch
from gymnasium import spaces

from agents.network import NUM_DRAWS, CardPolicy
from agents.search import MAX_CHOICES
from agents.study import NO_CHOICE, Lessons, Studied, gathered, learn, points_lost, study
from tests.playing import shortened
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.observation import observation_size
from three_thirteen_env.rules import Rules

RULES = shortened(Rules(), turn_limit=10)._replace(last_round=3)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def studied() -> Studied:
    return gathered(study(RULES, "outlook", np.random.default_rng(0)), 2000)


def new_policy() -> CardPolicy:
    torch.manual_seed(0)
    size = observation_size(RULES, "outlook")
    box, actions = spaces.Box(-1, 1, (size,), np.float32), spaces.Discrete(NUM_ACTIONS)
    return CardPolicy(box, actions, lambda _: 1e-3, rules=RULES, observation="outlook", width=32, card_width=16)


def test_every_position_has_two_choices_or_more(studied):
    is_choice = studied.choices != NO_CHOICE
    assert len(studied.choices) >= 2000
    assert (is_choice.sum(axis=1) >= 2).all()
    assert (np.diff(is_choice.astype(int), axis=1) <= 0).all()  # the choices come first
    assert studied.choices.shape == studied.points.shape == (len(studied.observations), MAX_CHOICES)
    assert studied.observations.shape[1] == observation_size(RULES, "outlook")
    draws = (studied.choices < NUM_DRAWS) & is_choice
    assert set(draws.sum(axis=1)) == {0, 2}  # a draw or a discard, never both


def test_the_same_generator_studies_the_same_whatever_the_number_of_threads():
    alone, together = (
        gathered(islice(study(RULES, "cards", np.random.default_rng(1), num_threads), 3), 10**6)
        for num_threads in (1, 2)
    )
    for one, other in zip(alone, together, strict=True):
        assert (one == other).all()


def test_the_points_are_the_means_of_rounds(studied):
    is_choice = studied.choices != NO_CHOICE
    assert (studied.points[~is_choice] == 0).all()
    assert np.abs(studied.points[is_choice]).max() < 50
    assert np.ptp(studied.points, axis=1).mean() > 0.1


def test_a_policy_learns_what_was_studied(studied):
    before, policy = points_lost(new_policy(), studied), new_policy()
    learn(policy, studied, Lessons(epochs=80, learning_rate=5e-3, scale=0.05, seed=0))
    assert points_lost(policy, studied) < 0.9 * before


def test_what_brings_most_loses_nothing_and_what_brings_least_loses_most():
    observations = np.zeros((1, observation_size(RULES, "outlook")), np.float32)
    choices = np.array([[0, 1, *[NO_CHOICE] * (MAX_CHOICES - 2)]])
    lost = {
        points_lost(new_policy(), Studied(observations, choices, np.array([[*points, 0, 0, 0]], np.float32)))
        for points in ((3, 1), (1, 3))
    }
    assert lost == {0, 2}
