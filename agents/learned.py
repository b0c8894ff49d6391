"""A learned policy as an agent: any policy file (`agents.policy_file`), played through onnxruntime, without torch."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from agents.policy_file import (
    ACTION_MASK,
    LOG_PROBABILITIES,
    OBSERVATION,
    PolicyCard,
    check_rules,
    read_card,
)
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.agent import Actions, Masks
from three_thirteen_env.observation import observation_size, observe_each
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import States

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

FLOAT, INT8 = "tensor(float)", "tensor(int8)"
LEAST = -1e9  # of a score: a legal action that the policy thinks impossible is still better than an illegal one
ERROR = 3  # of onnxruntime's levels of log messages: warnings and below are not shown


class LearnedAgent:
    """Plays the most probable action of a policy, or with `samples` one drawn by its probabilities."""

    def __init__(self, session: "InferenceSession", card: PolicyCard, rules: Rules, samples: bool = False) -> None:
        self.card = card
        self.rules = rules._replace(turn_limit=card.rules.turn_limit)  # by which the observation counts turns
        self.samples = samples
        self._session = session

    @classmethod
    def load(cls, path: str | Path, rules: Rules, samples: bool = False) -> "LearnedAgent":
        """The agent that plays the policy of a file under these rules.

        Raises FileNotFoundError where the file or its card is missing, and ValueError where one of them is damaged or
        the policy does not fit: it is from a newer version, for other rules, or of other shapes.
        """
        path = Path(path)
        if not path.is_file():
            raise FileNotFoundError(f"there is no policy file {path}")
        card = read_card(path)
        try:
            check_rules(card, rules)
            session = _session(path)
            _check_shapes(session, observation_size(card.rules, card.observation))
        except ValueError as error:
            raise ValueError(f"the policy {path} cannot be played: {error}") from None
        return cls(session, card, rules, samples)

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:
        """The action of the policy in each view. What the mask forbids is never chosen, whatever the policy says."""
        scores = np.nan_to_num(self.log_probabilities(views, masks).astype(np.float64), nan=LEAST, neginf=LEAST)
        if self.samples:
            scores += rng.gumbel(size=scores.shape)  # the highest sum is drawn by the probabilities
        return np.where(masks, scores, -np.inf).argmax(axis=1)

    def log_probabilities(self, views: States, masks: Masks) -> npt.NDArray[np.float32]:
        """What the policy says of every action in each view, ``(n, 106)``: the log of the chance that it plays it."""
        observations = observe_each(views, self.rules, self.card.observation)
        inputs = {OBSERVATION: observations, ACTION_MASK: masks.astype(np.int8)}
        (result,) = self._session.run([LOG_PROBABILITIES], inputs)
        log_probabilities: npt.NDArray[np.float32] = result
        return log_probabilities


def _session(path: Path) -> "InferenceSession":
    """The policy of a file, ready to run on one thread."""
    import onnxruntime  # the extra `evaluate` has it; only a learned policy needs it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = ERROR
    try:
        return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class of its own for every kind of damage
        raise ValueError(f"it is no ONNX file that onnxruntime reads ({_first_line(error)})") from None


def _check_shapes(session: "InferenceSession", size: int) -> None:
    """Raise ValueError unless the inputs and the output are those of a policy, and two rows really give two."""
    inputs = {node.name: _signature(node) for node in session.get_inputs()}
    expected = {OBSERVATION: (FLOAT, size), ACTION_MASK: (INT8, NUM_ACTIONS)}
    if inputs != expected:
        raise ValueError(f"its inputs are {inputs}, and should be {expected}, each for any number of rows")
    outputs = {node.name: _signature(node) for node in session.get_outputs()}
    if outputs.get(LOG_PROBABILITIES) != (FLOAT, NUM_ACTIONS):
        raise ValueError(f"its outputs are {outputs}, and should be {LOG_PROBABILITIES} of {(FLOAT, NUM_ACTIONS)}")
    rows = {OBSERVATION: np.zeros((2, size), np.float32), ACTION_MASK: np.ones((2, NUM_ACTIONS), np.int8)}
    try:
        (result,) = session.run([LOG_PROBABILITIES], rows)
    except Exception as error:  # as above
        raise ValueError(f"it fails when it is run ({_first_line(error)})") from None
    if result.shape != (2, NUM_ACTIONS):
        raise ValueError(f"two rows give a result of shape {result.shape}, not {(2, NUM_ACTIONS)}")


def _signature(node: Any) -> tuple[str, Any]:
    """The type of an input or an output, and the length of its rows; None where there are not any number of them."""
    has_rows = len(node.shape) == 2 and not isinstance(node.shape[0], int)
    return node.type, node.shape[1] if has_rows else None


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
