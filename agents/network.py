"""The network that `train.py` trains: one small network for every card, with weights that all cards share.

What is known of a card (is it held, what is held near it, who threw it, what deadwood is left without it) says most
about whether to discard it, and alike for all 52. So a small network sees the cards one by one, and what it learns of
one it knows of all; a plain network over the whole observation tells it how the game stands, draws, and judges. What
the hand is made of, and what the upcard is to it, the plain one learns from sums over the cards, which a second small
network sees one by one as well.

    observation ─┬─ whole view ───────────────┬─ plain network ─┬──────── 2 logits: draw, take
                 ├─ 52 cards × planes ─ sums ─┘                 └─ context ─┐
                 └─ 52 cards × planes ───────────────────────── small network ─ 52 × 2 logits: discard, go out

With the observation "outlook" the logits start as those of `agents.prior`, which play as a strong hand-written agent
does, and the networks learn what to add to them, and how much of what the prior thinks of the upcard to believe.

What a discard would give the next seat hangs on its hand, of which little is known. From the features of the cards the
network foretells that too, which is nothing to play by, but teaches them what to look for (`agents.study`).

Whoever knows what is legal need not ask which of 52 cards to discard: a seat that draws has no card to discard, and one
that discards holds a few. Training does so, and a policy file asks about all of them.
"""

from typing import Any, NamedTuple

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import Tensor, nn

from agents.prior import Judged, Prior
from agents.search import SLACK
from three_thirteen_env.actions import DISCARD, GO_OUT, NUM_ACTIONS
from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from three_thirteen_env.observation import DEADWOOD_SCALE, LAYOUT, Kind, slices
from three_thirteen_env.rules import Rules, card_points

NUM_DRAWS = 2  # draw the stock, take the upcard
NUM_GIFTS = 2  # what a discard gives the next seat: tens of points of its deadwood, and whether all of it
ILLEGAL = -1e8  # the logit of an illegal action: as probable as nothing, and still a number
SMALLEST = torch.finfo(torch.float32).tiny
TENS = DEADWOOD_SCALE / 10  # the network sees deadwood in tens of points: a few points must not look like nothing
NO_WILD_RANK = 0
REACH = 2  # ranks up and down from a card in which its run may lie
FAR = 3.0  # differences of deadwood, in tens of points, are cut off here
NOW = "deadwood"  # the slice that others are compared with
LEFT_AFTER_DISCARD = ("deadwood_after_discard", "deadwood_with_upcard_after_discard")
NO_POINTS = 0.01  # tens of points: less is for the rounding of what is seen
NUM_SUMS = 3  # over the hand, the upcard, and all cards
SUM_WIDTH = 32
HELD = 4  # by so many is the sum over a hand divided, to be of the size of the others


class Inputs(NamedTuple):
    """What the networks see of observations."""

    judged: Judged | None  # by the prior, if there is one
    planes: Tensor  # (n, num_planes, 52) what is known of every card
    values: Tensor  # (n, num_values) the whole view, and the cards summed up


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
        self.places = slices(rules, observation)
        seen, analysis = LAYOUT["cards"], LAYOUT[observation][len(LAYOUT["cards"]) :]
        self.of_cards = [row.name for row in seen if row.length == NUM_CARDS]
        self.seen_size = self.places[seen[-1].name].stop
        self.analysis: list[tuple[str, str]] = [(row.name, row.unit) for row in analysis if row.name != NOW]
        self.left_after_discard = [row.name for row in analysis if row.name in LEFT_AFTER_DISCARD]
        points = [card_points(card, NO_WILD_RANK, rules) / 10 for card in range(NUM_CARDS)]
        self.points = nn.Buffer(torch.tensor(points), persistent=False)
        self.prior = Prior(rules) if observation == "outlook" else None
        num_values, num_planes = self._num_inputs()
        self.sums = nn.Sequential(
            nn.Conv1d(num_planes, SUM_WIDTH, 1), nn.ReLU(), nn.Conv1d(SUM_WIDTH, SUM_WIDTH, 1), nn.ReLU()
        )
        self.actor = _plain_network(num_values + NUM_SUMS * SUM_WIDTH, width)
        self.critic = _plain_network(num_values + NUM_SUMS * SUM_WIDTH, width)
        self.draw = _output(width, NUM_DRAWS)
        self.trust = None if self.prior is None else _output(width, 1)
        self.context = nn.Linear(width, card_width)
        self.card = nn.Linear(num_planes, card_width)
        self.card_hidden = nn.Linear(card_width, card_width)
        self.discard = _output(card_width, 2)
        self.gift = _output(card_width, NUM_GIFTS)
        self.latent_dim_pi, self.latent_dim_vf = NUM_ACTIONS, width  # where sb3 looks for the sizes

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The logits and the features of the value."""
        return self.forward_actor(observations), self.forward_critic(observations)

    def forward_actor(self, observations: Tensor) -> Tensor:
        """The logits of the actions, ``(n, 106)``, the illegal ones too."""
        inputs = self._inputs(observations)
        view: Tensor = self.actor(inputs.values)
        features = self._card_features(inputs.planes.transpose(1, 2), self.context(view).unsqueeze(1))
        discards: Tensor = self.discard(features).transpose(1, 2).flatten(1)
        return self._with_prior(observations, inputs, view, discards)

    def forward_critic(self, observations: Tensor) -> Tensor:
        """The features from which the value of the position is read, ``(n, width)``."""
        features: Tensor = self.critic(self._inputs(observations).values)
        return features

    def judge(self, observations: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """As `forward`, but with the logits of the legal actions ``(n, 106) bool`` alone: `ILLEGAL` for the others."""
        logits, _, features = self.judge_gifts(observations, legal)
        return logits, features

    def legal_logits(self, observations: Tensor, legal: Tensor) -> Tensor:
        """Only the logits that `judge` gives."""
        return self._legal(observations, self._inputs(observations), legal)[0]

    def judge_gifts(self, observations: Tensor, legal: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """As `judge`, and between the two what each discard would give the next seat, ``(n, 52, NUM_GIFTS)``."""
        inputs = self._inputs(observations)
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

    def _inputs(self, observations: Tensor) -> Inputs:
        judged = None if self.prior is None else self.prior.judge(observations)
        planes = self._planes(observations, judged)
        values = torch.cat([self._values(observations, judged), self._summed_up(observations, planes)], dim=1)
        return Inputs(judged, planes, values)

    def _summed_up(self, observations: Tensor, planes: Tensor) -> Tensor:
        """What the hand, the upcard and all cards are like, ``(n, NUM_SUMS * SUM_WIDTH)``."""
        cards = self.sums(planes).transpose(1, 2)
        of_hand, of_upcard = (observations[:, self.places[name]].unsqueeze(1) @ cards for name in ("hand", "upcard"))
        return torch.cat([of_hand.squeeze(1) / HELD, of_upcard.squeeze(1), cards.mean(dim=1)], dim=1)

    def _with_prior(self, observations: Tensor, inputs: Inputs, view: Tensor, discards: Tensor) -> Tensor:
        """All logits, from the features of the whole view and what was learned of discards, ``(n, 104)``."""
        draws: Tensor = self.draw(view)
        if self.prior is None or self.trust is None or inputs.judged is None:
            return torch.cat([draws, discards], dim=1)
        take = draws[:, 1:] + self.trust(view) * inputs.judged.gain.clamp(-SLACK, SLACK)
        return self.prior(observations, torch.cat([draws[:, :1], take, discards], dim=1), inputs.judged)

    def _card_features(self, planes: Tensor, context: Tensor) -> Tensor:
        """The features ``(..., card_width)`` of cards of which ``(..., num_planes)`` is known."""
        return torch.relu(self.card_hidden(torch.relu(self.card(planes) + context)))

    def _values(self, observations: Tensor, judged: Judged | None) -> Tensor:
        """The whole view ``(n, num_values)``: all but the analysis as it is, and of that what the best choice gives."""
        values = [observations[:, : self.seen_size]]
        if self.analysis:
            now = observations[:, self.places[NOW]]
            values.append(now * TENS)
        for name, unit in self.analysis:
            choices = observations[:, self.places[name]]
            if unit == "points":  # as a gain over the deadwood now; 0 where there is no choice
                best = _or_far(choices).amin(dim=1, keepdim=True)
                values.append(((now - best) * TENS * (best < FAR)).clamp(-FAR, FAR))
            else:
                values.append(choices.amax(dim=1, keepdim=True).clamp(min=0))
        if self.prior is not None and judged is not None:
            values.append(self.prior.values(observations, judged))
        return torch.cat(values, dim=1)

    def _planes(self, observations: Tensor, judged: Judged | None) -> Tensor:
        """What is known of every card, ``(n, num_planes, 52)``."""
        counted = torch.cat([observations[:, self.places[name]] for name in self.of_cards], dim=1)
        counts = counted.reshape(len(observations), counted.shape[1] // NUM_CARDS, NUM_CARDS)
        hand = observations[:, self.places["hand"]]
        others = [observations[:, self.places["wild_rank"]].repeat(1, NUM_SUITS), self.points.expand_as(hand)]
        for name, unit in self.analysis:
            choices = observations[:, self.places[name]]
            if choices.shape[1] != NUM_CARDS:
                continue
            if unit == "points":
                choices = _or_far(choices)
                gap = ((choices - choices.amin(dim=1, keepdim=True)) * TENS).clamp(max=FAR)
                others += [gap, (gap == 0).float()]
            else:
                others += [choices.clamp(min=0), (choices == choices.amax(dim=1, keepdim=True)).float()]
        planes = [_with_neighbors(counts), *(plane.unsqueeze(1) for plane in others)]
        if self.left_after_discard:
            planes.append(_with_neighbors(self._holds(observations)))
        if self.prior is not None and judged is not None:
            planes.append(self.prior.planes(observations, judged))
        return torch.cat(planes, dim=1)

    def _holds(self, observations: Tensor) -> Tensor:
        """How many tens of points more than its own it costs to discard a card, because a meld needs it; and whether it
        is none, ``(n, 2, 52)``. Both are 0 for a card that cannot be discarded.
        """
        left = torch.stack([observations[:, self.places[name]] for name in self.left_after_discard]).amax(dim=0)
        is_choice = left >= 0
        costs = (left * TENS + self.points).masked_fill(~is_choice, torch.inf)
        more = torch.where(is_choice, costs - costs.amin(dim=1, keepdim=True), 0.0).clamp(max=FAR)
        return torch.stack([more, (is_choice & (more < NO_POINTS)).float()], dim=1)

    def _num_inputs(self) -> tuple[int, int]:
        size = max(place.stop for place in self.places.values())
        example = torch.zeros(1, size)
        judged = None if self.prior is None else self.prior.judge(example)
        return self._values(example, judged).shape[1], self._planes(example, judged).shape[1]


def _or_far(choices: Tensor) -> Tensor:
    """The points that choices leave, and far too many where there is no choice."""
    return choices.masked_fill(choices < 0, FAR)


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


def _with_neighbors(counts: Tensor) -> Tensor:
    """Counts of cards ``(n, k, 52)``, and those near each card: its rank, and its suit 2 ranks down to 2 up,
    ``(n, 6 k, 52)``.
    """
    suits = counts.reshape(*counts.shape[:2], NUM_SUITS, NUM_RANKS)
    same_rank = suits.sum(dim=2, keepdim=True) - suits
    padded = nn.functional.pad(suits, (REACH, REACH))
    away = [padded[..., start : start + NUM_RANKS] for start in range(2 * REACH + 1) if start != REACH]
    return torch.cat([suits, same_rank, *away], dim=1).flatten(2)


def _plain_network(num_inputs: int, width: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(num_inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())


def _output(num_inputs: int, num_outputs: int) -> nn.Linear:
    """A last layer of small weights: at first all actions are about equally likely."""
    layer = nn.Linear(num_inputs, num_outputs)
    nn.init.orthogonal_(layer.weight, gain=0.01)
    nn.init.zeros_(layer.bias)
    return layer
