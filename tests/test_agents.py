"""The agents: what they choose, as tables of hands, and that they play under all rules; the registry by name."""

import sys

import numpy as np
import pytest

from agents.match import Player, play_games
from agents.registry import AGENTS, HAND_WRITTEN, QUICK, AgentError, make_agent, pretrained_path, quick_agents
from tests.playing import COMPILED, EVERY_RULES, shortened
from tests.positions import choice, position, shown, states_of_games
from three_thirteen_env.cards import NUM_CARDS, hand_of, rank_of
from three_thirteen_env.discards import best_discard
from three_thirteen_env.melds import deadwood_points
from three_thirteen_env.rules import Rules, card_points
from three_thirteen_env.search import NO_BOUND
from three_thirteen_env.state import NO_CARD, NOBODY

SHORTEST = ("greedy", "selective")  # those that throw what leaves the least deadwood, and look no further
# Those that go out as soon as they can, and of equal ways with the dearest card.
GOES_OUT = tuple(name for name in AGENTS if name not in ("random", "learned", "clairvoyant"))
BY_VIEW = tuple(name for name in QUICK if name not in ("random", "learned"))  # without any chance
QUICKER = {"search": "search@rollouts=8"}  # for tests that play whole games


@pytest.mark.parametrize(
    ("text", "upcard", "greedy", "selective"),
    [
        pytest.param("Kc Kd 5h", "Ks", "take", "take", id="completes a meld"),
        pytest.param("Kc 9d 5h", "3s", "take", "take", id="a wild card costs little"),
        pytest.param("Kc Kd 5h", "3s", "take", "take", id="a wild card completes a meld"),
        pytest.param("Kc 9d 5h", "4s", "take", "take", id="24 points to 18 is a quarter"),
        pytest.param("Kc 9d 5h", "5s", "take", "draw", id="24 points to 19 is less than a quarter"),
        pytest.param("Kc 9d 5h", "9s", "take", "draw", id="one point less"),
        pytest.param("Kc 9d 5h", "Ks", "draw", "draw", id="a pair is no meld"),
        pytest.param("Kc 9d 5h", "Jh", "draw", "draw", id="no less deadwood"),
        pytest.param("Ac 2d 4h", "As", "take", "take", id="low cards count as much as high ones"),
        pytest.param("Kc Kd Ks", "Ah", "draw", "draw", id="no deadwood is left to lose"),
        pytest.param("Kc Kd Ks", "3h", "draw", "draw", id="no deadwood is left to lose, not even to a wild card"),
    ],
)
def test_the_upcard_is_taken_if_it_lowers_the_deadwood_enough(text, upcard, greedy, selective):
    state = position(text, upcard)
    assert choice("greedy", state) == greedy
    assert choice("selective", state) == selective


@pytest.mark.parametrize("name", AGENTS)
def test_the_upcard_is_taken_if_there_is_no_stock(name):
    state = position("Kc 9d 5h", "Ks")
    state.stock[:] = NO_CARD
    state.stock_size = 0
    assert choice(name, state) == "take"


@pytest.mark.parametrize("name", SHORTEST)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Kc 9d 5h 4s", "discard Kc", id="the dearest card"),
        pytest.param("Kc Qd 5h Ks", "discard Kc", id="dearest cards of one cost: the first, a pair is no meld"),
    ],
)
def test_the_discard_leaves_the_least_deadwood(name, text, expected):
    assert choice(name, position(text, "2c")) == expected


@pytest.mark.parametrize("name", GOES_OUT)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Kc Kd Ks Ah", "out Ah", id="the card that is in no meld"),
        pytest.param("4h 5h 6h 7h", "out 7h", id="all four cards meld: the dearest that leaves a meld"),
        pytest.param("5h 6h 8h 3s", "out 8h", id="a wild card stays"),
        pytest.param("Kc 9d 3h 3s", "out Kc", id="two wild cards meld with any card"),
        pytest.param("Kc Kd 9h 3s", "out 9h", id="the meld that leaves nothing"),
    ],
)
def test_it_goes_out_as_soon_as_it_can(name, text, expected):
    assert choice(name, position(text, "2c")) == expected


@pytest.mark.parametrize("text", ["Kc Kd Ks Ah", "4h 5h 6h 7h", "5h 6h 8h 3s", "Kc 9d 3h 3s", "Kc Kd 9h 3s"])
def test_a_learned_policy_goes_out_as_soon_as_it_can_too(text):
    assert choice("learned", position(text, "2c")).startswith("out ")


@pytest.mark.parametrize("name", GOES_OUT)
def test_among_equals_the_dearest_card_goes(name):
    assert choice(name, position("4h 5h 6h 7h", "2c", is_final=True)) == "discard 7h"


@pytest.mark.parametrize("name", SHORTEST)
def test_among_cards_of_one_cost_a_wild_card_stays(name):
    rules = Rules(wild_points=10)
    assert choice(name, position("3c Qd 5h 8s", "2c", rules), rules) == "discard Qd"


@pytest.mark.parametrize("name", SHORTEST)
def test_an_upcard_that_may_not_be_returned_is_kept(name):
    rules = Rules(may_return_upcard=False)
    assert choice(name, position("Kc 9d 5h 4s", "2c", rules, taken="Kc"), rules) == "discard 9d"


@pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES)
def test_the_best_discard_is_the_best_of_all(rules):
    """Against each discard in turn, also where some cards are barred."""
    rng = np.random.default_rng(5)
    for _ in range(100 if COMPILED else 5):
        wild_rank = int(rng.integers(3, 14 if COMPILED else 7))
        deck = np.repeat(np.arange(NUM_CARDS), rules.num_packs)
        cards = hand_of(rng.choice(deck, wild_rank + 1, replace=False).tolist())
        mask = (rng.random(NUM_CARDS) < 0.9).astype(np.int8)
        options = [(NO_BOUND, 0, 0, NO_CARD)]
        for card in np.flatnonzero(cards * mask).tolist():
            points = deadwood_points(cards - hand_of([card]), wild_rank, rules)
            options.append((points, -card_points(card, wild_rank, rules), int(rank_of(card) == wild_rank), card))
        points, _, _, card = min(options)
        assert best_discard(cards, mask, wild_rank, rules) == (card, points)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("rules", EVERY_RULES.values(), ids=EVERY_RULES)
def test_every_agent_plays_by_all_rules(name, rules):
    """`play_games` refuses whatever is not legal."""
    rules = shortened(rules, turn_limit=6)
    if name not in quick_agents(rules) and name in QUICK:
        with pytest.raises(AgentError, match="no policy that comes with the game is for these rules"):
            make_agent(name, rules)
        return
    player = Player(name, make_agent(QUICKER.get(name, name), rules), np.random.default_rng(0))
    seeds = np.arange(2 if name in QUICK and COMPILED else 1)
    games = play_games([player], np.zeros((len(seeds), rules.num_players), np.int64), seeds, rules)
    played = games["num_turns"][:, rules.first_round - 1 : rules.last_round]
    assert (played >= rules.num_players).all()
    assert (games["agents"] == NOBODY).sum(axis=1).tolist() == [8 - rules.num_players] * len(seeds)


@pytest.mark.parametrize("name", BY_VIEW)
def test_a_choice_depends_on_nothing_but_its_view_and_changes_nothing(name):
    rules = shortened(Rules(num_players=3), turn_limit=20)
    agent = make_agent(name, rules)
    views, masks = shown(states_of_games(60 if COMPILED else 3, rules), rules)
    before = views.tobytes(), masks.tobytes()
    together = agent.act(views, masks, np.random.default_rng(0)).tolist()
    alone = [agent.act(views[i : i + 1], masks[i : i + 1], np.random.default_rng(1)).item() for i in range(len(views))]
    assert together == alone
    assert (views.tobytes(), masks.tobytes()) == before


def test_the_quick_agents_and_those_written_by_hand_are_fair_and_are_all_but_the_yardstick():
    assert {*QUICK, *HAND_WRITTEN} == set(AGENTS) - {"clairvoyant"}
    assert not any(getattr(make_agent(name, Rules()), "sees_everything", False) for name in {*QUICK, *HAND_WRITTEN})


@pytest.mark.parametrize("rules", [Rules(), Rules(num_players=3), Rules(num_players=4), Rules(aces_high=True)])
def test_a_policy_comes_with_the_game_for_the_usual_tables(rules):
    assert "learned" in quick_agents(rules)
    assert pretrained_path(rules).stat().st_size < 5_000_000


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty current directory; what is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    before = set(sys.modules)
    yield tmp_path
    for module in set(sys.modules) - before:
        if getattr(sys.modules[module], "__file__", None) and str(tmp_path) in str(sys.modules[module].__file__):
            del sys.modules[module]


def test_a_class_of_ones_own_is_an_agent(here):
    (here / "strategy_of_mine.py").write_text(
        "class First:\n"
        "    def __init__(self, rules):\n"
        "        self.rules = rules\n"
        "    def act(self, views, masks, rng):\n"
        "        return masks.argmax(axis=1)\n"
    )
    agent = make_agent("strategy_of_mine:First", Rules(num_players=3))
    assert agent.rules == Rules(num_players=3)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        pytest.param("number=3", {"number": 3}, id="a number"),
        pytest.param("number=-1.5,word=fast", {"number": -1.5, "word": "fast"}, id="two options"),
        pytest.param("word=None,number=True", {"word": None, "number": True}, id="what Python calls by a name"),
        pytest.param("word=a=b", {"word": "a=b"}, id="an equals sign in the value"),
        pytest.param("", {}, id="none"),
    ],
)
def test_options_follow_the_name(here, words, options):
    (here / "agent_of_options.py").write_text(
        "class Takes:\n"
        "    def __init__(self, rules, number=0, word=''):\n"
        "        self.given = dict(number=number, word=word)\n"
        "    def act(self, views, masks, rng): ...\n"
    )
    assert make_agent(f"agent_of_options:Takes@{words}", Rules()).given == {"number": 0, "word": ""} | options


def test_the_options_of_search_are_its_budget():
    agent = make_agent("search@rollouts=40,milliseconds=2.5,num_threads=2", Rules())
    assert (agent.rollouts, agent.seconds, agent.num_threads) == (40, 0.0025, 2)


def test_a_policy_file_may_have_an_at_sign_in_its_path():
    with pytest.raises(AgentError, match=r"there is no policy file me@home/policy\.onnx"):
        make_agent("me@home/policy.onnx", Rules())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        pytest.param("grady", "there is no agent 'grady': it is one of random, greedy, selective", id="unknown name"),
        pytest.param("", "there is no agent ''", id="no name"),
        pytest.param("runs/first/policy", r"the path of a policy file \(\*.onnx\)", id="path without its suffix"),
        pytest.param("runs/policy.onnx", "there is no policy file runs/policy.onnx", id="missing policy file"),
        pytest.param("damaged.onnx", "the policy damaged.onnx has no card", id="policy file without its card"),
        pytest.param("nowhere:Agent", "there is no module 'nowhere'", id="missing module"),
        pytest.param(
            "broken:Agent", r"importing 'broken' failed: ZeroDivisionError: .* \(broken.py, line 2\)", id="broken"
        ),
        pytest.param(
            "needs:Agent", r"importing 'needs' failed: ModuleNotFoundError: .*'nothing_like_it'", id="imports"
        ),
        pytest.param("mine:Other", "the module 'mine' has no 'Other'", id="missing class"),
        pytest.param("mine:Silent", r"a Silent has no method act\(views, masks, rng\)", id="class without act"),
        pytest.param("mine:Bare", "agent 'mine:Bare' cannot be made: TypeError: ", id="class that takes no rules"),
        pytest.param("mine:CONSTANT", "agent 'mine:CONSTANT' cannot be made: TypeError: ", id="no class"),
        pytest.param("greedy@depth=2", "agent 'greedy@depth=2' has no option 'depth': it has none", id="no options"),
        pytest.param("random@depth=2", "has no option 'depth': it has none", id="a function of no options"),
        pytest.param("mine:CONSTANT@depth=2", "has no option 'depth': it has none", id="options of no class"),
        pytest.param(
            "search@rollout=2", "has no option 'rollout': rollouts, milliseconds, num_threads", id="unknown option"
        ),
        pytest.param("search@rules=2", "has no option 'rules'", id="the rules are no option"),
        pytest.param("search@rollouts", "an option is written option=value, not 'rollouts'", id="option of no value"),
        pytest.param("search@=3", "an option is written option=value, not '=3'", id="value of no option"),
        pytest.param("search@rollouts=0", "cannot be made: ValueError: rollouts must be .*, not 0", id="refused"),
        pytest.param("search@rollouts=all", "cannot be made: ValueError: .*, not 'all'", id="a word for a number"),
        pytest.param("search@milliseconds=soon", "cannot be made: TypeError", id="a word for a time"),
        pytest.param(
            "p.onnx@x=1", "agent 'p.onnx@x=1': a policy file takes no options, and 'x=1' came", id="options of a file"
        ),
    ],
)
def test_an_agent_that_cannot_be_made_is_one_line(here, name, words):
    (here / "damaged.onnx").write_bytes(b"")
    (here / "broken.py").write_text("def Agent(rules): ...\n1 / 0\n")
    (here / "needs.py").write_text("import nothing_like_it\n")
    (here / "mine.py").write_text(
        "CONSTANT = 13\n"
        "class Silent:\n    def __init__(self, rules): ...\n"
        "class Bare:\n    def act(self, views, masks, rng): ...\n"
    )
    with pytest.raises(AgentError, match=words) as raised:
        make_agent(name, Rules())
    assert "\n" not in str(raised.value)
