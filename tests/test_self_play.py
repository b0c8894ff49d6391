"""Self-play: who is drawn against the learner, how often, and what a past self is."""

import numpy as np
import pytest
import torch

from agents.self_play import OpponentPool, SelfAgent
from agents.vec_env import ThreeThirteenVecEnv
from tests.playing import COMPILED
from tests.policies import untrained_policy, views_of_random_games
from three_thirteen_env.agent import RandomAgent, pick_each
from three_thirteen_env.rules import Rules

RULES = Rules(last_round=2, turn_limit=4)
NUM_GAMES = 300 if COMPILED else 30


class Marked(RandomAgent):
    """Plays at random, and counts the games that it was asked about."""

    def __init__(self):
        self.num_asked = 0

    def act(self, views, masks, rng):
        self.num_asked += len(views)
        return super().act(views, masks, rng)


def policy_of(seed=0):
    return untrained_policy(RULES, "cards", seed, width=8, card_width=4)


def pool_of(self_share=0.25, num_past_selves=2, names=("weak", "strong")):
    named = {name: RandomAgent() for name in names}
    return OpponentPool(named, SelfAgent(policy_of(), RULES, "cards"), self_share, num_past_selves)


def play(env, num_steps, seed=None):
    """Play at random; gives the opponents of all games after every step."""
    rng = np.random.default_rng(0)
    if seed is not None:
        env.seed(seed)
        env.reset()
    for _ in range(num_steps):
        yield env.games._opponent_of.copy(), env.games.states["seed"].copy()
        env.step(pick_each(env.games.masks, rng))


# Who is drawn.


@pytest.mark.parametrize("num_players", [2, 4])
def test_a_game_has_one_opponent_in_all_other_seats_drawn_by_weight(num_players):
    env = ThreeThirteenVecEnv(NUM_GAMES, RULES._replace(num_players=num_players, num_packs=2))
    agents = [Marked(), Marked(), Marked()]
    env.draw_opponents(agents, [3, 0, 1])
    numbers, seeds = {}, None
    for opponents, seeds in play(env, 20, seed=5):
        assert (opponents == opponents[:, :1]).all()
        for seed, number in zip(seeds.tolist(), opponents[:, 0].tolist(), strict=True):
            assert numbers.setdefault(seed, number) == number  # the same until the game is over
    counts = np.bincount(list(numbers.values()), minlength=3)
    assert counts[1] == agents[1].num_asked == 0
    assert counts[0] / counts.sum() == pytest.approx(0.75, abs=0.06 if COMPILED else 0.2)
    assert agents[0].num_asked > agents[2].num_asked > 0


def test_the_seed_of_a_game_says_which_opponent_it_has():
    traces = []
    for num_games in (8, 12):
        env = ThreeThirteenVecEnv(num_games, RULES)
        env.draw_opponents([Marked(), Marked(), Marked()], [1, 1, 1])
        traces.append(np.array([opponents[:8] for opponents, _ in play(env, 1, seed=3)]))
    assert (traces[0] == traces[1]).all()
    assert len(np.unique(traces[0])) > 1


def test_new_weights_are_for_the_games_that_begin_from_then_on():
    env = ThreeThirteenVecEnv(20, RULES)
    env.draw_opponents([RandomAgent()], [1])
    _, seeds = next(play(env, 1, seed=3))
    env.draw_opponents([RandomAgent(), RandomAgent()], [0, 1])
    for opponents, now in play(env, 30):
        assert (opponents[:, 0] == (now != seeds)).all()
    assert (now != seeds).all()


@pytest.mark.parametrize(
    ("weights", "num_agents"), [([1], 2), ([-1, 2], 2), ([0, 0], 2), ([np.nan, 1], 2), ([np.inf, 1], 2), ([], 0)]
)
def test_weights_that_are_none_are_refused(weights, num_agents):
    env = ThreeThirteenVecEnv(4, RULES)
    with pytest.raises(ValueError, match=f"weights must be {num_agents} numbers from 0 up, not all 0, not "):
        env.draw_opponents([RandomAgent()] * num_agents, weights)


def test_games_never_go_on_without_their_opponent():
    env = ThreeThirteenVecEnv(20, RULES)
    env.draw_opponents([RandomAgent(), RandomAgent()], [1, 1])
    env.reset()
    with pytest.raises(ValueError, match="games go on against 2 opponents, and now there are fewer"):
        env.draw_opponents([RandomAgent()], [1])


def test_results_are_told_by_opponent_and_only_once():
    env = ThreeThirteenVecEnv(NUM_GAMES, RULES, episode="round")
    env.draw_opponents([RandomAgent(), RandomAgent()], [1, 2])
    expected, rng = np.zeros((2, 2)), np.random.default_rng(0)
    env.seed(1)
    env.reset()
    for _ in range(20):
        before = env.games._opponent_of[:, 0].copy()
        env.step(pick_each(env.games.masks, rng))
        ended = env.games.learners["is_round_over"]
        np.add.at(expected[0], before[ended], 1)
        np.add.at(expected[1], before[ended], env.games.learners["margin"][ended])
    num_rounds, margins = env.take_results()
    assert num_rounds.tolist() == expected[0].tolist()
    np.testing.assert_allclose(margins, expected[1])
    assert (num_rounds > 0).all()
    assert not np.any(env.take_results())


def test_the_margin_is_the_reward_of_that_form():
    env = ThreeThirteenVecEnv(NUM_GAMES, RULES._replace(num_players=3, num_packs=2), reward="margin")
    rng = np.random.default_rng(0)
    env.reset()
    for _ in range(10):
        env.step(pick_each(env.games.masks, rng))
        assert (env.games.learners["margin"] == env.games.learners["reward"]).all()


# The pool.


def test_the_newest_self_has_its_share_and_the_harder_an_opponent_is_the_more_of_the_rest_it_has():
    pool = pool_of(self_share=0.25)
    assert pool.names == ["weak", "strong", "itself"]
    assert pool.weights.tolist() == [0.375, 0.375, 0.25]
    pool.learn_of(np.array([10.0, 20.0, 5.0]), np.array([30.0, 40.0, 0.0]))  # won by 3 and by 2 points a round
    weak, strong, itself = pool.weights
    assert itself == 0.25
    assert strong / weak == pytest.approx(np.e)
    assert pool.weights.sum() == pytest.approx(1)


def test_where_there_is_nobody_else_all_games_are_against_the_newest_self():
    assert pool_of(self_share=0.0, names=()).weights.tolist() == [1.0]


def test_a_margin_is_a_mean_over_the_rounds_and_older_ones_fade():
    pool = pool_of()
    pool.learn_of(np.array([10.0, 0, 0]), np.array([30.0, 0, 0]))
    pool.learn_of(np.array([30.0, 0, 0]), np.array([30.0, 0, 0]))
    assert pool.margins.tolist() == [60 / 40, 0, 0]
    for _ in range(50):
        pool.learn_of(np.array([1000.0, 0, 0]), np.array([-2000.0, 0, 0]))
    assert pool.margins[0] == pytest.approx(-2, abs=0.01)


def test_there_is_room_for_so_many_past_selves_and_the_easiest_makes_room():
    pool = pool_of(num_past_selves=2)
    pool.add_past_self()
    pool.add_past_self()
    assert pool.names == ["weak", "strong", "itself", "past 1", "past 2"]
    first, second = pool.agents[3:]
    pool.learn_of(np.array([0, 0, 0, 9.0, 9.0]), np.array([0, 0, 0, 9.0, 18.0]))
    pool.add_past_self()
    assert len(pool.agents) == len(pool.names) == len(pool.weights) == 5
    assert pool.agents[3] is first
    assert pool.agents[4] is not second
    assert pool.margins[3:].tolist() == [1, 0]
    assert pool_of(num_past_selves=0).add_past_self() is None


def test_a_past_self_stays_as_it_was_and_making_one_takes_nothing_from_chance():
    pool = pool_of()
    before = torch.get_rng_state()
    pool.add_past_self()
    assert torch.equal(torch.get_rng_state(), before)
    (past,) = pool.past_selves
    with torch.no_grad():
        for weights in pool.newest.policy.parameters():
            weights += 1
    original = policy_of().state_dict()
    assert all(torch.equal(value, original[name]) for name, value in past.policy.state_dict().items())
    assert not any(weights.requires_grad for weights in past.policy.parameters())


def test_a_pool_is_saved_and_loaded():
    pool, other = pool_of(), pool_of()
    for _ in range(3):
        pool.add_past_self()
        pool.learn_of(np.ones(len(pool.agents)), np.arange(float(len(pool.agents))))
        with torch.no_grad():
            next(pool.newest.policy.parameters()).add_(1)
    other.load(pool.save())
    assert other.names == pool.names
    assert (other.weights == pool.weights).all()
    for own, loaded in zip(pool.past_selves, other.past_selves, strict=True):
        for value, its in zip(own.policy.parameters(), loaded.policy.parameters(), strict=True):
            assert torch.equal(value, its)


# A self as an agent.


def test_a_self_plays_by_its_probabilities_or_the_most_probable_action():
    policy, rng = policy_of(), np.random.default_rng(0)
    with torch.no_grad():
        policy.network.draw.bias.copy_(torch.tensor([0.0, np.log(4)]))
        policy.network.draw.weight.zero_()
    views, masks = views_of_random_games(1, RULES)
    masks[:] = 0
    masks[:, :2] = 1  # the first turn: draw or take
    views, masks = np.repeat(views, 5000), np.repeat(masks, 5000, axis=0)
    assert SelfAgent(policy, RULES, "cards").act(views, masks, rng).mean() == pytest.approx(0.8, abs=0.03)
    assert SelfAgent(policy, RULES, "cards", samples=False).act(views, masks, rng).mean() == 1


@pytest.mark.parametrize("samples", [False, True])
def test_a_self_never_plays_what_is_not_legal(samples):
    views, masks = views_of_random_games(200, RULES)
    agent = SelfAgent(policy_of(), RULES, "cards", samples)
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert masks[np.arange(len(views)), agent.act(views, masks, rng)].all()
    assert (
        agent.act(views, masks, np.random.default_rng(1)) == agent.act(views, masks, np.random.default_rng(1))
    ).all()


def test_games_that_are_saved_go_on_as_they_would_have():
    def make():
        env = ThreeThirteenVecEnv(30, RULES, episode="round")
        env.draw_opponents([RandomAgent(), RandomAgent()], [1, 1])
        return env

    def go_on(env):
        rng = np.random.default_rng(4)
        for _ in range(20):
            observations, rewards, dones, infos = env.step(pick_each(env.games.masks, rng))
            told = [{**info["episode"], "t": 0} for info in infos if info]
            yield observations.tobytes(), rewards.tobytes(), dones.tobytes(), told

    env, other = make(), make()
    for _ in play(env, 7, seed=2):
        pass
    env.take_results()
    saved = env.save()
    expected = list(go_on(env))
    other.load(saved)
    assert list(go_on(other)) == expected
