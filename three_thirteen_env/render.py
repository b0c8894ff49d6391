"""A table to look at: as text (``ansi``), as a picture (``rgb_array``), and as a picture in a window (``human``).

    round 5 of 11, sevens are wild: player_1 took Td, to discard
    stock 31, discard pile 3: 4s Jc, upcard 9d
      player_0  dealer   23 points (+0)    run 4c 7h=5c 6c | set Kd Kh Ks | deadwood 1: Ac
    > player_1           12 points (+8)    known Td | 7 face down

``7h=5c`` is the seven of hearts, wild, standing for the five of clubs; ``>`` marks the seat to act; ``(+8)`` is what
the round before cost. What is drawn is what the state shows: given a view, what its seat may see. Pictures take Pillow
and windows pygame, both imported when first needed: ``pip install "three-thirteen[render]"``.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from three_thirteen_env.cards import card_name
from three_thirteen_env.rules import Rules
from three_thirteen_env.state import State
from three_thirteen_env.table import DEALER, TO_ACT, Group, Place, Table, look

if TYPE_CHECKING:
    import pygame

Picture = npt.NDArray[np.uint8]  # (height, width, 3)

_SCREEN_SHARE = 0.9  # of the screen that a new window takes at most


def text(state: State, rules: Rules, seat_names: Sequence[str] | None = None) -> str:
    """The table as lines of text. Raises ValueError unless there is one name for every seat."""
    table = look(state, rules, seat_names)
    name_width = max(len(place.name) for place in table.places)
    return "\n".join(
        [
            f"{table.heading}: {table.status}",
            f"stock {table.stock_size}, discard pile {table.pile_size}{_pile_text(table)}",
            *(_place_text(place, name_width) for place in table.places),
        ]
    )


def picture(state: State, rules: Rules, seat_names: Sequence[str] | None = None) -> Picture:
    """The table as a picture, ``(height, width, 3) uint8``; its size depends on the number of players alone.

    Raises ImportError where Pillow is not installed, ValueError unless there is one name for every seat.
    """
    try:
        from three_thirteen_env.table_picture import draw
    except ModuleNotFoundError as error:
        raise _missing("a picture of the table", "Pillow", error) from error
    return draw(look(state, rules, seat_names))


class Window:
    """A window that shows one picture after another, and opens with the first.

    Once a person has closed it, it stays closed, and further pictures are not shown.
    """

    def __init__(self, pictures_per_second: float = 0.0, caption: str = "Three Thirteen") -> None:
        """A window that waits, after each picture, so that there are no more than so many a second; 0: no wait.

        Raises ImportError where pygame is not installed.
        """
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
        try:
            import pygame
        except ModuleNotFoundError as error:
            raise _missing("a window", "pygame", error) from error
        self._pygame = pygame
        self._caption = caption
        self._pictures_per_second = pictures_per_second
        self._clock = pygame.time.Clock()
        self._screen: pygame.Surface | None = None
        self._was_closed = False

    @property
    def is_open(self) -> bool:
        """Whether a picture can be seen."""
        return self._screen is not None

    def show(self, picture: Picture) -> None:
        """Show a picture ``(height, width, 3) uint8``, as large as the window is, and serve the window's events."""
        if self._was_closed:
            return
        if self._screen is None:
            self._screen = self._open(picture)
        self._serve_events()
        if self._was_closed:
            return
        surface = self._pygame.image.frombuffer(picture.tobytes(), picture.shape[1::-1], "RGB")
        width, height = self._screen.get_size()
        scale = min(width / surface.get_width(), height / surface.get_height())
        if scale != 1:
            size = (round(surface.get_width() * scale), round(surface.get_height() * scale))
            surface = self._pygame.transform.smoothscale(surface, size)
        self._screen.fill("black")
        self._screen.blit(surface, surface.get_rect(center=self._screen.get_rect().center))
        self._pygame.display.flip()
        self._clock.tick(self._pictures_per_second)

    def close(self) -> None:
        """Close the window, if it is open; the next picture opens it again."""
        if self._screen is not None:
            self._screen = None
            self._pygame.display.quit()

    def _open(self, picture: Picture) -> "pygame.Surface":
        display = self._pygame.display
        display.init()
        screen_width, screen_height = display.get_desktop_sizes()[0]
        height, width = picture.shape[:2]
        scale = min(1.0, _SCREEN_SHARE * screen_width / width, _SCREEN_SHARE * screen_height / height)
        display.set_caption(self._caption)
        size = (round(width * scale), round(height * scale))
        screen: pygame.Surface = display.set_mode(size, self._pygame.RESIZABLE)
        return screen

    def _serve_events(self) -> None:
        if any(event.type == self._pygame.QUIT for event in self._pygame.event.get()):
            self._was_closed = True
            self.close()


def _pile_text(table: Table) -> str:
    if not table.pile:
        return ""
    *older, upcard = (card_name(card) for card in table.pile)
    dots = ["..."] if table.pile_size > len(table.pile) else []
    return f": {' '.join([*dots, *older])}{', ' if older else ''}upcard {upcard}"


def _place_text(place: Place, name_width: int) -> str:
    mark = ">" if TO_ACT in place.notes else " "
    dealer = DEALER if DEALER in place.notes else ""
    notes = ", ".join(note for note in place.notes if note not in (DEALER, TO_ACT))
    cost = "" if place.last_points is None else f"(+{place.last_points})"
    groups = " | ".join(_group_text(group) for group in place.groups)
    name = f"{mark} {place.name:{name_width}}  {dealer:6} {place.score:4} points {cost:6}"
    return f"{name}  {notes}{': ' if notes else ''}{groups}"


def _group_text(group: Group) -> str:
    if min(group.cards) < 0:
        return group.label
    colon = ":" if group.label[-1].isdigit() else ""
    return f"{group.label}{colon} {' '.join(map(_card_text, group.cards, group.stands_for))}"


def _card_text(card: int, stands_for: int) -> str:
    return card_name(card) if card == stands_for else f"{card_name(card)}={card_name(stands_for)}"


def _missing(what: str, library: str, error: ImportError) -> ImportError:
    return ImportError(f'{what} takes {library}: pip install "three-thirteen[render]" ({error})')
