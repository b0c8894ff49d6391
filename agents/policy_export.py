"""From a torch policy to a policy file: the part of training that `agents.learned` does without."""

import logging
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from agents.network import ILLEGAL
from agents.policy_file import ACTION_MASK, LOG_PROBABILITIES, OBSERVATION, PolicyCard, write_card, write_whole
from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.observation import observation_size

if TYPE_CHECKING:
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy


class _LogProbabilities(nn.Module):
    """The acting half of a policy: no values, no sampling."""

    def __init__(self, policy: "MaskableActorCriticPolicy") -> None:
        super().__init__()
        self.actor, self.action_net = policy.mlp_extractor, policy.action_net

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        logits = self.action_net(self.actor.forward_actor(observation))
        return torch.log_softmax(logits.masked_fill(action_mask == 0, ILLEGAL), dim=1)


def export_policy(policy: "MaskableActorCriticPolicy", path: Path, card: PolicyCard) -> None:
    """Write a policy of sb3-contrib as a policy file: the network, and then its card beside it."""
    size = observation_size(card.rules, card.observation)
    observation = torch.zeros(2, size, device=policy.device)
    action_mask = torch.ones(2, NUM_ACTIONS, dtype=torch.int8, device=policy.device)
    any_number = {0: torch.export.Dim.DYNAMIC}
    with tempfile.TemporaryDirectory() as folder, _quiet_exporter():
        exported = Path(folder) / path.name
        torch.onnx.export(
            _LogProbabilities(policy).eval(),
            (observation, action_mask),
            exported,
            input_names=[OBSERVATION, ACTION_MASK],
            output_names=[LOG_PROBABILITIES],
            dynamic_shapes=(any_number, any_number),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
        content = exported.read_bytes()
    write_whole(path, content)
    write_card(path, card)


@contextmanager
def _quiet_exporter() -> Iterator[None]:
    """While it is entered, the exporter keeps to itself what it says of its own insides and of torchvision."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logger.setLevel(level)
