"""What importing the package does: it registers the game, and neither loads nor compiles it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import three_thirteen_env


def run(*lines):
    """Run lines of Python in a process of its own, with every warning an error; gives what they print."""
    command = [sys.executable, "-W", "error", "-c", "\n".join(lines)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split()


def test_importing_the_package_loads_the_two_frameworks_and_nothing_heavy():
    modules = run("import sys, three_thirteen_env", "print(*{name.split('.')[0] for name in sys.modules})")
    assert {"gymnasium", "pettingzoo"} <= set(modules)
    assert not {"numba", "torch", "stable_baselines3", "PIL", "pygame", "scipy", "tyro", "rich"} & set(modules)


def test_importing_every_module_compiles_nothing():
    compiled = run(
        "import gc, importlib, pkgutil, three_thirteen_env",
        "for module in pkgutil.iter_modules(three_thirteen_env.__path__, 'three_thirteen_env.'):",
        "    importlib.import_module(module.name)",
        "from numba.core.dispatcher import Dispatcher",
        "functions = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher)]",
        "functions = [function for function in functions if function.__module__.startswith('three_thirteen_env.')]",
        "print(*(function.__name__ for function in functions if function.overloads))",
    )
    assert compiled == []


@pytest.mark.parametrize("name", three_thirteen_env.__all__)
def test_every_public_name_comes_from_its_module_and_is_listed(name):
    assert getattr(three_thirteen_env, name) is not None
    assert name in dir(three_thirteen_env)


def test_the_package_has_no_other_names():
    with pytest.raises(AttributeError, match="has no attribute 'player_id'"):
        three_thirteen_env.player_id  # noqa: B018


def test_the_public_names_that_type_checkers_see_are_those_that_there_are():
    tree = ast.parse(Path(three_thirteen_env.__file__).read_text(encoding="utf-8"))
    (branch,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.asname: node.module for node in branch.body for alias in node.names}
    assert seen == {name: f"three_thirteen_env.{module}" for name, module in three_thirteen_env._MODULE_OF.items()}
