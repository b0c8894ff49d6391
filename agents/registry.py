"""Agents by name: those that come with the game, one's own, and policy files.

To register one more is one line of `AGENTS`; to try one without that, its name is ``module:Class``.
"""

import importlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from agents.greedy import Greedy
from agents.selective import Selective
from three_thirteen_env.agent import Agent, RandomAgent
from three_thirteen_env.rules import Rules

AGENTS: dict[str, Callable[[Rules], Agent]] = {
    "random": lambda _: RandomAgent(),
    "greedy": Greedy,
    "selective": Selective,
}

POLICY_SUFFIX = ".onnx"


class AgentError(Exception):
    """An agent that cannot be made, or that does not play by the rules: one line that says which and why."""


def make_agent(name: str, rules: Rules) -> Agent:
    """The agent of a name, made for the rules.

    The name is one of `AGENTS`, or ``module:Class`` of a class of one's own (looked for in the current directory too;
    it is called with the rules), or the path of a policy file. Raises AgentError.
    """
    if name in AGENTS:
        return AGENTS[name](rules)
    if name.endswith(POLICY_SUFFIX):
        return _learned_agent(name, rules)
    if ":" in name:
        return _own_agent(name, rules)
    raise AgentError(
        f"there is no agent {name!r}: it is one of {', '.join(AGENTS)}, "
        f"or module:Class of one's own, or the path of a policy file (*{POLICY_SUFFIX})"
    )


def _learned_agent(path: str, rules: Rules) -> Agent:
    if not Path(path).is_file():
        raise AgentError(f"there is no policy file {path}")
    try:
        from agents.learned import LearnedAgent  # only now, for it takes onnxruntime

        return LearnedAgent.load(path, rules)
    except ImportError as error:
        hint = "pip install 'three-thirteen[evaluate]'"
        raise AgentError(f"the policy {path} cannot be played: {error}; {hint}") from error
    except (OSError, ValueError) as error:
        raise AgentError(str(error)) from error


def _own_agent(name: str, rules: Rules) -> Agent:
    module_name, _, class_name = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except Exception as error:  # whatever the code of another does
        if isinstance(error, ModuleNotFoundError) and error.name == module_name:
            raise AgentError(f"agent {name!r}: there is no module {module_name!r} here or installed") from error
        raise AgentError(f"agent {name!r}: importing {module_name!r} failed: {in_one_line(error)}") from error
    if not hasattr(module, class_name):
        raise AgentError(f"agent {name!r}: the module {module_name!r} has no {class_name!r}")
    try:
        agent: Agent = getattr(module, class_name)(rules)
    except Exception as error:  # as above
        raise AgentError(f"agent {name!r}: {class_name}(rules) failed: {in_one_line(error)}") from error
    if not callable(getattr(agent, "act", None)):
        raise AgentError(f"agent {name!r}: a {class_name} has no method act(views, masks, rng)")
    return agent


def in_one_line(error: BaseException) -> str:
    """What an error says: its kind, its words, and the file and the line that raised it."""
    words = " ".join(str(error).split())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)[1:] if not frame.filename.startswith("<")]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{': ' if words else ''}{words}{place}"
