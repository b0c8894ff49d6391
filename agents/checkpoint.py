"""Checkpoints of a training: all that decides how it goes on, so that a run which resumes is one that never stopped.

A checkpoint is one file, ``checkpoint-000000065536.pt`` after so many steps. It is written whole before the one before
the last is removed: whenever the process ends, the last that was written is there. Loading one runs no code from it.
"""

import io
import json
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO

from agents.options import InputError
from agents.policy_file import write_whole
from agents.self_play import OpponentPool
from agents.vec_env import ThreeThirteenVecEnv

Checkpoint = dict[str, Any]

NUM_KEPT = 2
PATTERN = "checkpoint-*.pt"


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint into a folder, then remove all but the last two."""
    num_steps = json.loads(checkpoint["numbers"])["num_timesteps"]
    content = io.BytesIO()
    torch.save(checkpoint, content)
    write_whole(folder / f"checkpoint-{num_steps:012}.pt", content.getvalue())
    for path in sorted(folder.glob(PATTERN))[:-NUM_KEPT]:
        path.unlink()


def read_newest(folder: Path) -> Checkpoint | None:
    """The last checkpoint in a folder that can be read; None if there is none."""
    for path in sorted(folder.glob(PATTERN), reverse=True):
        try:
            checkpoint: Checkpoint = torch.load(path, map_location="cpu", weights_only=True)
        except Exception:  # torch raises many kinds at a damaged file
            continue
        return checkpoint
    return None


def begin(model: MaskablePPO) -> None:
    """Deal the first games, as a model does by itself when it begins to learn."""
    env = model.get_env()
    assert env is not None
    model._last_obs = env.reset()  # type: ignore[assignment]  # as there
    model._last_episode_starts = np.ones(env.num_envs, np.bool_)


def checkpoint_of(model: MaskablePPO, pool: OpponentPool, seconds: float) -> Checkpoint:
    """All that decides how a training goes on from between two updates, and how many seconds it has taken."""
    env = model.get_env()
    assert isinstance(env, ThreeThirteenVecEnv)
    games = env.save()
    name, words, *rest = np.random.get_state(legacy=True)  # noqa: NPY002  # stable-baselines3 draws from it
    numbers = {
        "num_timesteps": model.num_timesteps,
        "num_updates": model._n_updates,
        "episodes": list(model.ep_info_buffer or []),
        "seconds": seconds,
        "generator": games["generator"],
        "numpy": [name, np.asarray(words).tolist(), *rest],
    }
    return {
        "numbers": json.dumps(numbers),
        "policy": model.policy.state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "pool": pool.save(),
        "games": {name: _as_bytes(array) for name, array in games["arrays"].items()},
        "episodes": torch.from_numpy(games["episodes"]),
        "episode_starts": torch.from_numpy(np.asarray(model._last_episode_starts)),
        "torch": torch.get_rng_state(),
    }


def restore(checkpoint: Checkpoint, model: MaskablePPO, pool: OpponentPool) -> float:
    """Go on from a checkpoint, with a model and a pool that were made with the same arguments; the seconds so far.

    Raises InputError at a checkpoint of another network: the run was begun by another version.
    """
    env = model.get_env()
    assert isinstance(env, ThreeThirteenVecEnv)
    numbers = json.loads(checkpoint["numbers"])
    try:
        model.policy.load_state_dict(checkpoint["policy"])
    except RuntimeError:
        raise InputError("the run cannot go on: its checkpoint is of a network as another version made it") from None
    model.policy.optimizer.load_state_dict(checkpoint["optimizer"])
    pool.load(checkpoint["pool"])
    env.draw_opponents(pool.agents, pool.weights)
    arrays = {
        name: checkpoint["games"][name].numpy().view(array.dtype).reshape(array.shape)
        for name, array in env.save()["arrays"].items()
    }
    model._last_obs = env.load(
        {"arrays": arrays, "generator": numbers["generator"], "episodes": checkpoint["episodes"].numpy()}
    )
    model._last_episode_starts = checkpoint["episode_starts"].numpy()
    model.ep_info_buffer = deque(numbers["episodes"], maxlen=model._stats_window_size)
    model.ep_success_buffer = deque(maxlen=model._stats_window_size)  # which stays empty
    model.num_timesteps, model._n_updates = numbers["num_timesteps"], numbers["num_updates"]
    name, words, *rest = numbers["numpy"]
    np.random.set_state((name, np.array(words, np.uint32), *rest))  # noqa: NPY002
    torch.set_rng_state(checkpoint["torch"])
    return float(numbers["seconds"])


def _as_bytes(array: npt.NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(np.frombuffer(array.tobytes(), np.uint8).copy())
