"""The network that `train.py` trains: one small network for every card, with weights that all cards share.

What is known of a card (is it held, what is held near it, who threw it, what deadwood is left without it) says most
about whether to discard it, and alike for all 52. So a small network sees the cards one by one, and what it learns of
one it knows of all; a plain network over the whole observation tells it how the game stands, draws, and judges.

A second small network sees the cards one by one as well. What it makes of them is added up over the hand and over all
cards, and tells the plain one, with what it makes of the upcard, what the hand is made of and may become.

    observation ─┬─ whole view ───────────────┬─ plain network ─┬──────── 2 logits: draw, take
                 ├─ 52 cards × planes ─ sums ─┘                 └─ context ─┐
                 └─ 52 cards × planes ───────────────────────── small network ─ 52 × 2 logits: discard, go out

The critic is a plain network of its own, over the same view and sums.

With the observation "outlook" the logits start as those of `agents.prior`, which play as a strong hand-written agent
does, and the networks learn what to add to them, and how much of what the prior thinks of the upcard to believe.

What a discard would give the next seat hangs on its hand, of which little is known. From the features of the cards the
network foretells that too, which is nothing to play by, but teaches them what to look for (`agents.study`).

Whoever knows what is legal need not ask the small network about all 52 cards: a seat that draws has no card to discard,
and one that discards holds a few. Training does so, and a policy file asks about all of them. The sums are over all in
any case.
"""

from typing import Any

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.encoder import Encoder, Inputs
from three_thirteen_env.actions import DISCARD, GO_OUT, NUM_ACTIONS
from three_thirteen_env.cards import NUM_CARDS
from three_thirteen_env.observation import Kind
from three_thirteen_env.rules import Rules

NUM_DRAWS = 2  # draw the stock, take the upcard
NUM_GIFTS = 2  # what a discard gives the next seat: tens of points of its deadwood, and whether all of it
ILLEGAL = -1e8  # the logit of an illegal action: as probable as nothing, and still a number
SMALLEST = torch.finfo(torch.float32).tiny


class CardPolicy(MaskableActorCriticPolicy):
    """The policy of sb3-contrib's MaskablePPO with a `CardNetwork`, whose arguments come in `policy_kwargs`.

    What its parent does with the distributions of torch, it does by itself where a training spends its time.
    """

    def __init__(
        self, *args: Any, rules: Rules, observation: Kind, width: int = 128, card_width: int = 32, **kwargs: Any
    ) -> None:
        # A model that stable-baselines3 loads gives back the rules as a list of their values.
        network: dict[str, Any] = {"rules": Rules._make(rules), "observation": observation}
        self._network_arguments = network | {"width": width, "card_width": card_width}
        super().__init__(*args, **(kwargs | {"ortho_init": False}))  # the network has first weights of its own

    def forward(
        self, obs: Tensor, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """An action ``(n,)`` for every observation, its value ``(n, 1)``, and the log of its probability ``(n,)``."""
        log_probabilities, values = self._judge(obs, action_masks)
        actions = log_probabilities.argmax(dim=1) if deterministic else sample(log_probabilities)
        return actions, values, _of_actions(log_probabilities, actions)

    def evaluate_actions(self, obs: Tensor, actions: Tensor, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        """The values, the logs of the probabilities of these actions, and the entropies of all that are legal."""
        log_probabilities, values = self._judge(obs, action_masks)
        # The softmax of logs gives the probabilities; exp does too, and is ten times as slow with the illegal ones.
        entropies = -(torch.softmax(log_probabilities, dim=1) * log_probabilities).sum(dim=1)
        return values, _of_actions(log_probabilities, actions), entropies

    def log_probabilities(self, observations: Tensor, legal: Tensor) -> Tensor:
        """The log of the probability of every action, ``(n, 106)``, where ``(n, 106) bool`` says what is legal."""
        return torch.log_softmax(self.network.legal_logits(observations, legal), dim=1)

    def _judge(self, observations: Tensor, action_masks: Any) -> tuple[Tensor, Tensor]:
        shape = (len(observations), NUM_ACTIONS)
        is_legal = torch.ones(shape) if action_masks is None else torch.as_tensor(action_masks).reshape(shape)
        logits, features = self.network.judge(observations, is_legal.to(self.device, torch.bool))
        return torch.log_softmax(logits, dim=1), self.value_net(features)

    def twin(self) -> "CardPolicy":
        """The same policy, which no training changes. (A policy that has been trained cannot be copied deeply.)"""
        with torch.random.fork_rng(devices=[]):  # its first weights are of no account, and must not take from chance
            twin = CardPolicy(**self._get_constructor_parameters())
        twin.load_state_dict(self.state_dict())
        twin.requires_grad_(False)
        return twin.eval()

    @property
    def network(self) -> "CardNetwork":
        """What stable-baselines3 calls the extractor of its networks: it is all of the network but the last values."""
        assert isinstance(self.mlp_extractor, CardNetwork)
        return self.mlp_extractor

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
        self.encoder = Encoder(rules, observation)
        self.actor = _plain_network(self.encoder.num_values, width)
        self.critic = _plain_network(self.encoder.num_values, width)
        self.draw = _output(width, NUM_DRAWS)
        self.trust = None if self.encoder.prior is None else _output(width, 1)
        self.context = nn.Linear(width, card_width)
        self.card = nn.Linear(self.encoder.num_planes, card_width)
        self.card_hidden = nn.Linear(card_width, card_width)
        self.discard = _output(card_width, 2)
        self.gift = _output(card_width, NUM_GIFTS)
        self.latent_dim_pi, self.latent_dim_vf = NUM_ACTIONS, width  # where sb3 looks for the sizes

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The logits and the features of the value."""
        return self.forward_actor(observations), self.forward_critic(observations)

    def forward_actor(self, observations: Tensor) -> Tensor:
        """The logits of the actions, ``(n, 106)``, the illegal ones too."""
        inputs = self.encoder(observations)
        view: Tensor = self.actor(inputs.values)
        features = self._card_features(inputs.planes.transpose(1, 2), self.context(view).unsqueeze(1))
        discards: Tensor = self.discard(features).transpose(1, 2).flatten(1)
        return self._with_prior(observations, inputs, view, discards)

    def forward_critic(self, observations: Tensor) -> Tensor:
        """The features from which the value of the position is read, ``(n, width)``."""
        features: Tensor = self.critic(self.encoder(observations).values)
        return features

    def judge(self, observations: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """As `forward`, but with the logits of the legal actions ``(n, 106) bool`` alone: `ILLEGAL` for the others."""
        inputs = self.encoder(observations)
        return self._legal(observations, inputs, legal)[0], self.critic(inputs.values)

    def legal_logits(self, observations: Tensor, legal: Tensor) -> Tensor:
        """Only the logits that `judge` gives."""
        return self._legal(observations, self.encoder(observations), legal)[0]

    def judge_gifts(self, observations: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `judge`, and between the two what each discard would give the next seat, ``(n, 52, NUM_GIFTS)``."""
        inputs = self.encoder(observations)
        logits, cards, features = self._legal(observations, inputs, legal)
        gifts = logits.new_zeros(len(logits), NUM_CARDS, NUM_GIFTS)
        gifts[cards] = self.gift(features)
        return logits, gifts, self.critic(inputs.values)

    def _legal(
        self, observations: Tensor, inputs: Inputs, legal: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        """The logits ``(n, 106)``; the rows and the cards that can be discarded, and the features of each of those."""
        view: Tensor = self.actor(inputs.values)
        rows, cards = (legal[:, DISCARD:GO_OUT] | legal[:, GO_OUT:]).nonzero(as_tuple=True)
        features = self._card_features(inputs.planes[rows, :, cards], self.context(view)[rows])
        discards = view.new_zeros(len(view), NUM_CARDS, 2)
        discards[rows, cards] = self.discard(features)
        logits = self._with_prior(observations, inputs, view, discards.transpose(1, 2).flatten(1))
        return logits.masked_fill(~legal, ILLEGAL), (rows, cards), features

    def _with_prior(self, observations: Tensor, inputs: Inputs, view: Tensor, discards: Tensor) -> Tensor:
        """All logits, from the features of the whole view and what was learned of discards, ``(n, 104)``."""
        draws: Tensor = self.draw(view)
        prior = self.encoder.prior
        if prior is None or self.trust is None or inputs.judged is None:
            return torch.cat([draws, discards], dim=1)
        take = draws[:, 1:] + self.trust(view) * inputs.judged.gain
        logits: Tensor = prior(observations, torch.cat([draws[:, :1], take, discards], dim=1), inputs.judged)
        return logits

    def _card_features(self, planes: Tensor, context: Tensor) -> Tensor:
        """The features ``(..., card_width)`` of cards of which ``(..., num_planes)`` is known."""
        return torch.relu(self.card_hidden(torch.relu(self.card(planes) + context)))


def policy_of(model: MaskablePPO) -> CardPolicy:
    """The policy of a model that was made with a `CardPolicy`."""
    assert isinstance(model.policy, CardPolicy)
    return model.policy


def sample(log_probabilities: Tensor, noise: Tensor | None = None) -> Tensor:
    """An action ``(n,)`` drawn by the probabilities of each row ``(n, num_actions)``.

    It is the one that comes first, if each comes after a random time that is exponential with its probability as its
    rate. The noise is such times for rates of 1, by default from the generator of torch, whatever the device.
    """
    if noise is None:
        noise = -torch.rand(log_probabilities.shape).clamp(min=SMALLEST).log().to(log_probabilities.device)
    # A time of 0, which can happen, would let even an impossible action come first.
    return (log_probabilities - noise.clamp(min=SMALLEST).log()).argmax(dim=1)


def _of_actions(log_probabilities: Tensor, actions: Tensor) -> Tensor:
    return log_probabilities.gather(1, actions.unsqueeze(1)).squeeze(1)


def _plain_network(num_inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(num_inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


def _output(num_inputs: int, num_outputs: int) -> nn.Linear:
    """A last layer of small weights: at first it adds about nothing."""
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain=0.01)
    nn.init.zeros_(layer.bias)
    return layer
