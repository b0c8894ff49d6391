"""The table as text and as a picture: everything that may be seen is there, and nothing else."""

import re
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from three_thirteen_env import game, render
from three_thirteen_env.actions import GO_OUT, NUM_ACTIONS
from three_thirteen_env.cards import NUM_CARDS, card_name, cards_of, hand, hand_text, parse_card
from three_thirteen_env.rules import MAX_HAND, MAX_PLAYERS, MIN_PLAYERS, Rules
from three_thirteen_env.state import NO_CARD, NOBODY, STATE, Phase, State
from three_thirteen_env.table import FINAL_TURN, TO_ACT, WENT_OUT, WINS, Group, look
from three_thirteen_env.view import redeal, view_of

ALL_PLAYERS = range(MIN_PLAYERS, MAX_PLAYERS + 1)

each_number_of_players = pytest.mark.parametrize("num_players", ALL_PLAYERS)


def played(rules: Rules, seed: int, until: Callable[[State], bool]) -> State:
    """A game of random play, in which a seat goes out when it can, played until something holds or it is over."""
    rng = np.random.default_rng(seed)
    state: State = np.zeros(1, STATE)[0]
    mask = np.zeros(NUM_ACTIONS, np.int8)
    game.start(state, seed, rules)
    while state.phase != Phase.GAME_OVER and not until(state):
        game.legal_actions(state, rules, mask)
        actions = np.flatnonzero(mask[GO_OUT:]) + GO_OUT if mask[GO_OUT:].any() else np.flatnonzero(mask)
        game.step(state, int(rng.choice(actions)), rules)
    return state


def turns(round_number: int, num_turns: int) -> Callable[[State], bool]:
    return lambda state: state.round_number == round_number and state.num_turns >= num_turns


def someone_went_out(state: State) -> bool:
    return bool(state.out_seat != NOBODY)


def never(_: State) -> bool:
    return False


def small_state(*hands: str, upcard: str = "2s", round_number: int = 5) -> State:
    """A state with these hands in which seat 0 is to draw."""
    state: State = np.zeros(1, STATE)[0]
    state.round_number = round_number
    state.dealer = len(hands) - 1
    state.out_seat = state.observer = NOBODY
    state.taken = NO_CARD
    state.stock_size = 30
    state.pile[0], state.pile_size = parse_card(upcard), 1
    for seat, held in enumerate(hands):
        state.hands[seat] = hand(held)
    return state


def seat_lines(text: str) -> list[str]:
    return text.splitlines()[2:]


def cards_named(line: str) -> str:
    """The cards that a line names, in the order of a hand; what a wild card stands for is no card of it."""
    return hand_text(hand(" ".join(re.findall(r"(?<![=\w])[A23456789TJQK][cdhs]\b", line))))


class TestText:
    def test_the_example_in_the_documentation_is_what_is_written(self) -> None:
        state = small_state("4c 7h 6c Kd Kh Ks Ac", "Td", upcard="4s")
        state.seat, state.phase, state.taken, state.dealer = 1, Phase.DISCARD, parse_card("Td"), 0
        state.observer = 0
        state.pile[1], state.pile[2], state.pile_size = parse_card("Jc"), parse_card("9d"), 3
        state.scores[:2] = 23, 12
        state.round_points[3, :2] = 0, 8
        state.stock_size = 31
        example = [line.removeprefix("    ") for line in (render.__doc__ or "").splitlines() if line.startswith("    ")]
        assert render.text(state, Rules()).splitlines() == example

    @pytest.mark.parametrize(
        ("held", "line"),
        [
            pytest.param("4c 5c 6c 8h 9d Ks Ah", "run 4c 5c 6c | deadwood 28: 9d Ah 8h Ks", id="the rest is deadwood"),
            pytest.param("4c 6c 7s 8h 8d 8s 8c", "run 4c 7s=5c 6c | set 8c 8d 8h 8s", id="a wild card in a run"),
            pytest.param("2c 4d 6h 8s Tc Qd Ah", "deadwood 41: 2c Tc 4d Qd Ah 6h 8s", id="no meld"),
        ],
    )
    def test_a_hand_is_written_in_melds_and_deadwood(self, held: str, line: str) -> None:
        text = render.text(small_state(held, "2d 4h 6s 8c Td Qh As"), Rules())
        assert seat_lines(text)[0].endswith(line)

    @each_number_of_players
    def test_every_card_and_score_of_a_state_is_named(self, num_players: int) -> None:
        rules = Rules(num_players)
        state = played(rules, seed=num_players, until=turns(9, 3))
        lines = seat_lines(render.text(state, rules))
        assert len(lines) == num_players
        for seat, line in enumerate(lines):
            assert cards_named(line) == hand_text(state.hands[seat])
            assert f"player_{seat} " in line
            assert f" {state.scores[seat]} points" in line

    def test_a_view_names_the_known_cards_and_counts_the_others(self) -> None:
        rules = Rules(4)
        state = played(rules, seed=1, until=lambda state: bool(state.phase == Phase.DISCARD and state.num_turns > 20))
        view = view_of(state, seat=(state.seat + 1) % 4)
        for seat, line in enumerate(seat_lines(render.text(view, rules))):
            assert cards_named(line) == hand_text(view.hands[seat])
            hidden = re.search(r"(\d+) face down", line)
            num_hidden = int(hidden[1]) if hidden else 0
            assert num_hidden + view.hands[seat].sum() == state.hands[seat].sum()

    def test_the_pile_is_named_up_to_the_upcard(self) -> None:
        state = played(Rules(), seed=1, until=lambda state: bool(state.pile_size == 4))
        assert ": {} {} {}, upcard {}".format(*map(card_name, state.pile[:4])) in render.text(state, Rules())

    def test_a_pile_without_a_card_has_no_upcard(self) -> None:
        state = small_state("2c 4d 6h 8s Tc Qd Ah", "2d 4h 6s 8c Td Qh As")
        state.pile_size = 0
        assert "upcard" not in render.text(state, Rules())

    def test_seats_bear_the_names_given(self) -> None:
        state = played(Rules(), seed=1, until=turns(1, 1))
        text = render.text(state, Rules(), ["Ann", "Bob"])
        assert [line[2:5] for line in seat_lines(text)] == ["Ann", "Bob"]
        assert "player" not in text

    def test_too_few_names_are_refused(self) -> None:
        with pytest.raises(ValueError, match="seat_names must be 3 names"):
            render.text(played(Rules(3), seed=1, until=turns(1, 1)), Rules(3), ["Ann", "Bob"])


class TestNotes:
    def test_the_seat_to_act_is_marked(self) -> None:
        state = played(Rules(3), seed=2, until=turns(4, 2))
        assert [TO_ACT in place.notes for place in look(state, Rules(3)).places] == [
            seat == state.seat for seat in range(3)
        ]

    def test_who_went_out_is_marked_and_the_others_have_a_final_turn(self) -> None:
        rules = Rules(3)
        state = played(rules, seed=4, until=someone_went_out)
        table = look(state, rules)
        assert state.phase != Phase.GAME_OVER
        assert WENT_OUT in table.places[state.out_seat].notes
        assert FINAL_TURN in table.places[state.seat].notes
        assert FINAL_TURN in table.status

    @pytest.mark.parametrize(
        ("scores", "status"),
        [
            ((50, 40, 60), "game over, player_1 wins"),
            ((40, 40, 60), "game over, player_0 and player_1 share the win"),
            ((40, 40, 40), "game over, player_0, player_1 and player_2 share the win"),
        ],
    )
    def test_the_lowest_score_wins_and_equal_ones_share(self, scores: tuple[int, ...], status: str) -> None:
        state = played(Rules(3, last_round=1, turn_limit=2), seed=1, until=never)
        state.scores[:3] = scores
        table = look(state, Rules(3, last_round=1))
        assert table.status == status
        assert [place.name for place in table.places if WINS in place.notes] == re.findall(r"player_\d", status)

    def test_the_points_of_the_round_before_are_shown_from_the_second_round_on(self) -> None:
        rules = Rules(first_round=4)
        first, second = (played(rules, seed=1, until=turns(number, 1)) for number in (4, 5))
        assert [place.last_points for place in look(first, rules).places] == [None, None]
        assert [place.last_points for place in look(second, rules).places] == list(second.round_points[3, :2])


class TestPicture:
    @each_number_of_players
    def test_the_size_depends_on_the_number_of_players_alone(self, num_players: int) -> None:
        rules = Rules(num_players, turn_limit=3)
        conditions = [turns(1, 0), turns(5, 2), turns(11, 4), someone_went_out, never]
        pictures = [render.picture(played(rules, 3, until), rules) for until in conditions]
        pictures.append(render.picture(view_of(played(rules, 3, turns(11, 4)), num_players - 1), rules))
        assert {picture.shape for picture in pictures} == {(pictures[0].shape[0], 1280, 3)}
        assert {picture.dtype for picture in pictures} == {np.dtype(np.uint8)}

    def test_another_upcard_is_another_picture(self) -> None:
        state = played(Rules(), seed=1, until=turns(3, 1))
        before = render.picture(state, Rules())
        state.pile[state.pile_size - 1] = (state.pile[state.pile_size - 1] + 1) % NUM_CARDS
        assert (render.picture(state, Rules()) != before).any()

    def test_looking_changes_nothing(self) -> None:
        state = played(Rules(4), seed=1, until=turns(6, 5))
        before = state.tobytes()
        pictures = [render.picture(state, Rules(4)) for _ in range(2)]
        render.text(state, Rules(4))
        assert state.tobytes() == before
        assert (pictures[0] == pictures[1]).all()
        assert not np.shares_memory(pictures[0], pictures[1])

    def test_without_pillow_the_error_names_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "PIL", None)
        for module in ("table_picture", "card_faces"):
            monkeypatch.delitem(sys.modules, f"three_thirteen_env.{module}", raising=False)
        with pytest.raises(ImportError, match=re.escape('Pillow: pip install "three-thirteen[render]"')):
            render.picture(played(Rules(), seed=1, until=turns(1, 0)), Rules())

    def test_neither_pillow_nor_pygame_is_imported_before_it_is_needed(self) -> None:
        command = "import sys, three_thirteen_env.render; sys.exit(bool({'PIL', 'pygame'} & set(sys.modules)))"
        assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("num_players", [2, 3, 5])
    def test_what_a_seat_cannot_know_is_not_in_its_text_or_picture(self, num_players: int, seed: int) -> None:
        rules = Rules(num_players)
        conditions = [turns(2 + 3 * seed, 1 + seed), someone_went_out]
        rng = np.random.default_rng(seed)
        for state in (played(rules, seed, until) for until in conditions):
            for seat in range(num_players):
                view = view_of(state, seat)
                other = redeal(view, rules, rng)
                assert other.hands.tobytes() != state.hands.tobytes() or other.stock.tobytes() != state.stock.tobytes()
                view_of_other = view_of(other, seat)
                assert render.text(view_of_other, rules) == render.text(view, rules)
                assert (render.picture(view_of_other, rules) == render.picture(view, rules)).all()


class TestLayout:
    @each_number_of_players
    def test_panels_lie_in_the_picture_and_apart(self, num_players: int) -> None:
        from three_thirteen_env.table_picture import WIDTH, layout_of

        layout = layout_of(num_players)
        covered = np.zeros((layout.height, WIDTH), int)
        for left, top, width, height in layout.panels:
            assert 0 <= left <= WIDTH - width
            assert 0 <= top <= layout.height - height
            covered[top : top + height, left : left + width] += 1
        assert len(layout.panels) == num_players
        assert covered.max() == 1

    @each_number_of_players
    @pytest.mark.parametrize("sizes", [(14,), (3, 3, 3, 3, 2), (3, 3, 3, 4, 1), (4, 10), (13, 1)])
    def test_the_largest_hands_fit_and_every_rank_can_be_seen(self, num_players: int, sizes: tuple[int, ...]) -> None:
        from three_thirteen_env.card_faces import card_width
        from three_thirteen_env.table_picture import GAP, cards_apart, layout_of

        assert sum(sizes) == MAX_HAND
        layout = layout_of(num_players)
        inside = layout.panels[0]._replace(width=layout.panels[0].width - 2 * GAP, height=layout.card_height)
        groups = tuple(Group("set", (0,) * size, (0,) * size) for size in sizes)
        apart = cards_apart(groups, inside)
        width = card_width(layout.card_height)
        widths = [(size - 1) * distance + width for size, distance in zip(sizes, apart, strict=True)]
        assert sum(widths) + GAP * (len(sizes) - 1) <= inside.width
        assert min(apart) >= 0.33 * width  # what the rank and the suit in the corner take

    def test_every_card_has_a_face_of_its_own_and_another_when_wild(self) -> None:
        from three_thirteen_env.card_faces import back, face

        faces = {face(card, 84, is_wild).tobytes() for card in range(NUM_CARDS) for is_wild in (False, True)}
        assert len(faces | {back(84).tobytes()}) == 2 * NUM_CARDS + 1


class TestWindow:
    @pytest.fixture(autouse=True)
    def no_screen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")

    def test_it_opens_with_the_first_picture_and_takes_pictures_of_any_size(self) -> None:
        window = render.Window()
        assert not window.is_open
        for num_players in (2, 8, 3):
            window.show(render.picture(played(Rules(num_players), 1, turns(1, 1)), Rules(num_players)))
            assert window.is_open
        window.close()
        window.close()
        assert not window.is_open

    def test_it_serves_its_events(self) -> None:
        import pygame

        window = render.Window()
        window.show(np.zeros((60, 80, 3), np.uint8))
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_a))
        window.show(np.zeros((60, 80, 3), np.uint8))
        assert not pygame.event.peek(pygame.KEYDOWN)
        window.close()

    def test_what_is_shown_is_the_picture(self) -> None:
        import pygame

        picture = np.random.default_rng(0).integers(0, 256, (60, 80, 3), np.uint8)
        window = render.Window()
        window.show(picture)
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
        window.close()
        assert (shown == picture).all()

    def test_once_a_person_has_closed_it_it_stays_closed(self) -> None:
        import pygame

        window = render.Window()
        window.show(np.zeros((60, 80, 3), np.uint8))
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        for _ in range(2):
            window.show(np.zeros((60, 80, 3), np.uint8))
            assert not window.is_open

    def test_without_pygame_the_error_names_what_to_install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pygame", None)
        with pytest.raises(ImportError, match=re.escape('pygame: pip install "three-thirteen[render]"')):
            render.Window()


def test_cards_named_reads_back_a_hand() -> None:
    assert cards_named("run 4c 7h=5c 6c | deadwood 2: 2d") == "4c 6c 2d 7h"
    assert cards_of(hand(cards_named("known Td | 3 face down"))) == [parse_card("Td")]
