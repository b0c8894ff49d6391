"""The command line: what it prints, what it writes, and one clear line for whatever is wrong."""

import inspect
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest

import evaluate
from agents.house_rules import HouseRules
from agents.registry import QUICK as QUICK_AGENTS
from agents.tournament import play_chunk
from three_thirteen_env.rules import Rules

AGENTS = ["random", "greedy", "selective"]
SHORT = ["--games", "4", "--last-round", "1", "--turn-limit", "5", "--processes", "1"]
QUICK = ["--agents", *AGENTS, *SHORT]


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


def test_without_a_command_it_is_the_tournament(capsys):
    assert evaluate.main(QUICK) == 0
    short = capsys.readouterr()
    assert evaluate.main(["tournament", *QUICK]) == 0
    assert capsys.readouterr() == short
    assert short.err == ""
    assert "12 games (deals × tables × rotations: 2 × 3 × 2)" in short.out
    assert f"again: python evaluate.py tournament {' '.join(QUICK)}\n" in short.out
    assert all(name in short.out for name in AGENTS)


def test_who_names_no_agents_sees_those_that_are_quick():
    assert evaluate.TournamentCommand().agents == QUICK_AGENTS


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
        pytest.param(["--field", "greedy"], "8 games (deals × tables × rotations: 2 × 2 × 2)", id="a field"),
    ],
)
def test_what_was_played_is_printed(arguments, words, capsys):
    assert evaluate.main([*QUICK, *arguments]) == 0
    assert words in capsys.readouterr().out


def test_those_of_the_field_meet_only_the_others(here):
    evaluate.main([*QUICK, "--field", "greedy", "selective", "--json", "result.json"])
    result = json.loads((here / "result.json").read_text())
    assert result["tournament"]["names"] == ["random", "greedy", "selective"]
    assert {frozenset((lead["agent"], lead["over"])) for lead in result["leads"]} == {
        frozenset(("random", "greedy")),
        frozenset(("random", "selective")),
    }


def test_a_match_is_one_table_of_those_that_are_named(here, capsys):
    arguments = ["match", "agents_of_mine:First", "greedy", "greedy", *SHORT, "--json", "result.json"]
    assert evaluate.main(arguments) == 0
    assert "6 games (deals × tables × rotations: 2 × 1 × 3)\nrules: 3 players" in capsys.readouterr().out
    result = json.loads((here / "result.json").read_text())
    assert result["tournament"]["names"] == ["agents_of_mine:First", "greedy", "greedy"]
    assert result["command"] == "python evaluate.py " + " ".join(arguments)


def test_the_result_is_written_with_all_that_it_came_from(here, capsys):
    arguments = [*QUICK, "--players", "3", "--seed", "9", "--json", "result.json"]
    evaluate.main(arguments)
    result = json.loads((here / "result.json").read_text())
    assert result["command"] == "python evaluate.py tournament " + " ".join(arguments)
    assert result["tournament"]["names"] == AGENTS
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
        pytest.param(["--agents", "agents_of_mine:Silent"], "a str has no method act", id="no agent"),
        pytest.param(["--agents", "no.onnx", "greedy"], "there is no policy file no.onnx", id="missing policy file"),
        pytest.param(
            ["--json", "nowhere/result.json"], "--json: there is no directory nowhere", id="no place for JSON"
        ),
        pytest.param(
            ["--page", "nowhere/page.html"], "--page: there is no directory nowhere", id="no place for a page"
        ),
        pytest.param(["--json", "."], ". cannot be written: Is a directory", id="a directory for JSON"),
        pytest.param(["--results", "agents_of_mine.py"], "cannot be used for results: File exists", id="no folder"),
        pytest.param(["--results", "."], ". is neither empty nor a folder of results", id="another folder"),
        pytest.param(
            ["--field", *AGENTS], "--agents must name one agent or more that is not of the --field", id="field"
        ),
        pytest.param(["--minutes", "0"], "--minutes must be more than 0, not 0", id="no minutes"),
        pytest.param(["--minutes", "nan"], "--minutes must be more than 0, not nan", id="unknown minutes"),
        pytest.param(["--ray", "here"], "--ray must be local, auto or HOST:PORT, not here", id="no address"),
        pytest.param(
            ["--agents", "greedy", "--until-significant"], "--until-significant takes two agents", id="nobody to beat"
        ),
        pytest.param(["--agents", "agents_of_mine:Illegal"], "the illegal action 105 (out Ks)", id="illegal action"),
        pytest.param(["--agents", "agents_of_mine:Crash"], "failed: AttributeError: ", id="crashing agent"),
    ],
)
def test_whatever_is_wrong_is_one_line_and_a_status(arguments, words, capsys):
    assert evaluate.main([*QUICK, *arguments]) == evaluate.FAILED
    check_that_it_is_one_line(capsys.readouterr().err, words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["match", "greedy", *SHORT], "a match takes 2 to 8 agents, not 1", id="a match of one"),
        pytest.param(["match", *SHORT], "a match takes 2 to 8 agents, not 0", id="a match of none"),
        pytest.param(["match", *["greedy"] * 9], "a match takes 2 to 8 agents, not 9", id="a match of nine"),
        pytest.param(["report", "nowhere"], "nowhere is no folder of results: it has no tournament.json", id="report"),
    ],
)
def test_so_it_is_with_the_other_commands(arguments, words, capsys):
    assert evaluate.main(arguments) == evaluate.FAILED
    check_that_it_is_one_line(capsys.readouterr().err, words)


def check_that_it_is_one_line(error, words):
    assert words in error
    assert error.startswith("evaluate.py: ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        pytest.param(["--games", "many"], "many", id="no number"),
        pytest.param(["--no-such-option"], "--no-such-option", id="unknown option"),
        pytest.param(["no-such-command"], "no-such-command", id="unknown command"),
        pytest.param(["match", "greedy", "random", "--players", "3"], "--players", id="players of a match"),
        pytest.param(["report"], "DIR", id="no folder"),
    ],
)
def test_what_the_command_line_does_not_know_is_refused(arguments, word, capsys):
    with pytest.raises(SystemExit) as exit_:
        evaluate.main(arguments)
    assert exit_.value.code == 2
    assert word in capsys.readouterr().err


def interrupted_at(chunk, monkeypatch):
    """Let Ctrl-C be pressed while a chunk is played."""

    def play(tournament, agents, number):
        if number == chunk:
            raise KeyboardInterrupt
        return play_chunk(tournament, agents, number)

    monkeypatch.setattr(evaluate, "play_chunk", play)


def test_an_interrupt_keeps_what_was_played(monkeypatch, capsys):
    interrupted_at(1, monkeypatch)
    assert evaluate.main([*QUICK, "--games", "100"]) == evaluate.INTERRUPTED
    output = capsys.readouterr().out
    assert output.startswith("stopped after 126 of 300 games (by Ctrl-C); 126 games")


def test_an_interrupt_before_the_first_games_are_over_says_so(monkeypatch, capsys):
    interrupted_at(0, monkeypatch)
    assert evaluate.main(QUICK) == evaluate.INTERRUPTED
    assert capsys.readouterr() == ("", "evaluate.py: stopped before any game was over (by Ctrl-C)\n")


def test_when_the_minutes_are_over_it_reports_and_has_not_failed(here, capsys):
    (here / "agents_of_mine.py").write_text(
        "import time\n"
        "class Slow:\n"
        "    games_at_once = 2\n"
        "    def __init__(self, rules): ...\n"
        "    def act(self, views, masks, rng):\n"
        "        time.sleep(0.01)\n"
        "        return masks.argmax(axis=1)\n"
    )
    arguments = [*SHORT, "--agents", "agents_of_mine:Slow", "greedy"]
    evaluate.main(arguments)  # for what has to be compiled first
    assert evaluate.main([*arguments, "--games", "1000000", "--minutes", "0.05"]) == 0
    assert " of 1,000,000 games (0.05 minutes were over); " in capsys.readouterr().out


def test_it_plays_until_it_is_settled_or_all_games_are_played(here, capsys):
    settled = ["match", "greedy", "random", *SHORT, "--games", "1000", "--until-significant", "--json", "result.json"]
    assert evaluate.main(settled) == 0
    words = "settled who is better: look 1 of 4 with 98.8% intervals"
    assert f"stopped after 128 of 1,000 games ({words}); " in capsys.readouterr().out
    assert json.loads((here / "result.json").read_text())["ending"] == words
    assert evaluate.main(["match", "greedy", "greedy", *SHORT, "--until-significant"]) == 0
    assert capsys.readouterr().out.endswith("\nnot settled who is better: look 1 of 1 with 95.0% intervals\n")


def test_results_are_gone_on_with_and_reported_again(here, monkeypatch, capsys):
    arguments = [*QUICK, "--games", "100", "--results", "results"]
    assert evaluate.main(arguments) == 0
    whole = capsys.readouterr()
    evaluate.main(["report", "results", "--json", "again.json"])
    assert capsys.readouterr() == whole
    assert json.loads((here / "again.json").read_text())["num_games"] == 300

    (here / "results" / "games-00001.parquet").unlink()
    interrupted_at(1, monkeypatch)
    assert evaluate.main(arguments) == evaluate.INTERRUPTED
    stopped = capsys.readouterr()
    assert "stopped after 126 of 300 games" in stopped.out
    evaluate.main(["report", "results"])
    assert capsys.readouterr() == stopped

    interrupted_at(0, monkeypatch)
    assert evaluate.main(arguments) == 0
    assert capsys.readouterr() == whole


def test_results_without_a_game_are_not_reported(monkeypatch, capsys):
    interrupted_at(0, monkeypatch)
    evaluate.main([*QUICK, "--results", "results"])
    capsys.readouterr()
    assert evaluate.main(["report", "results"]) == evaluate.FAILED
    assert capsys.readouterr().err == "evaluate.py: results has no games yet\n"


def script(arguments, **options):
    path = Path(evaluate.__file__)
    environment = os.environ | {"PYTHONIOENCODING": "utf-8"}
    return subprocess.Popen([sys.executable, path, *arguments], env=environment, encoding="utf-8", **options)


def test_a_tournament_that_is_killed_and_gone_on_with_ends_like_one_that_ran_through(here, capsys):
    (here / "agents_of_mine.py").write_text(
        "import os, time\n"
        "class Mine:\n"
        "    games_at_once = 4\n"
        "    def __init__(self, rules): ...\n"
        "    def act(self, views, masks, rng):\n"
        "        time.sleep(0.03 * ('SLOW' in os.environ))\n"
        "        return (masks * rng.random(masks.shape)).argmax(axis=1)\n"
    )
    arguments = ["match", "agents_of_mine:Mine", "random", *SHORT, "--games", "60", "--results", "results"]
    parts = here / "killed" / "results"
    for folder in ("whole", "killed"):
        shutil.copytree(here, here / folder, ignore=shutil.ignore_patterns("whole"))

    os.environ["SLOW"] = "yes"
    with script(arguments, cwd=here / "killed") as process:
        while len(list(parts.glob("*.parquet"))) < 4:
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert len(list(parts.glob("*.parquet"))) < 15
    del os.environ["SLOW"]

    with script(arguments, cwd=here / "killed", stdout=subprocess.PIPE) as again:
        gone_on_with = again.communicate()[0]
    os.chdir(here / "whole")
    assert evaluate.main(arguments) == 0
    assert capsys.readouterr().out == gone_on_with
    assert "60 games" in gone_on_with
    assert {part.name: part.read_bytes() for part in parts.iterdir()} == {
        part.name: part.read_bytes() for part in (here / "whole" / "results").iterdir()
    }


@pytest.mark.parametrize(
    ("arguments", "address"),
    [
        pytest.param(["--ray"], "local", id="alone"),
        pytest.param(["--ray", "--seed", "1"], "local", id="before an option"),
        pytest.param(["--ray", "auto"], "auto", id="auto"),
        pytest.param(["--ray", "10.0.0.1:6379", "--seed", "1"], "10.0.0.1:6379", id="an address"),
    ],
)
def test_chunks_are_played_on_the_cluster_of_the_address(arguments, address, monkeypatch, capsys):
    def play(tournament, chunks, *where):
        assert (list(chunks), *where) == ([0], address, 1)
        yield 0, evaluate.play_chunk(tournament, [evaluate.make_agent(name, tournament.rules) for name in AGENTS], 0)

    monkeypatch.setattr(evaluate, "play_on_cluster", play)
    assert evaluate.main([*QUICK, *arguments]) == 0
    assert "12 games" in capsys.readouterr().out


def test_without_ray_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ray", None)
    assert evaluate.main([*QUICK, "--ray"]) == evaluate.FAILED
    check_that_it_is_one_line(capsys.readouterr().err, "pip install 'three-thirteen[ray]'")


def test_a_page_is_written(here):
    evaluate.main([*QUICK, "--page", "page.html"])
    assert "<html" in (here / "page.html").read_text(encoding="utf-8")


def test_the_options_of_the_rules_are_the_fields_of_the_rules():
    defaults = {name: field.default for name, field in inspect.signature(Rules.__new__).parameters.items()}
    defaults.pop("cls")
    assert {field.name: field.default for field in fields(HouseRules)} == defaults
    assert HouseRules().checked() == Rules()


@pytest.mark.parametrize("arguments", [["--help"], ["tournament", "--help"], ["match", "--help"], ["report", "--help"]])
def test_help_says_what_every_option_is(arguments, capsys):
    with pytest.raises(SystemExit) as exit_:
        evaluate.main(arguments)
    assert exit_.value.code == 0
    assert "tournament" in capsys.readouterr().out


def test_it_runs_as_a_script(here):
    arguments = [*QUICK, "--agents", "greedy", "agents_of_mine:First"]
    with script(arguments, cwd=here, stdout=subprocess.PIPE) as process:
        output = process.communicate()[0]
    assert process.returncode == 0
    assert "4 games (deals × tables × rotations: 2 × 1 × 2)" in output
