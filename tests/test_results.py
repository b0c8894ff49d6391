"""Folders of results: what is written is what was played, it can be gone on with, and nothing wrong gets in or out."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from agents.registry import make_agent
from agents.results import ResultsError, ResultsFolder, read
from agents.tournament import Tournament, play, play_chunk
from three_thirteen_env.rules import Rules

RULES = Rules(first_round=2, last_round=3, turn_limit=5)
TOURNAMENT = Tournament(("greedy", "random", "greedy"), RULES, num_groups=5, games_at_once=12)  # chunks of 2, 2 and 1


def chunk_of(tournament, chunk):
    return play_chunk(tournament, [make_agent(name, tournament.rules) for name in tournament.names], chunk)


@pytest.fixture
def path(tmp_path):
    """A folder with all chunks of the tournament."""
    folder = ResultsFolder(tmp_path / "results", TOURNAMENT, "the command")
    for chunk in range(TOURNAMENT.num_chunks):
        folder.write(chunk, chunk_of(TOURNAMENT, chunk))
    return folder.path


def contents(path):
    return {file.name: file.read_bytes() for file in path.iterdir()}


@pytest.mark.parametrize(
    "tournament",
    [
        pytest.param(TOURNAMENT, id="two players"),
        pytest.param(Tournament(("greedy", "random"), Rules(4, last_round=1, turn_limit=3), 3), id="four players"),
        pytest.param(replace(TOURNAMENT, field_size=1, seed=3), id="a field"),
    ],
)
def test_what_is_read_is_what_was_played(tmp_path, tournament):
    agents = [make_agent(name, tournament.rules) for name in tournament.names]
    chunks = list(play(tournament, agents))
    folder = ResultsFolder(tmp_path, tournament, "the command")
    for chunk, games in enumerate(chunks):
        folder.write(chunk, games)
    results = read(tmp_path)
    assert results.tournament == tournament
    assert results.games.tobytes() == np.concatenate(chunks).tobytes()
    assert (results.command, results.ending) == ("the command", "")


def test_a_row_is_what_one_seat_did_in_one_round(path):
    rows = [row for part in sorted(path.glob("*.parquet")) for row in pq.read_table(part).to_pylist()]
    games = read(path).games
    assert len(rows) == len(games) * 2 * 2
    for index, row in enumerate(rows):
        game, seat, number = games[index // 4], row["seat"], row["round"]
        assert (number, seat) == (2 + index // 2 % 2, index % 2)
        assert (row["table"], row["rotation"]) == (index // 8 % 3, index // 4 % 2)
        assert (row["group"], row["seed"]) == (game["group"], game["seed"])
        assert row["agent"] == ("greedy (1)", "random", "greedy (2)")[game["agents"][seat]]
        assert row["points"] == game["points"][number - 1, seat]
        assert row["total"] == game["points"][:number, seat].sum()
        assert row["went_out"] == (game["went_out"][number - 1] == seat)
        assert row["num_turns"] == game["num_turns"][number - 1]


def test_how_it_ended_is_noted_until_it_is_gone_on_with(path):
    ResultsFolder(path, TOURNAMENT, "the command").close("settled", num_games=12)
    results = read(path)
    assert (results.command, results.ending, len(results.games)) == ("the command", "settled", 12)
    ResultsFolder(path, TOURNAMENT, "another command")
    results = read(path)
    assert (results.command, results.ending, len(results.games)) == ("another command", "", 30)


def test_what_lies_there_need_not_be_played_again(path):
    (path / "games-00001.parquet").unlink()
    played = ResultsFolder(path, TOURNAMENT, "the command").played
    assert played.keys() == {0, 2}
    assert all(games.tobytes() == chunk_of(TOURNAMENT, chunk).tobytes() for chunk, games in played.items())


def test_what_is_read_ends_where_a_chunk_is_missing(path):
    (path / "games-00001.parquet").unlink()
    assert sorted(set(read(path).games["group"].tolist())) == [0, 1]


def test_a_file_that_was_being_written_is_ignored_and_then_removed(path):
    unfinished = path / "games-00001.parquet.unfinished"
    (path / "games-00001.parquet").rename(unfinished)
    assert len(read(path).games) == 12
    assert unfinished.exists()
    assert 1 not in ResultsFolder(path, TOURNAMENT, "the command").played
    assert not unfinished.exists()


def test_a_folder_that_was_killed_at_its_first_file_is_as_good_as_none(tmp_path):
    (tmp_path / "tournament.json.unfinished").write_text("{")
    assert ResultsFolder(tmp_path, TOURNAMENT, "the command").played == {}
    assert [file.name for file in tmp_path.iterdir()] == ["tournament.json"]


@pytest.mark.parametrize(("num_groups", "chunks"), [(5, {0, 1, 2}), (6, {0, 1}), (20, {0, 1})])
def test_a_longer_tournament_goes_on_but_plays_a_last_smaller_chunk_again(path, num_groups, chunks):
    longer = replace(TOURNAMENT, num_groups=num_groups)
    assert ResultsFolder(path, longer, "the command").played.keys() == chunks
    assert read(path).tournament == longer


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"seed": 1}, "seed 0, not 1", id="seed"),
        pytest.param({"names": ("greedy", "random")}, "agents greedy, random, greedy, not greedy, random", id="agents"),
        pytest.param({"rules": RULES._replace(aces_high=True)}, "aces_high False, not True", id="a rule"),
        pytest.param({"games_at_once": 6}, "games_at_once 12, not 6", id="other chunks"),
        pytest.param({"field_size": 1}, "field_size 0, not 1", id="a field"),
        pytest.param({"num_groups": 4}, "a longer tournament: 10 games at every table, not 8", id="fewer games"),
    ],
)
def test_another_tournament_is_refused_and_changes_nothing(path, changes, words):
    (path / "games-00001.parquet.unfinished").touch()
    before = contents(path)
    with pytest.raises(ResultsError, match=f"{path} holds .*{words}$") as raised:
        ResultsFolder(path, replace(TOURNAMENT, **changes), "the command")
    assert "\n" not in str(raised.value)
    assert contents(path) == before


def test_other_versions_are_another_tournament(path, monkeypatch):
    monkeypatch.setattr("agents.results.versions", lambda packages: dict.fromkeys(packages, "99"))
    with pytest.raises(ResultsError, match=r"numpy .*, not 99"):
        ResultsFolder(path, TOURNAMENT, "the command")


def test_an_agent_whose_file_has_changed_is_another(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "changing_agent.py"
    file.write_text(
        "from three_thirteen_env.agent import RandomAgent\nclass Mine(RandomAgent):\n    def __init__(self, _): ..."
    )
    tournament = replace(TOURNAMENT, names=("greedy", "changing_agent:Mine"))
    chunk_of(tournament, 0)
    ResultsFolder(tmp_path / "results", tournament, "the command")
    ResultsFolder(tmp_path / "results", tournament, "the command")
    file.write_text(file.read_text() + "  # better")
    with pytest.raises(ResultsError, match="the file of 'changing_agent:Mine' has changed"):
        ResultsFolder(tmp_path / "results", tournament, "the command")


def truncated(part):
    part.write_bytes(part.read_bytes()[:-100])


def flipped(part):
    content = bytearray(part.read_bytes())
    content[len(content) // 4] ^= 1
    part.write_bytes(content)


def emptied(part):
    part.write_bytes(b"")


def replaced_by_the_next(part):
    part.write_bytes(part.with_name("games-00001.parquet").read_bytes())


def with_other(column, change):
    def damage(part):
        rows = pq.read_table(part)
        values = change(rows[column].to_numpy().copy())
        place = rows.column_names.index(column)
        pq.write_table(rows.set_column(place, rows.schema.field(column), [values]), part)

    return damage


def without(column):
    return lambda part: pq.write_table(pq.read_table(part).drop_columns([column]), part)


def shorter(part):
    pq.write_table(pq.read_table(part).slice(0, 24), part)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(truncated, id="truncated"),
        pytest.param(flipped, id="one bit"),
        pytest.param(emptied, id="empty"),
        pytest.param(replaced_by_the_next, id="another chunk"),
        pytest.param(shorter, id="fewer rows"),
        pytest.param(without("points"), id="no points"),
        pytest.param(without("agent"), id="no agents"),
        pytest.param(with_other("seed", lambda seeds: seeds + 1), id="other deals"),
        pytest.param(with_other("seat", lambda seats: 1 - seats), id="other seats"),
        pytest.param(with_other("points", lambda points: points + 1), id="points that do not add up"),
    ],
)
def test_a_damaged_part_is_refused_by_its_name_and_changes_nothing(path, damage):
    damage(path / "games-00000.parquet")
    before = contents(path)
    for use in (read, lambda path: ResultsFolder(path, TOURNAMENT, "the command")):
        with pytest.raises(ResultsError, match=f"^{path / 'games-00000.parquet'} is damaged: ") as raised:
            use(path)
        assert "\n" not in str(raised.value)
    assert contents(path) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("{", "Expecting property name", id="cut off"),
        pytest.param("[]", "list indices must be", id="something else"),
        pytest.param('{"format": 99}', "its format is 99, newer than 1: update three-thirteen", id="newer"),
        pytest.param('{"format": 1}', "it has no command", id="incomplete"),
    ],
)
def test_a_damaged_description_is_refused(path, text, words):
    (path / "tournament.json").write_text(text)
    for use in (read, lambda path: ResultsFolder(path, TOURNAMENT, "the command")):
        with pytest.raises(ResultsError, match=f"tournament.json is damaged: {words}"):
            use(path)


def test_a_description_of_what_cannot_be_played_is_refused(path):
    description = json.loads((path / "tournament.json").read_text())
    description["tournament"]["rules"]["num_players"] = 9
    (path / "tournament.json").write_text(json.dumps(description))
    with pytest.raises(ResultsError, match="damaged: num_players must be an integer from 2 to 8, not 9"):
        read(path)


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").touch()
    with pytest.raises(ResultsError, match=r"is neither empty nor a folder of results: it has no tournament\.json"):
        ResultsFolder(tmp_path, TOURNAMENT, "the command")
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_what_is_no_folder_of_results_is_not_read(tmp_path, name):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResultsError, match=r"is no folder of results: it has no tournament\.json"):
        read(tmp_path / name)


def test_what_cannot_be_a_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="file cannot be used for results: File exists"):
        ResultsFolder(tmp_path / "file", TOURNAMENT, "the command")
