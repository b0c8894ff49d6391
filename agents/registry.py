"""Agents by name: those that come with the game, one's own, and policy files.

To register one more is one line of `AGENTS`; to try one without that, its name is ``module:Class``. Options of an agent
follow its name, as in ``search@rollouts=400,num_threads=2``.
"""

import ast
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agents.brisk import Brisk
from agents.careful import Careful
from agents.clairvoyant import Clairvoyant
from agents.greedy import Greedy
from agents.lookahead import Lookahead
from agents.policy_file import check_rules, read_card
from agents.search import Search
from agents.selective import Selective
from three_thirteen_env.agent import Agent, RandomAgent
from three_thirteen_env.rules import Rules

PRETRAINED = Path(__file__).parent / "pretrained"  # the policies that come with the game
POLICY_SUFFIX = ".onnx"


class AgentError(Exception):
    """An agent that cannot be made, or that does not play by the rules: one line that says which and why."""


def pretrained_path(rules: Rules) -> Path | None:
    """The policy that comes with the game and is for these rules, if there is one."""
    for path in sorted(PRETRAINED.glob(f"*{POLICY_SUFFIX}")):
        card = read_card(path)
        try:
            check_rules(card, rules)
        except ValueError:
            continue
        return path
    return None


def _pretrained(rules: Rules) -> Agent:
    path = pretrained_path(rules)
    if path is None:
        raise AgentError("no policy that comes with the game is for these rules: train one with train.py")
    return _learned_agent(str(path), rules)


AGENTS: dict[str, Callable[..., Agent]] = {
    "random": lambda _: RandomAgent(),
    "greedy": Greedy,
    "selective": Selective,
    "brisk": Brisk,
    "lookahead": Lookahead,
    "careful": Careful,
    "search": Search,
    "learned": _pretrained,
    "clairvoyant": Clairvoyant,
}
HAND_WRITTEN = ("random", "greedy", "selective", "brisk", "lookahead", "careful", "search")  # weakest first, and fair
# Weakest first, and a game in milliseconds.
QUICK = ("random", "greedy", "selective", "brisk", "lookahead", "careful", "learned")


def quick_agents(rules: Rules) -> tuple[str, ...]:
    """Those of `QUICK` that can play by the rules, weakest first: `learned` only where a policy is for them."""
    return tuple(name for name in QUICK if name != "learned" or pretrained_path(rules) is not None)


def make_agent(name: str, rules: Rules) -> Agent:
    """The agent of a name, made for the rules.

    The name is one of `AGENTS`, or ``module:Class`` of a class of one's own (looked for in the current directory too;
    it is called with the rules), or the path of a policy file. Options follow after an ``@``. Raises AgentError.
    """
    kind, _, words = name.partition("@")
    if kind in AGENTS:
        return _made(name, AGENTS[kind], rules, words)
    if kind.endswith(POLICY_SUFFIX):
        if words:
            raise AgentError(f"agent {name!r}: a policy file takes no options, and {words!r} came")
        return _learned_agent(kind, rules)
    if ":" in kind:
        return _made(name, _own_class(kind), rules, words)
    if name.endswith(POLICY_SUFFIX):  # there is an @ in the path
        return _learned_agent(name, rules)
    raise AgentError(
        f"there is no agent {kind!r}: it is one of {', '.join(AGENTS)}, "
        f"or module:Class of one's own, or the path of a policy file (*{POLICY_SUFFIX})"
    )


def make_fair_agent(name: str, rules: Rules) -> Agent:
    """As `make_agent`, and for a training, which shows an agent only what it may see. Raises AgentError."""
    agent = make_agent(name, rules)
    if getattr(agent, "sees_everything", False):
        raise AgentError(f"agent {name!r} sees every card, and a training shows an agent only what it may see")
    return agent


def _made(name: str, make: Callable[..., Agent], rules: Rules, words: str) -> Agent:
    """What a class or function makes of the rules and the options in `words`."""
    options = _options(name, words)
    _check_options(name, make, options)
    try:
        agent: Agent = make(rules, **options)
    except AgentError as error:
        raise AgentError(f"agent {name!r}: {error}") from error
    except Exception as error:  # whatever the code of another does
        raise AgentError(f"agent {name!r} cannot be made: {in_one_line(error)}") from error
    if not callable(getattr(agent, "act", None)):
        raise AgentError(f"agent {name!r}: a {type(agent).__name__} has no method act(views, masks, rng)")
    return agent


def _check_options(name: str, make: Callable[..., Agent], options: Mapping[str, Any]) -> None:
    """Raises AgentError at an option that a class or function does not take beside the rules."""
    try:
        known = list(inspect.signature(make).parameters)[1:]
    except (TypeError, ValueError):  # it is none, or does not say what it takes
        known = []
    for option in options:
        if option not in known:
            raise AgentError(f"agent {name!r} has no option {option!r}: {', '.join(known) or 'it has none'}")


def _options(name: str, words: str) -> dict[str, Any]:
    """Options such as ``rollouts=400,milliseconds=50.0``: numbers, words, True, False and None."""
    options = {}
    for part in filter(None, words.split(",")):
        option, equals, value = part.partition("=")
        if not option.isidentifier() or not equals:
            raise AgentError(f"agent {name!r}: an option is written option=value, not {part!r}")
        try:
            options[option] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            options[option] = value
    return options


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


def _own_class(name: str) -> Callable[..., Agent]:
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
    make: Callable[..., Agent] = getattr(module, class_name)
    return make


def in_one_line(error: BaseException) -> str:
    """What an error says: its kind, its words, and the file and the line that raised it."""
    words = " ".join(str(error).split())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)[1:] if not frame.filename.startswith("<")]
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{': ' if words else ''}{words}{place}"
