"""The game through Gymnasium: the checkers of the frameworks, and one learner among agents."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.aec_playing import SHORT_GAME, each_number_of_players
from three_thirteen_env.actions import DRAW_STOCK, TAKE_UPCARD
from three_thirteen_env.aec_env import raw_env
from three_thirteen_env.agent import RandomAgent
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.state import NO_CARD

each_form = pytest.mark.parametrize(
    "choices",
    [{}, {"num_players": 3}, {"num_players": 8}, {"observation": "melds"}, {"reward": "margin"}, {"reward": "win"}],
    ids=str,
)


class Recorder:
    """Chooses the last legal action (it goes out when it can), and keeps the views and masks that it was shown."""

    def __init__(self):
        self.shown = []

    def act(self, views, masks, rng):  # noqa: ARG002
        self.shown.append((views.copy(), masks.copy()))
        views["hands"] = 0  # what an agent does to its view is its own business
        return np.array([np.flatnonzero(masks[0])[-1]])


class Stubborn:
    """Always gives the same answer."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, views, masks, rng):  # noqa: ARG002
        return self.answer


def play(game, **reset):
    """Play a game at random from `reset`; gives what comes back from it and from every step."""
    observation, info = game.reset(**reset)
    yield observation, 0.0, False, False, info
    rng = np.random.default_rng(0)
    terminated = False
    while not terminated:
        observation, reward, terminated, truncated, info = game.step(rng.choice(np.flatnonzero(info["action_mask"])))
        yield observation, reward, terminated, truncated, info


def trace(game, **reset):
    return [
        (observation.tobytes(), *rest, info["action_mask"].tobytes())
        for observation, *rest, info in play(game, **reset)
    ]


# The checkers of the frameworks; a warning is an error.


@each_form
def test_the_checker_of_gymnasium_passes(choices, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(raw_env.metadata, "render_fps", 0)
    check_env(gymnasium.make("ThreeThirteen-v0", **choices).unwrapped)


@each_form
def test_the_checker_of_stable_baselines3_passes(choices):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(
        gymnasium.make("ThreeThirteen-v0", render_mode="rgb_array", **choices).unwrapped, skip_render_check=False
    )


def test_sb3_contrib_finds_the_masks():
    masks = pytest.importorskip("sb3_contrib.common.maskable.utils")
    vectors = pytest.importorskip("stable_baselines3.common.vec_env")
    games = vectors.DummyVecEnv([ThreeThirteenEnv, ThreeThirteenEnv])
    games.reset()
    assert masks.is_masking_supported(games)
    assert masks.get_action_masks(games).shape == (2, 106)
    assert masks.get_action_masks(games)[:, [DRAW_STOCK, TAKE_UPCARD]].all()


def test_gymnasium_makes_many_games_at_once():
    games = gymnasium.make_vec("ThreeThirteen-v0", num_envs=3, vectorization_mode="sync", num_players=3)
    observations, infos = games.reset(seed=1)
    assert observations.shape[0] == 3
    assert infos["action_mask"].shape == (3, 106)
    games.step(np.array([0, 1, 0]))


@pytest.mark.filterwarnings("error")
def test_the_loop_that_everyone_writes_first_plays_the_game():
    game = gymnasium.make("ThreeThirteen-v0", **SHORT_GAME)
    game.action_space.seed(1)
    game.reset(seed=1)
    for _ in range(200):
        _, _, terminated, _, _ = game.step(game.action_space.sample())
        if terminated:
            game.reset()


def test_a_sample_with_a_mask_follows_the_mask():
    game = ThreeThirteenEnv()
    _, info = game.reset(seed=1)
    mask = np.zeros_like(info["action_mask"])
    mask[77] = 1
    assert game.action_space.sample(mask) == 77


# The learner.


@each_number_of_players
def test_the_learner_always_has_a_legal_action_until_the_game_is_over(num_players):
    game = ThreeThirteenEnv(num_players=num_players, **SHORT_GAME)
    for _, _, terminated, truncated, info in play(game, seed=1):
        assert game.action_masks().dtype == bool
        assert (game.action_masks() == info["action_mask"]).all()
        assert game.action_masks().any() == (not terminated)
        assert truncated is False
        assert terminated or game.game.agent_selection == game.learner


@each_number_of_players
@pytest.mark.parametrize("seat", [0, 1])
def test_the_game_and_its_rewards_are_those_that_the_seat_has_in_pettingzoo(num_players, seat):
    choices = {"num_players": num_players, "last_round": 3, "turn_limit": 6, "reward": "margin"}
    opponents = [Recorder() for _ in range(num_players - 1)]
    game, aec = ThreeThirteenEnv(opponents=opponents, seat=seat, **choices), raw_env(**choices)
    seen = play(game, seed=4)
    aec.reset(seed=4)
    rng = np.random.default_rng(0)
    for agent in aec.agent_iter():
        observation, reward, termination, *_ = aec.last()
        actions = np.flatnonzero(observation["action_mask"])
        if agent == f"player_{seat}":
            observed, rewarded, terminated, _, info = next(seen)
            assert observed.tobytes() == observation["observation"].tobytes()
            assert info["action_mask"].tobytes() == observation["action_mask"].tobytes()
            assert (rewarded, terminated) == (reward, termination)
            action = rng.choice(actions) if not termination else None
        else:
            action = actions[-1] if not termination else None
        aec.step(action)
    assert next(seen, None) is None


def test_the_rewards_of_all_rounds_that_end_in_a_step_are_added_up():
    game = ThreeThirteenEnv(num_players=4, last_round=5, turn_limit=1)
    received = [reward for _, reward, *_ in play(game, seed=2)]
    scores = dict(zip(game.game.possible_agents, game.game.get_state().scores, strict=False))
    assert sum(received) == -scores[game.learner]


def test_the_learner_sits_where_it_is_told_or_in_every_seat_in_time():
    game = ThreeThirteenEnv(num_players=4, seat=2)
    assert {(game.reset(), game.learner)[1] for _ in range(10)} == {"player_2"}
    game = ThreeThirteenEnv(num_players=4)
    game.reset(seed=1)
    assert {(game.reset(), game.learner)[1] for _ in range(60)} == set(game.game.possible_agents)


def test_what_is_returned_is_a_copy():
    game = ThreeThirteenEnv()
    observation, info = game.reset(seed=1)
    before = game.action_masks()
    observation[:] = 0
    info["action_mask"][:] = 0
    assert (game.action_masks() == before).all()
    game.step(game.action_space.sample())


@pytest.mark.parametrize("action", [2, 106, -1, 0.0, True, None, "draw"], ids=repr)
def test_what_is_no_legal_action_is_refused_and_changes_nothing(action):
    game = ThreeThirteenEnv()
    game.reset(seed=1)
    before = game.game.get_state().tobytes()
    with pytest.raises(ValueError, match=r"player_\d draws and may choose 0 \(draw\), 1 \(take\)"):
        game.step(action)
    assert game.game.get_state().tobytes() == before
    game.step(0)


def test_a_game_that_is_over_takes_no_action():
    game = ThreeThirteenEnv(**SHORT_GAME)
    for _ in play(game, seed=1):
        pass
    for action in (0, None):
        with pytest.raises(ValueError, match=r"call reset\(\)"):
            game.step(action)


# Seeds.


def test_the_same_seed_gives_the_same_trace_also_after_a_reset_in_mid_game():
    game, other = ThreeThirteenEnv(num_players=3, **SHORT_GAME), ThreeThirteenEnv(num_players=3, **SHORT_GAME)
    first = trace(game, seed=7)
    game.reset(seed=8)
    game.step(0)
    assert trace(game, seed=7) == first == trace(other, seed=7)
    assert trace(game, seed=8) != first
    assert trace(game) != trace(game)


def test_a_reset_without_a_seed_differs_from_the_last_and_follows_from_the_last_seed_given():
    def seeds(game):
        game.reset(seed=7)
        return [int(game.game.get_state().seed) for _ in range(20) if game.reset()]

    drawn = seeds(ThreeThirteenEnv())
    assert len({*drawn, 7}) == 21
    assert drawn == seeds(ThreeThirteenEnv())
    assert max(drawn) < EVALUATION_SEEDS


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, 1.5, "7", True], ids=repr)
def test_a_bad_seed_is_refused(seed):
    with pytest.raises(ValueError, match="seed must be an integer from 0 to 9223372036854775807, not"):
        ThreeThirteenEnv().reset(seed=seed)


# The opponents.


def test_opponents_get_views_and_masks_of_one_game_and_nothing_that_they_may_not_know():
    opponents = [Recorder(), Recorder()]
    game = ThreeThirteenEnv(num_players=3, opponents=opponents, seat=1, **SHORT_GAME)
    for _ in play(game, seed=1):
        pass
    for opponent, seat in zip(opponents, (2, 0), strict=True):  # clockwise from the learner
        assert len(opponent.shown) > 8
        for views, masks in opponent.shown:
            assert (views.shape, masks.shape, masks.dtype) == ((1,), (1, 106), np.int8)
            assert views[0].observer == views[0].seat == seat
            assert views[0].seed == 0
            assert (views[0].stock == NO_CARD).all()
            hidden = [other for other in range(3) if other not in (seat, views[0].out_seat)]
            assert (views[0].hands[hidden] == views[0].known[hidden]).all()
            assert masks.any()


def test_one_agent_plays_all_other_seats():
    opponent = Recorder()
    game = ThreeThirteenEnv(num_players=4, opponents=opponent, seat=0, **SHORT_GAME)
    for _ in play(game, seed=1):
        pass
    assert {int(views[0].seat) for views, _ in opponent.shown} == {1, 2, 3}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(np.array([50]), r"50 \(discard Ts\) is not legal: player_1 draws", id="a discard before the draw"),
        pytest.param(np.array([0.0]), r".*0.0.* is no action: player_1 draws", id="no integer"),
        pytest.param(0, r"actions of shape \(\), not \(1,\)", id="a number"),
        pytest.param(np.array([0, 0]), r"actions of shape \(2,\), not \(1,\)", id="two actions"),
        pytest.param(None, r"actions of shape \(\), not \(1,\)", id="nothing"),
    ],
)
def test_an_illegal_action_of_an_opponent_says_who_where_and_what_was_legal(answer, message):
    game = ThreeThirteenEnv(opponents=Stubborn(answer), seat=0)
    seed = next(seed for seed in range(20) if raw_reset(seed).agent_selection == "player_1")
    with pytest.raises(ValueError, match=f"opponent Stubborn in round 1, turn 1 of the game of seed {seed}: {message}"):
        game.reset(seed=seed)
    with pytest.raises(ValueError, match=r"call reset\(\)"):
        game.step(0)


def raw_reset(seed):
    game = raw_env()
    game.reset(seed=seed)
    return game


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        pytest.param([RandomAgent()], "one agent, or 2, one for each other seat, not 1", id="too few"),
        pytest.param([RandomAgent()] * 3, "one agent, or 2, one for each other seat, not 3", id="too many"),
        pytest.param(RandomAgent, r"an object with a method act\(views, masks, rng\)", id="a class"),
        pytest.param("greedy", r"an object with a method act\(views, masks, rng\), not 'g'", id="a name"),
        pytest.param(7, r"an object with a method act\(views, masks, rng\), not 7", id="a number"),
    ],
)
def test_opponents_that_cannot_play_are_refused(opponents, message):
    with pytest.raises(ValueError, match=message):
        ThreeThirteenEnv(num_players=3, opponents=opponents)


@pytest.mark.parametrize("seat", [-1, 3, 1.0, True, "0"], ids=repr)
def test_a_seat_that_is_not_at_the_table_is_refused(seat):
    with pytest.raises(ValueError, match="seat must be an integer from 0 to 2, not"):
        ThreeThirteenEnv(num_players=3, seat=seat)
