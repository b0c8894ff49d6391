"""Learned policies as agents: they play what their files say, never an illegal action, and refuse what does not fit."""

import json
import subprocess
import sys

import numpy as np
import pytest

from agents.learned import LearnedAgent
from agents.policy_file import FORMAT, FREE_RULES, card_path, read_card, write_card, write_whole
from agents.registry import make_agent
from tests.policies import CARD, views_of_random_games, write_policy
from three_thirteen_env.actions import GO_OUT, NUM_ACTIONS
from three_thirteen_env.rules import Rules

RULES = Rules()


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def are_legal(actions, masks):
    return (masks[np.arange(len(masks)), actions] == 1).all()


def test_the_most_probable_legal_action_is_played(tmp_path, rng):
    log_probabilities = -np.arange(NUM_ACTIONS, dtype=float)  # the lower the number of an action, the better
    agent = LearnedAgent.load(write_policy(tmp_path / "policy.onnx", log_probabilities), RULES)
    views, masks = views_of_random_games(200, RULES)
    actions = agent.act(views, masks, rng)
    assert actions.dtype == np.int64
    assert actions.tolist() == masks.argmax(axis=1).tolist()


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("worst", [-np.inf, np.nan, -1e30, 3e38])
def test_an_illegal_action_is_never_played_whatever_the_policy_says(worst, samples, tmp_path, rng):
    log_probabilities = np.full(NUM_ACTIONS, worst)
    log_probabilities[GO_OUT:] = 0  # going out, which is rarely legal, is all that it likes
    agent = LearnedAgent.load(write_policy(tmp_path / "policy.onnx", log_probabilities), RULES, samples)
    views, masks = views_of_random_games(200, RULES)
    assert are_legal(agent.act(views, masks, rng), masks)


def test_samples_are_drawn_by_the_probabilities(tmp_path, rng):
    log_probabilities = np.log(np.r_[0.2, 0.8, np.ones(NUM_ACTIONS - 2)])
    agent = LearnedAgent.load(write_policy(tmp_path / "policy.onnx", log_probabilities), RULES, samples=True)
    views, masks = views_of_random_games(1, RULES)
    masks[:] = 0
    masks[:, :2] = 1  # the first turn: draw or take
    actions = agent.act(np.repeat(views, 10_000), np.repeat(masks, 10_000, axis=0), rng)
    assert actions.mean() == pytest.approx(0.8, abs=0.02)


def test_by_name_it_is_an_agent_like_any_other(tmp_path, rng):
    agent = make_agent(str(write_policy(tmp_path / "policy.onnx")), RULES)
    views, masks = views_of_random_games(50, RULES)
    assert are_legal(agent.act(views, masks, rng), masks)


def test_a_card_says_what_was_written_on_it(tmp_path):
    card = CARD._replace(rules=Rules(num_players=3, aces_high=True), evaluation=[{"against": "greedy"}])
    write_card(tmp_path / "policy.onnx", card)
    assert read_card(tmp_path / "policy.onnx") == card
    assert json.loads((tmp_path / "policy.json").read_text())["format"] == FORMAT


@pytest.mark.parametrize(
    ("field", "value"), [("first_round", 11), ("first_round", 3), ("last_round", 2), ("turn_limit", 7)]
)
def test_it_plays_on_shorter_games_than_its_own(field, value, tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    assert LearnedAgent.load(path, RULES._replace(**{field: value})).card == CARD


def test_a_turn_means_the_same_to_it_whatever_the_turn_limit():
    views, masks = views_of_random_games(50, RULES._replace(turn_limit=10))
    said = [make_agent("learned", Rules(turn_limit=limit)).log_probabilities(views, masks) for limit in (10, 50)]
    assert len(np.unique(views["num_turns"])) > 5
    assert (said[0] == said[1]).all()


def test_it_plays_with_no_rules_that_change_what_it_sees(tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    others = Rules(3, num_packs=2, wild_points=20, aces_high=True)
    others = others._replace(court_cards_ten=False, wild_only_melds=False, may_return_upcard=False)
    for field in set(Rules._fields) - FREE_RULES:
        own, asked = getattr(RULES, field), getattr(others, field)
        with pytest.raises(ValueError, match=f"cannot be played: it is for {field} {own}, not {asked}"):
            LearnedAgent.load(path, RULES._replace(**{field: asked}))


def test_a_missing_file_and_a_missing_card_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no policy file .*missing\.onnx"):
        LearnedAgent.load(tmp_path / "missing.onnx", RULES)
    path = write_policy(tmp_path / "policy.onnx")
    card_path(path).unlink()
    with pytest.raises(FileNotFoundError, match=r"the policy .*policy\.onnx has no card: .*policy\.json is missing"):
        LearnedAgent.load(path, RULES)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"format": FORMAT + 1}, "newer than", id="newer format"),
        pytest.param({"format": "1"}, "format is '1', not an integer", id="format that is no number"),
        pytest.param({"rules": None}, "", id="no rules"),
        pytest.param({"rules": {"num_players": 9}}, "num_players must be an integer from 2 to 8", id="nine players"),
        pytest.param({"rules": {"num_jokers": 2}}, "unexpected keyword argument 'num_jokers'", id="unknown rule"),
        pytest.param({"observation": {"kind": "smells", "size": 336}}, "kind 'smells' is unknown", id="unknown kind"),
        pytest.param({"observation": {"kind": "cards", "size": 12}}, "observation of 12 values", id="another size"),
        pytest.param({"observation": 336}, "", id="observation without a kind"),
        pytest.param({"steps": "many"}, "steps is 'many', not an integer", id="steps that are no number"),
    ],
)
def test_a_card_that_cannot_be_is_refused(change, words, tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    fields = json.loads(card_path(path).read_text()) | change
    card_path(path).write_text(json.dumps(fields))
    with pytest.raises(ValueError, match=r"policy\.json is no card of a policy: .*" + words) as caught:
        LearnedAgent.load(path, RULES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", ["format", "rules", "observation", "network", "steps", "seed", "opponent"])
def test_a_card_without_one_of_its_fields_is_refused(field, tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    fields = json.loads(card_path(path).read_text())
    del fields[field]
    card_path(path).write_text(json.dumps(fields))
    with pytest.raises(ValueError, match=f"is no card of a policy: '{field}' is missing"):
        LearnedAgent.load(path, RULES)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"7", b"\xff\xfe\x00", b"null"],
    ids=["empty", "cut", "list", "number", "bytes", "null"],
)
def test_a_damaged_card_is_refused(content, tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    card_path(path).write_bytes(content)
    with pytest.raises(ValueError, match="is no card of a policy: ") as caught:
        LearnedAgent.load(path, RULES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: content[:0], id="empty"),
        pytest.param(lambda content: content[: len(content) // 2], id="cut"),
        pytest.param(lambda content: b"\x80" + content, id="shifted"),
        pytest.param(lambda content: content.hex().encode(), id="text"),
    ],
)
def test_a_damaged_network_is_refused(damage, tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match="cannot be played: it is no ONNX file that onnxruntime reads") as caught:
        LearnedAgent.load(path, RULES)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        pytest.param({"size": 12}, "its inputs are .*12", id="another observation"),
        pytest.param({"inputs": ("cards", "action_mask")}, "its inputs are .*'cards'", id="another name"),
        pytest.param({"inputs": ("observation",)}, "its inputs are ", id="no mask"),
        pytest.param({"mask_type": 1}, r"its inputs are .*tensor\(float\)', 106", id="another type of mask"),
        pytest.param({"rows": 1}, "its inputs are .*None", id="one row only"),
        pytest.param({"output": "actions"}, "its outputs are ", id="another output"),
        pytest.param({"log_probabilities": np.zeros(52)}, "its outputs are ", id="too few actions"),
        pytest.param({"reshapes": True}, "it fails when it is run", id="a fault inside"),
    ],
)
def test_a_network_of_other_shapes_is_refused(shapes, words, tmp_path):
    path = write_policy(tmp_path / "policy.onnx", **shapes)
    with pytest.raises(ValueError, match="cannot be played: " + words) as caught:
        LearnedAgent.load(path, RULES)
    assert "\n" not in str(caught.value)


def test_it_is_played_without_torch(tmp_path):
    path = write_policy(tmp_path / "policy.onnx")
    lines = (
        "import sys, numpy as np",
        "from agents.learned import LearnedAgent",
        "from three_thirteen_env.rules import Rules",
        "from three_thirteen_env.state import STATE",
        f"agent = LearnedAgent.load({str(path)!r}, Rules())",
        "views = np.zeros(2, STATE)",
        "views['pile_size'] = views['round_number'] = 1",
        "actions = agent.act(views, np.ones((2, 106), np.int8), np.random.default_rng(0))",
        "print(len(actions), not {'torch', 'stable_baselines3', 'sb3_contrib', 'onnx'} & set(sys.modules))",
    )
    command = [sys.executable, "-W", "error", "-c", "\n".join(lines)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert result.stdout.split() == ["2", "True"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "policy.json"
    write_whole(path, b"old")
    monkeypatch.setattr("os.fsync", lambda _: 1 / 0)  # as if the machine stopped here
    with pytest.raises(ZeroDivisionError):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    monkeypatch.undo()
    write_whole(path, b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["policy.json"]
    assert path.read_bytes() == b"new"
