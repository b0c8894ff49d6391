"""The shape of the package: what imports what, and what comes along."""

import ast
from pathlib import Path

import pytest

import three_thirteen_env

ROOT = Path(three_thirteen_env.__file__).parents[1]

# From the bottom to the top: a module imports only from those before it.
ORDER = [
    *("compiled", "cards", "rules", "state", "run_table", "search", "solver", "discards", "throws"),
    *("throws_after_discards", "outlook", "melds", "actions"),
    *("chance", "game", "view", "observation"),
    *("rewards", "checks", "agent", "batch", "learners", "learner_games"),
    *("table", "card_faces", "table_picture", "render"),
    *("aec_env", "three_thirteen_v0", "gym_env", "gym_vector_env"),
]


def imported_modules(path: Path, package: str) -> set[str]:
    """The modules of a package that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name.split(".")[1] for name in names if name.startswith(package + ".")}


def test_every_module_of_the_core_has_its_place_in_the_order():
    modules = {path.stem for path in (ROOT / "three_thirteen_env").glob("*.py")} - {"__init__"}
    assert modules == set(ORDER)


@pytest.mark.parametrize("module", ORDER)
def test_imports_go_one_way(module):
    imports = imported_modules(ROOT / "three_thirteen_env" / f"{module}.py", "three_thirteen_env")
    assert imports & set(ORDER) <= set(ORDER[: ORDER.index(module)])


@pytest.mark.parametrize("module", ORDER)
def test_the_core_knows_nothing_of_what_is_built_on_it(module):
    source = (ROOT / "three_thirteen_env" / f"{module}.py").read_text(encoding="utf-8")
    heavy = {"agents", "train", "evaluate", "torch", "stable_baselines3", "sb3_contrib", "tyro", "rich", "scipy"}
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        assert not {name.split(".")[0] for name in names} & heavy


def test_type_checkers_find_the_types():
    assert (ROOT / "three_thirteen_env" / "py.typed").exists()
    assert (ROOT / "agents" / "py.typed").exists()
