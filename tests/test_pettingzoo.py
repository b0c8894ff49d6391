"""The environment through PettingZoo's own test suite, and by its conventions."""

import warnings

import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces

from tests.aec_playing import SHORT_GAME, each_number_of_players
from tests.playing import COMPILED
from three_thirteen_env import three_thirteen_v0
from three_thirteen_env.aec_env import env, raw_env
from three_thirteen_env.observation import observation_size
from three_thirteen_env.rules import Rules

with warnings.catch_warnings():  # it imports games of its own in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
    from pettingzoo.test.state_test import test_state as state_test
    from pettingzoo.test.state_test import test_state_space as state_space_test

# What `api_test` says to every game whose observations are dicts with a mask.
OBSERVATIONS_ARE_DICTS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}

NUM_CYCLES = 200 if COMPILED else 20


@pytest.fixture
def no_screen(monkeypatch):
    """Windows are opened, but nowhere, and no picture is waited for."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(raw_env.metadata, "render_fps", 0)


def messages_of_api_test(game, num_cycles):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(game, num_cycles)
    return {str(warning.message) for warning in caught}


@each_number_of_players
def test_the_api_test_passes_with_no_warning_but_those_about_dicts(num_players):
    assert messages_of_api_test(env(num_players=num_players), NUM_CYCLES) == OBSERVATIONS_ARE_DICTS


@each_number_of_players
@pytest.mark.parametrize("choices", [{}, {"observation": "melds"}, {"reward": "margin"}, {"reward": "win"}], ids=str)
def test_the_api_test_passes_to_the_end_of_a_game(num_players, choices):
    game = env(num_players=num_players, **SHORT_GAME, **choices)
    assert messages_of_api_test(game, num_cycles=100) == OBSERVATIONS_ARE_DICTS


@each_number_of_players
def test_the_seed_test_passes(num_players):
    seed_test(lambda: env(num_players=num_players), NUM_CYCLES)


@each_number_of_players
def test_the_state_tests_pass(num_players):
    state_space_test(env(num_players=num_players))
    state_test(env(num_players=num_players), num_cycles=10)


@each_number_of_players
@pytest.mark.usefixtures("no_screen")
def test_the_render_test_passes(num_players):
    render_test(lambda **choices: env(num_players=num_players, **choices))


def test_pettingzoo_finds_the_game():
    game = pettingzoo.make("aec", "cards/three_thirteen-v0", num_players=4, reward="margin")
    assert game.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    assert game.unwrapped.reward_form == "margin"
    assert str(game) == game.metadata["name"] == "three_thirteen_v0"
    assert game.metadata["is_parallelizable"] is False
    assert (three_thirteen_v0.env, three_thirteen_v0.raw_env) == (env, raw_env)


def test_spaces_are_the_same_object_at_each_call_and_every_agent_has_its_own():
    game = env(num_players=3)
    for space_of in (game.observation_space, game.action_space):
        assert all(space_of(agent) is space_of(agent) for agent in game.possible_agents)
        assert len({id(space_of(agent)) for agent in game.possible_agents}) == 3


@pytest.mark.parametrize("kind", ["cards", "melds"])
def test_the_shapes_documented_are_those_returned(kind):
    game = env(Rules(num_players=3), observation=kind)
    game.reset(seed=1)
    observation, *_ = game.last()
    size = observation_size(Rules(num_players=3), kind)
    assert (observation["observation"].shape, observation["observation"].dtype) == ((size,), np.float32)
    assert (observation["action_mask"].shape, observation["action_mask"].dtype) == ((106,), np.int8)
    assert game.observation_space("player_0")["observation"] == spaces.Box(-1, 1, (size,), np.float32)
    assert game.action_space("player_0") == spaces.Discrete(106)
    assert game.state().shape == (3 * size,)


def test_what_is_returned_is_a_copy():
    game = raw_env()
    agent = game.agent_selection
    before = game.observe(agent)
    seen, state = game.observe(agent), game.get_state()
    seen["observation"][:] = 0
    seen["action_mask"][:] = 0
    state.hands[:] = 0
    after = game.observe(agent)
    assert after["observation"].tobytes() == before["observation"].tobytes()
    assert after["action_mask"].tobytes() == before["action_mask"].tobytes()


def test_without_a_render_mode_nothing_is_shown():
    with pytest.warns(UserWarning, match="render_mode"):
        assert raw_env().render() is None


@pytest.mark.usefixtures("no_screen")
def test_a_window_shows_every_step_and_may_be_closed_twice(monkeypatch):
    from three_thirteen_env.render import Window

    shown = []
    monkeypatch.setattr(Window, "show", lambda _, picture: shown.append(picture.tobytes()))
    game = env(render_mode="human")
    game.reset(seed=1)
    game.step(0)
    assert len(shown) == 2
    assert shown[0] != shown[1]
    game.close()
    game.close()
