"""What `Careful` would do, as logits: where a network starts from that has only to learn what is better than that.

The observation of kind "outlook" has all that the costs of `agents.lookahead` and `agents.careful` are made of. Here
they are written once more, over tensors, so that they are part of the network and go into its file.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from agents.careful import (
    EARLY_OUTS,
    FED_WILD_CARD,
    KIN_IN_HAND,
    KIN_KNOWN,
    KIN_UNSEEN,
    LATE_OUTS,
    POINTS_LATER,
)
from agents.lookahead import DEADWOOD_NOW, STOCK_BONUS, STOCK_GAIN
from agents.search import MAX_CHOICES, SLACK
from three_thirteen_env.actions import DISCARD, GO_OUT
from three_thirteen_env.cards import NUM_CARDS, NUM_RANKS, NUM_SUITS
from three_thirteen_env.observation import DEADWOOD_SCALE, slices
from three_thirteen_env.rules import Rules, card_points

FAR = 15.0  # points: a choice that costs more than the best by so many is as bad as any
NO_WILD_RANK = 0
LOGITS_A_POINT = 2.0
SENSELESS = 30.0  # so much lower is the logit of a choice that is not close to the best
SURE = 10.0  # the logit of what is always right: to go out, and to take an upcard that leaves no deadwood


class Judged(NamedTuple):
    """What the prior makes of observations, in points."""

    gaps: Tensor  # (n, 52) how much more each discard costs than the best, at most `FAR`
    gain: Tensor  # (n, 1) by how much the upcard is better than a draw from the stock


class Prior(nn.Module):
    """Observations ``(n, size)`` of kind "outlook" and what a network has learned ``(n, 106)`` in, logits out."""

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self.places = slices(rules, "outlook")
        self.num_packs, self.num_players = rules.num_packs, rules.num_players
        self.turns_scale = rules.turn_limit  # of each seat
        self.wild_points = rules.wild_points
        points = [float(card_points(card, NO_WILD_RANK, rules)) for card in range(NUM_CARDS)]
        self.points = nn.Buffer(torch.tensor(points), persistent=False)

    def forward(self, observations: Tensor, learned: Tensor, judged: Judged | None = None) -> Tensor:
        """The logits: the less a choice costs, the higher, and what a network has learned added where it has a say.

        That is where choices are close, as `agents.search` has it: those that a study plays out, and of discards only
        how these compare with each other. It has none in final turns, where it is known what is best, nor on whether to
        go out, and it cannot make a senseless choice a good one. Whoever has judged the observations already spares it
        that.
        """
        gaps, gain = self.judge(observations) if judged is None else judged
        is_open = ~self._is_final(observations) & ~self._is_way_out(observations)
        is_open_draw = is_open & (gain.abs() <= SLACK)
        most = gaps.topk(MAX_CHOICES, dim=1, largest=False).values[:, -1:].clamp(max=SLACK)
        is_open_discard = is_open & (gaps <= most)
        draws = learned[:, :DISCARD] * is_open_draw
        discards = centered(learned[:, DISCARD:GO_OUT], is_open_discard) - SENSELESS * (is_open & ~is_open_discard)
        prior = torch.cat([torch.zeros_like(gain), gain, -gaps, SURE - 0.1 * gaps], dim=1) * LOGITS_A_POINT
        return prior + torch.cat([draws, discards, torch.zeros_like(discards)], dim=1)

    def judge(self, observations: Tensor) -> Judged:
        """What each choice costs, as `Careful` sees it."""
        costs = self._costs(observations)
        least = costs.amin(dim=1, keepdim=True)
        return Judged((costs - least).clamp(max=FAR), self._gain_of_upcard(observations, least))

    def _costs(self, observations: Tensor) -> Tensor:
        """What each discard costs in points, in the draw phase after taking the upcard, ``(n, 52)``."""
        is_draw = observations[:, self.places["phase"]][:, :1] > 0
        deadwood = torch.where(
            is_draw,
            observations[:, self.places["deadwood_with_upcard_after_discard"]],
            observations[:, self.places["deadwood_after_discard"]],
        )
        expected = observations[:, self.places["expected_after_discard"]]
        outs = observations[:, self.places["outs_after_discard"]]
        is_looked_at = expected >= 0
        costs = self._prospects(observations, deadwood, expected, outs)
        costs = costs + torch.where(is_draw, 0.0, self._cares(observations))
        final = torch.where(deadwood >= 0, deadwood * DEADWOOD_SCALE, 1000.0)
        is_final = self._is_final(observations) | ~is_looked_at.any(dim=1, keepdim=True)
        return torch.where(is_final, final, torch.where(is_looked_at, costs, 1000.0))

    def _gain_of_upcard(self, observations: Tensor, cost: Tensor) -> Tensor:
        """By how many points the upcard, with which a hand costs ``(n, 1)``, is better than a draw, ``(n, 1)``."""
        now = observations[:, self.places["deadwood"]]
        expected = observations[:, self.places["expected"]]
        exchanged = observations[:, self.places["deadwood_with_upcard_after_discard"]]
        with_upcard = torch.where(exchanged >= 0, exchanged, 1.0).amin(dim=1, keepdim=True)
        stock = self._prospects(observations, now, expected, observations[:, self.places["outs"]])
        stock = stock - STOCK_GAIN * (now - expected) * DEADWOOD_SCALE - STOCK_BONUS
        is_final = self._is_final(observations)
        gain = torch.where(is_final, (expected - with_upcard) * DEADWOOD_SCALE, stock - cost)
        return torch.where(with_upcard == 0, SURE, gain.clamp(-FAR, FAR))

    def _counts(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The hand, what is unseen, what is known of the next seat, and which cards are wild, each ``(n, 52)``."""
        hand = observations[:, self.places["hand"]] * self.num_packs
        known = observations[:, self.places["known_hands"]] * self.num_packs
        known = known.reshape(-1, self.num_players - 1, NUM_CARDS)
        unseen = self.num_packs - hand - known.sum(dim=1) - observations[:, self.places["pile"]] * self.num_packs
        return hand, unseen, known[:, 0], observations[:, self.places["wild_rank"]].repeat(1, NUM_SUITS)

    def _prospects(self, observations: Tensor, deadwood: Tensor, expected: Tensor, outs: Tensor) -> Tensor:
        weight = LATE_OUTS + EARLY_OUTS * self._earliness(observations, 3)
        return (expected - DEADWOOD_NOW * deadwood) * DEADWOOD_SCALE - weight * outs

    def _cares(self, observations: Tensor) -> Tensor:
        """What a discard gives the next seat and takes from one's own hand, in points, ``(n, 52)``."""
        hand, unseen, known, is_wild = self._counts(observations)
        points = self.points if self.wild_points < 0 else torch.where(is_wild > 0, float(self.wild_points), self.points)
        kin_in_hand, kin_unseen, kin_known = (_kin(cards, is_wild) for cards in (hand, unseen, known))
        given = KIN_UNSEEN * kin_unseen / self.num_packs + KIN_KNOWN * kin_known + FED_WILD_CARD * is_wild
        taken = KIN_IN_HAND * kin_in_hand + POINTS_LATER * points
        return (
            self._earliness(observations, 5) * given / (self.num_players - 1) + self._earliness(observations, 3) * taken
        )

    def values(self, observations: Tensor, judged: Judged) -> Tensor:
        """What a network may want to know besides: how early in the round it is, whether it ends, and what the upcard
        is worth, ``(n, 4)``.
        """
        early = [self._earliness(observations, scale) for scale in (3, 8)]
        is_draw = observations[:, self.places["phase"]][:, :1]
        return torch.cat([*early, self._is_final(observations).float(), judged.gain / SURE * is_draw], dim=1)

    def planes(self, observations: Tensor, judged: Judged) -> Tensor:
        """The same of every card: what it costs to throw it, its kin in the hand, unseen, and known of the next seat,
        ``(n, 4, 52)``.
        """
        hand, unseen, known, is_wild = self._counts(observations)
        kin = (_kin(cards, is_wild) / 4 for cards in (hand, unseen, known))
        return torch.stack([judged.gaps / SLACK, *kin], dim=1)

    def _earliness(self, observations: Tensor, scale: float) -> Tensor:
        return torch.exp(observations[:, self.places["turns"]] * (-self.turns_scale / scale))

    def _is_way_out(self, observations: Tensor) -> Tensor:
        """Whether a choice leaves no deadwood: then that is the best, ``(n, 1) bool``."""
        with_upcard = observations[:, self.places["deadwood_with_upcard"]] == 0
        return with_upcard | (observations[:, self.places["deadwood_after_discard"]] == 0).any(dim=1, keepdim=True)

    def _is_final(self, observations: Tensor) -> Tensor:
        return observations[:, self.places["out_seat"]].sum(dim=1, keepdim=True) > 0


def centered(values: Tensor, is_choice: Tensor) -> Tensor:
    """Values ``(n, k)`` less the mean of those that are a choice, ``(n, k) bool``; 0 for the others.

    What is learned of some choices says only how they compare: it must not lift them over the others, or below.
    """
    values = torch.where(is_choice, values, 0.0)
    means = values.sum(dim=1, keepdim=True) / is_choice.sum(dim=1, keepdim=True).clamp(min=1)
    return torch.where(is_choice, values - means, 0.0)


def _kin(cards: Tensor, is_wild: Tensor) -> Tensor:
    """As `agents.careful.kin_of`, of every card at once, ``(n, 52)``."""
    same_rank = cards.reshape(-1, NUM_SUITS, NUM_RANKS).sum(dim=1).repeat(1, NUM_SUITS)
    natural = (cards * (1 - is_wild)).reshape(-1, NUM_SUITS, NUM_RANKS)
    padded = nn.functional.pad(natural, (2, 2))
    near = padded[:, :, 1 : 1 + NUM_RANKS] + padded[:, :, 3 : 3 + NUM_RANKS]
    further = padded[:, :, :NUM_RANKS] + padded[:, :, 4 : 4 + NUM_RANKS]
    return same_rank + (near + further / 2).flatten(1)
