"""Three Thirteen, the eleven-round rummy game, for reinforcement learning.

Importing the package registers it with PettingZoo and Gymnasium, and no more than that: the names below are imported
when they are first used, and the game core is compiled when the first game is dealt.

    pettingzoo.make("aec", "cards/three_thirteen-v0")    every seat acts in turn     aec_env.py
    gymnasium.make("ThreeThirteen-v0")                   one seat, against agents    gym_env.py
    gymnasium.make_vec("ThreeThirteen-v0", num_envs=64)  the same, many at once      gym_vector_env.py
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from three_thirteen_env.actions import NUM_ACTIONS as NUM_ACTIONS
    from three_thirteen_env.actions import action_name as action_name
    from three_thirteen_env.actions import parse_action as parse_action
    from three_thirteen_env.aec_env import env as env
    from three_thirteen_env.aec_env import raw_env as raw_env
    from three_thirteen_env.agent import Agent as Agent
    from three_thirteen_env.agent import RandomAgent as RandomAgent
    from three_thirteen_env.batch import Batch as Batch
    from three_thirteen_env.cards import hand as hand
    from three_thirteen_env.gym_env import ThreeThirteenEnv as ThreeThirteenEnv
    from three_thirteen_env.gym_vector_env import ThreeThirteenVectorEnv as ThreeThirteenVectorEnv
    from three_thirteen_env.melds import arrange as arrange
    from three_thirteen_env.melds import can_go_out as can_go_out
    from three_thirteen_env.melds import deadwood_points as deadwood_points
    from three_thirteen_env.rules import Rules as Rules
    from three_thirteen_env.state import STATE as STATE
    from three_thirteen_env.state import Phase as Phase
    from three_thirteen_env.view import redeal as redeal
    from three_thirteen_env.view import view_of as view_of

_MODULE_OF = {
    "NUM_ACTIONS": "actions",
    "action_name": "actions",
    "parse_action": "actions",
    "env": "aec_env",
    "raw_env": "aec_env",
    "Agent": "agent",
    "RandomAgent": "agent",
    "hand": "cards",
    "Batch": "batch",
    "ThreeThirteenEnv": "gym_env",
    "ThreeThirteenVectorEnv": "gym_vector_env",
    "arrange": "melds",
    "can_go_out": "melds",
    "deadwood_points": "melds",
    "Rules": "rules",
    "STATE": "state",
    "Phase": "state",
    "redeal": "view",
    "view_of": "view",
}

__all__ = list(_MODULE_OF)

pettingzoo.register("aec", "cards/three_thirteen-v0", entry_point=f"{__name__}.aec_env:env")
gymnasium.register(
    "ThreeThirteen-v0",
    entry_point=f"{__name__}.gym_env:ThreeThirteenEnv",
    vector_entry_point=f"{__name__}.gym_vector_env:ThreeThirteenVectorEnv",
)


def __getattr__(name: str) -> Any:
    """A public name, from its module, when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
