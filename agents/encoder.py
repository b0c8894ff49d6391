"""What the networks of `agents.network` see of an observation: the whole view, and what is known of each card."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from agents.prior import Judged, Prior
from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from three_thirteen_env.observation import DEADWOOD_SCALE, LAYOUT, Kind, slices
from three_thirteen_env.rules import Rules, card_points

TENS = DEADWOOD_SCALE / 10  # the network sees deadwood in tens of points: a few points must not look like nothing
NO_WILD_RANK = 0
REACH = 2  # ranks up and down from a card in which its run may lie
FAR = 3.0  # differences of deadwood, in tens of points, are cut off here
NOW = "deadwood"  # the slice that others are compared with
LEFT_AFTER_DISCARD = ("deadwood_after_discard", "deadwood_with_upcard_after_discard")
NO_POINTS = 0.01  # tens of points: a smaller difference is only the rounding of observations, float16 in a study
NUM_SUMS = 3  # over the hand, the upcard, and all cards
SUM_WIDTH = 32
HELD = 4  # by so many is the sum over a hand divided, to be of the size of the others


class Inputs(NamedTuple):
    """What the networks see of observations."""

    judged: Judged | None  # by the prior, if there is one
    planes: Tensor  # (n, num_planes, 52) what is known of every card
    values: Tensor  # (n, num_values) the whole view, and the cards summed up


class Encoder(nn.Module):
    """Observations ``(n, size)`` in, `Inputs` out.

    All of it follows from the observation, but for how the cards are summed up, which is learned.
    """

    def __init__(self, rules: Rules, observation: Kind) -> None:
        super().__init__()
        self.places = slices(rules, observation)
        seen, analysis = LAYOUT["cards"], LAYOUT[observation][len(LAYOUT["cards"]) :]
        self.of_cards = [row.name for row in seen if row.length == NUM_CARDS]
        self.seen_size = self.places[seen[-1].name].stop
        self.analysis: list[tuple[str, str]] = [(row.name, row.unit) for row in analysis if row.name != NOW]
        self.left_after_discard = [row.name for row in analysis if row.name in LEFT_AFTER_DISCARD]
        points = [card_points(card, NO_WILD_RANK, rules) / 10 for card in range(NUM_CARDS)]
        self.points = nn.Buffer(torch.tensor(points), persistent=False)
        self.wild_points = rules.wild_points
        self.prior = Prior(rules) if observation == "outlook" else None
        example = torch.zeros(1, max(place.stop for place in self.places.values()))
        judged = self._judged(example)
        self.num_planes = self.planes(example, judged).shape[1]
        self.num_values = self._whole_view(example, judged).shape[1] + NUM_SUMS * SUM_WIDTH
        self.sums = nn.Sequential(
            nn.Conv1d(self.num_planes, SUM_WIDTH, 1), nn.ReLU(), nn.Conv1d(SUM_WIDTH, SUM_WIDTH, 1), nn.ReLU()
        )

    def forward(self, observations: Tensor) -> Inputs:
        """What the networks see of observations."""
        judged = self._judged(observations)
        planes = self.planes(observations, judged)
        values = [self._whole_view(observations, judged), self.summed_up(observations, planes)]
        return Inputs(judged, planes, torch.cat(values, dim=1))

    def _judged(self, observations: Tensor) -> Judged | None:
        return None if self.prior is None else self.prior.judge(observations)

    def _is_wild(self, observations: Tensor) -> Tensor:
        return observations[:, self.places["wild_rank"]].repeat(1, NUM_SUITS)

    def _whole_view(self, observations: Tensor, judged: Judged | None) -> Tensor:
        """The observation as it is, but for the analysis: of that what the best choice gives."""
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

    def summed_up(self, observations: Tensor, planes: Tensor) -> Tensor:
        """What the hand, the upcard and all cards are like, ``(n, NUM_SUMS * SUM_WIDTH)``."""
        cards = self.sums(planes).transpose(1, 2)
        of_hand, of_upcard = (observations[:, self.places[name]].unsqueeze(1) @ cards for name in ("hand", "upcard"))
        return torch.cat([of_hand.squeeze(1) / HELD, of_upcard.squeeze(1), cards.mean(dim=1)], dim=1)

    def planes(self, observations: Tensor, judged: Judged | None) -> Tensor:
        """What is known of every card, ``(n, num_planes, 52)``."""
        counted = torch.cat([observations[:, self.places[name]] for name in self.of_cards], dim=1)
        counts = counted.reshape(len(observations), counted.shape[1] // NUM_CARDS, NUM_CARDS)
        hand = observations[:, self.places["hand"]]
        others = [self._is_wild(observations), self.points.expand_as(hand)]
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
            planes.append(_with_neighbors(self.needed_for_melds(observations)))
        if self.prior is not None and judged is not None:
            planes.append(self.prior.planes(observations, judged))
        return torch.cat(planes, dim=1)

    def needed_for_melds(self, observations: Tensor) -> Tensor:
        """By how many tens of points a discard costs more than the cheapest one, the points of the card included, and
        whether it is none, ``(n, 2, 52)``; 0 for a card that cannot be discarded.

        Where some card is in no meld, that is what it costs to take the card from its meld. Where every card is in one,
        it is compared with that of the least loss; and an observation of more than 100 points does not tell them apart.
        """
        left = torch.stack([observations[:, self.places[name]] for name in self.left_after_discard]).amax(dim=0)
        is_wild = self._is_wild(observations) > 0
        points = self.points if self.wild_points < 0 else torch.where(is_wild, self.wild_points / 10, self.points)
        is_choice = left >= 0
        costs = (left * TENS + points).masked_fill(~is_choice, torch.inf)
        more = torch.where(is_choice, costs - costs.amin(dim=1, keepdim=True), 0.0).clamp(max=FAR)
        return torch.stack([more, (is_choice & (more < NO_POINTS)).float()], dim=1)


def _or_far(choices: Tensor) -> Tensor:
    """The points that choices leave, and far too many where there is no choice."""
    return choices.masked_fill(choices < 0, FAR)


def _with_neighbors(counts: Tensor) -> Tensor:
    """Counts of cards ``(n, k, 52)``, and those near each card: its rank, and its suit 2 ranks down to 2 up,
    ``(n, 6 k, 52)``.
    """
    suits = counts.reshape(*counts.shape[:2], NUM_SUITS, NUM_RANKS)
    same_rank = suits.sum(dim=2, keepdim=True) - suits
    padded = nn.functional.pad(suits, (REACH, REACH))
    away = [padded[..., start : start + NUM_RANKS] for start in range(2 * REACH + 1) if start != REACH]
    return torch.cat([suits, same_rank, *away], dim=1).flatten(2)
