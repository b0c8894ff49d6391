"""Three Thirteen for PettingZoo: `raw_env`, and `env`, the same in the wrappers of PettingZoo's classic games.

    from three_thirteen_env import three_thirteen_v0

    env = three_thirteen_v0.env(num_players=4)  # or pettingzoo.make("aec", "cards/three_thirteen-v0", num_players=4)
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        action = None if termination or truncation else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)

*Goal*: as few points as possible over the rounds. *Agents*: ``player_0`` sits in seat 0, and so on clockwise.

*Observation*: a dict. ``"observation"`` is what the agent may know, as `observation.LAYOUT` describes it;
``"action_mask"``, ``(106,) int8``, has a 1 for every legal action (`actions`), and none for an agent not to act.

*Reward*: every agent gets its own when a round ends, whoever ended it. ``reward="points"``: minus the points that the
round cost it. ``"margin"``: the mean of the others' points minus its own. ``"win"``: only at the end of the game, its
share of the win minus 1 / players (`rewards`).

*Termination*: after the last round, for all agents at once. Nothing is truncated: the turn limit is a rule of the game.
"""

import operator
from typing import Any, ClassVar, get_args

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from three_thirteen_env.actions import NUM_ACTIONS, action_name
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED
from three_thirteen_env.checks import check_state, checked_choice, checked_integer, checked_rules
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import DRAW_PHASE, GAME_OVER, Mask, legal_actions, start, step
from three_thirteen_env.observation import KIND_NUMBERS, Kind, Observation, encode, observation_size
from three_thirteen_env.rewards import Reward, illegal_reward, round_rewards
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import NOBODY, STATE, State, States
from three_thirteen_env.view import hide

RENDER_MODES = ["ansi", "human", "rgb_array"]
RENDER_FPS = 2


def env(
    rules: Rules | None = None,
    *,
    observation: Kind = "cards",
    reward: Reward = "points",
    render_mode: str | None = None,
    **choices: Any,
) -> AECEnv:
    """A `raw_env` in PettingZoo's standard wrappers: an illegal action ends the game with `illegal_reward`."""
    game = raw_env(rules, observation=observation, reward=reward, render_mode=render_mode, **choices)
    wrapped = _TerminateIllegal(game, illegal_reward(game.rules, reward))
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class raw_env(AECEnv):  # type: ignore[misc]  # noqa: N801  # the name that PettingZoo gives it; it has no types
    """The game with every seat an agent. Rules are given as `rules`, or field by field: ``raw_env(num_players=4)``.

    Raises ValueError for rules that cannot be played and TypeError for fields that `Rules` does not have.
    A new environment already holds a game; `reset` deals another one.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "three_thirteen_v0",
        "render_modes": RENDER_MODES,
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }
    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    _cumulative_rewards: dict[str, float]

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        observation: Kind = "cards",
        reward: Reward = "points",
        render_mode: str | None = None,
        **choices: Any,
    ) -> None:
        super().__init__()
        self.rules = checked_rules(rules, choices)
        self.reward_form = checked_choice("reward", reward, get_args(Reward))
        if render_mode is not None:
            checked_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.possible_agents: list[str] = [f"player_{seat}" for seat in range(self.rules.num_players)]
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in self.possible_agents}
        size = observation_size(self.rules, observation)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-1, 1, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.state_space = spaces.Box(-1, 1, (self.rules.num_players * size,), np.float32)
        self._size, self._kind = size, KIND_NUMBERS[observation]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._rules_row = np.array(self.rules, np.int64)
        self._states = np.zeros(1, STATE)
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._window: Any = None
        self.np_random, _ = seeding.np_random()
        start(self._states[0], self._draw_seed(), self.rules)
        self._begin()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal the game of a seed, 0 to 2**63 - 1, or without one another game at random; there are no options.

        Random games have seeds below `EVALUATION_SEEDS`, and follow from the last seed given.
        """
        if seed is not None:
            seed = checked_integer("seed", seed, 0, MAX_SEED)
            self.np_random, _ = seeding.np_random(seed)
        start(self._states[0], self._draw_seed() if seed is None else seed, self.rules)
        self._begin()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Play an action of the selected agent, or None for an agent whose game is over.

        Raises ValueError, and changes nothing, if the action is no integer or not legal.
        """
        if not self.agents:
            raise ValueError("the game is over: call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._checked(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        seat, ended_round = _advance(self._states, number, self._rules_row, self._mask)
        self.agent_selection = self.possible_agents[seat]
        if ended_round:
            self._end_round(ended_round)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        """The observation of an agent, from its own view, and its mask."""
        return {"observation": self._observation(self._seats[agent]), "action_mask": self.action_mask(agent)}

    def action_mask(self, agent: str) -> Mask:
        """What an agent may do, ``(106,) int8``: nothing unless it is to act."""
        is_to_act = agent == self.agent_selection and agent in self.agents and not self.terminations[agent]
        return self._mask.copy() if is_to_act else np.zeros(NUM_ACTIONS, np.int8)

    def views(self, agent: str) -> States:
        """What an agent may know, as the array of one view that `Agent.act` takes, ``(1,) STATE``."""
        views = self._states.copy()
        hide(views[0], self._seats[agent])
        return views

    def state(self) -> Observation:
        """The observations of all agents, one after the other: what they know if they put it together."""
        return np.concatenate([self._observation(seat) for seat in self._seats.values()])

    def get_state(self) -> State:
        """The whole game as one record, a copy: `set_state` continues from it."""
        return self._states.copy()[0]

    def set_state(self, state: State) -> None:
        """Continue from a state that `get_state` or `redeal` gave; rewards not yet collected start at zero.

        Raises ValueError, and changes nothing, if it is none that these rules lead to, as far as can be told.
        """
        check_state(state, self.rules)
        self._states[0] = state
        self._begin()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Show the table with all hands open: as text, as a picture ``(height, width, 3) uint8``, or in a window."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"nothing to render: make the environment with a render_mode of {RENDER_MODES}")
            return None
        from three_thirteen_env import render

        if self.render_mode == "ansi":
            return render.text(self._states[0], self.rules, self.possible_agents)
        picture = render.picture(self._states[0], self.rules, self.possible_agents)
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            self._window = render.Window(self.metadata["render_fps"])
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def observation_space(self, agent: str) -> spaces.Dict:
        """The observations of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The 106 actions of an agent."""
        return self.action_spaces[agent]

    def __getstate__(self) -> dict[str, Any]:  # a copy opens a window of its own
        return {**self.__dict__, "_window": None}

    def _draw_seed(self) -> int:
        return int(self.np_random.integers(EVALUATION_SEEDS))

    def _begin(self) -> None:
        """Set everything that PettingZoo wants of an environment from the record of the game."""
        state = self._states[0]
        legal_actions(state, self.rules, self._mask)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[_seat_selected(state, self.rules)]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, bool(state.phase == GAME_OVER))
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # PettingZoo keeps here whose turn follows when agents have left

    def _end_round(self, ended_round: int) -> None:
        state = self._states[0]
        rewards = round_rewards(state, ended_round, self.rules, self.reward_form)
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()
        if state.phase == GAME_OVER:
            self.terminations = dict.fromkeys(self.agents, True)

    def _observation(self, seat: int) -> Observation:
        values = np.empty(self._size, np.float32)
        _observe(self._states, seat, self._rules_row, self._kind, values)
        return values

    def _checked(self, action: Any) -> int:
        """The number of a legal action; raises ValueError for anything else."""
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        is_action = 0 <= number < NUM_ACTIONS and not isinstance(action, bool)
        if not is_action or not self._mask[number]:
            what = f"{number} ({action_name(number)}) is not legal" if is_action else f"{action!r} is no action"
            phase = "draws" if self._states[0].phase == DRAW_PHASE else "discards"
            legal = ", ".join(f"{legal} ({action_name(legal)})" for legal in np.flatnonzero(self._mask).tolist())
            raise ValueError(f"{what}: {self.agent_selection} {phase} and may choose {legal}")
        return number


class _TerminateIllegal(wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper, which remembers the mask that it saw last: after `set_state` it is another one."""

    def set_state(self, state: State) -> None:
        self.env.set_state(state)
        self._prev_obs = self._prev_info = None
        self._terminated = False


@compiled
def _advance(states: States, action: int, rules_row: npt.NDArray[np.int64], mask: Mask) -> tuple[int, int]:
    """Trusts its caller: play a legal action and write what is legal next; gives who is next, and the round it ended.

    That round is 0 while the round goes on. The rules come as a row of numbers and the state in an array because they
    reach compiled code in 1 microsecond like that; as a tuple and a record they take 8.
    """
    state, rules = states[0], _rules_in(rules_row)
    round_number = state.round_number
    step(state, action, rules)
    legal_actions(state, rules, mask)
    has_ended = state.round_number != round_number or state.phase == GAME_OVER
    return _seat_selected(state, rules), round_number if has_ended else 0


@compiled
def _observe(states: States, seat: int, rules_row: npt.NDArray[np.int64], kind: int, observation: Observation) -> None:
    """Trusts its caller: write what a seat may know of the game."""
    encode(states[0], seat, _rules_in(rules_row), kind, observation)


@compiled
def _rules_in(row: npt.NDArray[np.int64]) -> Rules:
    """The rules that a row of numbers holds: six integers and four booleans."""
    return Rules(row[0], row[1], row[2], row[3], row[4], row[5], row[6] != 0, row[7] != 0, row[8] != 0, row[9] != 0)


@compiled
def _seat_selected(state: State, rules: Rules) -> int:
    """The seat to act; after the game the one that would have been next."""
    if state.phase != GAME_OVER:
        return state.seat
    return state.out_seat if state.out_seat != NOBODY else (state.dealer + 1) % rules.num_players
