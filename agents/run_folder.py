"""The folder of a training run: what was asked for, what came of it, and how to get it again.

config.json                 the command, its options, the rules, the versions of what it ran on
policy.pt                   the weights of the best policy so far, for another training to start from
policy.onnx, policy.json    the best policy at the last checkpoint as a policy file, see `agents.policy_file`
checkpoint-*.pt             the last two checkpoints, to resume from, see `agents.checkpoint`
progress.csv, events.*      what was logged at every update, as a table and for TensorBoard
studied/                    the positions of a study, see `agents.study`
evaluations.csv             what the evaluations showed as the training went on
"""

import csv
import io
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from agents.house_rules import HouseRules
from agents.options import InputError
from agents.policy_file import PolicyCard, card_path, read_card, write_whole
from agents.versions import versions

if TYPE_CHECKING:
    from agents.ladder import Rung
    from agents.network import CardPolicy

Options = TypeVar("Options")

PACKAGES = ("three-thirteen", "numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib", "onnx")
STEPS = "steps"  # the first column of every table


class Table:
    """A table in a CSV file, a row at a time; its columns are those of the first row."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, row: dict[str, Any]) -> None:
        """Add a row, of which `steps` is one column."""
        is_new = not self.path.exists()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(row)

    def rows(self) -> list[dict[str, str]]:
        """The rows that were written whole."""
        if not self.path.exists():
            return []
        lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        return list(csv.DictReader(line for line in lines if line.endswith("\n")))

    def forget_after(self, num_steps: int) -> None:
        """Remove the rows of later steps than so many."""
        rows = [row for row in self.rows() if int(row[STEPS]) <= num_steps]
        if not rows:
            self.path.unlink(missing_ok=True)
            return
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(self.path, text.getvalue().encode())


class RunFolder:
    """The folder at a path. `make` makes it; whoever resumes a run finds it as it was left."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.policy = path / "policy.onnx"
        self.weights = path / "policy.pt"
        self.studied = path / "studied"
        self.progress = Table(path / "progress.csv")
        self.evaluations = Table(path / "evaluations.csv")

    def make(self) -> None:
        """Make the folder if it is missing. Raises FileExistsError if something is in it already."""
        self.path.mkdir(parents=True, exist_ok=True)
        if any(self.path.iterdir()):
            raise FileExistsError(f"{self.path} holds a run already")

    def write_config(self, command: str, options: dict[str, Any]) -> None:
        """Write what was asked for, and the versions of all that matters."""
        config = {
            "command": command,
            "options": options,
            "versions": {"python": platform.python_version()} | versions(PACKAGES),
        }
        write_whole(self.path / "config.json", (json.dumps(config, indent=2, default=str) + "\n").encode())

    def forget_after(self, num_steps: int) -> None:
        """Forget what was logged of later steps: a run that resumes comes by them again."""
        self.progress.forget_after(num_steps)
        self.evaluations.forget_after(num_steps)

    def is_best(self, rung: "Rung") -> bool:
        """Whether no evaluation before showed more than this one."""
        return all(rung.fewer_points_a_game.mean >= float(row["lead"]) for row in self.evaluations.rows())

    def is_evaluated(self, num_steps: int) -> bool:
        """Whether there was an evaluation after so many steps."""
        return any(int(row[STEPS]) == num_steps for row in self.evaluations.rows())

    def write_evaluation(self, num_steps: int, rung: "Rung") -> None:
        """Add what an evaluation after so many steps showed."""
        row = {
            STEPS: num_steps,
            "against": rung.against,
            "num_games": rung.num_games,
            "lead": rung.fewer_points_a_game.mean,  # points a game
            "lead_margin": rung.fewer_points_a_game.margin,  # of the 95 % interval
            "points_a_game": rung.points_a_game.mean,
            "win_share": rung.win_share.mean,
        }
        self.evaluations.append(row)

    def read_options(self, options_of: Callable[..., Options]) -> Options:
        """The options of the run, as `options_of` makes them of their names. Raises InputError if there is no run."""
        path = self.path / "config.json"
        try:
            options: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["options"]
            options = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
            return options_of(**options | {"rules": HouseRules(**options["rules"])})
        except OSError:
            raise InputError(f"{self.path} holds no run: {path} cannot be read") from None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is no configuration of a run of this version: {error}") from None

    def write_weights(self, policy: "CardPolicy", num_steps: int, trained_for: str) -> None:
        """Write the weights of the best policy, after so many steps; `trained_for` says what its critic foresees."""
        import torch

        content = io.BytesIO()
        torch.save({"steps": num_steps, "trained_for": trained_for, "policy": policy.state_dict()}, content)
        write_whole(self.weights, content.getvalue())

    def read_weights(self) -> dict[str, Any]:
        """What `write_weights` wrote; loading it runs no code. Raises InputError if it is not there or damaged."""
        import torch

        try:
            weights: dict[str, Any] = torch.load(self.weights, map_location="cpu", weights_only=True)
        except FileNotFoundError:
            raise InputError(f"{self.path} has no policy to start from: {self.weights} is missing") from None
        except Exception as error:  # torch raises many kinds at a damaged file
            raise InputError(f"{self.weights} is damaged: {_first_line(error)}") from None
        return weights

    def load_weights(self, policy: "CardPolicy", trained_for: str) -> None:
        """Give a policy the weights of the best one, but those of its critic only if it foresees the same.

        Raises InputError as `read_weights` does, and if they are of another network.
        """
        saved = self.read_weights()
        weights = saved["policy"]
        if saved["trained_for"] != trained_for:
            weights |= {name: value for name, value in policy.state_dict().items() if _is_of_critic(name)}
        try:
            policy.load_state_dict(weights)
        except RuntimeError:
            raise InputError(
                f"{self.weights} is of another network: it can be started from with the --observation, --width and "
                "--card-width of its run, in the version that made it"
            ) from None

    def export(self, policy: "CardPolicy", card: PolicyCard) -> None:
        """Write the best policy as a policy file, unless it is one already; a policy of its kind and a card say how."""
        from agents.policy_export import export_policy

        if not self.weights.exists():
            return
        saved = self.read_weights()
        if card_path(self.policy).exists() and read_card(self.policy).steps == saved["steps"]:
            return
        best = policy.twin()
        best.load_state_dict(saved["policy"])
        export_policy(best, self.policy, card._replace(steps=saved["steps"]))


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]


def _is_of_critic(name: str) -> bool:
    """Whether weights of this name are those of the critic alone."""
    return name.startswith(("value_net.", "mlp_extractor.critic."))
