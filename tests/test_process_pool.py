"""Chunks in several processes: the same games, and no process that outlives its use."""

import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.process_pool import play_in_processes
from agents.registry import AgentError, make_agent
from agents.tournament import Tournament, play
from three_thirteen_env.rules import Rules

SHORT = Rules(last_round=1, turn_limit=5)


def all_games(tournament: Tournament) -> np.ndarray:
    players = [make_agent(name, tournament.rules) for name in tournament.names]
    return np.concatenate(list(play(tournament, players)))


def test_many_processes_play_the_same_games_as_one():
    tournament = Tournament(("random", "greedy", "selective"), SHORT, num_groups=5, games_at_once=6)
    assert tournament.num_chunks == 5
    games = dict(play_in_processes(tournament, range(5), 2))
    assert np.concatenate([games[chunk] for chunk in range(5)]).tobytes() == all_games(tournament).tobytes()


def test_who_stops_early_leaves_no_process_behind():
    tournament = Tournament(("random", "greedy"), SHORT, num_groups=50, games_at_once=1)
    chunks = play_in_processes(tournament, range(50), 2)
    for _ in range(3):
        next(chunks)
    processes = active_children()
    chunks.close()
    deadline = time.monotonic() + 60  # the pool waits for them in a thread of its own, so they are not joined here
    while any(process.is_alive() for process in processes) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(process.is_alive() for process in processes)


def test_processes_end_when_the_one_that_started_them_is_killed():
    program = (
        "from agents.process_pool import play_in_processes\n"
        "from agents.tournament import Tournament\n"
        "from three_thirteen_env.rules import Rules\n"
        "long = Tournament(('random',), Rules(), 10**4, games_at_once=1)\n"
        "for chunk, _ in play_in_processes(long, range(10**4), 2):\n"
        "    print(chunk, flush=True)\n"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(agents.__file__).parents[1]) as process:
        for _ in range(3):
            assert process.stdout.readline()
        process.kill()
        process.communicate(timeout=60)  # ends when every process that can write there is gone


def test_what_an_agent_does_wrong_in_another_process_is_told(tmp_path, monkeypatch):
    (tmp_path / "bad_in_time.py").write_text(
        "class Agent:\n"
        "    def __init__(self, rules): ...\n"
        "    def act(self, views, masks, rng):\n"
        "        import multiprocessing\n"
        "        if multiprocessing.parent_process():\n"
        "            raise RuntimeError('not here')\n"
        "        return masks.argmax(axis=1)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    words = (
        "agent 'bad_in_time:Agent' failed: RuntimeError: not here .* in the game of seed .*, where legal is: draw, take"
    )
    with pytest.raises(AgentError, match=words):
        list(play_in_processes(Tournament(("bad_in_time:Agent",), SHORT, num_groups=3, games_at_once=1), range(3), 2))
