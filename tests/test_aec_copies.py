"""Seeds, states and copies of a game in PettingZoo's environment."""

import copy
import pickle

import numpy as np
import pytest

from tests.aec_playing import SHORT_GAME, each_number_of_players, play, trace
from three_thirteen_env.aec_env import env, raw_env
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED
from three_thirteen_env.state import Phase


@each_number_of_players
def test_the_same_seed_gives_the_same_trace_also_after_a_reset_in_mid_game(num_players):
    game = env(num_players=num_players, **SHORT_GAME)
    game.reset(seed=7)
    first = trace(game)
    game.reset(seed=8)
    for number, _ in enumerate(play(game)):
        if number == 9:
            break
    game.reset(seed=7)
    assert trace(game) == first
    game.reset(seed=8)
    assert trace(game) != first


def test_a_reset_without_a_seed_differs_from_the_last_and_follows_from_the_last_seed_given():
    def seeds(game):
        game.reset(seed=7)
        drawn = []
        for _ in range(20):
            game.reset()
            drawn.append(int(game.unwrapped.get_state().seed))
        return drawn

    drawn = seeds(env())
    assert len({*drawn, 7}) == 21
    assert drawn == seeds(env())
    assert max(drawn) < EVALUATION_SEEDS
    assert raw_env().get_state().seed != raw_env().get_state().seed


@pytest.mark.parametrize("seed", [0, MAX_SEED, np.int64(5), np.uint8(5)])
def test_every_integer_from_0_to_the_greatest_seed_is_a_seed(seed):
    game = env()
    game.reset(seed=seed)
    assert game.unwrapped.get_state().seed == seed


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, 1.5, "7", True, np.array([1, 2])], ids=repr)
def test_anything_else_is_no_seed_and_changes_nothing(seed):
    game = raw_env()
    before = game.get_state().tobytes()
    with pytest.raises(ValueError, match=r"seed must be an integer from 0 to 9223372036854775807, not"):
        game.reset(seed=seed)
    assert game.get_state().tobytes() == before


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))], ids=["deepcopy", "pickle"]
)
@pytest.mark.parametrize("make", [env, raw_env])
def test_a_copy_goes_on_as_the_original_does_and_leaves_it_alone(make, copied):
    game = make(num_players=3, **SHORT_GAME)
    game.reset(seed=9)
    for _ in range(5):
        game.step(np.flatnonzero(game.last()[0]["action_mask"])[0])
    fork = copied(game)
    assert trace(fork) == trace(game)
    fork.reset()
    assert not game.agents


def test_a_state_set_again_goes_on_as_it_did():
    game, fork = raw_env(num_players=3, **SHORT_GAME), raw_env(num_players=3, **SHORT_GAME)
    game.reset(seed=9)
    states = [game.get_state() for _ in play(game) if game.get_state().phase != Phase.GAME_OVER]
    for state in states[::5]:
        game.set_state(state)
        fork.set_state(state)
        assert game.get_state().tobytes() == state.tobytes()
        assert game.rewards == game._cumulative_rewards == dict.fromkeys(game.possible_agents, 0.0)
        assert trace(game) == trace(fork)


def test_a_game_that_is_over_is_over_when_it_is_set_again():
    game = raw_env(**SHORT_GAME)
    while not all(game.terminations.values()):
        game.step(np.flatnonzero(game.last()[0]["action_mask"])[0])
    selected, over = game.agent_selection, game.get_state()
    game.reset()
    game.set_state(over)
    assert game.agent_selection == selected
    assert game.terminations == {"player_0": True, "player_1": True}
    for _ in range(2):
        game.step(None)
    assert game.agents == []


def test_the_wrappers_see_the_state_that_is_set():
    game = env()
    game.reset(seed=1)
    game.last()
    drawing = game.get_state()
    game.step(0)
    game.last()
    game.set_state(drawing)
    game.step(0)
    assert not any(game.terminations.values())
