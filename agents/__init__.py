"""Agents that play Three Thirteen, and what tells which of them is better."""

from agents.registry import AGENTS as AGENTS
from agents.registry import AgentError as AgentError
from agents.registry import make_agent as make_agent
