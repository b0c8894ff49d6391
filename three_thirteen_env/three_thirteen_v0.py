"""The game under the name, with its version, that PettingZoo gives to modules: ``three_thirteen_v0.env()``."""

from three_thirteen_env.aec_env import env, raw_env

__all__ = ["env", "raw_env"]
