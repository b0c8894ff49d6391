"""What every agent gets for a round, in each form of reward, worked out by hand."""

import numpy as np
import pytest

from tests.aec_playing import SHORT_GAME, each_number_of_players, play
from three_thirteen_env.actions import parse_action
from three_thirteen_env.aec_env import env, raw_env
from three_thirteen_env.cards import cards_of, hand, parse_card
from three_thirteen_env.rewards import illegal_reward
from three_thirteen_env.rules import Rules

# What a round of three seats costs them when seat 0 goes out and all throw what they draw: 0, 21 and 15 points.
HANDS = ["7c 7d 7h", "Tc 9d 2h", "8s 5h 2d"]
MOVES = ["draw", "out Kc", "draw", "discard Kd", "draw", "discard Kh"]


def first_turn(hands, reward, rules=Rules(num_players=3, last_round=1), scores=(0, 0, 0)):
    """A game in which seat 0 starts the first round; Kc, Kd and Kh will be drawn."""
    game = raw_env(rules, reward=reward)
    state = game.get_state()
    pack = np.full(52, rules.num_packs) - hand("Ks Kc Kd Kh")
    for seat, text in enumerate(hands):
        state.hands[seat] = hand(text)
        pack -= state.hands[seat]
    state.stock[: state.stock_size] = cards_of(pack) + [parse_card(card) for card in ("Kh", "Kd", "Kc")]
    state.pile[0] = parse_card("Ks")
    state.seat, state.dealer = 0, 2
    state.scores[:3] = scores
    game.set_state(state)
    return game


def play_moves(game):
    """What every agent got for each move, ``(moves, players)``."""
    rewards = []
    for move in MOVES:
        game.step(parse_action(move))
        rewards.append([game.rewards[agent] for agent in game.possible_agents])
    return rewards


@pytest.mark.parametrize(
    ("reward", "hands", "expected"),
    [
        pytest.param("points", HANDS, [0, -21, -15], id="minus the points of the round"),
        pytest.param("margin", HANDS, [18, 7.5 - 21, 10.5 - 15], id="the mean of the others' points minus one's own"),
        pytest.param("win", HANDS, [1 - 1 / 3, -1 / 3, -1 / 3], id="the whole win minus 1/3"),
        pytest.param("win", ["7c 7d 7h", "3c 9d 9h", "8s 5h 2d"], [1 / 6, 1 / 6, -1 / 3], id="half the win minus 1/3"),
        pytest.param("win", ["7c 7d 7h", "3c 9d 9h", "8s 8h 8d"], [0, 0, 0], id="a third of the win minus 1/3"),
    ],
)
def test_the_rewards_of_a_round_come_when_it_ends_and_reach_every_seat(reward, hands, expected):
    *before, last = play_moves(first_turn(hands, reward))
    assert before == [[0, 0, 0]] * 5
    assert last == pytest.approx(expected)


def test_the_win_is_that_of_the_game_and_not_of_its_last_round():
    game = first_turn(HANDS, "win", scores=(30, 0, 15))  # they end with 30, 21 and 30 points
    assert play_moves(game)[-1] == pytest.approx([-1 / 3, 2 / 3, -1 / 3])


def test_a_round_that_is_not_the_last_is_no_win():
    assert play_moves(first_turn(HANDS, "win", Rules(num_players=3)))[-1] == [0, 0, 0]


def test_a_reward_is_seen_once_by_each_agent_when_it_is_next_selected():
    game = first_turn(HANDS, "points", Rules(num_players=3, last_round=2, turn_limit=1))
    play_moves(game)
    expected = {"player_0": 0, "player_1": -21, "player_2": -15}
    assert game._cumulative_rewards == expected
    for _ in range(3):
        agent = game.agent_selection
        assert game.last()[1] == expected[agent]
        game.step(parse_action("draw"))
        assert game.last()[1] == game._cumulative_rewards[agent] == 0
        game.step(np.flatnonzero(game.last()[0]["action_mask"])[0])


@pytest.mark.parametrize("reward", ["points", "margin", "win"])
@each_number_of_players
def test_all_that_an_agent_gets_in_a_game_is_what_its_score_says(num_players, reward):
    game = env(num_players=num_players, reward=reward, last_round=4, turn_limit=4)
    game.reset(seed=3)
    total = dict.fromkeys(game.possible_agents, 0.0)
    for agent, _, received, *_ in play(game):
        total[agent] += received
    scores = game.unwrapped.get_state().scores[:num_players].astype(float)
    has_won = scores == scores.min()
    expected = {
        "points": -scores,
        "margin": (scores.sum() - scores) / (num_players - 1) - scores,
        "win": has_won / has_won.sum() - 1 / num_players,
    }
    assert list(total.values()) == pytest.approx(expected[reward].tolist())
    if reward != "points":
        assert sum(total.values()) == pytest.approx(0)


@pytest.mark.parametrize(
    ("rules", "reward", "expected"),
    [
        pytest.param(Rules(last_round=1), "points", -3 * 10, id="three kings"),
        pytest.param(Rules(last_round=2), "points", -(3 + 4) * 10, id="three kings and then four"),
        pytest.param(Rules(last_round=1), "margin", -3 * 10, id="three kings and nothing for the others"),
        pytest.param(Rules(last_round=1, aces_high=True), "points", -3 * 15, id="three aces that are high"),
        pytest.param(Rules(last_round=1, wild_points=50), "points", -3 * 50, id="three wild cards"),
        pytest.param(Rules(last_round=1, court_cards_ten=False), "points", -3 * 13, id="three kings of 13 points"),
        pytest.param(Rules(), "win", -1, id="less than nothing of the win"),
    ],
)
def test_an_illegal_action_brings_no_more_than_the_worst_game(rules, reward, expected):
    assert illegal_reward(rules, reward) == expected


@pytest.mark.parametrize("reward", ["points", "margin", "win"])
def test_an_illegal_action_ends_the_wrapped_game_and_only_its_agent_pays(reward):
    game = env(num_players=3, reward=reward, **SHORT_GAME)
    game.reset(seed=1)
    agent = game.agent_selection
    game.step(2)  # a discard before the draw
    assert all(game.terminations.values())
    assert game.rewards == {
        other: illegal_reward(game.unwrapped.rules, reward) * (other == agent) for other in game.agents
    }
    assert not any(game.observe(other)["action_mask"].any() for other in game.agents)
    for _ in range(3):
        game.step(None)
    assert game.agents == []
    game.reset(seed=1)
    assert not any(game.terminations.values())
