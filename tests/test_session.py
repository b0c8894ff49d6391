"""Sessions: the chunks in order whatever they come from, and each of the ways to end."""

import os
import signal
import time

import numpy as np
import pytest

from agents.registry import make_agent
from agents.session import SignificanceRule, in_order, take
from agents.tournament import Tournament, play_chunk
from three_thirteen_env.rules import Rules

SHORT = Rules(last_round=1, turn_limit=5)
TOURNAMENT = Tournament(("greedy", "random"), SHORT, num_groups=12, games_at_once=4)
AGENTS = [make_agent(name, SHORT) for name in TOURNAMENT.names]


def played(chunks):
    for chunk in chunks:
        yield chunk, play_chunk(TOURNAMENT, AGENTS, chunk)


def groups_of(games):
    return sorted(set(games["group"].tolist()))


@pytest.mark.parametrize(
    ("before", "rest"),
    [
        pytest.param([], [0, 1, 2, 3, 4, 5], id="as they should"),
        pytest.param([], [5, 3, 0, 1, 4, 2], id="in any order"),
        pytest.param([0, 3], [5, 4, 1, 2], id="some from before"),
        pytest.param([0, 1, 2, 3, 4, 5], [], id="all from before"),
    ],
)
def test_chunks_follow_each_other_however_they_come(before, rest):
    kept = []
    chunks = in_order(TOURNAMENT, dict(played(before)), played(rest), lambda chunk, _: kept.append(chunk))
    assert np.concatenate(list(chunks))["group"].tolist() == np.repeat(range(12), 2).tolist()
    assert kept == rest


def test_a_chunk_is_kept_as_it_comes_and_counts_once_all_before_it_have_come():
    kept = []

    def interrupted():
        yield from played([0, 2, 3])
        raise KeyboardInterrupt

    chunks = in_order(TOURNAMENT, {}, interrupted(), lambda chunk, _: kept.append(chunk))
    session = take(TOURNAMENT, chunks, minutes=None, until_significant=False)
    assert kept == [0, 2, 3]
    assert groups_of(session.games) == [0, 1]
    assert session.ending == "by Ctrl-C"
    assert session.is_interrupted


def test_whoever_stops_early_stops_the_players():
    stopped = []

    def endless():
        try:
            yield from played(range(6))
        finally:
            stopped.append(True)

    chunks = in_order(TOURNAMENT, {}, endless(), lambda *_: None)
    next(chunks)
    chunks.close()
    assert stopped == [True]


def test_all_games_need_no_words():
    session = take(TOURNAMENT, in_order(TOURNAMENT, {}, played(range(6)), lambda *_: None), None, False)
    assert len(session.games) == TOURNAMENT.num_games
    assert (session.ending, session.is_interrupted) == ("", False)


def slow_chunks(seconds):
    """Chunks that were played before, with a pause after each."""
    chunks = dict(played(range(6)))

    def one_after_the_other():
        for games in chunks.values():
            yield games
            time.sleep(seconds)

    return one_after_the_other()


def test_when_the_minutes_are_over_it_ends_as_by_an_interrupt_but_none_is_told():
    start = time.monotonic()
    session = take(TOURNAMENT, slow_chunks(60), minutes=0.01, until_significant=False)
    assert time.monotonic() - start < 30
    assert groups_of(session.games) == [0, 1]
    assert session.ending == "0.01 minutes were over"
    assert not session.is_interrupted


def test_the_minutes_end_a_session_in_the_background_too_where_ctrl_c_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        session = take(TOURNAMENT, slow_chunks(60), minutes=0.01, until_significant=False)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert groups_of(session.games) == [0, 1]
    assert session.ending == "0.01 minutes were over"


def test_an_interrupt_before_the_minutes_are_over_is_an_interrupt():
    def interrupted():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
        yield

    session = take(TOURNAMENT, interrupted(), minutes=10, until_significant=False)
    assert len(session.games) == 0
    assert (session.ending, session.is_interrupted) == ("by Ctrl-C", True)


def test_minutes_that_are_not_over_interrupt_nothing():
    session = take(TOURNAMENT, slow_chunks(0), minutes=0.01, until_significant=False)
    time.sleep(1)
    assert session.ending == ""


def test_it_is_looked_after_whole_chunks_at_fixed_times_only():
    tournament = Tournament(("greedy", "random"), SHORT, num_groups=1000, games_at_once=16)
    rule = SignificanceRule(tournament)
    assert tournament.groups_in_chunk == 8
    assert rule.looks == (7, 15, 31, 62, 125)  # the first after 56 groups, the last after all
    chunks = [play_chunk(tournament, AGENTS, chunk) for chunk in range(8)]
    assert [number for number in range(1, 9) if rule.is_settled(chunks[:number])] == [7]
    assert rule.words() == "settled who is better: look 1 of 5 with 99.0% intervals"


def test_playing_stops_at_the_look_that_settles_it():
    tournament = Tournament(("greedy", "random"), SHORT, num_groups=400, games_at_once=40)
    chunks = (play_chunk(tournament, AGENTS, chunk) for chunk in range(tournament.num_chunks))
    session = take(tournament, chunks, None, until_significant=True)
    assert len(session.games) == 5 * 40
    assert session.ending == "settled who is better: look 1 of 3 with 98.3% intervals"
    assert not session.is_interrupted


def test_equals_are_played_to_the_end_and_not_settled():
    tournament = Tournament(("greedy", "greedy"), SHORT, num_groups=200, games_at_once=100)
    agents = [make_agent("greedy", SHORT)] * 2
    chunks = (play_chunk(tournament, agents, chunk) for chunk in range(tournament.num_chunks))
    session = take(tournament, chunks, None, until_significant=True)
    assert len(session.games) == tournament.num_games
    assert session.ending == "not settled who is better: look 3 of 3 with 98.3% intervals"


@pytest.mark.parametrize(
    ("names", "num_players", "field_size", "pairs"),
    [
        pytest.param(("random", "selective", "greedy"), 2, 0, "neighbors", id="neighbors in the ranking"),
        pytest.param(("random", "selective", "greedy"), 3, 0, [(0, 1), (0, 2), (1, 2)], id="all at a single table"),
        pytest.param(("random", "selective", "greedy"), 2, 1, [(0, 2), (1, 2)], id="each and the field"),
        pytest.param(("random", "greedy", "selective"), 3, 2, [(0, 1), (0, 2)], id="not the field among itself"),
    ],
)
def test_who_is_to_be_told_from_whom(names, num_players, field_size, pairs):
    rules = SHORT._replace(num_players=num_players, num_packs=2)
    tournament = Tournament(names, rules, 20, field_size=field_size)
    games = play_chunk(tournament, [make_agent(name, rules) for name in names], 0)
    found = SignificanceRule(tournament).pairs(games)
    if pairs == "neighbors":
        assert len(found) == 2
        assert found[1] in ((1, 0), (2, 0))  # who plays at random is last
    else:
        assert found == pairs
