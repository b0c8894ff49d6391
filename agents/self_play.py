"""Whom a learner plays against: agents by name, itself as it is now, and itself as it was before, drawn by weight.

A game has one opponent, in all seats but the learner's. A share of the games is against the newest self. The others are
shared by how hard each opponent is to beat, so that none that still wins is forgotten: the softmax of minus the points
a round that the learner has won from it on average lately, where `TEMPERATURE` points make one of them e times as rare.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.network import CardPolicy, sample
from three_thirteen_env.agent import Actions, Agent, Masks
from three_thirteen_env.observation import Kind, observe_each
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import States

TEMPERATURE = 1.0  # points a round
ROUNDS_REMEMBERED = 5000  # a mean goes over about so many rounds: of more, the older ones fade

Values = npt.NDArray[np.float64]


class SelfAgent:
    """Plays what a torch policy says, as it stands when it is asked: a training changes it."""

    def __init__(self, policy: CardPolicy, rules: Rules, observation: Kind, samples: bool = True) -> None:
        """With `samples` it draws by the probabilities, otherwise it plays the most probable action."""
        self.policy, self.rules, self.observation, self.samples = policy, rules, observation, samples

    def act(self, views: States, masks: Masks, rng: np.random.Generator) -> Actions:
        """The action of the policy in each view."""
        observations = observe_each(views, self.rules, self.observation)
        with torch.no_grad():
            inputs = torch.from_numpy(observations), torch.from_numpy(masks.astype(np.bool_))
            log_probabilities = self.policy.log_probabilities(*(part.to(self.policy.device) for part in inputs)).cpu()
            if not self.samples:
                return log_probabilities.argmax(dim=1).numpy()
            noise = rng.standard_exponential(log_probabilities.shape, np.float32)
            return sample(log_probabilities, torch.from_numpy(noise)).numpy()


class OpponentPool:
    """The opponents of a training: first those by name, then the newest self, then past selves, at most so many.

    An opponent keeps its number, but a past self that is dropped gives it to the one that comes instead.
    """

    def __init__(self, named: dict[str, Agent], newest: SelfAgent, self_share: float, num_past_selves: int) -> None:
        """The share of the newest self, from 0 to 1, is that of all games, and 1 if there is nobody else."""
        self.names = [*named, "itself"]
        self.agents: list[Agent] = [*named.values(), newest]
        self.newest = newest
        self.first_past = len(self.agents)
        self.self_share = self_share
        self.num_past_selves = num_past_selves
        self.margins = np.zeros(len(self.agents))  # points a round that the learner wins from each
        self.num_rounds = np.zeros(len(self.agents))  # that these means are over

    @property
    def weights(self) -> Values:
        """The share of the games that each opponent has, ``(num_opponents,)``; they add up to 1."""
        is_newest = np.arange(len(self.agents)) == self.first_past - 1
        weights = np.where(is_newest, 0.0, np.exp((self.margins.min() - self.margins) / TEMPERATURE))
        if not weights.any():
            return is_newest.astype(np.float64)
        shares: Values = np.where(is_newest, self.self_share, (1 - self.self_share) * weights / weights.sum())
        return shares

    @property
    def past_selves(self) -> list[SelfAgent]:
        """The newest self as it was before."""
        return [agent for agent in self.agents[self.first_past :] if isinstance(agent, SelfAgent)]

    def learn_of(self, num_rounds: Values, margins: Values) -> None:
        """Take account of rounds against each opponent ``(num_opponents,)``, and by how many points all were won."""
        self.num_rounds = np.minimum(self.num_rounds + num_rounds, np.maximum(ROUNDS_REMEMBERED, num_rounds))
        met = num_rounds > 0
        means = margins[met] / num_rounds[met]
        self.margins[met] += (means - self.margins[met]) * num_rounds[met] / self.num_rounds[met]

    def add_past_self(self) -> None:
        """Keep the newest self as it is now. Where there is no more room, the one most easily beaten makes some."""
        if self.num_past_selves == 0:
            return
        past = SelfAgent(self.newest.policy.twin(), self.newest.rules, self.newest.observation)
        if len(self.past_selves) < self.num_past_selves:
            self.names.append(f"past {len(self.past_selves) + 1}")
            self.agents.append(past)
            self.margins, self.num_rounds = np.append(self.margins, 0.0), np.append(self.num_rounds, 0.0)
        else:
            place = self.first_past + int(self.margins[self.first_past :].argmax())
            self.agents[place] = past
            self.margins[place] = self.num_rounds[place] = 0

    def save(self) -> dict[str, Any]:
        """All that is not known without the games: the past selves and what was learned of each opponent."""
        past = [agent.policy.state_dict() for agent in self.past_selves]
        return {"past": past, "margins": self.margins.tolist(), "num_rounds": self.num_rounds.tolist()}

    def load(self, saved: dict[str, Any]) -> None:
        """Go on from what `save` gave of a pool that was made with the same arguments."""
        for state in saved["past"]:
            self.add_past_self()
            self.past_selves[-1].policy.load_state_dict(state)
        self.margins, self.num_rounds = np.array(saved["margins"]), np.array(saved["num_rounds"])
