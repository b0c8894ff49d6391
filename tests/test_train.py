"""Training: it learns, it can be repeated, it keeps what it has, and says in one line what is wrong."""

import csv
import json
import signal
import sys

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO

import train
from agents.learned import LearnedAgent
from agents.match import Player, play_games
from agents.network import CardPolicy
from agents.policy_export import export_policy
from agents.policy_file import read_card
from agents.registry import AGENTS, make_agent
from agents.round_episodes import RoundEpisodes
from agents.statistics import seat_totals
from agents.training_watch import Budget, Watch
from tests.playing import COMPILED
from tests.policies import CARD, views_of_random_games
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import RandomAgent, pick_each
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.observation import encode_each, observation_size
from three_thirteen_env.rules import Rules

SMALL = ["--num-envs", "4", "--rollout-steps", "32", "--width", "16", "--evaluation-games", "4"]
SHORT = ["--last-round", "2", "--turn-limit", "5"]
QUICK = [*SMALL, *SHORT, "--steps", "300"]

pytestmark = pytest.mark.skipif(not COMPILED, reason="training takes the compiled game")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty current directory but for one module of agents."""
    (tmp_path / "agents_of_mine.py").write_text(
        "import signal\n"
        "from three_thirteen_env.agent import RandomAgent\n"
        "class Interrupting(RandomAgent):\n"
        "    turns, interrupts, kind = 0, (200,), signal.SIGINT\n"
        "    def __init__(self, rules): ...\n"
        "    def act(self, views, masks, rng):\n"
        "        self.turns += 1\n"
        "        for _ in range(self.interrupts.count(self.turns)):\n"
        "            signal.raise_signal(self.kind)\n"
        "        return super().act(views, masks, rng)\n"
        "class Impatient(Interrupting):\n"
        "    interrupts = (200, 200)\n"
        "class Terminating(Interrupting):\n"
        "    kind = signal.SIGTERM\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    torch.set_num_threads(1)
    yield tmp_path
    sys.modules.pop("agents_of_mine", None)


def job_of(*arguments, name="run"):
    """What `train` would do with these arguments."""
    args = train.tyro.cli(train.Args, args=["--name", name, *arguments], config=(train.tyro.conf.OmitArgPrefixes,))
    return train.checked(args, "python train.py")


def learned(*arguments, name="run"):
    """The model after a training with these arguments, nothing saved."""
    job = job_of(*arguments, name=name)
    return train.learn(job, Watch(Budget(job.args.steps, 1e9)))


def policy_of(rules, observation, scale=1.0):
    """A policy with random weights, large enough that its choices differ much."""
    env = ThreeThirteenEnv(rules, observation=observation)
    torch.manual_seed(4)
    policy = CardPolicy(env.observation_space, env.action_space, lambda _: 1e-3, rules=rules, observation=observation)
    with torch.no_grad():
        for weights in policy.parameters():
            weights.copy_(torch.randn_like(weights) * scale / weights.shape[-1] ** 0.5)
    return policy


def test_a_run_leaves_a_policy_that_plays_and_all_that_is_known_of_it(here, capsys):
    arguments = [*QUICK, "--name", "first", "--seed", "7"]
    assert train.main(arguments) == 0
    folder = here / "runs" / "first"
    files = {path.name.split(".tfevents")[0] for path in folder.iterdir()}
    assert files == {"config.json", "policy.onnx", "policy.json", "model.zip", "progress.csv", "events.out"}

    config = json.loads((folder / "config.json").read_text())
    rules = Rules(last_round=2, turn_limit=5)
    assert config["command"] == "python train.py " + " ".join(arguments)
    assert config["options"]["seed"] == 7
    assert config["options"]["rules"] == rules._asdict()
    assert {"python", "torch", "stable-baselines3", "sb3-contrib", "numpy"} <= set(config["versions"])

    card = read_card(folder / "policy.onnx")
    assert (card.rules, card.observation, card.steps, card.seed, card.opponent) == (rules, "melds", 384, 7, "greedy")
    assert [result["against"] for result in card.evaluation] == list(AGENTS)
    assert all(result["num_games"] == 4 for result in card.evaluation)

    with (folder / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["time/total_timesteps"] for row in rows] == ["128", "256", "384"]
    assert {"rounds/points", "rounds/went_out", "budget/left", "rollout/ep_rew_mean"} <= set(rows[0])

    printed = capsys.readouterr().out
    assert "python evaluate.py --agents runs/first/policy.onnx random greedy selective" in printed
    assert "fewer points a game" in printed
    players = [
        Player(name, make_agent(name, rules), np.random.default_rng(0)) for name in ("runs/first/policy.onnx", "random")
    ]
    games = play_games(players, np.array([[0, 1], [1, 0]]), np.array([1, 1]), rules)
    assert (seat_totals(games, rules) > 0).any()
    assert MaskablePPO.load(folder / "model.zip").num_timesteps == 384


def test_a_run_of_so_many_steps_can_be_repeated(here):
    models = [learned(*QUICK, "--seed", seed, name=name) for name, seed in (("a", "1"), ("b", "1"), ("c", "2"))]
    weights = [torch.cat([part.flatten() for part in model.policy.parameters()]) for model in models]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_a_training_of_seconds_learns_to_go_out(here):
    options = ["--last-round", "1", "--num-envs", "8", "--rollout-steps", "32", "--width", "32", "--batch-size", "64"]
    model = learned(*options, "--opponent", "random", "--learning-rate", "3e-3", "--steps", "6000")
    rules = Rules(last_round=1)
    export_policy(model.policy, here / "policy.onnx", CARD._replace(rules=rules, observation="melds"))
    agents = LearnedAgent.load(here / "policy.onnx", rules), RandomAgent()
    players = [Player(name, agent, np.random.default_rng(0)) for name, agent in zip("lr", agents, strict=True)]
    seeds = EVALUATION_SEEDS + np.repeat(np.arange(100), 2)
    games = play_games(players, np.tile([[0, 1], [1, 0]], (100, 1)), seeds, rules)
    learner = games["agents"][:, :2] == 0
    assert (games["went_out"][:, 0] == learner.argmax(axis=1)).mean() > 0.75
    assert seat_totals(games, rules)[learner].mean() < 4 < 12 < seat_totals(games, rules)[~learner].mean()


@pytest.mark.slow
def test_a_training_of_minutes_is_near_to_greedy(here, capsys):
    assert train.main(["--steps", "400000", "--name", "near", "--evaluation-games", "1000"]) == 0
    against = {result["against"]: result for result in read_card(here / "runs/near/policy.onnx").evaluation}
    assert against["random"]["win_share"]["mean"] == 1
    assert against["greedy"]["fewer_points_a_game"]["mean"] > -5


@pytest.mark.parametrize(
    ("rules", "observation"), [(Rules(), "melds"), (Rules(num_players=3), "cards")], ids=["melds", "three players"]
)
def test_the_policy_file_says_what_the_torch_policy_says(rules, observation, here):
    policy = policy_of(rules, observation, scale=2.0)
    card = CARD._replace(rules=rules, observation=observation)
    export_policy(policy, here / "policy.onnx", card)
    views, masks = views_of_random_games(500, rules)
    agent = LearnedAgent.load(here / "policy.onnx", rules)
    observations = np.empty((len(views), observation_size(rules, observation)), np.float32)
    encode_each(views, rules, observation == "melds", observations)
    with torch.no_grad():
        distribution = policy.get_distribution(torch.as_tensor(observations), action_masks=masks)
        expected = distribution.distribution.logits.numpy()
        best = distribution.get_actions(deterministic=True).numpy()
    legal = masks == 1
    assert expected[legal].std() > 0.5
    np.testing.assert_allclose(agent.log_probabilities(views, masks)[legal], expected[legal], atol=1e-5)
    actions = agent.act(views, masks, np.random.default_rng(0))
    assert (actions == best).mean() > 0.99  # but for ties that rounding decides
    assert legal[np.arange(len(views)), actions].all()
    one_by_one = [agent.act(views[i : i + 1], masks[i : i + 1], np.random.default_rng(0))[0] for i in range(100)]
    assert (actions[:100] == one_by_one).mean() > 0.98


@pytest.mark.parametrize("observation", ["cards", "melds"])
@pytest.mark.parametrize("num_players", [2, 3, 4, 8])
def test_the_network_is_for_any_table(num_players, observation):
    rules = Rules(num_players=num_players)
    policy = policy_of(rules, observation)
    observations = torch.rand(5, observation_size(rules, observation))
    masks = np.zeros((5, NUM_ACTIONS), np.int8)
    masks[:, [3, 60]] = 1
    actions, values, log_probabilities = policy(observations, action_masks=masks)
    assert set(actions.tolist()) <= {3, 60}
    assert values.shape == (5, 1)
    assert (log_probabilities <= 0).all()


def test_a_policy_can_be_built_again_from_its_arguments():
    policy = policy_of(Rules(), "melds")
    twin = CardPolicy(**policy._get_constructor_parameters())
    twin.load_state_dict(policy.state_dict())
    observations = torch.rand(3, observation_size(Rules(), "melds"))
    assert torch.equal(policy.predict_values(observations), twin.predict_values(observations))


def test_each_round_is_an_episode_of_one_game(here):
    env = RoundEpisodes(ThreeThirteenEnv(reward="margin", turn_limit=5))
    rng = np.random.default_rng(3)
    env.reset(seed=3)
    for last_round in (*range(1, 12), 1):
        before = env.table.game.get_state()
        assert before.round_number == last_round
        terminated, total = False, 0.0
        while not terminated:
            action = rng.choice(np.flatnonzero(env.get_wrapper_attr("action_masks")()))
            _, reward, terminated, truncated, info = env.step(action)
            total += reward
        state = env.table.game.get_state()
        seat = int(env.table.learner[-1])
        points = state.round_points[last_round - 1]
        assert not truncated
        assert info["points"] == points[seat]
        assert info["went_out"] == (state.went_out[last_round - 1] == seat)
        assert total == points[1 - seat] - points[seat]
        _, info = env.reset()
        assert info["action_mask"].any()
    assert state.seed != 3  # after the last round another game came
    env.reset(seed=3)
    assert env.table.game.get_state().seed == 3


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")  # so it is: it is a wrapper
def test_rounds_as_episodes_pass_the_checker_of_gymnasium():
    check_env(RoundEpisodes(ThreeThirteenEnv(last_round=2, turn_limit=4)), skip_render_check=True)


def test_training_meets_no_deal_that_is_for_evaluation(here):
    env = train.environment(job_of(*SHORT))
    rng = np.random.default_rng(0)
    seeds = set()
    env.seed(0)
    env.reset()
    for _ in range(500):
        env.step(pick_each(env.games.masks, rng))
        seeds |= set(env.games.states["seed"].tolist())
    assert len(seeds) > 10
    assert max(seeds) < EVALUATION_SEEDS


@pytest.mark.parametrize(("agent", "kind"), [("Interrupting", signal.SIGINT), ("Terminating", signal.SIGTERM)])
def test_ctrl_c_or_a_signal_ends_the_training_and_keeps_what_was_learned(agent, kind, here, capsys):
    before = signal.getsignal(kind)
    options = [*SMALL, *SHORT, "--minutes", "60", "--opponent", f"agents_of_mine:{agent}", "--name", "cut"]
    assert train.main(options) == train.INTERRUPTED
    assert signal.getsignal(kind) == before
    printed = capsys.readouterr()
    assert "Ctrl-C again stops at once" in printed.err
    assert "fewer points a game" in printed.out
    card = read_card(here / "runs" / "cut" / "policy.onnx")
    assert 0 < card.steps < 2000
    assert card.evaluation


def test_a_second_ctrl_c_stops_at_once(here, capsys):
    options = [*SMALL, *SHORT, "--opponent", "agents_of_mine:Impatient", "--name", "cut"]
    assert train.main(options) == train.INTERRUPTED
    assert "train.py: stopped at once; what was saved before is in runs/cut\n" in capsys.readouterr().err
    assert not (here / "runs" / "cut" / "policy.onnx").exists()


def test_minutes_end_a_training_but_not_before_one_rollout(here):
    job = job_of(*SMALL, *SHORT)
    assert train.learn(job, Watch(Budget(None, 1e-6))).num_timesteps == 4 * 32 + 4  # the step that finds it spent


def test_where_there_is_no_terminal_a_line_comes_now_and_then(here, capsys, monkeypatch):
    monkeypatch.setattr("agents.training_watch.SECONDS_BETWEEN_LINES", 1e-3)
    learned(*QUICK)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("128 steps  ")
    assert lines[0].endswith(" left")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--opponent", "nobody"], "there is no agent 'nobody'", id="unknown opponent"),
        pytest.param(["--opponent", "runs/x/policy.onnx"], "there is no policy file runs/x/policy.onnx", id="no file"),
        pytest.param(["--players", "9"], "num_players must be an integer from 2 to 8, not 9", id="nine players"),
        pytest.param(["--first-round", "0"], "first_round must be an integer from 1 to 11, not 0", id="round 0"),
        pytest.param(["--steps", "0"], "--steps must be 1 or more, not 0", id="no steps"),
        pytest.param(["--minutes", "0"], "--minutes must be above 0, not 0.0", id="no time"),
        pytest.param(["--minutes", "nan"], "--minutes must be above 0, not nan", id="no number of minutes"),
        pytest.param(["--minutes", "1", "--steps", "1"], "give --steps or --minutes, not both", id="two budgets"),
        pytest.param(["--num-envs", "0"], "--num-envs must be 1 or more, not 0", id="no games"),
        pytest.param(["--seed", "-1"], "--seed must be 0 or more, not -1", id="negative seed"),
        pytest.param(["--learning-rate", "-1"], "--learning-rate must be above 0, not -1.0", id="learning rate"),
        pytest.param(["--gae-lambda", "2"], "--gae-lambda must be from 0 to 1, not 2.0", id="lambda"),
        pytest.param(["--name", "a/b"], "--name must be the name of a folder in runs, not 'a/b'", id="path"),
        pytest.param(["--name", ""], "--name must be the name of a folder in runs, not ''", id="empty name"),
    ],
)
def test_what_makes_no_sense_gets_one_line_and_no_folder(arguments, words, here, capsys):
    assert train.main(arguments) == train.FAILED
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"train.py: {words}")
    assert printed.err.count("\n") == 1
    assert not (here / "runs").exists()


def test_a_run_is_never_overwritten(here, capsys):
    (here / "runs" / "first").mkdir(parents=True)
    (here / "runs" / "first" / "policy.onnx").write_text("dear")
    assert train.main([*QUICK, "--name", "first"]) == train.FAILED
    assert capsys.readouterr().err == "train.py: runs/first holds a run already: choose another --name\n"
    assert (here / "runs" / "first" / "policy.onnx").read_text() == "dear"


def test_runs_that_cannot_be_made_get_one_line(here, capsys):
    (here / "runs").write_text("a file")
    assert train.main([*QUICK, "--name", "first"]) == train.FAILED
    assert capsys.readouterr().err == "train.py: runs/first cannot be made: Not a directory\n"


@pytest.mark.parametrize("arguments", [["--steps", "many"], ["--observation", "smells"], ["--reward", "win"]])
def test_arguments_of_the_wrong_kind_are_refused(arguments):
    with pytest.raises(SystemExit) as stopped:
        train.main(arguments)
    assert stopped.value.code == 2


def test_help_says_what_every_option_is_for(capsys):
    with pytest.raises(SystemExit):
        train.main(["--help"])
    text = capsys.readouterr().out
    assert all(words in text for words in ("--opponent", "how long it learns", "--players", "--entropy"))
