"""The fields of `Rules` as options of a command line: the comments are what ``--help`` says of them."""

from dataclasses import dataclass
from typing import Annotated

from tyro.conf import arg

from three_thirteen_env.rules import NUM_ROUNDS, WILD_RANK_POINTS, Rules


@dataclass(frozen=True)
class HouseRules:
    """The rules that are played."""

    num_players: Annotated[int, arg(name="players")] = 2  # seats at the table, 2 to 8
    # packs of 52 cards, 1 to 4; by default half as many as players, rounded up
    num_packs: Annotated[int | None, arg(metavar="INT")] = None
    first_round: int = 1  # the first round played, 1 to 11
    last_round: int = NUM_ROUNDS  # the last round played, 1 to 11
    turn_limit: int = 50  # turns of each seat after which a round that nobody ends is over, 1 to 1000
    wild_points: int = WILD_RANK_POINTS  # points of a wild card left over, 0 to 50; -1: what its rank says
    aces_high: bool = False  # an ace also follows the king in a run, and costs 15 points
    court_cards_ten: bool = True  # jack, queen and king cost 10 each; otherwise 11, 12 and 13
    wild_only_melds: bool = True  # wild cards alone make a meld
    may_return_upcard: bool = True  # the upcard just taken may be discarded in the same turn

    def checked(self) -> Rules:
        """The rules. Raises ValueError, which names the field, what came and what is allowed."""
        return Rules(**vars(self))
