"""Many games at once are the same games: step by step, in batches of any size, on any number of threads."""

import io

import numpy as np
import pytest

from tests.batch_playing import SHORT, TURN_LIMIT, Players, arrays, trace
from tests.playing import COMPILED, EVERY_RULES, shortened
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.aec_env import raw_env
from three_thirteen_env.batch import Batch, legal_actions_each, start_each, step_each
from three_thirteen_env.chance import MAX_SEED
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, Phase
from three_thirteen_env.view import view_of

MOST_STEPS = 600 if COMPILED else 8

each_rules = pytest.mark.parametrize(
    "rules", [pytest.param(shortened(rules, TURN_LIMIT), id=name) for name, rules in EVERY_RULES.items()]
)
each_observation = pytest.mark.parametrize(
    ("observation", "observe"),
    [("cards", "seat"), ("melds", "seat"), ("cards", "all"), ("melds", "all"), (None, "seat")],
    ids=lambda value: str(value),
)


def seen_in(game, observe):
    """What the seat to act, or every seat, observes in an environment of one game."""
    seats = [game.observe(agent)["observation"] for agent in game.possible_agents]
    if observe == "all":
        return np.stack(seats)
    is_over = game.terminations[game.agent_selection]
    return np.zeros_like(seats[0]) if is_over else game.observe(game.agent_selection)["observation"]


# The games.


@each_rules
@each_observation
def test_every_game_is_that_of_the_single_environment(rules, observation, observe):
    reward = ("points", "margin", "win")[rules.num_players % 3]
    batch = Batch(2, rules, observation=observation, observe=observe, reward=reward)
    play_and_compare(batch, [5, 2**62])
    assert batch.done.all() or not COMPILED


@each_rules
def test_every_game_is_that_of_the_single_environment_also_where_the_next_one_is_dealt_at_once(rules):
    play_and_compare(Batch(2, rules, autoreset=True), [5, 2**62])


def play_and_compare(batch, seeds):
    """Play the games of the seeds, and the same in environments of one game."""
    batch.reset(seeds)
    games = [raw_env(batch.rules, observation=batch.observation or "cards", reward=batch.reward_form) for _ in seeds]
    for game, seed in zip(games, seeds, strict=True):
        game.reset(seed=seed)
    players = Players(seeds)
    for _ in range(MOST_STEPS):
        actions = players.choose(batch.masks)
        batch.step(actions)
        for index, game in enumerate(games):
            step_and_compare(batch, index, game, int(actions[index]))
        if batch.done.all() and not batch.autoreset:
            break


def step_and_compare(batch, index, game, action):
    """Play an action in the environment too, and compare it with its game in the batch."""
    agent = game.agent_selection
    was_over = game.terminations[agent]
    if not was_over:
        game.step(action)
    rewards = [0.0 if was_over else game.rewards[agent] for agent in game.possible_agents]
    is_over = game.terminations[agent]
    assert batch.rewards[index].tolist() == np.float32(rewards).tolist()
    assert batch.done[index] == is_over
    if is_over and batch.autoreset:
        game.reset(seed=int(game.get_state().seed) + batch.num_games)
    assert batch.states[index].tobytes() == game.get_state().tobytes()
    assert batch.masks[index].tobytes() == game.action_mask(game.agent_selection).tobytes()
    if batch.observations is not None:
        assert batch.observations[index].tobytes() == seen_in(game, batch.observe).tobytes()


@pytest.mark.parametrize("num_games", [1, 2, 33])
@pytest.mark.parametrize("num_threads", [1, 2, 5])
@pytest.mark.parametrize("num_players", [2, 3])
def test_the_size_of_the_batch_and_the_number_of_threads_change_nothing(num_games, num_threads, num_players):
    rules = Rules(num_players=num_players, last_round=2, turn_limit=TURN_LIMIT)
    num_steps = 80 if COMPILED else 8
    batch = Batch(num_games, rules, observation="melds", num_threads=num_threads)
    for game, of_game in enumerate(trace(batch, num_steps)):
        if game in (0, 1, num_games // 2, num_games - 1):
            alone = Batch(1, rules, observation="melds")
            alone.reset([game])
            assert trace(alone, num_steps)[0] == of_game
    batch.close()


@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_game_that_ends_is_followed_in_the_same_step_by_that_of_its_next_seed(num_threads):
    batch = Batch(5, last_round=1, turn_limit=1, autoreset=True, num_threads=num_threads)
    batch.reset([0, 1, 2, 3, MAX_SEED])
    seeds = batch.states["seed"].copy()
    for _ in range(40):
        batch.step(Players(range(5)).choose(batch.masks))
        seeds[:] = np.where(batch.done, (seeds.astype(object) + 5) % (MAX_SEED + 1), seeds)
        assert (batch.states["seed"] == seeds).all()
        assert batch.masks.any(axis=1).all()
        assert (batch.rewards.any(axis=1) <= batch.done).all()
    assert (seeds > 5).any()
    batch.close()


def test_games_that_are_over_stay_as_they_are_and_get_nothing():
    batch = Batch(4, SHORT, observation="cards")
    players = Players(range(4))
    while not batch.done.all():
        over = np.flatnonzero(batch.done)
        before = batch.states[over].tobytes()
        batch.step(players.choose(batch.masks))
        assert batch.states[over].tobytes() == before
        assert batch.done[over].all()
        assert not batch.rewards[over].any()
        assert not batch.masks[over].any()
        assert not batch.observations[over].any()
    assert (batch.states["phase"] == Phase.GAME_OVER).all()


def test_the_functions_over_arrays_are_those_over_one_state():
    states, masks = np.zeros(3, STATE), np.zeros((3, NUM_ACTIONS), np.int8)
    start_each(states, np.arange(3), SHORT)
    batch, players = Batch(3, SHORT), Players(range(3))
    for _ in range(8):
        legal_actions_each(states, SHORT, masks)
        assert (states.tobytes(), masks.tobytes()) == (batch.states.tobytes(), batch.masks.tobytes())
        actions = players.choose(masks)
        batch.step(actions)
        step_each(states, actions, SHORT)


# Seeds, saving and loading.


def test_a_new_batch_holds_the_games_of_the_first_seeds_and_a_reset_others():
    batch, other = Batch(3, SHORT), Batch(3, SHORT)
    assert batch.states["seed"].tolist() == [0, 1, 2]
    trace(batch, 5)
    for seeds in ([7, 7, MAX_SEED], np.array([7, 7, MAX_SEED], np.uint64), range(3)):
        batch.reset(seeds)
        other.reset(list(seeds))
        assert batch.states["seed"].tolist() == list(seeds)
        assert arrays(batch) == arrays(other)
        assert not batch.rewards.any()
        assert not batch.done.any()
    assert arrays(batch) == arrays(Batch(3, SHORT))


@each_rules
@pytest.mark.parametrize("autoreset", [False, True], ids=["once", "autoreset"])
def test_to_save_load_and_go_on_is_never_to_have_stopped(rules, autoreset):
    choices = {"observation": "cards", "observe": "all", "autoreset": autoreset}
    batch, other = Batch(4, rules, **choices), Batch(4, rules, num_threads=2, **choices)
    other.reset([9, 9, 9, 9])
    players = Players(range(4))
    for _ in range(30 if COMPILED else 5):
        batch.step(players.choose(batch.masks))
    file = io.BytesIO()
    np.save(file, batch.save())
    file.seek(0)
    other.load(np.load(file))
    for _ in range(60 if COMPILED else 5):
        assert batch.states.tobytes() == other.states.tobytes()
        actions = players.choose(batch.masks)
        batch.step(actions)
        other.step(actions)
        assert arrays(batch) == arrays(other)
    other.close()


def test_what_is_saved_is_a_copy_and_what_is_loaded_is_copied():
    batch = Batch(2, SHORT)
    saved = batch.save()
    before = saved.tobytes()
    trace(batch, 6)
    assert saved.tobytes() == before
    batch.load(saved)
    saved["scores"] = 99
    assert batch.states.tobytes() == before
    assert arrays(batch) == arrays(Batch(2, SHORT))


def test_games_that_are_over_can_be_loaded():
    batch = Batch(2, SHORT)
    trace(batch, 40)
    assert batch.done.all()
    other = Batch(2, SHORT)
    other.load(batch.save())
    assert other.done.all()
    assert not other.rewards.any()
    with pytest.raises(ValueError, match="game 0 is over, and with autoreset a game never is"):
        Batch(2, SHORT, autoreset=True).load(batch.save())


def changed(states, **fields):
    for field, value in fields.items():
        states[1][field] = value
    return states


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda states: states[:1], "load takes .2,. records of STATE"),
        (lambda states: states.reshape(2, 1), "load takes .2,. records of STATE"),
        (lambda states: states[0], "load takes .2,. records of STATE"),
        (lambda states: states.tolist(), "load takes .2,. records of STATE"),
        (lambda states: states["scores"], "load takes .2,. records of STATE"),
        (lambda _: None, "load takes .2,. records of STATE"),
        (lambda states: changed(states, stock_size=-1), "game 1: .* its stock_size cannot be so"),
        (lambda states: changed(states, round_number=3), "game 1: .* its round_number cannot be so"),
        (lambda states: np.array([states[0], view_of(states[1], 0)], STATE), "game 1: this is what seat 0 knows"),
    ],
    ids=["one", "a column", "a record", "a list", "no states", "nothing", "no cards", "no such round", "a view"],
)
def test_what_is_no_batch_of_these_rules_is_not_loaded_and_changes_nothing(spoil, message):
    batch = Batch(2, SHORT)
    before = arrays(batch)
    with pytest.raises(ValueError, match=message):
        batch.load(spoil(batch.save()))
    assert arrays(batch) == before
