"""What a batch of games refuses, and whose its arrays are."""

import numpy as np
import pytest

from tests.batch_playing import SHORT, TURN_LIMIT, Players, arrays, trace
from three_thirteen_env.batch import Batch
from three_thirteen_env.chance import MAX_SEED
from three_thirteen_env.observation import observation_size
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE

# What is refused.


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 2, 0], r"game 1: 2 \(discard Ac\) is not legal: player_\d draws and may choose 0 \(draw\), 1 \(take\)"),
        ([1, 1, 106], r"game 2: 106 is no action: player_\d draws and may choose"),
        ([-1, 106, 50], r"game 0: -1 is no action: player_\d draws and may choose"),
        ([0, 1, MAX_SEED], r"game 2: 9223372036854775807 is no action"),
        (np.array([0, 0, 2**63], np.uint64), r"actions must be no higher than 9223372036854775807"),
        ([0, 0], r"actions must be 3 integers, one a game, not shape \(2,\) of int64"),
        ([[0], [0], [0]], r"actions must be 3 integers, one a game, not shape \(3, 1\)"),
        (0, r"actions must be 3 integers, one a game, not shape \(\)"),
        ([0.0, 1.0, 0.0], r"actions must be 3 integers, one a game, not shape \(3,\) of float64"),
        ([True, False, True], r"actions must be 3 integers, one a game, not shape \(3,\) of bool"),
        (["draw", "draw", "draw"], r"actions must be 3 integers, one a game"),
        (None, r"actions must be 3 integers, one a game"),
    ],
    ids=repr,
)
def test_actions_that_are_not_all_legal_are_refused_and_change_nothing(actions, message, num_threads):
    batch = Batch(3, num_threads=num_threads)
    before = arrays(batch)
    with pytest.raises(ValueError, match=message):
        batch.step(actions)
    assert arrays(batch) == before
    batch.step([0, 1, 0])
    batch.close()


def test_an_illegal_discard_is_refused_too():
    batch = Batch(2, SHORT)
    batch.step([0, 0])
    before = arrays(batch)
    legal = int(np.flatnonzero(batch.masks[0])[0])
    with pytest.raises(ValueError, match=rf"game 1: 0 \(draw\) is not legal: player_{batch.states[1].seat} discards"):
        batch.step([legal, 0])
    assert arrays(batch) == before


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        ([0, -1], f"seeds must be from 0 to {MAX_SEED}, and that of game 1 is -1"),
        (np.array([0, 2**63], np.uint64), f"seeds must be no higher than {MAX_SEED}"),
        ([0, 2**64], "seeds must be 2 integers, one a game, not shape .2,. of object"),
        ([0.0, 1.0], "seeds must be 2 integers, one a game, not shape .2,. of float64"),
        ([True, False], "seeds must be 2 integers, one a game, not shape .2,. of bool"),
        ([0, None], "seeds must be 2 integers, one a game, not shape .2,. of object"),
        ([0, 1, 2], "seeds must be 2 integers, one a game, not shape .3,."),
        (0, "seeds must be 2 integers, one a game, not shape"),
    ],
    ids=repr,
)
def test_bad_seeds_are_refused_and_change_nothing(seeds, message):
    batch = Batch(2, SHORT)
    before = arrays(batch)
    with pytest.raises(ValueError, match=message):
        batch.reset(seeds)
    assert arrays(batch) == before


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"num_games": 0}, "num_games must be an integer from 1 to 10000000, not 0"),
        ({"num_games": True}, "num_games must be an integer from 1 to 10000000, not True"),
        ({"num_games": 2.0}, "num_games must be an integer from 1 to 10000000, not 2.0"),
        ({"num_threads": 0}, "num_threads must be an integer from 1 to 256, not 0"),
        ({"observation": "pixels"}, "observation must be one of cards, melds, outlook, not 'pixels'"),
        ({"observe": "me"}, "observe must be one of seat, all, not 'me'"),
        ({"reward": "joy"}, "reward must be one of points, margin, win, not 'joy'"),
        ({"num_players": 9}, "num_players must be an integer from 2 to 8, not 9"),
        ({"rules": SHORT, "num_players": 3}, "give either rules or their fields"),
    ],
    ids=str,
)
def test_a_batch_that_cannot_be_made_says_why(choices, message):
    with pytest.raises(ValueError, match=message):
        Batch(**{"num_games": 2, **choices})


def test_a_field_that_is_none_of_the_rules_is_refused():
    with pytest.raises(TypeError, match="'num_seats' is no argument and no field of Rules"):
        Batch(2, num_seats=3)


# The arrays.


@pytest.mark.parametrize(("observe", "num_observers"), [("seat", ()), ("all", (3,))])
def test_observations_are_written_into_the_array_of_the_caller(observe, num_observers):
    rules = Rules(num_players=3, last_round=2, turn_limit=TURN_LIMIT)
    memory = np.full((2, 4, *num_observers, observation_size(rules, "cards")), 9, np.float32)
    batch = Batch(4, rules, observe=observe, observations=memory[1])
    own = Batch(4, rules, observe=observe)
    assert batch.observations is not None
    assert np.shares_memory(batch.observations, memory)
    players = Players(range(4))
    for _ in range(5):
        actions = players.choose(batch.masks)
        assert memory[1].tobytes() == own.observations.tobytes()
        batch.step(actions)
        own.step(actions)
    assert (memory[0] == 9).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda shape: np.zeros(shape),
        lambda shape: np.zeros(shape[::-1], np.float32),
        lambda shape: np.zeros(shape[::-1], np.float32).T,
        lambda shape: np.zeros((*shape, 2), np.float32)[..., 0],
        lambda shape: np.broadcast_to(np.float32(0), shape),
        lambda shape: np.frombuffer(bytes(4 * shape[0] * shape[1]), np.float32).reshape(shape),
        lambda shape: np.zeros(shape, np.float32).tolist(),
    ],
    ids=["float64", "another shape", "columns", "gaps", "one number", "read-only", "a list"],
)
def test_an_array_for_observations_that_does_not_fit_is_refused(make):
    shape = (2, observation_size(SHORT, "cards"))
    with pytest.raises(ValueError, match=r"observations must be a contiguous, writeable float32 array of shape \(2, "):
        Batch(2, SHORT, observations=make(shape))


def test_an_array_for_observations_that_are_not_wanted_is_refused():
    with pytest.raises(ValueError, match="observations are given, but observation is None"):
        Batch(2, SHORT, observation=None, observations=np.zeros((2, 3), np.float32))


def test_nobody_else_writes_into_the_arrays_of_a_batch():
    batch = Batch(2, SHORT)
    for array in (batch.states, batch.masks, batch.rewards, batch.done):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    with pytest.raises(ValueError, match="read-only"):
        batch.states["seat"] = 0
    with pytest.raises(ValueError, match="read-only"):
        batch.states[0].hands[0, 0] = 3


def test_every_array_is_the_same_object_from_beginning_to_end():
    batch = Batch(3, SHORT)
    names = ("states", "masks", "observations", "rewards", "done")
    before = [getattr(batch, name) for name in names]
    trace(batch, 3)
    batch.reset(range(3))
    batch.load(batch.save())
    assert all(getattr(batch, name) is array for name, array in zip(names, before, strict=True))


def test_a_game_takes_less_than_two_kibibytes():
    assert STATE.itemsize < 2048
