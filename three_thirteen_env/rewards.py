"""What a learner gets for a round: three forms of reward.

    "points"   minus the points that the round cost the seat
    "margin"   the mean of the others' points in the round, minus the seat's own; all rewards add up to zero
    "win"      only at the end of the game: the seat's share of the win, minus 1 / players; they add up to zero

All but "win" are in points, and every seat gets its reward when a round ends, whoever ended it.
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import NUM_RANKS
from three_thirteen_env.compiled import compiled
from three_thirteen_env.game import GAME_OVER
from three_thirteen_env.rules import Rules, card_points, hand_size, wild_rank_of
from three_thirteen_env.state import State

Reward = Literal["points", "margin", "win"]
POINTS, MARGIN, WIN = range(3)  # the forms in compiled code


def form_number(form: Reward) -> int:
    """The number that compiled code knows a form of reward by."""
    return get_args(Reward).index(form)


@compiled
def write_rewards(state: State, ended_round: int, rules: Rules, form: int, rewards: npt.NDArray[Any]) -> None:
    """Trusts its caller: write what every seat gets for the round that has just ended, 1 to 11, ``(players,)``."""
    players = rules.num_players
    if form == WIN:
        lowest = state.scores[:players].min()
        num_winners = (state.scores[:players] == lowest).sum()
        for seat in range(players):
            share = 1 / num_winners if state.scores[seat] == lowest else 0.0
            rewards[seat] = share - 1 / players if state.phase == GAME_OVER else 0.0
        return
    points = state.round_points[ended_round - 1]
    total = points[:players].sum()
    for seat in range(players):
        others = (total - points[seat]) / (players - 1) if form == MARGIN else 0.0
        rewards[seat] = others - points[seat]


def round_rewards(state: State, ended_round: int, rules: Rules, form: Reward) -> list[float]:
    """What every seat gets for the round that has just ended, 1 to 11, in a form of `Reward`."""
    rewards = np.empty(rules.num_players)
    write_rewards(state, ended_round, rules, form_number(form), rewards)
    return rewards.tolist()


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
