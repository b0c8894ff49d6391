"""Checkpoints: a run that resumes is one that never stopped, wherever it was killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import train
from agents.checkpoint import read_newest, write_checkpoint
from agents.run_folder import Table
from agents.training_watch import Budget, Watch
from tests.playing import COMPILED
from tests.policies import write_policy

OPTIONS = ["--num-envs", "4", "--rollout-steps", "16", "--batch-size", "32", "--width", "8", "--last-round", "2"]
OPTIONS += ["--turn-limit", "5", "--threads", "1", "--steps", "384", "--past-self-steps", "100", "--past-selves", "2"]
OPTIONS += ["--evaluation-games", "2", "--evaluation-steps", "128", "--checkpoint-minutes", "0"]
NUM_STEPS = 384  # of 6 updates

needs_compiled = pytest.mark.skipif(not COMPILED, reason="training takes the compiled game")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty current directory, and a quick exporter instead of torch's."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("agents.policy_export.export_policy", lambda _, path, card: write_policy(path, card=card))
    torch.set_num_threads(1)
    return tmp_path


class Stopping(Watch):
    """Ends a training after so many updates, as Ctrl-C does."""

    def __init__(self, num_updates):
        super().__init__(Budget(NUM_STEPS, 1e9), 0)
        self.num_updates = num_updates

    def is_over(self, num_steps):
        self.num_updates -= 1
        return super().is_over(num_steps) or self.num_updates < 0


def run(*arguments, num_updates=1000):
    """Train; gives the model then."""
    job = train.checked(train.parsed(list(arguments)), "python train.py")
    watch = Stopping(num_updates)
    model = train.new_model(job, watch.budget)
    if job.args.resume is None:
        job.folder.write_config(job.command, train.asdict(job.args) | {"rules": job.rules._asdict()})
    train.learn(job, model, read_newest(job.folder.path), watch)
    return model


def everything(folder):
    """What the last checkpoint says but for the time, and what was logged of it, by steps."""
    checkpoint = read_newest(Path("runs") / folder)
    numbers = numbers_of(checkpoint.pop("numbers"))
    tables = {name: Table(Path("runs") / folder / name).rows() for name in ("progress.csv", "evaluations.csv")}
    for row in tables["progress.csv"]:
        for name in ("budget/seconds", "budget/steps_per_second"):
            row.pop(name)
    return flat(checkpoint), numbers, tables


def numbers_of(text):
    """The numbers of a checkpoint but for the time."""
    numbers = json.loads(text)
    for episode in numbers["episodes"]:
        episode.pop("t")
    del numbers["seconds"]
    return numbers


def flat(value):
    """A checkpoint with its tensors as bytes, to be compared."""
    if isinstance(value, torch.Tensor):
        return value.numpy().tobytes()
    if isinstance(value, dict):
        return {key: flat(part) for key, part in value.items()}
    return [flat(part) for part in value] if isinstance(value, list) else value


@needs_compiled
@pytest.mark.parametrize("num_updates", [1, 2, 5])
def test_to_stop_and_resume_is_never_to_have_stopped(num_updates):
    straight = run("--name", "straight", *OPTIONS)
    run("--name", "stopped", *OPTIONS, num_updates=num_updates)
    resumed = run("--resume", "runs/stopped")
    assert straight.num_timesteps == resumed.num_timesteps == NUM_STEPS
    for name, value in straight.policy.state_dict().items():
        assert torch.equal(value, resumed.policy.state_dict()[name])
    tensors, numbers, tables = everything("straight")
    tensors_resumed, numbers_resumed, tables_resumed = everything("stopped")
    assert tensors == tensors_resumed
    assert numbers == numbers_resumed
    assert tables["progress.csv"] == tables_resumed["progress.csv"]
    extra = [row for row in tables_resumed["evaluations.csv"] if row not in tables["evaluations.csv"]]
    assert len(extra) <= 1  # of the moment at which it stopped


class Killed(BaseException):
    """The process ends here."""


class Disk:
    """Counts what is done to files, and ends the process instead of the deed of a number."""

    def __init__(self, monkeypatch):
        self.count, self.last = 0, None
        for name in ("fsync", "replace", "unlink"):
            monkeypatch.setattr(os, name, self.counted(getattr(os, name)))

    def counted(self, deed):
        def counted(*args, **kwargs):
            self.count += 1
            if self.count == self.last:
                raise Killed
            return deed(*args, **kwargs)

        return counted


@needs_compiled
def test_a_run_that_is_killed_at_any_write_resumes_to_the_same_end(monkeypatch):
    disk = Disk(monkeypatch)
    run("--name", "straight", *OPTIONS)
    expected, num_deeds = everything("straight"), disk.count
    assert num_deeds > 30
    for last in range(3, num_deeds + 1, 4):  # the first two write the configuration
        disk.count, disk.last, name = 0, last, f"killed-{last}"
        with pytest.raises(Killed):
            run("--name", name, *OPTIONS)
        disk.last = None
        run("--resume", f"runs/{name}")
        assert everything(name) == expected, name


@needs_compiled
def test_a_killed_process_leaves_a_run_that_resumes(here):
    options = [*OPTIONS, "--evaluation-games", "0", "--steps", "100000000", "--name", "killed"]
    process = subprocess.Popen([sys.executable, train.__file__, *options], env=os.environ | {"PYTHONPATH": "."})
    try:
        deadline = time.monotonic() + 120
        while len(list((here / "runs").glob("killed/checkpoint-*.pt"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    steps = numbers_of(read_newest(here / "runs" / "killed")["numbers"])["num_timesteps"]
    assert steps > 0
    assert run("--resume", "runs/killed", num_updates=2).num_timesteps == steps + 2 * 64


def checkpoint_of(num_steps):
    return {"numbers": f'{{"num_timesteps": {num_steps}}}', "policy": {"weights": torch.ones(3) * num_steps}}


def test_the_last_two_checkpoints_are_kept(here):
    assert read_newest(here) is None
    for num_steps in (5, 70, 800):
        write_checkpoint(here, checkpoint_of(num_steps))
    assert [path.name for path in sorted(here.iterdir())] == [
        "checkpoint-000000000070.pt",
        "checkpoint-000000000800.pt",
    ]
    assert read_newest(here)["policy"]["weights"].tolist() == [800] * 3


@pytest.mark.parametrize("damage", [lambda content: content[:0], lambda content: content[: len(content) // 2]])
def test_where_the_last_checkpoint_is_damaged_the_one_before_it_is_taken(damage, here):
    write_checkpoint(here, checkpoint_of(5))
    write_checkpoint(here, checkpoint_of(70))
    path = here / "checkpoint-000000000070.pt"
    path.write_bytes(damage(path.read_bytes()))
    assert read_newest(here)["policy"]["weights"].tolist() == [5] * 3


def test_loading_a_checkpoint_runs_no_code_from_it(here):
    class Malicious:
        def __reduce__(self):
            return os.mkdir, (str(here / "made"),)

    torch.save({"numbers": Malicious()}, here / "checkpoint-000000000005.pt")
    assert read_newest(here) is None
    assert not (here / "made").exists()


@needs_compiled
def test_a_checkpoint_of_another_network_is_refused(here, capsys):
    run(*OPTIONS, "--name", "old", num_updates=1)
    folder = here / "runs" / "old"
    checkpoint = read_newest(folder)
    of_network = next(name for name in checkpoint["policy"] if name.startswith("mlp_extractor.encoder.sums"))
    del checkpoint["policy"][of_network]
    write_checkpoint(folder, checkpoint)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert train.main(["--resume", "runs/old"]) == train.FAILED
    message = "train.py: the run cannot go on: its checkpoint is of a network as another version made it"
    assert capsys.readouterr().err.splitlines()[-1] == message
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_table_forgets_the_rows_of_later_steps_and_one_that_was_not_written_whole(here):
    table = Table(here / "table.csv")
    table.forget_after(0)
    assert table.rows() == []
    for num_steps in (64, 128, 192):
        table.append({"steps": num_steps, "value": num_steps / 2})
    with table.path.open("a") as file:
        file.write("25")  # of 256
    table.forget_after(128)
    assert [row["value"] for row in table.rows()] == ["32.0", "64.0"]
    table.append({"steps": 192, "value": 7})
    assert table.path.read_text().splitlines() == ["steps,value", "64,32.0", "128,64.0", "192,7"]
    table.forget_after(0)
    assert not table.path.exists()
