"""A policy as two files: the network as ONNX, and beside it a card in JSON that says what it is for.

    policy.onnx    observation (n, size) float32, action_mask (n, 106) int8  ->  log_probabilities (n, 106) float32
    policy.json    format, rules, observation, network, steps, seed, opponent, evaluation

A policy of any framework that is saved so can be ranked. Neither file can run code when it is loaded.
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple, get_args

from three_thirteen_env.observation import Kind, observation_size
from three_thirteen_env.rules import Rules

FORMAT = 1  # rises whenever an older program would misread the files: a change of the observation is one
OBSERVATION, ACTION_MASK = "observation", "action_mask"  # the inputs of the network
LOG_PROBABILITIES = "log_probabilities"  # its output

# A policy may be played under rules that differ from its own in these fields: they change only how far a round or a
# game can go. (What share of the turn limit is over says another thing where that differs: a policy is shown its own.)
FREE_RULES = frozenset({"first_round", "last_round", "turn_limit"})


class PolicyCard(NamedTuple):
    """What a policy is for, and how it came about."""

    rules: Rules
    observation: Kind
    network: str  # in words
    steps: int  # decisions of its own that it learned from
    seed: int
    opponent: str  # whom it learned against, or what from
    evaluation: Any = None  # how it fared in the end, as JSON; None before that


def card_path(path: Path) -> Path:
    """Where the card of the policy of a path lies."""
    return path.with_suffix(".json")


def write_card(path: Path, card: PolicyCard) -> None:
    """Write the card of the policy of a path beside it."""
    fields = {"format": FORMAT, **card._asdict(), "rules": card.rules._asdict()}
    fields["observation"] = {"kind": card.observation, "size": observation_size(card.rules, card.observation)}
    write_whole(card_path(path), (json.dumps(fields, indent=2) + "\n").encode())


def read_card(path: Path) -> PolicyCard:
    """The card of the policy of a path.

    Raises FileNotFoundError where there is none, ValueError where it is damaged or from a newer version.
    """
    try:
        text = card_path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileNotFoundError(f"the policy {path} has no card: {card_path(path)} is missing") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{card_path(path)} is no card of a policy: {error}") from None
    try:
        fields = json.loads(text)
        if _integer(fields, "format") > FORMAT:
            raise ValueError(f"its format is {fields['format']}, newer than {FORMAT}: update three-thirteen to play it")
        return _card(fields)
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"{card_path(path)} is no card of a policy: {reason}") from None


def check_rules(card: PolicyCard, rules: Rules) -> None:
    """Raise ValueError if the policy of a card is not for these rules: all must be its own but for `FREE_RULES`."""
    for field, own, asked in zip(Rules._fields, card.rules, rules, strict=True):
        if field not in FREE_RULES and own != asked:
            raise ValueError(f"it is for {field} {own}, not {asked}")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one go: whoever reads it meets the old content or the new one, never a part."""
    unfinished = path.with_name(path.name + ".unfinished")
    with unfinished.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def _card(fields: dict[str, Any]) -> PolicyCard:
    rules = Rules(**fields["rules"])
    kind = fields["observation"]["kind"]
    if kind not in get_args(Kind):
        raise ValueError(f"an observation of kind {kind!r} is unknown")
    size = observation_size(rules, kind)
    if fields["observation"]["size"] != size:
        raise ValueError(f"an observation of {fields['observation']['size']} values, where these rules give {size}")
    return PolicyCard(
        rules=rules,
        observation=kind,
        network=str(fields["network"]),
        steps=_integer(fields, "steps"),
        seed=_integer(fields, "seed"),
        opponent=str(fields["opponent"]),
        evaluation=fields.get("evaluation"),
    )


def _integer(fields: dict[str, Any], name: str) -> int:
    value = fields[name]
    if type(value) is not int:
        raise ValueError(f"{name} is {value!r}, not an integer")
    return value
