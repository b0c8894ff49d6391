"""What a learner gets for a round: three forms of reward.

    "points"   minus the points that the round cost the seat
    "margin"   the mean of the others' points in the round, minus the seat's own; all rewards add up to zero
    "win"      only at the end of the game: the seat's share of the win, minus 1 / players; they add up to zero

All but "win" are in points, and every seat gets its reward when a round ends, whoever ended it.
"""

from typing import Literal

from three_thirteen_env.cards import NUM_RANKS
from three_thirteen_env.game import GAME_OVER
from three_thirteen_env.rules import Rules, card_points, hand_size, wild_rank_of
from three_thirteen_env.state import State

Reward = Literal["points", "margin", "win"]


def round_rewards(state: State, ended_round: int, rules: Rules, form: Reward) -> list[float]:
    """What every seat gets for the round that has just ended, 1 to 11, in a form of `Reward`."""
    players = rules.num_players
    if form == "win":
        if state.phase != GAME_OVER:
            return [0.0] * players
        scores = state.scores[:players]
        has_won = scores == scores.min()
        return (has_won / has_won.sum() - 1 / players).tolist()
    points = state.round_points[ended_round - 1, :players].astype(float)
    if form == "margin":
        return ((points.sum() - points) / (players - 1) - points).tolist()
    return (0 - points).tolist()


def illegal_reward(rules: Rules, form: Reward) -> float:
    """What an illegal action is worth to `env`, where it ends the game: no more than the worst that play can bring.

    That is -1 for "win". In points, no round costs more than a whole hand of its dearest card.

    >>> illegal_reward(Rules(), "points"), illegal_reward(Rules(), "win")
    (-880.0, -1.0)
    """
    if form == "win":
        return -1.0
    worst = 0
    for round_number in range(rules.first_round, rules.last_round + 1):
        dearest = max(card_points(card, wild_rank_of(round_number), rules) for card in range(NUM_RANKS))
        worst += hand_size(round_number) * dearest
    return -float(worst)
