"""The versions of what something ran on, to be kept beside what came of it."""

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The version of each package; unknown where it is not installed."""
    return {package: _version(package) for package in packages}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
