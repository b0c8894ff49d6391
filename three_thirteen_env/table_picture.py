"""Draws a `Table` as one picture: green cloth, a panel for every seat, the stock and the discard pile between them.

The seat that looks sits nearest, and the others go clockwise around the table, as at a real one. With 5 players:

        2      3
      stock and pile
        1      4
           0
"""

from functools import cache, lru_cache
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from three_thirteen_env.card_faces import FINER, GOLD, INK, WHITE, Color, back, badge, card_width, face, font
from three_thirteen_env.cards import rank_of
from three_thirteen_env.state import NO_CARD
from three_thirteen_env.table import DEALER, FINAL_TURN, TO_ACT, WENT_OUT, WINS, Group, Place, Table

WIDTH = 1280
HEADER_HEIGHT = 48
GAP = 14  # between panels, and between the groups of a hand
NAME_HEIGHT, LABEL_HEIGHT = 36, 32  # of a panel, above and below its cards
COUNT_HEIGHT = 30  # of the middle, below its cards
PILE_CARD_HEIGHT = 104
MOST_CARDS_APART = 0.5  # of a card's width: as much of a card the next one leaves to see, where there is room

CLOTH, CLOTH_EDGE, HEADER = (30, 112, 74), (12, 62, 42), (10, 40, 30)
PANEL, PANEL_TO_ACT, PANEL_LINE = (18, 84, 56), (26, 104, 66), (40, 122, 84)
PALE, LIME, ORANGE, BLUE = (190, 222, 204), (170, 230, 120), (240, 140, 60), (150, 200, 250)
NOTE_COLORS = {DEALER: WHITE, TO_ACT: GOLD, FINAL_TURN: BLUE, WENT_OUT: ORANGE, WINS: LIME}


class Box(NamedTuple):
    """A rectangle of the picture, in pixels."""

    left: int
    top: int
    width: int
    height: int


class Layout(NamedTuple):
    """Where everything is, for a number of players, in pixels."""

    height: int
    card_height: int
    middle_top: int
    panels: tuple[Box, ...]  # by how many seats clockwise from the nearest


class Canvas(NamedTuple):
    """The picture that is drawn, and what all drawing on it needs."""

    image: Image.Image
    pen: ImageDraw.ImageDraw
    wild_rank: int

    def paste(self, part: Image.Image, left: int, top: int) -> None:
        """Lay a part with round corners on the picture."""
        self.image.paste(part, (left, top), part)

    def card(self, card: int, height: int, left: int, top: int) -> None:
        """Lay a card on the picture, face down if it is `NO_CARD`."""
        is_wild = card != NO_CARD and bool(rank_of(card) == self.wild_rank)
        self.paste(back(height) if card == NO_CARD else face(card, height, is_wild), left, top)

    def write(self, words: str, size: int, color: Color, place: tuple[int, int], before: float = 0.0) -> None:
        """Write words at a place (left, middle), or with a share `before` of them to the left of it."""
        letters = _letters(words, size)
        left, middle = round(place[0] - before * letters.width), place[1] - letters.height // 2
        self.image.paste(color, (left, middle), letters)


@cache
def layout_of(num_players: int) -> Layout:
    """Where everything is: two columns of panels, the piles between their rows, and an odd seat alone in the last row.

    Two players have a broad panel each.
    """
    num_rows = max((num_players + 1) // 2, 2)
    card_height = 126 if num_players == 2 else 92 if num_rows == 2 else 84
    panel_height = NAME_HEIGHT + card_height + LABEL_HEIGHT
    middle_height = PILE_CARD_HEIGHT + COUNT_HEIGHT
    tops = [HEADER_HEIGHT + GAP + row * (panel_height + GAP) for row in range(num_rows)]
    middle_top = tops[num_rows // 2]
    tops[num_rows // 2 :] = [top + middle_height + GAP for top in tops[num_rows // 2 :]]
    column = (WIDTH - 3 * GAP) // 2
    broad = WIDTH * 3 // 4
    if num_players == 2:
        panels = [Box((WIDTH - broad) // 2, top, broad, panel_height) for top in reversed(tops)]
    else:
        alone = [Box((WIDTH - column) // 2, tops.pop(), column, panel_height)] if num_players % 2 else []
        left = [Box(GAP, top, column, panel_height) for top in reversed(tops)]
        right = [Box(WIDTH - GAP - column, top, column, panel_height) for top in tops]
        panels = alone + left + right
    height = max(panel.top for panel in panels) + panel_height + GAP
    return Layout(height, card_height, middle_top, tuple(panels))


def draw(table: Table) -> npt.NDArray[np.uint8]:
    """The picture of a table, ``(height, 1280, 3) uint8``; its size depends on the number of players alone."""
    num_players = len(table.places)
    layout = layout_of(num_players)
    image = _cloth(layout.height).copy()
    canvas = Canvas(image, ImageDraw.Draw(image), table.wild_rank)
    _draw_header(canvas, table)
    _draw_piles(canvas, table, layout.middle_top)
    for seat, place in enumerate(table.places):
        _draw_place(canvas, place, layout.panels[(seat - table.nearest) % num_players], layout.card_height)
    return np.array(image)


@cache
def _cloth(height: int) -> Image.Image:
    """The bare table: lighter in its middle, with the header across its top."""
    dark = Image.radial_gradient("L").resize((WIDTH, height), Image.Resampling.BICUBIC)
    image = Image.composite(Image.new("RGB", dark.size, CLOTH_EDGE), Image.new("RGB", dark.size, CLOTH), dark)
    ImageDraw.Draw(image).rectangle((0, 0, WIDTH, HEADER_HEIGHT - 1), fill=HEADER)
    return image


@lru_cache(maxsize=256)
def _rounded(width: int, height: int, radius: int, fill: Color | None, line: Color, thickness: int) -> Image.Image:
    """A rectangle with smooth round corners."""
    image = Image.new("RGBA", (width * FINER, height * FINER), (*line, 0))
    box = (0, 0, width * FINER - 1, height * FINER - 1)
    ImageDraw.Draw(image).rounded_rectangle(box, radius * FINER, fill=fill, outline=line, width=thickness * FINER)
    return image.resize((width, height), Image.Resampling.LANCZOS)


@lru_cache(maxsize=1024)
def _letters(words: str, size: int) -> Image.Image:
    """How much of every pixel the letters of some words cover, 0 to 255."""
    image = Image.new("L", (_length(words, size), 2 * size), 0)
    ImageDraw.Draw(image).text((0, size), words, 255, font(size), anchor="lm")
    return image


def _length(words: str, size: int) -> int:
    """How long some words are, in pixels."""
    return ceil(font(size).getlength(words))


def _draw_header(canvas: Canvas, table: Table) -> None:
    middle = HEADER_HEIGHT // 2
    canvas.write("Three Thirteen", 24, WHITE, (GAP + 4, middle))
    canvas.write(table.heading, 22, GOLD, (WIDTH // 2, middle), before=0.5)
    room = WIDTH // 2 - _length(table.heading, 22) // 2 - 2 * GAP
    canvas.write(_cut(table.status, 18, room), 18, WHITE, (WIDTH - GAP - 4, middle), before=1.0)


def _draw_piles(canvas: Canvas, table: Table, top: int) -> None:
    """The stock, and to its right the last cards of the discard pile, the upcard a little apart from the others."""
    height, width = PILE_CARD_HEIGHT, card_width(PILE_CARD_HEIGHT)
    stock, upcard = WIDTH // 2 - 4 * width, WIDTH // 2 + 3 * width
    empty = _rounded(width, height, height // 14, None, PANEL_LINE, 2)
    canvas.paste(empty, stock, top)
    for depth in range(min(3, table.stock_size) - 1, -1, -1):
        canvas.card(NO_CARD, height, stock + 3 * depth, top + 2 * depth)
    canvas.paste(empty, upcard, top)
    for place, card in enumerate(table.pile):
        depth = len(table.pile) - 1 - place
        canvas.card(card, height, upcard - (depth + 1) * width // 2 - GAP if depth else upcard, top)
    middle = top + height + COUNT_HEIGHT // 2 + 2
    for left, words in ((stock, f"stock {table.stock_size}"), (upcard, f"discard pile {table.pile_size}")):
        canvas.write(words, 18, WHITE, (left + width // 2, middle), before=0.5)


def _draw_place(canvas: Canvas, place: Place, box: Box, card_height: int) -> None:
    fill, line, thickness = (PANEL_TO_ACT, GOLD, 3) if TO_ACT in place.notes else (PANEL, PANEL_LINE, 1)
    canvas.paste(_rounded(box.width, box.height, 12, fill, line, thickness), box.left, box.top)
    inside = Box(box.left + GAP, box.top + NAME_HEIGHT, box.width - 2 * GAP, card_height)
    _draw_name(canvas, place, inside, box.top + NAME_HEIGHT // 2)
    left = inside.left
    for group, apart in zip(place.groups, cards_apart(place.groups, inside), strict=True):
        width = (len(group.cards) - 1) * apart + card_width(card_height)
        _draw_group(canvas, group, inside._replace(left=left, width=width), apart)
        label_left = min(left, inside.left + inside.width - _length(group.label, 15))
        canvas.write(group.label, 15, PALE, (label_left, inside.top + card_height + 19))
        left += width + GAP


def _draw_name(canvas: Canvas, place: Place, inside: Box, middle: int) -> None:
    """The line above the cards: who sits here and the notes, and on the right the score."""
    right = inside.left + inside.width
    score = f"{place.score} points"
    canvas.write(score, 20, WHITE, (right, middle), before=1.0)
    right -= _length(score, 20) + 12
    if place.last_points is not None:
        last = f"last round +{place.last_points}"
        canvas.write(last, 16, PALE, (right, middle), before=1.0)
        right -= _length(last, 16) + 12
    widths = [_length(note, 15) + 18 for note in place.notes]
    name = _cut(place.name, 20, right - inside.left - sum(widths) - 10 * len(widths))
    canvas.write(name, 20, WHITE, (inside.left, middle))
    left = inside.left + _length(name, 20) + 10
    for note, width in zip(place.notes, widths, strict=True):
        canvas.paste(_rounded(width, 22, 11, NOTE_COLORS[note], NOTE_COLORS[note], 1), left, middle - 11)
        canvas.write(note, 15, INK, (left + width // 2, middle), before=0.5)
        left += width + 8


def cards_apart(groups: tuple[Group, ...], inside: Box) -> list[int]:
    """How far apart the cards of every group lie, in pixels, so that all fit; cards face down lie closer."""
    card = card_width(inside.height)
    num_steps = sum(len(group.cards) - 1 for group in groups)
    room = inside.width - len(groups) * card - (len(groups) - 1) * GAP
    apart = min(round(card * MOST_CARDS_APART), room // max(num_steps, 1))
    return [min(apart, card // 4) if NO_CARD in group.cards else apart for group in groups]


def _draw_group(canvas: Canvas, group: Group, box: Box, apart: int) -> None:
    """Cards that lie together, the sign of what it stands for on every wild card, and a bracket under them."""
    for place, (card, stands_for) in enumerate(zip(group.cards, group.stands_for, strict=True)):
        left = box.left + place * apart
        canvas.card(card, box.height, left, box.top)
        if card != stands_for:
            sign = badge(stands_for, box.height)
            canvas.paste(sign, left + 2, box.top + box.height - sign.height - 4)
    right, below = box.left + box.width - 1, box.top + box.height + 4
    canvas.pen.line([(box.left, below), (box.left, below + 4), (right, below + 4), (right, below)], PALE, 1)


def _cut(words: str, size: int, width: int) -> str:
    """The words, as many of their letters as fit in a width, in pixels."""
    if _length(words, size) <= width:
        return words
    while words and _length(words + "...", size) > width:
        words = words[:-1]
    return words + "..."
