"""What an environment is given is checked: an error says what came and what is allowed, and changes nothing."""

import numpy as np
import pytest

from tests.aec_playing import SHORT_GAME, play
from tests.playing import new_game
from three_thirteen_env.aec_env import env, raw_env
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE, Phase
from three_thirteen_env.view import redeal, view_of

each_environment = pytest.mark.parametrize("make", [env, raw_env, ThreeThirteenEnv])


@each_environment
def test_rules_are_given_whole_or_field_by_field(make):
    rules = Rules(num_players=4, aces_high=True)
    for game in (make(rules), make(rules=rules), make(num_players=4, aces_high=True)):
        assert game.unwrapped.rules == rules
    assert make().unwrapped.rules == Rules()


@each_environment
@pytest.mark.parametrize(
    ("choices", "error", "message"),
    [
        pytest.param({"num_player": 4}, TypeError, "'num_player' .* num_players, num_packs, ", id="no such field"),
        pytest.param({"num_players": 9}, ValueError, "num_players .* from 2 to 8, not 9", id="nine players"),
        pytest.param({"rules": Rules(), "num_players": 4}, ValueError, "both rules and num_players", id="both ways"),
        pytest.param({"rules": 4}, TypeError, r"such as Rules\(num_players=4\), not 4", id="a number for rules"),
        pytest.param(
            {"observation": "all"}, ValueError, "'cards' or 'melds' or 'outlook', not 'all'", id="no such observation"
        ),
        pytest.param({"reward": "fun"}, ValueError, "reward .* points, margin, win, not 'fun'", id="no such reward"),
        pytest.param({"render_mode": "tv"}, ValueError, "ansi, human, rgb_array, not 'tv'", id="no such render mode"),
    ],
)
def test_a_bad_choice_is_refused(make, choices, error, message):
    with pytest.raises(error, match=message):
        make(**choices)


DRAWING = "player_[01] draws and may choose 0 .draw., 1 .take."


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (2, r"2 \(discard Ac\) is not legal: " + DRAWING),
        (105, r"105 \(out Ks\) is not legal: " + DRAWING),
        (106, "106 is no action: " + DRAWING),
        (-1, "-1 is no action: " + DRAWING),
        (0.0, "0.0 is no action: " + DRAWING),
        (True, "True is no action: " + DRAWING),
        (np.True_, "True.* is no action: " + DRAWING),
        (np.float32(1), "1.0.* is no action: " + DRAWING),
        (np.array([1]), r"array\(\[1\]\) is no action: " + DRAWING),
        ("draw", "'draw' is no action: " + DRAWING),
        (None, "None is no action: " + DRAWING),
    ],
    ids=repr,
)
def test_what_is_no_legal_action_is_refused_and_changes_nothing(action, message):
    game = raw_env()
    game.reset(seed=3)
    before, seen = game.get_state().tobytes(), {**game.__dict__}
    with pytest.raises(ValueError, match=message):
        game.step(action)
    assert game.get_state().tobytes() == before
    assert all(game.__dict__[name] is value for name, value in seen.items())


def test_a_discard_that_is_not_held_is_refused_in_words():
    game = raw_env()
    game.reset(seed=3)
    game.step(0)
    before = game.get_state()
    absent = int(np.flatnonzero(before.hands[before.seat] == 0)[0])
    with pytest.raises(ValueError, match=r"is not legal: player_\d discards and may choose \d+ \(discard \w\w\), "):
        game.step(2 + absent)
    assert game.get_state().tobytes() == before.tobytes()


@pytest.mark.parametrize("integer", [np.int8, np.uint64, np.int32, np.array])
def test_every_kind_of_integer_is_an_action(integer):
    game = raw_env()
    game.step(integer(1))
    assert game.get_state().phase == Phase.DISCARD


def test_a_game_that_is_over_takes_no_action():
    game = raw_env(**SHORT_GAME)
    for _ in play(game):
        pass
    with pytest.raises(ValueError, match=r"the game is over: call reset\(\)"):
        game.step(0)


# Records that come from outside.

RULES = Rules(num_players=3)


def broken(**fields):
    """A state in a seat's discard phase, but for some fields."""
    game = raw_env(RULES)
    game.reset(seed=1)
    game.step(0)
    state = game.get_state()
    for field, value in fields.items():
        state[field] = value
    return state


def with_one_card_more():
    state = broken()
    state.pile[1] = state.pile[0]
    state.pile_size = 2
    return state


@pytest.mark.parametrize(
    ("state", "message"),
    [
        pytest.param(np.zeros(1, STATE), "one record of STATE, not ndarray", id="an array"),
        pytest.param({"seat": 1}, "one record of STATE, not dict", id="a dict"),
        pytest.param(np.zeros(1, [("seat", np.int8)])[0], "one record of STATE, not void", id="another record"),
        pytest.param(np.zeros(1, STATE)[0], "what seat 0 knows", id="nothing dealt"),
        pytest.param(view_of(new_game(1, RULES), 2), r"what seat 2 knows, .* redeal\(\)", id="a view"),
        pytest.param(new_game(1, Rules(num_players=4)), "hands|seat|dealer", id="four players"),
        pytest.param(new_game(1, Rules(num_players=3, num_packs=3)), "cards all together", id="three packs"),
        pytest.param(new_game(1, Rules(num_players=3, num_packs=4)), "cards all together", id="four packs"),
        pytest.param(with_one_card_more(), "cards all together", id="a card too many"),
        pytest.param(broken(phase=Phase.GAME_OVER), "round_number", id="over before the last round"),
        *(
            pytest.param(broken(**{field: value}), field, id=f"{field} {value}")
            for field, value in [
                ("round_number", 12),
                ("round_number", 0),
                ("phase", 3),
                ("seat", 3),
                ("seat", -1),
                ("dealer", -1),
                ("out_seat", 3),
                ("out_seat", -2),
                ("num_turns", -1),
                ("num_turns", 150),
                ("hands", 0),
                ("known", 3),
                ("known", -1),
                ("discarded", 3),
                ("taken", 52),
                ("stock_size", 209),
                ("stock_size", -1),
                ("pile_size", 209),
                ("pile_size", 0),
                ("stock", 99),
                ("pile", -1),
            ]
        ),
    ],
)
def test_a_record_that_no_game_of_these_rules_can_be_in_is_refused_and_changes_nothing(state, message):
    game = raw_env(RULES)
    before = game.get_state().tobytes()
    with pytest.raises(ValueError, match=message):
        game.set_state(state)
    assert game.get_state().tobytes() == before


def test_every_state_of_a_game_and_every_world_that_fits_a_view_is_accepted():
    rules = Rules(num_players=3, last_round=2, turn_limit=15)
    game, other = raw_env(rules), raw_env(rules)
    game.reset(seed=1)
    for _ in play(game):
        other.set_state(game.get_state())
        other.set_state(redeal(view_of(game.get_state(), 1), rules, np.random.default_rng(0)))
