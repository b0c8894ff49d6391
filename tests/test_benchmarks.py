"""The benchmarks: every one runs, at sizes too small to mean anything, and what they print is what they measured."""

import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest

from benchmarks import batch, environments, learner, matches, memory, solver, start, vector
from benchmarks.__main__ import all_benchmarks, main
from benchmarks.measure import Benchmark, Measurement, MissingError, constant, measure, throughput
from benchmarks.peer_process import PeerProcess, PeerProcesses
from benchmarks.peers import LIBRARIES
from benchmarks.random_play import pick, pick_each
from benchmarks.targets import TARGETS, Target, outcomes
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.checks import check_state
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import STATE

ROOT = Path(__file__).parents[1]
MOMENT = 0.001  # seconds

TINY = [
    *solver.benchmarks(num_hands=64),
    *batch.benchmarks(sizes=(8,)),
    *matches.benchmarks(num_games=2, num_views=3),
    *environments.benchmarks(),
    *vector.benchmarks(num_games=2),
    *learner.benchmarks(num_games=2),
    *memory.benchmarks(),
]
KEYS = [benchmark.key for benchmark in all_benchmarks(PeerProcesses(sys.executable))]


def measured(key: str, *figures: float, beside: str = "", unit: str = "steps/s") -> Measurement:
    group, _, name = key.partition(": ")
    return Measurement(Benchmark(group, name, unit, lambda: constant(1), beside), list(figures))


@pytest.mark.parametrize("benchmark", TINY, ids=lambda benchmark: benchmark.key)
def test_every_benchmark_gives_a_figure(benchmark):
    figure = benchmark.prepare()(MOMENT)
    assert math.isfinite(figure)
    assert figure > 0


def test_no_two_benchmarks_have_the_same_name():
    assert len(KEYS) == len(set(KEYS))


def test_what_a_row_stands_beside_and_what_is_to_be_reached_are_rows():
    besides = {benchmark.beside for benchmark in all_benchmarks(PeerProcesses(sys.executable))}
    needed = {key for target in TARGETS for key in (target.key, target.over)}
    assert (besides | needed) - {""} <= set(KEYS)


def test_the_runs_of_all_benchmarks_are_interleaved_and_a_constant_is_measured_once():
    order = []

    def noting(name):
        return lambda seconds: order.append(name) or seconds

    rows = [Benchmark("g", name, "s", lambda name=name: noting(name), is_repeated=name != "c") for name in "abc"]
    measurements = [Measurement(row) for row in rows]
    steps = [(what, measurement.benchmark.name) for what, measurement in measure(measurements, 3, 0.5)]
    assert "".join(order) == "abcabab"
    assert steps == [("prepare", name) for name in "abc"] + [("run", name) for name in "abcabab"]
    assert [measurement.figures for measurement in measurements] == [[0.5] * 3, [0.5] * 3, [0.5]]


def test_the_median_is_of_the_runs():
    assert measured("g: a", 3.0, 1.0, 5.0).median == 3.0
    assert measured("g: a").median is None


def test_a_throughput_is_work_done_in_a_second_and_the_first_time_does_not_count(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("benchmarks.measure.time.perf_counter", lambda: clock[0])

    def work():
        clock[0] += 100.0 if clock[0] == 0 else 0.25  # compiles at first
        return 10

    assert throughput(work)(1.0) == 40.0


def test_what_is_missing_is_said_and_the_rest_goes_on():
    def missing():
        raise ImportError("No module named 'torch'")

    measurements = [Measurement(Benchmark("g", "a", "s", missing)), measured("g: b")]
    list(measure(measurements, 2, MOMENT))
    assert [measurement.missing for measurement in measurements] == ["No module named 'torch'", ""]
    assert [measurement.figures for measurement in measurements] == [[], [1, 1]]


def test_random_play_is_legal_and_uniform_one_by_one_and_all_at_once():
    masks = np.zeros((3000, NUM_ACTIONS), np.int8)
    masks[::3, :2] = masks[1::3, [5, 50, 105]] = masks[2::3, 54] = 1
    actions = pick_each(masks, np.random.default_rng(0))
    assert masks[np.arange(3000), actions].all()
    assert all(count > 400 for count in Counter(actions[::3].tolist()).values())
    assert all(270 < count < 400 for count in Counter(actions[1::3].tolist()).values())
    rng, compiled_rng = Random(0), batch._words(1)
    legal = np.flatnonzero(masks[1])
    for picked in (
        Counter(pick(legal, rng) for _ in range(1000)),
        Counter(batch._pick(masks[1], compiled_rng) for _ in range(1000)),
    ):
        assert set(picked) == {5, 50, 105}
        assert all(270 < count < 400 for count in picked.values())


def test_the_games_of_a_batch_are_in_all_rounds_and_stay_games():
    states = batch.mixed_states(64)
    assert len(np.unique(states["round_number"])) == 11
    for state in states:
        check_state(state, Rules())


def test_random_hands_are_of_their_size_and_from_their_packs():
    hands = solver.random_hands(13, 2, 100, np.random.default_rng(0))
    assert (hands.sum(axis=1) == 13).all()
    assert hands.max() == 2


def test_memory_is_the_record_and_the_arrays():
    figures = {benchmark.name: benchmark.prepare()(MOMENT) for benchmark in memory.benchmarks()}
    assert figures["a state"] == STATE.itemsize
    assert figures["all arrays of a batch"] == STATE.itemsize + NUM_ACTIONS + 2 * 4 + 1


def test_a_start_is_timed_in_a_process_of_its_own_with_a_cache_of_its_own():
    quick = start.Start("import os, pathlib; pathlib.Path(os.environ['NUMBA_CACHE_DIR'], 'kept').touch()")
    assert 0 < quick.prepare_cold()(MOMENT) < 60
    assert 0 < quick.prepare_warm()(MOMENT) < 60
    assert (quick.cache / "kept").exists()
    with pytest.raises(MissingError, match="ZeroDivisionError"):
        start.Start("1 / 0").seconds()


@pytest.mark.slow
@pytest.mark.parametrize("benchmark", list(start.benchmarks()), ids=lambda benchmark: benchmark.key)
def test_the_starts_of_the_table_run(benchmark):
    assert benchmark.prepare()(MOMENT) > 0


@pytest.mark.parametrize(
    ("figure", "at_least", "aim", "is_reached", "is_aim"),
    [
        *[(2, 2, 4, True, False), (1.9, 2, 4, False, False), (4, 2, 4, True, True)],
        *[(40, 40, 20, True, False), (41, 40, 20, False, False), (20, 40, 20, True, True)],
    ],
)
def test_a_target_is_a_least_or_a_most(figure, at_least, aim, is_reached, is_aim):
    target = Target("what", "g: a", "", at_least, aim, "s")
    assert target.is_reached(figure) == is_reached
    assert target.is_aim(figure) == is_aim


def test_a_target_over_another_figure_is_their_ratio_and_takes_both():
    target = next(target for target in TARGETS if target.over)
    ours, theirs = measured(target.key, 30.0), measured(target.over, 10.0)
    assert [outcome.figure for outcome in outcomes([ours, theirs]) if outcome.target == target] == [3.0]
    assert target not in [outcome.target for outcome in outcomes([ours])]


def run_main(capsys, *arguments):
    status = main(arguments)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_the_command_prints_a_table_and_writes_json(capsys, tmp_path):
    path = tmp_path / "figures.json"
    arguments = ("--quick", "--only", "13 cards, 2 packs", "memory", "--json", str(path))
    status, out, _ = run_main(capsys, *arguments)
    assert status == 0
    for part in ("13 cards, 2 packs, plain search", "× as fast", "a state", "1,500,000", "numba", "cores", "3 runs"):
        assert part in out
    figures = json.loads(path.read_text(encoding="utf-8"))
    keys = [row["key"] for row in figures["benchmarks"]]
    assert keys[:2] == ["solver: 13 cards, 2 packs", "solver: 13 cards, 2 packs, plain search"]
    assert len(figures["benchmarks"][0]["figures"]) == 3
    assert figures["benchmarks"][1]["beside_is_times_as_fast"] > 0
    assert {target["key"] for target in figures["targets"]} >= {keys[0]}
    assert figures["versions"]["numpy"] == np.__version__


def test_the_command_runs_as_a_module():
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "3 cards, 1 pack", "--runs", "1"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "hands/s" in result.stdout


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_plot_shows_random_play(capsys, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"speed{suffix}"
    assert run_main(capsys, "--quick", "--only", "raw_env(), random", "--plot", str(path))[0] == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--only", "chess"), "--only: no benchmark is called 'chess': name groups (solver, batch, matches"),
        (("--runs", "0"), "--runs must be 1 or more, not 0"),
        (("--seconds", "0"), "--seconds must be above 0, not 0.0"),
        (("--json", "nowhere/figures.json"), "--json: there is no directory nowhere"),
        (("--plot", "speed.doc"), "--plot: the name must end in .svg, .png, .pdf, not 'speed.doc'"),
        (("--peers-python", "nowhere/python"), "--peers-python: there is no interpreter nowhere/python"),
    ],
)
def test_bad_options_are_one_clear_line(capsys, arguments, complaint):
    status, out, err = run_main(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"benchmarks: {complaint}")
    assert err.count("\n") == 1


def test_names_can_be_listed(capsys):
    status, out, _ = run_main(capsys, "--list", "--only", "peers")
    assert status == 0
    assert "peers: OpenSpiel gin_rummy, C++ rollouts\n" in out
    assert "solver" not in out


def test_a_peer_is_played_by_a_process_whatever_it_prints(tmp_path, monkeypatch):
    (tmp_path / "rlcard.py").write_text(
        "print('hello from a library')\n"
        "class Game:\n"
        "    def reset(self): self.left = 5; return {'legal_actions': {0: None}}, 0\n"
        "    def is_over(self): return self.left == 0\n"
        "    def step(self, action): self.left -= 1; print('step'); return {'legal_actions': {0: None}}, 0\n"
        "def make(name): return Game()\n",
        encoding="utf-8",
    )
    (tmp_path / "rlcard-9.9.dist-info").mkdir()
    (tmp_path / "rlcard-9.9.dist-info" / "METADATA").write_text("Name: rlcard\nVersion: 9.9\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    peers = PeerProcesses(sys.executable)
    (benchmark,) = (benchmark for benchmark in peers.benchmarks() if "RLCard" in benchmark.name)
    try:
        assert benchmark.prepare()(MOMENT) > 0
        assert peers.versions() == {"RLCard": "9.9"}
    finally:
        peers.close()


def test_a_peer_that_is_not_installed_or_dies_is_missing(tmp_path, monkeypatch):
    (tmp_path / "pyspiel.py").write_text("import os; os._exit(1)", encoding="utf-8")
    (tmp_path / "rlcard.py").write_text("raise ImportError('no\\nsuch thing')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    peers = PeerProcesses(sys.executable)
    benchmarks = {benchmark.name: benchmark for benchmark in peers.benchmarks()}
    try:
        with pytest.raises(MissingError, match="the process that plays OpenSpiel came to an end"):
            benchmarks["OpenSpiel gin_rummy, Python loop"].prepare()
        with pytest.raises(MissingError, match="ImportError: no such thing"):
            benchmarks["RLCard gin-rummy"].prepare()
    finally:
        peers.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
def test_every_game_of_the_peers_that_are_installed_gives_a_figure(name):
    process = PeerProcess(sys.executable, name)
    try:
        for peer in LIBRARIES[name].peers:
            assert process.figure(peer.name, MOMENT) > 0
    except MissingError as error:
        pytest.skip(str(error))
    finally:
        process.close()
