"""What the environments are given, checked at the edge: compiled code trusts its caller."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from three_thirteen_env.actions import NUM_ACTIONS, action_name
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.chance import MAX_SEED
from three_thirteen_env.game import DISCARD_PHASE, DRAW_PHASE, GAME_OVER, Mask, hand_size_of
from three_thirteen_env.rules import MAX_PLAYERS, Rules
from three_thirteen_env.rules import checked_integer as checked_integer
from three_thirteen_env.state import MAX_CARDS, NO_CARD, NOBODY, STATE, State


def checked_rules(rules: Rules | None, choices: dict[str, Any]) -> Rules:
    """The rules, given whole or field by field.

    Raises TypeError for a field that `Rules` does not have, ValueError for both ways at once or what `Rules` refuses.
    """
    unknown = [name for name in choices if name not in Rules._fields]
    if unknown:
        raise TypeError(f"{unknown[0]!r} is no argument and no field of Rules, which are {', '.join(Rules._fields)}")
    if rules is None:
        return Rules(**choices)
    if choices:
        raise ValueError(f"give either rules or their fields, not both rules and {', '.join(choices)}")
    if not isinstance(rules, Rules):
        raise TypeError(f"rules must be Rules, such as Rules(num_players=4), not {rules!r}")
    return rules


def checked_choice(name: str, value: Any, allowed: Sequence[str]) -> Any:
    """A value, if it is one of those allowed; otherwise raises ValueError."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def checked_integers(name: str, values: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """Values as ``(count,)`` integers, one a game; raises ValueError unless that is what they are."""
    numbers = np.asarray(values)
    if numbers.shape != (count,) or numbers.dtype.kind not in "iu":
        raise ValueError(f"{name} must be {count} integers, one a game, not shape {numbers.shape} of {numbers.dtype}")
    if numbers.dtype.kind == "u" and numbers.max() > MAX_SEED:  # no int64
        raise ValueError(f"{name} must be no higher than {MAX_SEED}, and one is {numbers.max()}")
    return np.ascontiguousarray(numbers, np.int64)


def checked_seeds(seeds: npt.ArrayLike, count: int) -> npt.NDArray[np.int64]:
    """Seeds, one a game; raises ValueError unless each is an integer from 0 to 2**63 - 1."""
    numbers = checked_integers("seeds", seeds, count)
    if numbers.min() < 0:
        index = int(numbers.argmin())
        raise ValueError(f"seeds must be from 0 to {MAX_SEED}, and that of game {index} is {numbers[index]}")
    return numbers


def refusal(action: int, state: State, mask: Mask) -> str:
    """Why an action is refused that is not legal."""
    what = f"{action} ({action_name(action)}) is not legal" if 0 <= action < NUM_ACTIONS else f"{action} is no action"
    phase = "draws" if state.phase == DRAW_PHASE else "discards"
    legal = ", ".join(f"{legal} ({action_name(legal)})" for legal in np.flatnonzero(mask).tolist())
    return f"{what}: player_{state.seat} {phase} and may choose {legal}"


def check_state(state: State, rules: Rules) -> None:
    """Raise ValueError for a record that no game of these rules can be in, as far as can be told.

    Compiled code trusts its caller, so this looks at all that could lead it astray.
    """
    if getattr(state, "dtype", None) != STATE or np.shape(state) != ():
        raise ValueError(f"a state is one record of STATE, not {type(state).__name__}")
    if state.observer != NOBODY:
        raise ValueError(f"this is what seat {state.observer} knows, not a whole state: redeal() makes one of it")
    misfit = next(_misfits(state, rules), None)
    if misfit is not None:
        raise ValueError(f"no game of {rules} can be in this state: its {misfit} cannot be so")


def _misfits(state: State, rules: Rules) -> Iterator[str]:
    """The fields of a record that a game of these rules cannot have; each look relies on those before it."""
    players, is_over = rules.num_players, state.phase == GAME_OVER
    if state.phase not in (DRAW_PHASE, DISCARD_PHASE, GAME_OVER):
        yield "phase"
    if not (rules.last_round if is_over else rules.first_round) <= state.round_number <= rules.last_round:
        yield "round_number"
    if not 0 <= state.dealer < players:
        yield "dealer"
    if not NOBODY <= state.out_seat < players:
        yield "out_seat"
    if state.seat not in ({NOBODY} if is_over else set(range(players)) - {state.out_seat}):
        yield "seat"
    turns_after_limit = is_over if state.out_seat == NOBODY else players
    if not 0 <= state.num_turns < rules.turn_limit * players + turns_after_limit:
        yield "num_turns"
    hand_sizes = [hand_size_of(state, seat) for seat in range(players)] + [0] * (MAX_PLAYERS - players)
    if (state.hands < 0).any() or state.hands.sum(axis=1).tolist() != hand_sizes:
        yield "hands"
    if (state.known < 0).any() or (state.known > state.hands).any():
        yield "known"
    if (state.discarded < 0).any() or (state.discarded > rules.num_packs).any():
        yield "discarded"
    may_have_taken = np.flatnonzero(state.hands[state.seat]).tolist() if state.phase == DISCARD_PHASE else []
    if state.taken not in [NO_CARD, *may_have_taken]:
        yield "taken"
    if not 0 <= state.stock_size <= MAX_CARDS:
        yield "stock_size"
    if not (state.phase != DISCARD_PHASE or state.taken == NO_CARD) <= state.pile_size <= MAX_CARDS:
        yield "pile_size"
    cards = np.concatenate([state.stock[: state.stock_size], state.pile[: state.pile_size]])
    if (cards < 0).any() or (cards >= NUM_CARDS).any():
        yield "stock or pile"
    if (np.bincount(cards, minlength=NUM_CARDS) + state.hands.sum(axis=0) != rules.num_packs).any():
        yield "cards all together"
