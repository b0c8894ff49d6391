"""Many games through Gymnasium: the games of the single environment, and what Gymnasium expects of a vector."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.utils.performance import benchmark_vector_step
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics

from tests.playing import COMPILED
from tests.vector_playing import NUM_ENVS, NUM_STEPS, SHORT, Last, make, opponents_of, play, trace
from three_thirteen_env.actions import DRAW_STOCK, TAKE_UPCARD
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.gym_vector_env import ThreeThirteenVectorEnv
from three_thirteen_env.rules import Rules

each_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
each_form = pytest.mark.parametrize(
    "choices",
    [
        {},
        {"num_players": 3, "reward": "margin"},
        {"num_players": 4, "observation": "melds", "reward": "win"},
        {"num_players": 8, "aces_high": True, "may_return_upcard": False},
        {"num_players": 2, "seat": 1, "wild_points": 20},
    ],
    ids=str,
)


# The very games of the single environment.


@each_mode
@each_form
def test_games_and_rewards_are_those_of_single_environments_step_by_step(choices, mode):
    choices = {**SHORT, **choices, "opponents": opponents_of(choices)}
    envs = ThreeThirteenVectorEnv(NUM_ENVS, autoreset_mode=mode, **choices)
    singles = SyncVectorEnv([lambda: ThreeThirteenEnv(**choices)] * NUM_ENVS, autoreset_mode=mode)
    num_over = 0
    for (*ours, infos), (*theirs, their_infos) in zip(play(envs, seed=11), play(singles, seed=11), strict=True):
        for our_array, their_array in zip(ours, theirs, strict=True):
            assert our_array.dtype == their_array.dtype
            assert our_array.tobytes() == their_array.tobytes()
        assert data_equivalence(infos, their_infos)
        num_over += ours[2].sum()
    assert num_over > NUM_ENVS or not COMPILED


def test_after_a_reset_of_some_games_all_masks_are_told():
    choices = {**SHORT, "opponents": Last()}
    envs, singles = make(**choices), SyncVectorEnv([lambda: ThreeThirteenEnv(**choices)] * NUM_ENVS)
    for games in (envs, singles):
        games.reset(seed=3)
    picked = np.arange(NUM_ENVS) % 2 == 0
    seeds = [100, None, 102, None, None]
    observations, infos = envs.reset(seed=seeds, options={"reset_mask": picked})
    their_observations, their_infos = singles.reset(seed=seeds, options={"reset_mask": picked})
    assert observations[picked].tobytes() == their_observations[picked].tobytes()
    assert infos["action_mask"][picked].tobytes() == their_infos["action_mask"][picked].tobytes()
    assert infos["_action_mask"].all()
    assert infos["action_mask"].any(axis=1).all()
    assert envs.games.states["seed"][:4].tolist() == [100, 4, 102, 6]


# What Gymnasium expects.


@each_mode
@each_form
def test_what_is_returned_is_of_the_spaces_and_shapes_of_gymnasium(choices, mode):
    envs = make(autoreset_mode=mode, **choices)
    assert envs.metadata["autoreset_mode"] is mode
    assert envs.observation_space == batch_space(envs.single_observation_space, NUM_ENVS)
    assert envs.action_space == batch_space(envs.single_action_space, NUM_ENVS)
    single = gymnasium.make("ThreeThirteen-v0", **choices)
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    for observations, rewards, terminations, truncations, infos in play(envs, seed=1):
        assert observations in envs.observation_space
        assert all(observation in envs.single_observation_space for observation in observations)
        assert (rewards.shape, rewards.dtype) == ((NUM_ENVS,), np.float64)
        assert (terminations.shape, terminations.dtype) == ((NUM_ENVS,), np.bool_)
        assert (truncations.shape, truncations.dtype) == ((NUM_ENVS,), np.bool_)
        assert not truncations.any()
        masks = infos["action_mask"]
        assert (masks.shape, masks.dtype) == ((NUM_ENVS, 106), np.int8)
        is_over = np.zeros_like(terminations) if mode is AutoresetMode.SAME_STEP else terminations
        assert (masks.any(axis=1) != is_over).all()
        assert ("final_obs" in infos) == (mode is AutoresetMode.SAME_STEP and terminations.any())


def test_make_vec_makes_it_and_knows_how_to_make_it_again():
    envs = make(7, num_players=3, reward="margin")
    assert type(envs.unwrapped) is ThreeThirteenVectorEnv
    assert (envs.num_envs, envs.rules.num_players) == (7, 3)
    again = gymnasium.make_vec(envs.spec)
    assert type(again.unwrapped) is ThreeThirteenVectorEnv
    assert (again.num_envs, again.rules) == (7, envs.rules)
    assert trace(again, seed=5) == trace(envs, seed=5)
    envs.close()
    envs.close()


def test_rules_are_given_whole_too():
    rules = Rules(num_players=3, last_round=1)
    assert ThreeThirteenVectorEnv(2, rules).rules == rules
    assert ThreeThirteenVectorEnv(2, rules=rules, autoreset_mode="NextStep").autoreset_mode is AutoresetMode.NEXT_STEP


@each_mode
def test_the_statistics_of_gymnasium_are_those_of_the_games(mode):
    envs = RecordEpisodeStatistics(make(autoreset_mode=mode, opponents=Last()))
    returns, lengths = np.zeros(NUM_ENVS), np.zeros(NUM_ENVS)
    episodes = was_over = 0
    for step, (_, rewards, terminations, _, infos) in enumerate(play(envs, seed=2)):
        is_fake = was_over if mode is AutoresetMode.NEXT_STEP else False
        returns += rewards
        lengths += (step > 0) & ~np.broadcast_to(is_fake, NUM_ENVS)
        if terminations.any():
            assert infos["_episode"].tolist() == terminations.tolist()
            assert infos["episode"]["r"].tolist() == np.where(terminations, returns, 0).tolist()
            assert infos["episode"]["l"].tolist() == np.where(terminations, lengths, 0).tolist()
            returns[terminations] = lengths[terminations] = 0
            episodes += terminations.sum()
        was_over = terminations
    assert envs.episode_count == episodes
    assert episodes > NUM_ENVS or not COMPILED


def test_infos_can_be_told_game_by_game():
    envs = DictInfoToList(make(opponents=Last()))
    _, infos = envs.reset(seed=1)
    for _ in range(NUM_STEPS):
        _, _, terminations, _, infos = envs.step([info["action_mask"].argmax() for info in infos])
        assert [("final_obs" in info) for info in infos] == terminations.tolist()


def test_the_benchmark_of_gymnasium_runs():
    assert benchmark_vector_step(make(16), target_duration=1, seed=1) > 0


def test_the_loop_that_everyone_writes_first_plays_the_games():
    envs = make(opponents=Last())
    envs.action_space.seed(1)
    envs.reset(seed=1)
    num_over = 0
    for _ in range(NUM_STEPS):
        _, _, terminations, _, infos = envs.step(envs.action_space.sample())
        num_over += terminations.sum()
    assert num_over > NUM_ENVS or not COMPILED
    envs.step(envs.action_space.sample(infos["action_mask"]))
    envs.step(envs.action_space.sample(tuple(envs.games.masks.copy())))


def test_samples_follow_the_mask_and_the_seed():
    space = make().action_space
    masks = np.zeros((NUM_ENVS, 106), np.int8)
    masks[range(NUM_ENVS), [3, 7, 105, 0, 54]] = 1
    assert space.sample(masks).tolist() == space.sample(tuple(masks)).tolist() == [3, 7, 105, 0, 54]
    masks[1] = 1
    assert len({space.sample(masks)[1] for _ in range(200)}) > 60
    space.seed(4)
    drawn = [space.sample().tolist() for _ in range(9)]
    assert {action for actions in drawn for action in actions} == {DRAW_STOCK, TAKE_UPCARD}
    space.seed(4)
    again = pickle.loads(pickle.dumps(space))
    assert [space.sample().tolist() for _ in range(9)] == [again.sample().tolist() for _ in range(9)] == drawn
    assert space.sample(probability=tuple(np.eye(106)[:NUM_ENVS])).tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match=r"the mask of a sample has shape \(5, 106\), not \(4, 106\)"):
        space.sample(masks[:4])


@each_mode
def test_what_is_returned_is_new_at_every_step_and_is_the_callers(mode):
    envs, others = make(autoreset_mode=mode), make(autoreset_mode=mode)
    before = None
    for (*ours, infos), (*theirs, their_infos) in zip(play(envs, seed=1), play(others, seed=1), strict=True):
        arrays = [*ours, infos["action_mask"]]
        copies = [array.copy() for array in (*theirs, their_infos["action_mask"])]
        assert [array.tobytes() for array in arrays] == [array.tobytes() for array in copies]
        if before is not None:
            assert not any(np.shares_memory(array, old) for array, old in zip(arrays, before, strict=True))
        before = arrays
        ours[0][:] = 7  # observations
        ours[1][:] = 7  # rewards


def test_a_mask_that_the_caller_changes_allows_nothing_more():
    envs = make()
    _, infos = envs.reset(seed=1)
    infos["action_mask"][:] = 1
    with pytest.raises(ValueError, match=r"game 0: 50 \(discard Ts\) is not legal"):
        envs.step(np.full(NUM_ENVS, 50))


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 0, 0, 50, 50], r"game 3: 50 \(discard Ts\) is not legal: player_\d draws and may choose 0 \(draw\), 1"),
        ([0, 0, 0, 0, 106], r"game 4: 106 is no action"),
        ([0, 0, 0, 0], "actions must be 5 integers, one a game"),
        ([0.0] * 5, "actions must be 5 integers, one a game"),
        (None, "actions must be 5 integers, one a game"),
    ],
    ids=repr,
)
def test_actions_that_are_not_all_legal_are_refused_and_change_nothing(actions, message):
    envs = make()
    envs.reset(seed=1)
    before = envs.games.states.tobytes(), envs.games.learners.tobytes()
    with pytest.raises(ValueError, match=message):
        envs.step(actions)
    assert (envs.games.states.tobytes(), envs.games.learners.tobytes()) == before
    envs.step([0, 1, 0, 1, 0])


def test_games_that_have_not_begun_or_are_over_take_no_action():
    envs = make(autoreset_mode=AutoresetMode.DISABLED, last_round=1, turn_limit=1)
    with pytest.raises(ValueError, match=r"the games have not begun: call reset\(\)"):
        envs.step([0] * NUM_ENVS)
    with pytest.raises(ValueError, match="the games have not begun: reset all of them"):
        envs.reset(options={"reset_mask": np.ones(NUM_ENVS, bool)})
    envs.reset(seed=1)
    for _ in range(2):
        envs.step(envs.action_space.sample())
    with pytest.raises(ValueError, match="game 0 is over: reset it"):
        envs.step([0] * NUM_ENVS)


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ([True] * NUM_ENVS, "reset_mask must be an array of 5 booleans, one a game"),
        (np.ones(4, bool), "reset_mask must be an array of 5 booleans, one a game"),
        (np.ones(NUM_ENVS, np.int64), "reset_mask must be an array of 5 booleans, one a game"),
        (np.zeros(NUM_ENVS, bool), "reset_mask must pick at least one game"),
    ],
    ids=["a list", "too short", "integers", "none"],
)
def test_a_mask_of_what_to_reset_that_does_not_fit_is_refused(mask, message):
    envs = make()
    envs.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        envs.reset(options={"reset_mask": mask})


# Seeds.


def test_the_same_seed_gives_the_same_trace_also_after_a_reset_in_mid_game():
    envs, others = make(num_players=3), make(num_players=3)  # the opponents play at random
    first = trace(envs, seed=7)
    envs.reset(seed=8)
    envs.step([0] * NUM_ENVS)
    assert trace(envs, seed=7) == first == trace(others, seed=7) == trace(others, seed=range(7, 7 + NUM_ENVS))
    assert trace(envs, seed=8) != first
    assert trace(envs) != trace(envs)


def test_seeds_are_given_one_by_one_or_the_games_that_follow_are_dealt():
    envs = make()
    envs.reset(seed=np.int64(5))
    assert envs.games.states["seed"].tolist() == [5, 6, 7, 8, 9]
    assert envs.np_random_seed == 5
    envs.reset()
    following = envs.games.states["seed"].tolist()
    assert max(following) < EVALUATION_SEEDS
    assert len({*following, 5, 6, 7, 8, 9}) == 10
    envs.reset(seed=[5, 6, 7, 8, 9])
    envs.reset(seed=[MAX_SEED, None, 0, None, 4])
    assert envs.games.states["seed"].tolist() == [MAX_SEED, following[1], 0, following[3], 4]
    single = ThreeThirteenEnv()
    single.reset(seed=6)
    single.reset()
    assert single.game.get_state().seed == following[1]


def test_games_without_a_seed_are_others_each_time():
    seeds = []
    for _ in range(2):
        envs = make()
        envs.reset()
        seeds += envs.games.states["seed"].tolist()
    assert len(set(seeds)) == 2 * NUM_ENVS
    assert max(seeds) < EVALUATION_SEEDS


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        (-1, "seed must be an integer from 0 to 9223372036854775803, not -1"),
        (MAX_SEED - 3, "seed must be an integer from 0 to 9223372036854775803, not 9223372036854775804"),
        (True, "seed must be an integer from 0 to 9223372036854775803, not True"),
        ([1, 2, 3], "seed must be one integer, or 5, one a game, not 3"),
        ([1, 2, 3, 4, -5], "seed must be an integer from 0 to 9223372036854775807, not -5"),
        ([1, 2, 3, 4, 5.0], "seed must be an integer from 0 to 9223372036854775807, not 5.0"),
    ],
    ids=repr,
)
def test_bad_seeds_are_refused_and_change_nothing(seed, message):
    envs = make()
    envs.reset(seed=1)
    before = envs.games.states.tobytes()
    with pytest.raises(ValueError, match=message):
        envs.reset(seed=seed)
    assert envs.games.states.tobytes() == before


# The pictures.


def test_every_table_is_shown():
    envs = make(3, render_mode="ansi")
    envs.reset(seed=1)
    texts = envs.render()
    assert len(texts) == 3
    assert len(set(texts)) == 3
    assert all("player_0" in text for text in texts)
    envs = make(2, render_mode="rgb_array")
    envs.reset(seed=1)
    pictures = envs.render()
    assert [picture.dtype for picture in pictures] == [np.uint8] * 2
    assert pictures[0].shape == pictures[1].shape
    assert pictures[0].ndim == 3


def test_without_a_mode_there_is_nothing_to_show():
    envs = make()
    envs.reset(seed=1)
    with pytest.warns(UserWarning, match="nothing to render: make the environment with a render_mode of"):
        assert envs.render() is None
