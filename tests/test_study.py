"""Studied positions: what is in them, and that a policy learns from them."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest
import torch

from agents.network import NUM_DRAWS, NUM_GIFTS, CardPolicy
from agents.prior import LOGITS_A_POINT, Prior
from agents.search import MAX_CHOICES, SLACK
from agents.study import (
    NO_CHOICE,
    Lessons,
    Studied,
    _judge,
    _loss,
    _minibatches,
    gather,
    give_each,
    learn,
    points_lost,
    read_parts,
    study_part,
)
from tests.playing import shortened
from tests.policies import untrained_policy
from tests.positions import position
from three_thirteen_env.actions import DISCARD
from three_thirteen_env.cards import hand, parse_card
from three_thirteen_env.observation import observation_size, slices
from three_thirteen_env.rules import Rules

RULES = shortened(Rules(), turn_limit=10)._replace(last_round=3)


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def part(number, observation="outlook", size=2000, num_threads=1) -> Studied:
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(num_threads) as threads:
        patch.setattr("agents.study.PART", size)
        return study_part(RULES, observation, np.random.default_rng(number), threads)


@pytest.fixture(scope="module")
def studied() -> Studied:
    return part(0)


def new_policy() -> CardPolicy:
    return untrained_policy(RULES, "outlook", width=32, card_width=16)


def test_every_position_has_two_choices_or_more(studied):
    is_choice = studied.choices != NO_CHOICE
    assert len(studied.choices) == 2000
    assert (is_choice.sum(axis=1) >= 2).all()
    assert (np.diff(is_choice.astype(int), axis=1) <= 0).all()  # the choices come first
    assert studied.choices.shape == studied.points.shape == (len(studied.observations), MAX_CHOICES)
    assert studied.observations.shape[1] == observation_size(RULES, "outlook")
    draws = (studied.choices < NUM_DRAWS) & is_choice
    assert set(draws.sum(axis=1)) == {0, 2}  # a draw or a discard, never both


def test_only_open_draws_are_studied(studied):
    """In the others, where the upcard makes a meld of all, or a seat has gone out, there is nothing to be learned."""
    draws = studied.observations[studied.choices[:, 0] < NUM_DRAWS].astype(np.float32)
    places = slices(RULES, "outlook")
    assert (draws[:, places["deadwood_with_upcard"]] > 0).all()
    assert (draws[:, places["out_seat"]] == 0).all()
    judged = Prior(RULES).judge(torch.from_numpy(draws))
    assert judged.gain.abs().max() < SLACK + 0.1  # the observations are a little rounded


def test_the_same_generator_studies_the_same_whatever_the_number_of_threads():
    alone, together = (part(1, "cards", 300, num_threads) for num_threads in (1, 2))
    for one, other in zip(alone, together, strict=True):
        assert (one == other).all()


def test_what_is_gathered_is_kept_and_what_is_kept_is_not_studied_again(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("agents.study.PART", 100)
    whole = read_parts(gather(tmp_path / "whole", 250, RULES, "cards", seed=0))
    assert len(whole.choices) == 300
    assert capsys.readouterr().err.endswith("studied 3 of 3 × 100 positions\n")
    begun = read_parts(gather(tmp_path / "stopped", 100, RULES, "cards", seed=0))
    assert all((one == other[:100]).all() for one, other in zip(begun, whole, strict=True))
    assert all((one == other).all() for one, other in zip(gather_again(tmp_path, "stopped"), whole, strict=True))
    monkeypatch.setattr("agents.study.study_part", None)
    assert all((one == other).all() for one, other in zip(gather_again(tmp_path, "whole"), whole, strict=True))


def gather_again(tmp_path, name):
    return read_parts(gather(tmp_path / name, 250, RULES, "cards", seed=0))


def test_parts_have_games_of_their_own_and_so_has_every_seed(tmp_path, monkeypatch):
    monkeypatch.setattr("agents.study.PART", 100)
    first, other = (read_parts(gather(tmp_path / str(seed), 200, RULES, "cards", seed)) for seed in (0, 1))
    starts = [first.observations[:100], first.observations[100:], other.observations[:100]]
    assert all((one != another).any() for one, another in combinations(starts, 2))


def test_the_points_are_the_means_of_rounds(studied):
    is_choice = studied.choices != NO_CHOICE
    assert (studied.points[~is_choice] == 0).all()
    assert np.abs(studied.points[is_choice]).max() < 50
    assert np.ptp(studied.points, axis=1).mean() > 0.1


@pytest.mark.parametrize(
    ("next_hand", "points", "is_all"),
    [
        pytest.param("Kh Ks 2c", 22, True, id="it makes three kings, and the two goes"),
        pytest.param("Kh 3s 9c", 22, True, id="it makes a meld with a king and a wild card"),
        pytest.param("Kh Qs 9c", 0, False, id="two kings are no meld"),
        pytest.param("Kh Qs 2c", 0, False, id="to take it for a queen would be no gain"),
        pytest.param("Jh Js 2c", 0, False, id="it has no use for it"),
    ],
)
def test_a_gift_is_what_the_next_seat_makes_of_a_discard(next_hand, points, is_all):
    state = position("Kc 9h 6s 4d", "2c")
    state.hands[(state.seat + 1) % 2] = hand(next_hand)
    choices = np.array([[DISCARD + parse_card("Kc"), DISCARD + parse_card("9h"), *[NO_CHOICE] * (MAX_CHOICES - 2)]])
    gifts = np.full((1, MAX_CHOICES, NUM_GIFTS), np.nan, np.float32)
    give_each(np.array([state]), choices, Rules(), gifts)
    assert gifts[0, 0].tolist() == [np.float32(points / 10), is_all]
    assert (gifts[0, 2:] == 0).all()


def test_a_draw_gives_nothing(studied):
    is_discard = studied.choices >= DISCARD
    assert (studied.gifts[~is_discard] == 0).all()
    assert 0 < studied.gifts[is_discard][:, 0].mean() < 1
    assert set(np.unique(studied.gifts[..., 1])) == {0, 1}


def test_a_policy_learns_what_was_studied(studied, tmp_path, monkeypatch):
    monkeypatch.setattr("agents.study.PARTS_AT_ONCE", 2)
    before, policy = points_lost(new_policy(), studied), new_policy()
    learn(policy, in_parts(studied, tmp_path), Lessons(epochs=80, learning_rate=5e-3, scale=0.05, seed=0))
    assert points_lost(policy, studied) < 0.9 * before


def in_parts(studied, folder):
    paths = [folder / f"{number}.npz" for number in range(4)]
    for number, path in enumerate(paths):
        np.savez(path, **{name: column[number::4] for name, column in studied._asdict().items()})
    return paths


def test_two_choices_that_are_told_apart_count_the_same_however_many_there_are(studied):
    """A mean over the choices of a position once made little of positions with many."""
    (row,) = np.flatnonzero((studied.choices[:, 0] >= DISCARD) & (studied.choices[:, 4] != NO_CHOICE))[:1]
    observations, choices, _, gifts = (torch.from_numpy(column[[row]]) for column in studied)
    policy, error = new_policy(), torch.tensor([1.0, -1.0, 0.0, 0.0, 0.0])

    def loss_of(num_choices):
        """What the loss grows by, if the first two of so many choices bring a point more and one less than foreseen."""
        some = choices.where(torch.arange(MAX_CHOICES) < num_choices, NO_CHOICE)
        with torch.no_grad():
            foreseen = _judge(policy, observations, some)[0] / LOGITS_A_POINT
            foreseen = torch.where(some != NO_CHOICE, foreseen, 0.0)
            losses = [_loss(policy, observations, some, foreseen + size * error, gifts, 0.0) for size in (0.0, 1.0)]
        return (losses[1] - losses[0]).item()

    assert loss_of(2) == pytest.approx(1.0, rel=1e-3)
    assert loss_of(5) == pytest.approx(1.0, rel=1e-3)


def test_an_epoch_has_every_position_once(studied, tmp_path, monkeypatch):
    monkeypatch.setattr("agents.study.PARTS_AT_ONCE", 2)
    monkeypatch.setattr("agents.study.MINIBATCH", 300)
    shares, minibatches = zip(*_minibatches(in_parts(studied, tmp_path), 2, np.random.default_rng(0)), strict=True)
    assert shares[0] == 0
    assert sorted(shares) == list(shares)
    assert 0.9 < shares[-1] < 1
    assert all(200 < len(minibatch.choices) < 400 for minibatch in minibatches)
    met = np.concatenate([minibatch.observations for minibatch in minibatches])
    twice = np.concatenate([studied.observations] * 2)
    assert sorted(map(bytes, met)) == sorted(map(bytes, twice))


def test_what_brings_most_loses_nothing_and_what_brings_least_loses_most():
    observations = np.zeros((1, observation_size(RULES, "outlook")), np.float16)
    choices = np.array([[0, 1, *[NO_CHOICE] * (MAX_CHOICES - 2)]])
    gifts = np.zeros((1, MAX_CHOICES, NUM_GIFTS), np.float32)
    lost = {
        points_lost(new_policy(), Studied(observations, choices, np.array([[*points, 0, 0, 0]], np.float32), gifts))
        for points in ((3, 1), (1, 3))
    }
    assert lost == {0, 2}
