"""Many games for stable-baselines3: what its own vector of single environments gives, and learning from it."""

import numpy as np
import pytest
import torch
from gymnasium.wrappers import TransformReward
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, VecNormalize

from agents.greedy import Greedy
from agents.round_episodes import RoundEpisodes
from agents.selective import Selective
from agents.vec_env import ThreeThirteenVecEnv
from tests.playing import COMPILED
from tests.vector_playing import choose
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import Phase

SHORT = {"last_round": 3, "turn_limit": 4}
NUM_GAMES = 6
NUM_STEPS = 150 if COMPILED else 12

each_episode = pytest.mark.parametrize("episode", ["game", "round"])


def make(num_games=NUM_GAMES, **choices):
    return ThreeThirteenVecEnv(num_games, **{**SHORT, **choices})


def singles(episode, reward_scale, **choices):
    """The same as stable-baselines3 has it: environments of one game, in a vector."""

    def environment():
        env = ThreeThirteenEnv(**{**SHORT, **choices})
        monitored = (
            Monitor(env) if episode == "game" else Monitor(RoundEpisodes(env), info_keywords=("points", "went_out"))
        )
        return TransformReward(monitored, lambda reward: reward_scale * float(reward))

    return DummyVecEnv([environment] * NUM_GAMES)


def play(games, num_steps=NUM_STEPS, seed=None):
    """Play at random from a reset on; gives what comes back from every step, and the masks then."""
    rng = np.random.default_rng(0)
    if seed is not None:
        games.seed(seed)
    observations = games.reset()
    yield observations, np.zeros(0), np.zeros(0), [], get_action_masks(games)
    for _ in range(num_steps):
        yield *games.step(choose(get_action_masks(games).astype(np.int8), rng)), get_action_masks(games)


# The very games of single environments.


@each_episode
@pytest.mark.parametrize(
    "choices",
    [
        {"num_players": 2, "opponents": Greedy(Rules())},
        {"num_players": 3, "reward": "margin", "opponents": [Greedy(Rules()), Selective(Rules())]},
        {"num_players": 4, "reward": "margin", "observation": "melds", "seat": 3, "opponents": Greedy(Rules())},
    ],
    ids=lambda choices: f"{choices['num_players']} players",
)
def test_all_that_comes_back_is_what_single_environments_give(choices, episode):
    ours = play(make(episode=episode, reward_scale=0.05, **choices), seed=9)
    theirs = play(singles(episode, 0.05, **choices), seed=9)
    num_episodes = 0
    for (*arrays, infos, masks), (*their_arrays, their_infos, their_masks) in zip(ours, theirs, strict=True):
        for array, their_array in zip([*arrays, masks], [*their_arrays, their_masks], strict=True):
            assert array.dtype == their_array.dtype
            assert array.tobytes() == their_array.tobytes()
        for info, their_info in zip(infos, their_infos, strict=True):
            compare_infos(info, their_info)
        num_episodes += arrays[2].sum()
    assert num_episodes > 2 * NUM_GAMES or not COMPILED


def compare_infos(info, their_info):
    """The info of a game tells of an episode that has ended what theirs tells, and it is empty if none has."""
    assert ("episode" in info) == ("episode" in their_info) == bool(info)
    if info:
        assert info["terminal_observation"].tobytes() == their_info["terminal_observation"].tobytes()
        told = {name: info["episode"][name] for name in their_info["episode"]}
        assert {**told, "t": 0} == {**their_info["episode"], "t": 0}
        assert info["episode"]["t"] >= 0


def test_an_episode_of_a_whole_game_tells_its_points_and_how_often_the_learner_went_out():
    games = make(40, opponents=Greedy(Rules()), reward="points")
    num_went_out = 0
    for _, _, dones, infos, _ in play(games, seed=1):
        for game in np.flatnonzero(dones):
            episode = infos[game]["episode"]
            assert episode["points"] == -episode["r"]
            assert 0 <= episode["went_out"] <= 3
            num_went_out += episode["went_out"]
    assert num_went_out > 20 or not COMPILED


def test_rounds_are_episodes_of_one_game_until_it_is_over():
    games = make(30, episode="round", opponents=Greedy(Rules()))
    before = None
    for _, _, dones, _, _ in play(games, seed=1):
        states = games.games.states
        now = states["seed"].copy(), states["round_number"].copy()
        if before is not None:
            assert ((now[1] != before[1]) | (now[0] != before[0])).tolist() == dones.tolist()
            assert (now[0] != before[0]).tolist() == (dones & (before[1] == 3)).tolist()
        before = now


# What stable-baselines3 expects.


def test_masks_are_found_and_never_empty():
    games = make()
    assert is_masking_supported(games)
    for *_, masks in play(games, seed=1):
        assert (masks.shape, masks.dtype) == ((NUM_GAMES, 106), np.bool_)
        assert masks.any(axis=1).all()
    assert np.stack(games.env_method("action_masks", indices=[2, 0])).tobytes() == masks[[2, 0]].tobytes()
    assert np.stack(games.env_method("action_masks", indices=3)).tobytes() == masks[[3]].tobytes()


def test_an_all_zero_mask_of_a_live_game_is_caught(monkeypatch):
    games = make()
    games.reset()
    monkeypatch.setattr("three_thirteen_env.learner_games.look_each", lambda *_: 4)
    with pytest.raises(AssertionError, match="no action is legal in game 4"):
        games.step(choose(games.games.masks, np.random.default_rng(0)))


def test_what_is_returned_is_new_at_every_step_and_of_the_space():
    games = make()
    before = None
    for *arrays, _, masks in play(games, 20, seed=1):
        if before is not None:
            assert not any(np.shares_memory(array, old) for array, old in zip([*arrays, masks], before, strict=True))
        before = [*arrays, masks]
        assert all(observation in games.observation_space for observation in arrays[0])


def test_the_same_seed_gives_the_same_trace_and_each_reset_other_games():
    def trace(games, **seed):
        return [
            (observations.tobytes(), dones.tobytes())
            for observations, _, dones, _, _ in play(games, NUM_STEPS // 4, **seed)
        ]

    games, others = make(num_players=3), make(num_players=3)  # the opponents play at random
    first = trace(games, seed=7)
    assert trace(games, seed=7) == first == trace(others, seed=7)
    assert trace(games, seed=8) != first
    assert trace(games) != trace(games)


def test_what_games_have_in_common_is_got_and_set_for_all_of_them():
    games = make()
    assert games.get_attr("render_mode") == [None] * NUM_GAMES
    assert games.get_attr("rules", indices=[1, 2]) == [Rules(**SHORT)] * 2
    assert not games.has_attr("joker")
    games.set_attr("reward_scale", 0.5)
    assert games.reward_scale == 0.5
    with pytest.raises(ValueError, match="the games have reward_scale in common: set it in all of them"):
        games.set_attr("reward_scale", 1.0, indices=2)
    with pytest.raises(AttributeError, match="a game has the method action_masks, and no render"):
        games.env_method("render")
    games.close()


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"episode": "day"}, "episode must be one of game, round, not 'day'"),
        ({"num_games": 0}, "num_games must be an integer from 1"),
        ({"num_players": 9}, "num_players must be an integer from 2 to 8, not 9"),
        ({"opponents": []}, "one agent, or 1, one for each other seat, not 0"),
    ],
    ids=str,
)
def test_what_cannot_be_made_says_why(choices, message):
    with pytest.raises(ValueError, match=message):
        make(**choices)


def test_actions_that_are_not_legal_are_refused_and_change_nothing():
    games = make()
    with pytest.raises(ValueError, match="the games have not begun"):
        games.step(np.zeros(NUM_GAMES, np.int64))
    games.reset()
    before = games.games.states.tobytes()
    with pytest.raises(ValueError, match=r"game 2: 50 \(discard Ts\) is not legal: player_\d draws and may choose 0"):
        games.step(np.array([0, 1, 50, 0, 0, 0]))
    assert games.games.states.tobytes() == before


class Cheat:
    """Always discards the ten of spades."""

    def act(self, views, masks, rng):  # noqa: ARG002
        return np.full(len(views), 50)


def test_an_illegal_action_of_an_opponent_says_who_where_and_what_was_legal():
    games = make(opponents=[Greedy(Rules()), Cheat()], num_players=3)
    with pytest.raises(
        ValueError, match=r"opponent Cheat in round 1, turn \d of the game of seed \d+: 50 \(discard Ts"
    ):
        for _ in play(games, seed=0):
            pass


# Learning.


@pytest.mark.skipif(not COMPILED, reason="training takes the compiled game")
@each_episode
def test_a_model_learns_from_it_and_plays_on_it(episode):
    torch.set_num_threads(1)
    games = make(16, opponents=Greedy(Rules()), episode=episode, reward_scale=0.05)
    model = MaskablePPO("MlpPolicy", games, n_steps=16, batch_size=128, n_epochs=1, seed=3, device="cpu")
    model.learn(1000)
    episodes = list(model.ep_info_buffer)
    assert len(episodes) > 20
    assert all(episode.keys() == {"r", "l", "t", "points", "went_out"} for episode in episodes)
    assert games.games.states["phase"].max() < Phase.GAME_OVER
    mean, spread = evaluate_policy(model, make(4, opponents=Greedy(Rules()), episode=episode), n_eval_episodes=8)
    assert mean < 0
    assert spread > 0


@pytest.mark.skipif(not COMPILED, reason="training takes the compiled game")
def test_a_model_learns_the_same_from_single_environments():
    torch.set_num_threads(1)
    weights = []
    choices = {"opponents": Greedy(Rules()), "observation": "cards", "reward": "margin"}
    for games in (make(episode="round", reward_scale=0.05, **choices), singles("round", 0.05, **choices)):
        model = MaskablePPO("MlpPolicy", games, n_steps=16, batch_size=96, n_epochs=1, seed=3, device="cpu")
        model.learn(300)
        weights.append(torch.cat([parameter.flatten() for parameter in model.policy.parameters()]))
    assert torch.equal(*weights)


def test_other_wrappers_of_stable_baselines3_go_around_it():
    games = VecNormalize(make(opponents=Greedy(Rules())))
    for observations, *_, masks in play(games, 10, seed=1):
        assert observations.shape[0] == len(masks) == NUM_GAMES
    with pytest.warns(UserWarning, match="already wrapped with a `Monitor`"):
        VecMonitor(make())
