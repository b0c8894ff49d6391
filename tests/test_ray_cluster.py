"""Chunks on a Ray cluster: the same games as here, whatever dies there, and one line where there is no cluster."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import evaluate
from agents.ray_cluster import ClusterError, copy_files, play_on_cluster
from agents.registry import AgentError, make_agent
from agents.tournament import Tournament, play
from three_thirteen_env.rules import Rules

SHORT = Rules(last_round=1, turn_limit=5)

# Agents that play at random; in another process than that of the test they do what is special about them.
AGENTS = f"""
import os
from pathlib import Path

import helper_of_ray_agents


class Plays:
    def __init__(self, rules): ...

    def act(self, views, masks, rng):
        if os.getpid() != {os.getpid()}:
            self.elsewhere(masks)
        return (masks * rng.random(masks.shape)).argmax(axis=1)

    def elsewhere(self, masks): ...


class Dies(Plays):
    def elsewhere(self, masks):
        if not Path("died").exists():
            Path("died").touch()
            os._exit(1)


class Fails(Plays):
    def elsewhere(self, masks):
        raise RuntimeError("not here")
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A current directory with agents of one's own. A cluster that is made there has a password of its own."""
    (tmp_path / "ray_agents.py").write_text(AGENTS)
    (tmp_path / "helper_of_ray_agents.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "this is a test, and nothing but a test")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    yield tmp_path
    sys.modules.pop("ray_agents", None)


def tournament(name):
    return Tournament((name, "greedy"), SHORT, num_groups=12, games_at_once=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", "ray_agents:Plays", "ray_agents:Dies"])
def test_a_cluster_plays_the_same_games_even_if_a_process_dies(here, name):
    ray = pytest.importorskip("ray")
    chunks = dict(play_on_cluster(tournament(name), range(6), "local", 2))
    expected = list(play(tournament(name), [make_agent(agent, SHORT) for agent in (name, "greedy")]))
    assert [chunks[chunk].tobytes() for chunk in range(6)] == [games.tobytes() for games in expected]
    assert (here / "died").exists() == (name == "ray_agents:Dies")
    assert not ray.is_initialized()


@pytest.mark.slow
def test_what_an_agent_does_wrong_on_a_cluster_is_told(here):
    pytest.importorskip("ray")
    words = (
        r"^agent 'ray_agents:Fails' failed: RuntimeError: not here .* seed \d+, round 1, turn 1, where legal is: draw, "
    )
    with pytest.raises(AgentError, match=words):
        list(play_on_cluster(tournament("ray_agents:Fails"), range(6), "local", 2))


@pytest.mark.slow
def test_who_stops_early_leaves_no_cluster_behind(here):
    ray = pytest.importorskip("ray")
    chunks = play_on_cluster(tournament("random"), range(6), "local", 2)
    next(chunks)
    assert ray.is_initialized()
    chunks.close()
    assert not ray.is_initialized()


@pytest.mark.slow
def test_a_cluster_that_runs_already_is_sent_what_plays_there(here, capsys):
    pytest.importorskip("ray")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": ""}  # compiling would take a minute
    options = ["--include-dashboard=false", "--num-cpus=2", f"--port={address.partition(':')[2]}", "--block"]
    command = [Path(sys.executable).with_name("ray"), "start", "--head", *options]
    elsewhere = {"cwd": here.parent, "env": environment}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **elsewhere) as cluster:
        try:
            assert any("Ray runtime started" in line for line in cluster.stdout)
            threading.Thread(target=cluster.stdout.read, daemon=True).start()
            match = ["match", "ray_agents:Plays", "random", "--games", "20", "--last-round", "1", "--turn-limit", "5"]
            script = [sys.executable, evaluate.__file__, *match, "--ray", address]
            there = subprocess.run(script, cwd=here, capture_output=True, encoding="utf-8", timeout=300)
        finally:
            cluster.terminate()
    assert there.stderr == ""
    assert evaluate.main([*match, "--processes", "1"]) == 0
    alike = [output.replace(f"--ray {address}", "") for output in (there.stdout, capsys.readouterr().out)]
    assert alike[0] == alike[1].replace("--processes 1", "")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1:port", "127.0.0.1:99999"])
def test_where_no_cluster_is_it_says_so(address):
    pytest.importorskip("ray")
    with pytest.raises(ClusterError, match=f"^there is no Ray cluster at {address}: [^\n]*$"):
        list(play_on_cluster(tournament("random"), range(6), address, 2))


def files_in(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("name", "files"),
    [
        pytest.param("greedy", [], id="a registered agent"),
        pytest.param("ray_agents:Plays", ["helper_of_ray_agents.py", "ray_agents.py"], id="a module and its like"),
        pytest.param("ray_agents:Plays@speed=2", ["helper_of_ray_agents.py", "ray_agents.py"], id="with options"),
        pytest.param(
            "of_mine.deep.agents:Mine",
            ["helper_of_ray_agents.py", "of_mine/deep/agents.py", "ray_agents.py"],
            id="a package",
        ),
        pytest.param("runs/one/policy.onnx", ["runs/one/policy.json", "runs/one/policy.onnx"], id="a policy"),
        pytest.param("json:JSONDecoder", ["helper_of_ray_agents.py", "ray_agents.py"], id="an installed module"),
    ],
)
def test_what_agents_are_made_of_is_copied(here, tmp_path_factory, name, files):
    for file in ("of_mine/deep/agents.py", "runs/one/policy.onnx", "runs/one/policy.json", "runs/one/model.zip"):
        (here / file).parent.mkdir(parents=True, exist_ok=True)
        (here / file).touch()
    folder = tmp_path_factory.mktemp("copies")
    copy_files([name, "random", name], folder)
    assert files_in(folder) == files


def test_policies_that_lie_elsewhere_are_not_copied(here, tmp_path_factory):
    for file in ("policy.onnx", "policy.json"):
        (here / file).touch()
    (here / "work").mkdir()
    os.chdir(here / "work")
    folder = tmp_path_factory.mktemp("copies")
    copy_files([str(here / "policy.onnx"), "../policy.onnx"], folder)
    assert files_in(folder) == []
