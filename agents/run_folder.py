"""The folder of a training run: what was asked for, what came of it, and how to get it again.

config.json                 the command, its options, the rules, the versions of what it ran on
policy.onnx, policy.json    the policy as a policy file, see `agents.policy_file`
model.zip                   the model of stable-baselines3, to go on from; loading it can run code, unlike the others
progress.csv, events.*      what was logged, as a table and for TensorBoard
"""

import io
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.policy_file import PolicyCard, write_card, write_whole

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

PACKAGES = ("three-thirteen", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib", "onnx")


class RunFolder:
    """The folder at a path, made if it is missing. Raises FileExistsError if something is in it already."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise FileExistsError(f"{path} holds a run already")
        self.path = path
        self.policy = path / "policy.onnx"

    def write_config(self, command: str, options: dict[str, Any]) -> None:
        """Write what was asked for, and the versions of all that matters."""
        versions = {"python": platform.python_version()} | {package: _version(package) for package in PACKAGES}
        config = {"command": command, "options": options, "versions": versions}
        write_whole(self.path / "config.json", (json.dumps(config, indent=2) + "\n").encode())

    def write_model(self, model: "MaskablePPO", card: PolicyCard) -> None:
        """Write what was learned: the model to go on from, and the policy to play."""
        from agents.policy_export import export_policy

        content = io.BytesIO()
        model.save(content)
        write_whole(self.path / "model.zip", content.getvalue())
        export_policy(model.policy, self.policy, card)

    def write_evaluation(self, card: PolicyCard, evaluation: Any) -> None:
        """Write how the policy fared, into its card."""
        write_card(self.policy, card._replace(evaluation=evaluation))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
