"""The README is true: its Python runs, and its tables are what the code says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from three_thirteen_env.actions import DISCARD, DRAW_STOCK, GO_OUT, NUM_ACTIONS, TAKE_UPCARD
from three_thirteen_env.observation import layout_table
from three_thirteen_env.rules import Rules

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", BLOCKS, ids=range(len(BLOCKS)))
def test_every_python_example_runs(code, tmp_path):
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_the_strategy_of_ones_own_is_ranked_by_the_command_beside_it(tmp_path):
    (code,) = [block for block in BLOCKS if "class Hasty" in block]
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    (command,) = re.findall(r"^    python (evaluate\.py --agents mine:Hasty .*)$", README, flags=re.MULTILINE)
    script, *options = command.split()
    result = subprocess.run(
        [sys.executable, ROOT / script, *options, "--games", "4", "--processes", "1"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "mine:Hasty" in result.stdout


def test_the_table_of_observations_is_the_one_that_the_layout_makes():
    (table,) = re.findall(r"<!-- observations: .*? -->\n(.*?)\n<!-- end of observations -->", README, flags=re.DOTALL)
    assert table == layout_table()


def test_the_table_of_actions_has_the_numbers_of_the_code():
    numbers = re.findall(r"^\| (\d+)(?: \+ card)? \|", README, flags=re.MULTILINE)
    assert [int(number) for number in numbers] == [DRAW_STOCK, TAKE_UPCARD, DISCARD, GO_OUT]
    assert f"np.arange({NUM_ACTIONS})" in README


def test_the_table_of_rules_has_every_field_and_its_default():
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| ([^|]+) \|", README, flags=re.MULTILINE)
    defaults = {}
    for names, values in rows:
        fields = re.findall(r"`(\w+)`", names)
        if fields[0] in Rules._fields:
            defaults |= dict(zip(fields, values.split(", ") if len(fields) > 1 else [values], strict=True))
    assert defaults.pop("num_packs") == "half the players, rounded up"
    assert defaults == {name: str(value) for name, value in Rules()._asdict().items() if name != "num_packs"}
