"""The game through PettingZoo is the game, and shows every agent what its seat may know."""

import numpy as np
import pytest

from tests.aec_playing import SHORT_GAME, each_number_of_players, play
from tests.playing import EVERY_RULES, legal, new_game, play_randomly, shortened
from three_thirteen_env.aec_env import env, raw_env
from three_thirteen_env.observation import CARDS, encode, observation_size, slices
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY, Phase
from three_thirteen_env.view import redeal, view_of

EVERY_GAME = pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES.keys())


@EVERY_GAME
def test_the_environment_plays_as_the_game_itself_does(rules):
    rules = shortened(rules, 6)
    game = raw_env(rules)
    game.reset(seed=5)
    state = new_game(5, rules)
    expected = np.empty(observation_size(rules, "cards"), np.float32)
    for action in play_randomly(state, rules, np.random.default_rng(2)):  # it plays in `state` after the loop's body
        assert game.get_state().tobytes() == state.tobytes()
        assert game.agent_selection == f"player_{state.seat}"
        observation, *_ = game.last()
        encode(view_of(state, state.seat), int(state.seat), rules, CARDS, expected)
        assert observation["observation"].tobytes() == expected.tobytes()
        assert set(np.flatnonzero(observation["action_mask"])) == legal(state, rules)
        game.step(action)
    assert game.get_state().tobytes() == state.tobytes()
    assert all(game.terminations.values())


@EVERY_GAME
def test_every_legal_action_of_random_games_steps(rules):
    rules = shortened(rules, 3)._replace(last_round=min(rules.last_round, rules.first_round + 2))
    game, fork = raw_env(rules), raw_env(rules)
    game.reset(seed=3)
    for agent, observation, *_ in play(game):
        for action in np.flatnonzero(observation["action_mask"]).tolist():
            fork.set_state(game.get_state())
            fork.step(action)
            assert fork.get_state().tobytes() != game.get_state().tobytes()
            assert fork.action_mask(fork.agent_selection).any() or fork.terminations[agent]


@each_number_of_players
def test_every_first_legal_action_steps(num_players):
    game = env(num_players=num_players, turn_limit=3)
    game.reset(seed=2)
    while not all(game.terminations.values()):
        game.step(np.flatnonzero(game.last()[0]["action_mask"])[0])
    assert (game.unwrapped.get_state().round_turns == 3 * num_players).all()


@each_number_of_players
def test_the_mask_of_a_live_agent_to_act_is_never_empty_and_all_others_are(num_players):
    game = env(num_players=num_players, **SHORT_GAME)
    game.reset(seed=4)
    for agent, observation, _, termination, *_ in play(game):
        assert observation["action_mask"].any() == (not termination)
        assert not any(game.observe(other)["action_mask"].any() for other in game.agents if other != agent)


@each_number_of_players
def test_a_seat_that_is_not_to_act_sees_its_own_hand(num_players):
    game = env(num_players=num_players, **SHORT_GAME)
    rules = game.unwrapped.rules
    game.reset(seed=4)
    hand = slices(rules, "cards")["hand"]
    for _ in play(game):
        state = game.unwrapped.get_state()
        for seat, agent in enumerate(game.possible_agents):
            seen = game.observe(agent)["observation"][hand] * rules.num_packs
            assert seen.astype(int).tolist() == state.hands[seat].tolist()


@each_number_of_players
@pytest.mark.parametrize("kind", ["cards", "melds"])
def test_what_a_seat_cannot_know_changes_nothing_that_it_sees_in_every_phase(num_players, kind):
    rules = Rules(num_players=num_players, turn_limit=20, last_round=2)
    rng = np.random.default_rng(0)
    game, other_world = raw_env(rules, observation=kind), raw_env(rules, observation=kind)
    game.reset(seed=7)
    phases, num_different = set(), 0
    for number, _ in enumerate(play(game)):
        state = game.get_state()
        if number % 5 and state.out_seat == NOBODY:
            continue
        phases.add((Phase(state.phase), state.out_seat != NOBODY))
        for seat, agent in enumerate(game.possible_agents):
            world = redeal(view_of(state, seat), rules, rng)
            num_different += world.stock.tobytes() != state.stock.tobytes()
            other_world.set_state(world)
            here, there = game.observe(agent), other_world.observe(agent)
            assert here["observation"].tobytes() == there["observation"].tobytes()
            if agent in game.agents:
                assert here["action_mask"].tobytes() == there["action_mask"].tobytes()
                assert game.infos[agent] == other_world.infos[agent]
    assert phases >= {(phase, is_final) for phase in (Phase.DRAW, Phase.DISCARD) for is_final in (False, True)}
    assert num_different > 20
