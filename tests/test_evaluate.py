"""The command line: what it prints, what it writes, and one clear line for whatever is wrong."""

import inspect
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import evaluate
from agents.house_rules import HouseRules
from agents.registry import AGENTS
from three_thirteen_env.rules import Rules

QUICK = ["--games", "4", "--last-round", "1", "--turn-limit", "5", "--processes", "1"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty current directory but for one module of agents."""
    (tmp_path / "agents_of_mine.py").write_text(
        "class First:\n"
        "    def __init__(self, rules): ...\n"
        "    def act(self, views, masks, rng):\n"
        "        return masks.argmax(axis=1)\n"
        "class Illegal(First):\n"
        "    def act(self, views, masks, rng):\n"
        "        return masks[:, 0] * 0 + 105\n"
        "class Crash(First):\n"
        "    def act(self, views, masks, rng):\n"
        "        return self.missing\n"
        "Silent = str\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    yield tmp_path
    sys.modules.pop("agents_of_mine", None)


def test_without_a_command_it_is_the_tournament_of_all_agents(capsys):
    assert evaluate.main(QUICK) == 0
    short = capsys.readouterr()
    assert evaluate.main(["tournament", *QUICK]) == 0
    assert capsys.readouterr() == short
    assert short.err == ""
    assert "12 games (deals × tables × rotations: 2 × 3 × 2)" in short.out
    assert f"again: python evaluate.py tournament {' '.join(QUICK)}\n" in short.out
    assert all(name in short.out for name in AGENTS)


def test_the_same_seed_gives_the_same_table_and_another_seed_another(capsys):
    tables = []
    for seed in ("5", "5", "6"):
        evaluate.main([*QUICK, "--seed", seed])
        tables.append(capsys.readouterr().out)
    assert tables[0] == tables[1]
    assert tables[0] != tables[2].replace("seed 6", "seed 5").replace("--seed 6", "--seed 5")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--agents", "greedy"], "4 games (deals × tables × rotations: 2 × 1 × 2)", id="one agent"),
        pytest.param(["--games", "3"], "12 games (deals × tables × rotations: 2 × 3 × 2)", id="whole rotations"),
        pytest.param(["--players", "3"], "rules: 3 players, last_round 1, turn_limit 5; seed 0", id="players"),
        pytest.param(["--aces-high"], "aces_high True; seed 0", id="a rule"),
        pytest.param(["--agents", "greedy", "greedy"], "greedy (2)", id="one agent twice"),
        pytest.param(["--agents", "greedy", "agents_of_mine:First"], "agents_of_mine:First", id="one's own agent"),
    ],
)
def test_what_was_played_is_printed(arguments, words, capsys):
    assert evaluate.main([*QUICK, *arguments]) == 0
    assert words in capsys.readouterr().out


def test_the_result_is_written_with_all_that_it_came_from(here, capsys):
    arguments = [*QUICK, "--players", "3", "--seed", "9", "--json", "result.json"]
    evaluate.main(arguments)
    result = json.loads((here / "result.json").read_text())
    assert result["command"] == "python evaluate.py tournament " + " ".join(arguments)
    assert result["tournament"]["names"] == list(AGENTS)
    assert result["tournament"]["seed"] == 9
    assert result["tournament"]["rules"] == Rules(num_players=3, last_round=1, turn_limit=5)._asdict()
    assert result["num_games"] == 6
    assert result["is_complete"] is True
    assert {"python", "three-thirteen", "numpy", "numba"} <= set(result["versions"])
    assert {agent["agent"] for agent in result["agents"]} == set(AGENTS)
    assert sum(agent["win_share"]["mean"] for agent in result["agents"]) == pytest.approx(1)
    assert len(result["leads"]) == 6
    printed = capsys.readouterr().out
    assert all(f"{agent['points_a_game']['mean']:.1f} ± " in printed for agent in result["agents"])


def test_one_deal_has_no_interval(here, capsys):
    evaluate.main([*QUICK, "--games", "1", "--json", "result.json"])
    assert "± ?" in capsys.readouterr().out
    assert json.loads((here / "result.json").read_text())["agents"][0]["win_share"]["margin"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--games", "0"], "--games must be 1 or more, not 0", id="no games"),
        pytest.param(["--games", "-3"], "--games must be 1 or more, not -3", id="negative games"),
        pytest.param(["--processes", "0"], "--processes must be 1 or more, not 0", id="no processes"),
        pytest.param(["--seed", "-1"], "--seed must be 0 or more, not -1", id="negative seed"),
        pytest.param(["--players", "9"], "num_players must be an integer from 2 to 8, not 9", id="nine players"),
        pytest.param(["--players", "1"], "num_players must be an integer from 2 to 8, not 1", id="one player"),
        pytest.param(
            ["--num-packs", "1", "--players", "5", "--last-round", "11"], "num_packs 1 is too few", id="too few cards"
        ),
        pytest.param(["--first-round", "3", "--last-round", "2"], "first_round must not come after", id="no rounds"),
        pytest.param(["--agents"], "--agents must name one agent or more", id="no agents"),
        pytest.param(["--agents", "grady"], "there is no agent 'grady'", id="unknown agent"),
        pytest.param(["--agents", "nowhere:Agent"], "there is no module 'nowhere'", id="unknown module"),
        pytest.param(["--agents", "agents_of_mine:Last"], "has no 'Last'", id="unknown class"),
        pytest.param(["--agents", "agents_of_mine:Silent"], "a Silent has no method act", id="no agent"),
        pytest.param(["--agents", "no.onnx", "greedy"], "there is no policy file no.onnx", id="missing policy file"),
        pytest.param(["--json", "nowhere/result.json"], "there is no directory nowhere", id="missing directory"),
        pytest.param(["--agents", "agents_of_mine:Illegal"], "the illegal action 105 (out Ks)", id="illegal action"),
        pytest.param(["--agents", "agents_of_mine:Crash"], "failed: AttributeError: ", id="crashing agent"),
    ],
)
def test_whatever_is_wrong_is_one_line_and_a_status(arguments, words, capsys):
    assert evaluate.main([*QUICK, *arguments]) == evaluate.FAILED
    output = capsys.readouterr()
    assert output.out == ""
    assert words in output.err
    assert output.err.startswith("evaluate.py: ")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--games", "many"], ["--no-such-option"], ["no-such-command"]])
def test_what_the_command_line_does_not_know_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        evaluate.main(arguments)
    assert exit_.value.code == 2
    assert arguments[0].lstrip("-") in capsys.readouterr().err


def test_an_interrupt_keeps_what_was_played(monkeypatch, capsys):
    real_play = evaluate.play

    def interrupted(tournament, agents):
        yield next(real_play(tournament, agents))
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "play", interrupted)
    assert evaluate.main([*QUICK, "--games", "100"]) == evaluate.INTERRUPTED
    output = capsys.readouterr().out
    assert output.startswith("stopped after 126 of 300 games; 126 games (deals × tables × rotations: 21 × 3 × 2)\n")


def test_an_interrupt_before_the_first_games_are_over_says_so(monkeypatch, capsys):
    def interrupted(tournament, agents):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(evaluate, "play", interrupted)
    assert evaluate.main(QUICK) == evaluate.INTERRUPTED
    assert capsys.readouterr() == ("", "evaluate.py: stopped before any game was over\n")


def test_the_options_of_the_rules_are_the_fields_of_the_rules():
    defaults = {name: field.default for name, field in inspect.signature(Rules.__new__).parameters.items()}
    defaults.pop("cls")
    assert {field.name: field.default for field in fields(HouseRules)} == defaults
    assert HouseRules().checked() == Rules()


@pytest.mark.parametrize("arguments", [["--help"], ["tournament", "--help"]])
def test_help_says_what_every_option_is(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        evaluate.main(arguments)
    assert exit_.value.code == 0
    assert "tournament" in capsys.readouterr().out


def test_it_runs_as_a_script(here):
    root = Path(evaluate.__file__).parent
    result = subprocess.run(
        [sys.executable, str(root / "evaluate.py"), *QUICK, "--agents", "greedy", "agents_of_mine:First"],
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        cwd=here,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "4 games (deals × tables × rotations: 2 × 1 × 2)" in result.stdout
