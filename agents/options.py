"""The options of a script beyond what their types say: numbers in their ranges, and what a run folder remembers."""

from collections.abc import Mapping
from typing import Any


class InputError(Exception):
    """An option that makes no sense: one line that says which, and what is allowed."""


def check_numbers(
    values: Mapping[str, Any], at_least: Mapping[str, float], above_0: frozenset[str], shares: frozenset[str]
) -> None:
    """Raise InputError at a number out of its range; shares go from 0 to 1. What is None was not given."""
    for name, value in values.items():
        if value is None:
            continue
        if name in at_least and not at_least[name] <= value < float("inf"):
            raise InputError(f"{option(name)} must be {at_least[name]} or more, not {value}")
        if name in above_0 and not 0 < value < float("inf"):
            raise InputError(f"{option(name)} must be above 0, not {value}")
        if name in shares and not 0 <= value <= 1:
            raise InputError(f"{option(name)} must be from 0 to 1, not {value}")


def check_same(values: Mapping[str, Any], before: Mapping[str, Any], may_change: frozenset[str]) -> None:
    """Raise InputError at a value of a run that differs from what it was before, unless it may change."""
    for name, value in values.items():
        if name not in may_change and value != before[name]:
            raise InputError(f"{option(name)} of a run that resumes stays {before[name]}, not {value}")


def option(name: str) -> str:
    """How a field is called on the command line."""
    return f"--{name.replace('_', '-')}"
