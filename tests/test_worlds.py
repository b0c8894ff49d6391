"""Worlds: they fit the view, conserve the cards, and hold hands that are as good as players make them."""

import numpy as np
import pytest

from agents.worlds import make_world
from tests.playing import COMPILED, EVERY_RULES, all_cards, shortened
from tests.positions import states_of_games
from three_thirteen_env.chance import generator
from three_thirteen_env.game import hand_size_of
from three_thirteen_env.rules import Rules, wild_rank_of
from three_thirteen_env.solver import least_deadwood
from three_thirteen_env.state import NOBODY
from three_thirteen_env.view import redeal, view_of


def world_of(view, number, rules):
    world = view.copy()
    make_world(world, rules, generator(number, 0, 0))
    return world


@pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES)
def test_a_world_fits_the_view_and_conserves_the_cards(rules):
    rules = shortened(rules, 20)
    for number, state in enumerate(states_of_games(40 if COMPILED else 4, rules)):
        for observer in range(rules.num_players):
            view = view_of(state, observer)
            world = world_of(view, number, rules)
            again = view_of(world, observer)
            assert (world.observer, again.seed) == (NOBODY, view.seed)
            assert again.tobytes() == view.tobytes()
            assert (all_cards(world) == rules.num_packs).all()
            for seat in range(rules.num_players):
                assert world.hands[seat].sum() == hand_size_of(state, seat)
                assert (world.hands[seat] >= view.known[seat]).all()
            if state.out_seat != NOBODY:
                assert (world.hands[state.out_seat] == state.hands[state.out_seat]).all()


def test_worlds_differ_from_one_another_and_from_the_truth_and_one_generator_gives_one_world():
    rules = Rules(num_players=3)
    num_open = 0
    for state in states_of_games(40 if COMPILED else 4, shortened(rules, 20)):
        view = view_of(state, state.seat)
        worlds = [world_of(view, number, rules).tobytes() for number in range(5)]
        assert worlds == [world_of(view, number, rules).tobytes() for number in range(5)]
        assert len({*worlds, state.tobytes()}) == 6
        num_open += state.out_seat == NOBODY
    assert num_open > 0


def test_what_is_drawn_next_and_the_seed_are_drawn_too():
    """A world that left them out would have the same deal in the next round as the truth, or none at all."""
    rules = Rules()
    (state,) = states_of_games(1, rules)
    view = view_of(state, state.seat)
    worlds = [world_of(view, number, rules) for number in range(50)]
    assert len({int(world.seed) for world in worlds}) == 50
    assert len({int(world.stock[world.stock_size - 1]) for world in worlds}) > 15


@pytest.mark.parametrize("num_players", [2, 4])
def test_hands_are_nearer_to_the_true_ones_than_hands_dealt_at_random(num_players):
    """In the deadwood that they have, once some turns were played."""
    rules = Rules(num_players=num_players, first_round=3, last_round=8 if COMPILED else 3)
    rng = np.random.default_rng(0)
    true, made, random = [], [], []
    states = states_of_games(400 if COMPILED else 20, rules)
    states = states[(states["out_seat"] == NOBODY) & (states["num_turns"] >= 4 * num_players)]
    for number, state in enumerate(states):
        other = (state.seat + 1) % num_players
        view = view_of(state, state.seat)
        for found, world in (
            (true, state),
            (made, world_of(view, number, rules)),
            (random, redeal(view, rules, rng)),
        ):
            found.append(least_deadwood(world.hands[other], wild_rank_of(state.round_number), rules))
    assert np.mean(made) < np.mean(random) - 10
    assert abs(np.mean(made) - np.mean(true)) < np.mean(random) - np.mean(made)


def test_a_hand_that_was_not_laid_down_does_not_come_to_be_melded():
    """Whoever could have gone out would have, so a turn never leaves a hand with no deadwood: only the deal can."""
    rules = Rules()
    states = states_of_games(200 if COMPILED else 10, shortened(rules, 20), seed=1)
    states = states[(states["out_seat"] == NOBODY) & (states["round_number"] >= 2)]
    num_melded = 0
    for number, state in enumerate(states):
        world = world_of(view_of(state, state.seat), number, rules)
        num_melded += least_deadwood(world.hands[1 - state.seat], wild_rank_of(state.round_number), rules) == 0
    assert num_melded <= len(states) / 20
