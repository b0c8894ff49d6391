"""Training: it learns, it can be repeated, it keeps what it has, and says in one line what is wrong."""

import csv
import dataclasses
import json
import signal
import sys
from unittest import mock

import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

import train
from agents.imitation import Examples, imitate, returns_of
from agents.ladder import CHOOSING, JUDGING
from agents.learned import LearnedAgent
from agents.match import Player, play_games
from agents.network import CardPolicy, policy_of, sample
from agents.options import InputError
from agents.policy_export import export_policy
from agents.policy_file import read_card
from agents.registry import make_agent
from agents.round_episodes import RoundEpisodes
from agents.run_folder import RunFolder
from agents.statistics import seat_totals
from agents.tournament import deal_of
from agents.training_watch import Budget, Watch
from tests.playing import COMPILED
from tests.policies import CARD, untrained_policy, views_of_random_games, write_policy
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import RandomAgent, pick_each
from three_thirteen_env.chance import EVALUATION_SEEDS
from three_thirteen_env.gym_env import ThreeThirteenEnv
from three_thirteen_env.observation import KIND_NUMBERS, encode_each, observation_size
from three_thirteen_env.rules import Rules

SMALL = ["--num-envs", "4", "--rollout-steps", "32", "--width", "16", "--evaluation-games", "4", "--threads", "1"]
SHORT = ["--last-round", "2", "--turn-limit", "5"]
QUICK = [*SMALL, *SHORT, "--steps", "300"]
OPPONENTS = "greedy, selective, itself"

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


@pytest.fixture
def quick_export(monkeypatch):
    """The exporter of torch takes seconds: instead of it, a policy file that says the same of every view."""
    monkeypatch.setattr("agents.policy_export.export_policy", lambda _, path, card: write_policy(path, card=card))


def job_of(*arguments, name="run"):
    """What `train` would do with these arguments."""
    return train.checked(train.parsed(["--name", name, *arguments]), "python train.py")


def learned(*arguments, name="run"):
    """The model after a training with these arguments, nothing saved."""
    job = job_of(*arguments, name=name)
    watch = Watch(Budget(job.args.steps, 1e9), 1e9)
    model = train.new_model(job, watch.budget)
    with mock.patch.object(RunFolder, "export"):
        train.learn(job, model, None, watch)
    return model


def policy_of_random_weights(rules, observation, scale=1.0):
    """A policy with random weights, large enough that its choices differ much."""
    policy = untrained_policy(rules, observation, seed=4)
    with torch.no_grad():
        for weights in policy.parameters():
            num_inputs = weights[0].numel() if weights.ndim > 1 else len(weights)
            weights.copy_(torch.randn_like(weights) * scale / num_inputs**0.5)
    return policy


def test_a_run_leaves_a_policy_that_plays_and_all_that_is_known_of_it(here, capsys):
    arguments = [*QUICK, "--name", "first", "--seed", "7"]
    assert train.main(arguments) == 0
    folder = here / "runs" / "first"
    files = {path.name.split(".tfevents")[0] for path in folder.iterdir()}
    checkpoints = {"checkpoint-000000000000.pt", "checkpoint-000000000384.pt"}
    tables = {"progress.csv", "evaluations.csv"}
    assert files == checkpoints | tables | {"config.json", "policy.onnx", "policy.json", "policy.pt", "events.out"}

    config = json.loads((folder / "config.json").read_text())
    rules = Rules(last_round=2, turn_limit=5)
    assert config["command"] == "python train.py " + " ".join(arguments)
    assert config["options"]["seed"] == 7
    assert config["options"]["rules"] == rules._asdict()
    assert {"python", "torch", "stable-baselines3", "sb3-contrib", "numpy"} <= set(config["versions"])

    card = read_card(folder / "policy.onnx")
    assert (card.rules, card.observation, card.steps, card.seed, card.opponent) == (rules, "melds", 384, 7, OPPONENTS)
    assert [result["against"] for result in card.evaluation] == ["random", "greedy", "selective"]
    assert all(result["num_games"] == 4 for result in card.evaluation)

    with (folder / "progress.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["steps"] for row in rows] == ["128", "256", "384"]
    assert {"episodes/points", "opponents/greedy_margin", "budget/left", "train/approx_kl"} <= set(rows[0])
    with (folder / "evaluations.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["steps"], row["against"]) for row in rows] == [("384", "selective")]

    printed = capsys.readouterr().out
    assert "python evaluate.py --agents runs/first/policy.onnx random greedy selective" in printed
    assert "fewer points a game" in printed
    players = [
        Player(name, make_agent(name, rules), np.random.default_rng(0)) for name in ("runs/first/policy.onnx", "random")
    ]
    games = play_games(players, np.array([[0, 1], [1, 0]]), np.array([1, 1]), rules)
    assert (seat_totals(games, rules) > 0).any()


def test_a_run_of_so_many_steps_can_be_repeated(here):
    models = [learned(*QUICK, "--seed", seed, name=name) for name, seed in (("a", "1"), ("b", "1"), ("c", "2"))]
    weights = [torch.cat([part.flatten() for part in model.policy.parameters()]) for model in models]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_a_training_of_seconds_learns_to_go_out(here):
    options = ["--last-round", "1", "--num-envs", "8", "--rollout-steps", "32", "--width", "32", "--batch-size", "64"]
    options += ["--evaluation-games", "0", "--threads", "1"]
    model = learned(*options, "--opponents", "random", "--learning-rate", "3e-3", "--steps", "6000")
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
    policy = policy_of_random_weights(rules, observation, scale=2.0)
    card = CARD._replace(rules=rules, observation=observation)
    export_policy(policy, here / "policy.onnx", card)
    views, masks = views_of_random_games(500, rules)
    agent = LearnedAgent.load(here / "policy.onnx", rules)
    observations = np.empty((len(views), observation_size(rules, observation)), np.float32)
    encode_each(views, rules, KIND_NUMBERS[observation], observations)
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


@pytest.mark.parametrize("observation", ["cards", "melds", "outlook"])
def test_a_policy_gives_what_its_parent_gives_with_the_distributions_of_torch(observation):
    policy = policy_of_random_weights(Rules(), observation, scale=2.0)
    views, masks = views_of_random_games(300, Rules())
    observations = torch.empty(len(views), observation_size(Rules(), observation))
    encode_each(views, Rules(), KIND_NUMBERS[observation], observations.numpy())
    with torch.no_grad():
        actions, values, log_probabilities = policy(observations, action_masks=masks)
        judged = policy.evaluate_actions(observations, actions, action_masks=torch.as_tensor(masks).float())
        expected = MaskableActorCriticPolicy.evaluate_actions(policy, observations, actions, action_masks=masks)
    assert masks[np.arange(len(views)), actions].all()
    assert torch.equal(values, judged[0])
    torch.testing.assert_close(log_probabilities, judged[1])
    for own, of_parent in zip(judged, expected, strict=True):
        torch.testing.assert_close(own, of_parent, atol=1e-5, rtol=1e-5)
    assert judged[2].std() > 0.1
    best, _, _ = policy(observations, deterministic=True, action_masks=masks)
    assert torch.equal(best, policy._predict(observations, deterministic=True, action_masks=masks))


def test_actions_are_sampled_by_their_probabilities():
    torch.manual_seed(0)
    probabilities = torch.tensor([0.6, 0.3, 0.1, 0.0])
    actions = sample(torch.log(probabilities).clamp(min=-1e8).expand(40_000, 4))
    assert (torch.bincount(actions, minlength=4) / 40_000 - probabilities).abs().max() < 0.01
    impossible = torch.tensor([[0.0, -1e8]])
    assert sample(impossible, noise=torch.tensor([[1e9, 0.0]])).item() == 0  # whatever chance says


@pytest.mark.parametrize("observation", ["cards", "melds", "outlook"])
@pytest.mark.parametrize("num_players", [2, 3, 4, 8])
def test_the_network_is_for_any_table(num_players, observation):
    rules = Rules(num_players=num_players)
    policy = policy_of_random_weights(rules, observation)
    observations = torch.rand(5, observation_size(rules, observation))
    masks = np.zeros((5, NUM_ACTIONS), np.int8)
    masks[:, [3, 60]] = 1
    actions, values, log_probabilities = policy(observations, action_masks=masks)
    assert set(actions.tolist()) <= {3, 60}
    assert values.shape == (5, 1)
    assert (log_probabilities <= 0).all()


def test_a_policy_can_be_built_again_from_its_arguments():
    policy = policy_of_random_weights(Rules(), "melds")
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
    env = train.new_model(job_of(*SHORT), Budget(1, 1)).get_env()
    rng = np.random.default_rng(0)
    seeds = set()
    env.seed(0)
    env.reset()
    for _ in range(500):
        env.step(pick_each(env.games.masks, rng))
        seeds |= set(env.games.states["seed"].tolist())
    assert len(seeds) > 10
    assert max(seeds) < EVALUATION_SEEDS


def test_the_best_policy_is_chosen_on_other_deals_than_it_is_judged_on():
    choosing, judging = ({deal_of(deals, group, 2)[0] for group in range(500)} for deals in (CHOOSING, JUDGING))
    assert min(choosing | judging) >= EVALUATION_SEEDS
    assert not choosing & judging


@pytest.mark.parametrize(("agent", "kind"), [("Interrupting", signal.SIGINT), ("Terminating", signal.SIGTERM)])
def test_ctrl_c_or_a_signal_ends_the_training_and_keeps_what_was_learned(agent, kind, here, quick_export, capsys):
    before = signal.getsignal(kind)
    options = [*SMALL, *SHORT, "--minutes", "60", "--opponents", f"agents_of_mine:{agent}", "--name", "cut"]
    assert train.main(options) == train.INTERRUPTED
    assert signal.getsignal(kind) == before
    printed = capsys.readouterr()
    assert "Ctrl-C again stops at once" in printed.err
    assert "fewer points a game" in printed.out
    card = read_card(here / "runs" / "cut" / "policy.onnx")
    assert 0 < card.steps < 2000
    assert card.evaluation


def test_a_second_ctrl_c_stops_at_once(here, capsys):
    options = [*SMALL, *SHORT, "--opponents", "agents_of_mine:Impatient", "--name", "cut"]
    assert train.main(options) == train.INTERRUPTED
    assert "train.py: stopped at once; the run can be resumed from its last checkpoint\n" in capsys.readouterr().err
    assert not (here / "runs" / "cut" / "policy.onnx").exists()


def test_minutes_end_a_training_but_not_before_one_rollout(here, quick_export):
    job, watch = job_of(*SMALL, *SHORT), Watch(Budget(None, 1e-6), 1e9)
    model = train.new_model(job, watch.budget)
    train.learn(job, model, None, watch)
    assert model.num_timesteps == 4 * 32


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
        pytest.param(["--opponents", "nobody"], "there is no agent 'nobody'", id="unknown opponent"),
        pytest.param(["--opponents", "runs/x/policy.onnx"], "there is no policy file runs/x/policy.onnx", id="no file"),
        pytest.param(["--players", "9"], "num_players must be an integer from 2 to 8, not 9", id="nine players"),
        pytest.param(["--first-round", "0"], "first_round must be an integer from 1 to 11, not 0", id="round 0"),
        pytest.param(["--steps", "-1"], "--steps must be 0 or more, not -1", id="fewer than none"),
        pytest.param(["--minutes", "0"], "--minutes must be above 0, not 0.0", id="no time"),
        pytest.param(["--minutes", "nan"], "--minutes must be above 0, not nan", id="no number of minutes"),
        pytest.param(["--imitate", "nobody"], "there is no agent 'nobody'", id="unknown agent to imitate"),
        pytest.param(["--evaluate-against"], "--evaluate-against must name an agent", id="nobody to compare with"),
        pytest.param(["--resume", "runs/x"], "runs/x holds no run: runs/x/config.json cannot be read", id="no run"),
        pytest.param(["--init-from", "runs/x"], "runs/x has no policy to start from", id="nothing to start from"),
        pytest.param(["--self-share", "1.5"], "--self-share must be from 0 to 1, not 1.5", id="self share"),
        pytest.param(["--num-envs", "0"], "--num-envs must be 1 or more, not 0", id="no games"),
        pytest.param(["--seed", "-1"], "--seed must be 0 or more, not -1", id="negative seed"),
        pytest.param(["--seed", "4294967296"], "--seed must be at most 4294967295, not 4294967296", id="large seed"),
        pytest.param(["--device", "gpu"], "--device 'gpu' cannot be used", id="device"),
        pytest.param(["--opponents", "clairvoyant"], "agent 'clairvoyant' sees every card", id="unfair opponent"),
        pytest.param(["--imitate", "clairvoyant"], "agent 'clairvoyant' sees every card", id="unfair teacher"),
        pytest.param(["--study", "1"], "--study takes --observation outlook, not 'melds'", id="study what is not seen"),
        pytest.param(
            ["--study", "1", "--observation", "outlook", "--reward", "win"],
            "--study teaches the critic the margin of a round",
            id="study a win",
        ),
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
    assert (
        capsys.readouterr().err == "train.py: runs/first holds a run already: choose another --name, or --resume it\n"
    )
    assert (here / "runs" / "first" / "policy.onnx").read_text() == "dear"


def test_runs_that_cannot_be_made_get_one_line(here, capsys):
    (here / "runs").write_text("a file")
    assert train.main([*QUICK, "--name", "first"]) == train.FAILED
    assert capsys.readouterr().err == "train.py: runs/first cannot be made: Not a directory\n"


@pytest.mark.parametrize("arguments", [["--steps", "many"], ["--observation", "smells"], ["--reward", "joy"]])
def test_arguments_of_the_wrong_kind_are_refused(arguments):
    with pytest.raises(SystemExit) as stopped:
        train.main(arguments)
    assert stopped.value.code == 2


def test_help_says_what_every_option_is_for(capsys):
    with pytest.raises(SystemExit):
        train.main(["--help"])
    text = capsys.readouterr().out
    assert all(words in text for words in ("--opponents", "how long it learns", "--players", "--entropy"))


# Where it starts from.


def test_an_option_that_is_given_wins_over_the_preset():
    assert {field.name for field in dataclasses.fields(train.Args)} >= {
        name for p in train.PRESETS.values() for name in p
    }
    best = train.parsed(["--preset", "best"])
    assert {name: getattr(best, name) for name in train.PRESETS["best"]} == train.PRESETS["best"]
    assert train.parsed(["--preset", "best", "--steps", "7"]).steps == 7


def test_a_run_that_resumes_keeps_its_options(here):
    learned(*QUICK, "--players", "3")
    RunFolder(here / "runs" / "run").write_config("x", dataclasses.asdict(job_of(*QUICK, name="run2").args))
    args = train.parsed(["--resume", "runs/run", "--steps", "500"])
    assert (args.width, args.steps) == (16, 500)
    with pytest.raises(InputError, match="--width of a run that resumes stays 16, not 8"):
        train.parsed(["--resume", "runs/run", "--width", "8"])


@pytest.mark.parametrize(("options", "same"), [([], True), (["--episode", "game", "--reward", "win"], False)])
def test_a_run_starts_from_the_best_policy_of_another(options, same, here, quick_export):
    old = policy_of(learned(*QUICK, name="old")).state_dict()
    job = job_of(*QUICK, *options, "--init-from", "runs/old", name="new")
    new = policy_of(train.new_model(job, Budget(1, 1)))
    RunFolder(here / "runs" / "old").load_weights(new, job.args.foreseen)
    for name, value in new.state_dict().items():
        if not name.startswith(("value_net", "mlp_extractor.critic")):
            assert torch.equal(value, old[name])
    assert torch.equal(new.state_dict()["value_net.weight"], old["value_net.weight"]) == same
    other = job_of(*QUICK, "--width", "8", name="other")
    with pytest.raises(
        InputError, match=r"policy\.pt is of another network: it can be started from with the --observation"
    ):
        RunFolder(here / "runs" / "old").load_weights(policy_of(train.new_model(other, Budget(1, 1))), "")


def test_a_policy_learns_to_do_what_an_agent_does(here):
    rules = Rules(last_round=2)
    policy = untrained_policy(rules, "melds")
    told = []
    examples = Examples(make_agent("greedy", rules), rules, "melds", "margin", 0.05, "round")
    imitate(policy, examples, 60_000, 0, 5e-3, lambda num_steps, measured: told.append((num_steps, measured)))
    assert [num_steps for num_steps, _ in told] == [16_384 * (index + 1) for index in range(4)]
    assert told[-1][1]["accuracy"] > 0.9 > told[0][1]["accuracy"]
    assert told[-1][1]["value loss"] < told[0][1]["value loss"]


def test_the_returns_of_a_seat_are_what_the_rest_of_its_episode_brings_it():
    rewards = np.array([[[0, 0]], [[5, -5]], [[0, 0]], [[-2, 2]], [[0, 0]]], np.float32)  # of one game, step by step
    is_over = np.array([[False], [True], [False], [False], [False]])
    seats = np.array([[0], [1], [0], [1], [0]])
    returns = returns_of(rewards, is_over, seats)
    assert returns[:2, 0].tolist() == [5, -5]
    assert np.isnan(returns[2:, 0]).all()  # nobody knows yet how that round ends
    is_over[3] = True
    assert returns_of(rewards, is_over, seats)[:4, 0].tolist() == [5, -5, -2, 2]


def test_a_card_says_what_a_policy_learned_from():
    warm = ["--init-from", "runs/first", "--imitate", "careful", "--study", "5", "--observation", "outlook"]
    with mock.patch.object(RunFolder, "read_weights"):
        played, studied = job_of(*warm, name="one"), job_of(*warm, "--steps", "0", name="two")
    start = "runs/first, imitating careful, 5 studied positions"
    assert played.card.opponent == f"{start}, greedy, selective, itself"
    assert studied.card.opponent == start
