"""The network that `train.py` trains: one small network for every card, with weights that all cards share.

What is known of a card (is it held, what is held near it, who threw it, what deadwood is left without it) says most
about whether to discard it, and alike for all 52. So a small network sees the cards one by one, and what it learns of
one it knows of all; a plain network over the whole observation tells it how the game stands, draws, and judges.

    observation ─┬─ whole view ─ plain network ─┬──────────────────────── 2 logits: draw, take
                 │                              └─ context ─┐
                 └─ 52 cards × planes ───────────── small network ─ 52 × 2 logits: discard, go out
"""

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from three_thirteen_env.actions import NUM_ACTIONS
from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from three_thirteen_env.observation import DEADWOOD_SCALE, Kind, slices
from three_thirteen_env.rules import Rules, card_points

NUM_DRAWS = 2  # draw the stock, take the upcard
TENS = DEADWOOD_SCALE / 10  # the network sees deadwood in tens of points: a few points must not look like nothing
NO_WILD_RANK = 0
REACH = 2  # ranks up and down from a card in which its run may lie
FAR = 3.0  # differences of deadwood, in tens of points, are cut off here


class CardPolicy(MaskableActorCriticPolicy):
    """The policy of sb3-contrib's MaskablePPO with a `CardNetwork`, whose arguments come in `policy_kwargs`."""

    def __init__(
        self, *args: Any, rules: Rules, observation: Kind, width: int = 128, card_width: int = 32, **kwargs: Any
    ) -> None:
        # A model that stable-baselines3 loads gives back the rules as a list of their values.
        network: dict[str, Any] = {"rules": Rules._make(rules), "observation": observation}
        self._network_arguments = network | {"width": width, "card_width": card_width}
        super().__init__(*args, **(kwargs | {"ortho_init": False}))  # the network has first weights of its own

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = CardNetwork(**self._network_arguments)  # type: ignore[assignment]  # it does as well

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        self.action_net = nn.Identity()  # the network gives the logits
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]  # every optimizer has it
            **self.optimizer_kwargs,
        )

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), **self._network_arguments}


class CardNetwork(nn.Module):
    """Observations ``(n, size)`` in; the logits of the 106 actions and the features of the value ``(n, width)`` out."""

    def __init__(self, rules: Rules, observation: Kind, width: int, card_width: int) -> None:
        super().__init__()
        self.places = slices(rules, observation)
        self.has_melds = observation == "melds"
        points = [card_points(card, NO_WILD_RANK, rules) / 10 for card in range(NUM_CARDS)]
        self.points = nn.Buffer(torch.tensor(points), persistent=False)
        num_values, num_planes = self._num_inputs()
        self.actor = _plain_network(num_values, width)
        self.critic = _plain_network(num_values, width)
        self.draw = _output(width, NUM_DRAWS)
        self.context = nn.Linear(width, card_width)
        self.card = nn.Linear(num_planes, card_width)
        self.discard = _output(card_width, 2)
        self.latent_dim_pi, self.latent_dim_vf = NUM_ACTIONS, width  # where sb3 looks for the sizes

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The logits and the features of the value."""
        return self.forward_actor(observations), self.forward_critic(observations)

    def forward_actor(self, observations: Tensor) -> Tensor:
        """The logits of the actions, ``(n, 106)``, the illegal ones too."""
        values, planes = self._inputs(observations)
        view: Tensor = self.actor(values)
        cards = torch.relu(self.card(planes) + self.context(view).unsqueeze(1))
        discards = self.discard(cards).transpose(1, 2).flatten(1)
        return torch.cat([self.draw(view), discards], dim=1)

    def forward_critic(self, observations: Tensor) -> Tensor:
        """The features from which the value of the position is read, ``(n, width)``."""
        values, _ = self._inputs(observations)
        features: Tensor = self.critic(values)
        return features

    def _inputs(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The whole view ``(n, num_values)``, and what is known of every card ``(n, 52, num_planes)``."""
        counts = [observations[:, self.places[name]] for name in ("hand", "upcard", "pile", "known_hands", "discarded")]
        counted = torch.cat(counts, dim=1)
        planes = [counted[:, start : start + NUM_CARDS] for start in range(0, counted.shape[1], NUM_CARDS)]
        planes.append(observations[:, self.places["wild_rank"]].repeat(1, NUM_SUITS))
        planes.append(self.points.expand_as(planes[0]))
        planes += _neighbors(observations[:, self.places["hand"]])
        if not self.has_melds:
            return observations, torch.stack(planes, dim=2)
        values, gap = self._deadwood(observations)
        is_choice = observations[:, self.places["deadwood_after_discard"]] >= 0
        planes += [gap, (is_choice & (gap == 0)).float()]
        return values, torch.stack(planes, dim=2)

    def _deadwood(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The whole view with the analysis of the solver as differences, and how far each discard is from the best.

        Where a discard or the upcard is no choice, the difference is 0.
        """
        now = observations[:, self.places["deadwood"]]
        with_upcard = observations[:, self.places["deadwood_with_upcard"]]
        after_discard = observations[:, self.places["deadwood_after_discard"]]
        is_choice = after_discard >= 0
        best = after_discard.masked_fill(~is_choice, FAR).amin(dim=1, keepdim=True)
        gap = ((after_discard - best) * TENS * is_choice).clamp(max=FAR)
        gain = ((now - with_upcard) * TENS * (with_upcard >= 0)).clamp(-FAR, FAR)
        rest = observations[:, : self.places["deadwood"].start]
        return torch.cat([rest, now * TENS, gain, gap], dim=1), gap

    def _num_inputs(self) -> tuple[int, int]:
        size = max(place.stop for place in self.places.values())
        values, planes = self._inputs(torch.zeros(1, size))
        return values.shape[1], planes.shape[2]


def _neighbors(hand: Tensor) -> list[Tensor]:
    """What the hand holds near every card, each ``(n, 52)``: others of its rank, and its suit 2 ranks down to 2 up."""
    suits = hand.reshape(-1, NUM_SUITS, NUM_RANKS)
    same_rank = (suits.sum(dim=1, keepdim=True) - suits).flatten(1)
    padded = nn.functional.pad(suits, (REACH, REACH))
    away = [padded[:, :, start : start + NUM_RANKS].flatten(1) for start in range(2 * REACH + 1) if start != REACH]
    return [same_rank, *away]


def _plain_network(num_inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(num_inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


def _output(num_inputs: int, num_outputs: int) -> nn.Linear:
    """A last layer of small weights: at first all actions are about equally likely."""
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain=0.01)
    nn.init.zeros_(layer.bias)
    return layer
