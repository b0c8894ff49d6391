"""Tournaments: who meets whom, on which deals, and the same games whatever they are played in."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from agents.greedy import Greedy
from agents.registry import make_agent
from agents.tournament import Tournament, deal_of, games_at_once, play, play_chunk, schedule
from three_thirteen_env.agent import RandomAgent
from three_thirteen_env.chance import EVALUATION_SEEDS, MAX_SEED
from three_thirteen_env.rules import Rules

SHORT = Rules(last_round=1, turn_limit=5)


def all_games(tournament: Tournament) -> np.ndarray:
    agents = [make_agent(name, tournament.rules) for name in tournament.names]
    return np.concatenate(list(play(tournament, agents)))


@pytest.mark.parametrize(
    ("num_agents", "num_players", "tables"),
    [
        pytest.param(2, 2, ["01"], id="a pair"),
        pytest.param(3, 2, ["01", "02", "12"], id="every pair"),
        pytest.param(4, 3, ["012", "013", "023", "123"], id="every three of four"),
        pytest.param(1, 3, ["000"], id="one agent against itself"),
        pytest.param(2, 3, ["001", "011"], id="two agents at three seats"),
        pytest.param(2, 4, ["0011"], id="two agents at four seats"),
        pytest.param(3, 4, ["0012", "0112", "0122"], id="three agents at four seats"),
        pytest.param(3, 8, ["00011122", "00011222", "00111222"], id="three agents at eight seats"),
    ],
)
def test_who_meets_whom(num_agents, num_players, tables):
    tournament = Tournament(("greedy",) * num_agents, Rules(num_players), num_groups=1)
    assert ["".join(map(str, table)) for table in tournament.tables] == tables
    assert tournament.games_in_group == len(tables) * num_players


@pytest.mark.parametrize(
    ("num_agents", "field_size", "num_players", "tables"),
    [
        pytest.param(3, 1, 2, ["02", "12"], id="each of two against one"),
        pytest.param(4, 2, 2, ["02", "03", "12", "13"], id="each of two against each of two"),
        pytest.param(4, 3, 3, ["012", "013", "023"], id="one against every two of three"),
        pytest.param(2, 1, 4, ["0111"], id="one against one at three seats"),
        pytest.param(3, 2, 4, ["0112", "0122"], id="one against two at three seats"),
        pytest.param(4, 2, 3, ["023", "123"], id="each of two against both of two"),
    ],
)
def test_who_meets_a_field(num_agents, field_size, num_players, tables):
    tournament = Tournament(("greedy",) * num_agents, Rules(num_players), num_groups=1, field_size=field_size)
    assert ["".join(map(str, table)) for table in tournament.tables] == tables


def test_of_a_field_and_the_others_only_those_at_a_table_are_pairs():
    assert Tournament(("greedy",) * 4, Rules(2), 1, field_size=2).pairs == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert Tournament(("greedy",) * 4, Rules(3), 1, field_size=2).pairs == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert Tournament(("greedy",) * 4, Rules(3), 1).pairs == list(combinations(range(4), 2))
    assert Tournament(("greedy",), Rules(2), 1).pairs == []


def test_no_two_labels_are_the_same():
    tournament = Tournament(("greedy", "random", "greedy"), Rules(), 1)
    assert tournament.labels == ["greedy (1)", "random", "greedy (2)"]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_agent_sits_in_every_seat_of_every_deal(num_players):
    tournament = Tournament(("greedy", "selective"), SHORT._replace(num_players=num_players, num_packs=2), num_groups=3)
    games = all_games(tournament)
    assert len(games) == tournament.num_games
    for group in range(3):
        of_group = games[games["group"] == group]
        seatings = of_group["agents"][:, :num_players]
        assert len(set(of_group["seed"].tolist())) == 1
        for seat in range(num_players):
            table_sizes = Counter(seatings[:, seat].tolist())
            assert table_sizes[0] == table_sizes[1]


def test_the_order_around_the_table_changes_from_deal_to_deal():
    orders = {tuple(deal_of(0, group, 4)[1]) for group in range(500)}
    assert len(orders) == 24


def test_deals_are_for_evaluation_only_and_come_from_the_seed_and_the_group():
    seeds = [deal_of(seed, group, 2)[0] for seed in range(30) for group in range(30)]
    assert len(set(seeds)) == 900
    assert all(EVALUATION_SEEDS <= seed <= MAX_SEED for seed in seeds)
    # The top bit but one is always set; the others should be one half the time: 450 ± 5 standard deviations of 15.
    assert all(375 < sum(seed >> bit & 1 for seed in seeds) < 525 for bit in range(62))


def test_the_deals_of_a_seed_never_change():
    """So that a published table can be played again."""
    assert deal_of(0, 0, 4) == (6569863346532939966, [3, 1, 2, 0])
    assert deal_of(13, 7, 2) == (5504124405357520139, [1, 0])


def test_fair_agents_have_the_same_games_in_chunks_of_any_size():
    games = [
        all_games(Tournament(("greedy", "selective"), SHORT, num_groups=7, games_at_once=games_at_once))
        for games_at_once in (1, 6, 100)
    ]
    assert games[0].tobytes() == games[1].tobytes() == games[2].tobytes()


def test_the_first_groups_are_those_of_a_longer_tournament():
    short, long = (all_games(Tournament(("random", "greedy"), SHORT, num, games_at_once=4)) for num in (4, 6))
    assert short.tobytes() == long[: len(short)].tobytes()


def test_another_seed_is_other_deals():
    one, other = (all_games(Tournament(("greedy", "selective"), SHORT, 3, seed)) for seed in (0, 1))
    assert not set(one["seed"].tolist()) & set(other["seed"].tolist())


def test_the_games_of_a_chunk_are_those_of_its_schedule():
    tournament = Tournament(("greedy", "selective"), SHORT, num_groups=5, games_at_once=4)
    agents = [make_agent(name, SHORT) for name in tournament.names]
    games, expected = play_chunk(tournament, agents, 1), schedule(tournament, 1)
    assert games["group"].tolist() == expected.groups.tolist() == [2, 2, 3, 3]
    assert games["seed"].tolist() == expected.seeds.tolist()
    assert games["agents"][:, :2].tolist() == expected.seating.tolist()


def test_the_slowest_agent_says_how_large_the_chunks_are():
    slow, slower = RandomAgent(), RandomAgent()
    slow.games_at_once, slower.games_at_once = 8, 2
    assert games_at_once([Greedy(SHORT), RandomAgent()]) == 128
    assert games_at_once([Greedy(SHORT), slow, slower]) == 2


def test_chunks_make_the_whole():
    tournament = Tournament(("greedy", "selective"), SHORT, num_groups=5, games_at_once=4)
    agents = [make_agent(name, SHORT) for name in tournament.names]
    assert [len(play_chunk(tournament, agents, chunk)) for chunk in range(tournament.num_chunks)] == [4, 4, 2]


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        pytest.param({"names": ()}, "names must have one agent or more", id="nobody"),
        pytest.param({"num_groups": 0}, "num_groups must be 1 or more, not 0", id="no deals"),
        pytest.param({"games_at_once": 0}, "games_at_once must be 1 or more, not 0", id="empty chunks"),
        pytest.param({"seed": -1}, "seed must be 0 or more, not -1", id="negative seed"),
        pytest.param({"field_size": 1}, "field_size must be from 0 to 0, not 1", id="nobody but the field"),
    ],
)
def test_a_tournament_that_makes_no_sense_is_refused(choices, words):
    with pytest.raises(ValueError, match=words):
        Tournament(**{"names": ("greedy",), "rules": SHORT, "num_groups": 1} | choices)
