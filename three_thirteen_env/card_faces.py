"""Pictures of cards: faces and backs, with suits drawn as shapes, for a font that is on every machine has none.

A face is drawn `FINER` times as large as asked and scaled down, which makes its edges smooth, and is then kept. Places
on a card are fractions of its width and height.
"""

from functools import cache
from math import cos, pi, sin
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

from three_thirteen_env.cards import ACE, JACK, KING, QUEEN, RANKS, SUITS, rank_of, suit_of

Color: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]

WHITE, INK, RED = (255, 255, 255), (24, 27, 34), (198, 28, 42)
GOLD, PALE_GOLD = (226, 168, 28), (255, 240, 186)
BACK_BLUE, BACK_LINES = (38, 70, 138), (120, 152, 214)
SKIN, ROBES, EDGE = (250, 222, 190), ((44, 84, 160), (190, 40, 50)), (150, 154, 160)

FINER = 4
WIDTH_TO_HEIGHT = 5 / 7
_SUIT_SIZE = 400  # pixels of the shape that suits of every size are scaled from

_LEFT, _MIDDLE, _RIGHT = 0.4, 0.5, 0.6
_SIDES_OF_TWO = [(x, y) for x in (_LEFT, _RIGHT) for y in (0.0, 1.0)]
_SIDES_OF_THREE = [(x, y) for x in (_LEFT, _RIGHT) for y in (0.0, 0.5, 1.0)]
_SIDES_OF_FOUR = [(x, y) for x in (_LEFT, _RIGHT) for y in (0.0, 1 / 3, 2 / 3, 1.0)]
PIPS: dict[int, list[Point]] = {  # where the pips of a rank are: across the card, and from the first row to the last
    2: [(_MIDDLE, 0.0), (_MIDDLE, 1.0)],
    3: [(_MIDDLE, 0.0), (_MIDDLE, 0.5), (_MIDDLE, 1.0)],
    4: _SIDES_OF_TWO,
    5: [*_SIDES_OF_TWO, (_MIDDLE, 0.5)],
    6: _SIDES_OF_THREE,
    7: [*_SIDES_OF_THREE, (_MIDDLE, 0.25)],
    8: [*_SIDES_OF_THREE, (_MIDDLE, 0.25), (_MIDDLE, 0.75)],
    9: [*_SIDES_OF_FOUR, (_MIDDLE, 0.5)],
    10: [*_SIDES_OF_FOUR, (_MIDDLE, 1 / 6), (_MIDDLE, 5 / 6)],
}


def card_width(height: int) -> int:
    """The width of a card of some height, in pixels."""
    return round(height * WIDTH_TO_HEIGHT)


def suit_color(card: int) -> Color:
    """Red for diamonds and hearts, ink for clubs and spades."""
    return RED if SUITS[suit_of(card)] in "dh" else INK


def rank_text(card: int) -> str:
    """The rank as it stands on a card, where a ten is 10 and not T."""
    return RANKS[rank_of(card) - 1].replace("T", "10")


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """The font that comes with Pillow, in pixels; it has the letters of ASCII and little more."""
    default = ImageFont.load_default(size)
    if not isinstance(default, ImageFont.FreeTypeFont):
        raise ImportError("the picture needs a Pillow with FreeType, as the wheels on PyPI have it")
    return default


@cache
def face(card: int, height: int, is_wild: bool) -> Image.Image:
    """The face of a card; that of a wild card is golden."""
    image, width, tall = _blank(height, PALE_GOLD if is_wild else WHITE, GOLD if is_wild else EDGE)
    if rank_of(card) >= JACK:
        _draw_court(image, card, width, tall)
    elif rank_of(card) == ACE:
        _paste_suit(image, card, (width / 2, tall / 2), tall * 0.36)
    else:
        for x, y in PIPS[rank_of(card)]:
            _paste_suit(image, card, (x * width, (0.16 + 0.68 * y) * tall), tall * 0.122, is_upside_down=y > 0.5)
    corner = _corner(card, width, tall)
    image.alpha_composite(corner)
    image.alpha_composite(corner.rotate(180))
    return _scaled_down(image)


@cache
def back(height: int) -> Image.Image:
    """The back of a card."""
    image, width, tall = _blank(height, WHITE, EDGE)
    pattern = Image.new("RGBA", image.size, BACK_BLUE)
    draw = ImageDraw.Draw(pattern)
    spacing = max(tall // 12, 1)
    for start in range(-tall, width + tall, spacing):
        draw.line((start, 0, start + tall, tall), fill=BACK_LINES, width=FINER)
        draw.line((start, tall, start + tall, 0), fill=BACK_LINES, width=FINER)
    inside = Image.new("L", image.size, 0)
    margin = tall // 18
    box = (margin, margin, width - margin - 1, tall - margin - 1)
    ImageDraw.Draw(inside).rounded_rectangle(box, tall // 24, fill=255)
    image.paste(pattern, (0, 0), inside)
    return _scaled_down(image)


@cache
def badge(card: int, height: int) -> Image.Image:
    """The little sign on a wild card that says for which card it stands, for cards of some height."""
    width, tall = round(height * 0.3) * FINER, round(height * 0.19) * FINER
    image = Image.new("RGBA", (width, tall), (0, 0, 0, 0))
    box = (0, 0, width - 1, tall - 1)
    ImageDraw.Draw(image).rounded_rectangle(box, tall // 4, fill=WHITE, outline=suit_color(card), width=FINER)
    _write(image, rank_text(card), (width * 0.33, tall * 0.52), round(tall * 0.7), suit_color(card))
    _paste_suit(image, card, (width * 0.75, tall / 2), tall * 0.62)
    return _scaled_down(image)


def _blank(height: int, fill: Color, edge: Color) -> tuple[Image.Image, int, int]:
    """An empty card drawn finer, with its width and height."""
    width, tall = card_width(height) * FINER, height * FINER
    image = Image.new("RGBA", (width, tall), (*edge, 0))
    thickness = FINER if edge == EDGE else 2 * FINER
    box = (0, 0, width - 1, tall - 1)
    ImageDraw.Draw(image).rounded_rectangle(box, tall // 14, fill=fill, outline=edge, width=thickness)
    return image, width, tall


def _scaled_down(image: Image.Image) -> Image.Image:
    return image.resize((image.width // FINER, image.height // FINER), Image.Resampling.LANCZOS)


def _corner(card: int, width: int, tall: int) -> Image.Image:
    """A clear card with only the rank and the suit in its upper left corner."""
    image = Image.new("RGBA", (width, tall), (*suit_color(card), 0))
    size = tall * (0.18 if rank_text(card) == "10" else 0.215)
    _write(image, rank_text(card), (width * 0.17, tall * 0.14), round(size), suit_color(card))
    _paste_suit(image, card, (width * 0.165, tall * 0.32), tall * 0.13)
    return image


def _draw_court(image: Image.Image, card: int, width: int, tall: int) -> None:
    """A framed figure that stands on its own head, as on every court card."""
    frame = Image.new("RGBA", (round(width * 0.43), round(tall * 0.84)), (*WHITE, 255))
    wide, half = frame.width, (frame.height + 1) // 2
    figure = Image.new("RGBA", (wide, half), (*WHITE, 255))
    _draw_figure(ImageDraw.Draw(figure), card, wide, half)
    _paste_suit(figure, card, (wide * 0.19, half * 0.18), half * 0.24)
    frame.paste(figure, (0, 0))
    frame.paste(figure.rotate(180), (0, frame.height - half))
    box = (0, 0, frame.width - 1, frame.height - 1)
    ImageDraw.Draw(frame).rectangle(box, outline=suit_color(card), width=FINER)
    image.paste(frame, ((width - frame.width) // 2, (tall - frame.height) // 2))


def _draw_figure(draw: ImageDraw.ImageDraw, card: int, wide: int, tall: int) -> None:
    """Half a court card: robe, head, and on it a crown, a coronet or a cap."""
    rank = rank_of(card)
    robe, other = ROBES if suit_color(card) == INK else ROBES[::-1]

    def shape(points: list[Point], color: Color) -> None:
        draw.polygon([(x * wide, y * tall) for x, y in points], fill=color, outline=INK, width=FINER // 2)

    shape([(0.0, 1.02), (0.06, 0.8), (0.34, 0.66), (0.66, 0.66), (0.94, 0.8), (1.0, 1.02)], robe)
    shape([(0.38, 0.66), (0.62, 0.66), (0.56, 1.02), (0.44, 1.02)], GOLD)
    if rank == QUEEN:
        draw.ellipse((0.26 * wide, 0.3 * tall, 0.74 * wide, 0.76 * tall), fill=(140, 84, 30), outline=INK)
    draw.ellipse((0.33 * wide, 0.32 * tall, 0.67 * wide, 0.7 * tall), fill=SKIN, outline=INK, width=FINER // 2)
    for x in (0.43, 0.57):
        draw.ellipse(((x - 0.025) * wide, 0.48 * tall, (x + 0.025) * wide, 0.53 * tall), fill=INK)
    if rank == KING:
        shape([(0.34, 0.57), (0.66, 0.57), (0.6, 0.74), (0.5, 0.8), (0.4, 0.74)], (110, 70, 30))
        shape([(0.3, 0.42), (0.26, 0.1), (0.4, 0.24), (0.5, 0.04), (0.6, 0.24), (0.74, 0.1), (0.7, 0.42)], GOLD)
    elif rank == QUEEN:
        shape([(0.32, 0.38), (0.28, 0.2), (0.42, 0.28), (0.5, 0.14), (0.58, 0.28), (0.72, 0.2), (0.68, 0.38)], GOLD)
        for x, y in ((0.28, 0.2), (0.5, 0.14), (0.72, 0.2)):
            draw.ellipse(((x - 0.05) * wide, (y - 0.05) * tall, (x + 0.05) * wide, (y + 0.05) * tall), fill=RED)
    else:
        shape([(0.28, 0.4), (0.34, 0.2), (0.7, 0.16), (0.74, 0.4)], other)
        shape([(0.66, 0.36), (0.72, 0.06), (0.9, 0.1), (0.8, 0.28)], GOLD)


def _write(image: Image.Image, text: str, center: Point, size: int, color: Color) -> None:
    """Write bold letters about a point."""
    draw = ImageDraw.Draw(image)
    draw.text(center, text, fill=color, font=font(size), anchor="mm", stroke_width=size // 28, stroke_fill=color)


def _paste_suit(image: Image.Image, card: int, center: Point, size: float, is_upside_down: bool = False) -> None:
    shape = _suit_shape(int(suit_of(card))).resize((round(size), round(size)), Image.Resampling.LANCZOS)
    if is_upside_down:
        shape = shape.rotate(180)
    image.paste(suit_color(card), (round(center[0] - size / 2), round(center[1] - size / 2)), shape)


@cache
def _suit_shape(suit: int) -> Image.Image:
    """How much of every pixel the suit covers, 0 to 255, in a square of `_SUIT_SIZE`."""
    shape = Image.new("L", (_SUIT_SIZE, _SUIT_SIZE), 0)
    draw = ImageDraw.Draw(shape)

    def polygon(points: list[Point]) -> None:
        draw.polygon([(x * _SUIT_SIZE, y * _SUIT_SIZE) for x, y in points], fill=255)

    def circle(x: float, y: float, radius: float) -> None:
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.ellipse([edge * _SUIT_SIZE for edge in box], fill=255)

    name = SUITS[suit]
    if name == "d":
        polygon([(0.5, 0), (0.66, 0.28), (0.88, 0.5), (0.66, 0.72), (0.5, 1), (0.34, 0.72), (0.12, 0.5), (0.34, 0.28)])
    elif name == "h":
        polygon(_heart())
    elif name == "s":
        polygon([(x, (1 - y) * 0.88) for x, y in _heart()])
    else:
        circle(0.5, 0.24, 0.23)
        circle(0.25, 0.57, 0.23)
        circle(0.75, 0.57, 0.23)
        circle(0.5, 0.5, 0.12)
    if name in "cs":
        polygon([(0.5, 0.45), (0.54, 0.75), (0.7, 0.98), (0.3, 0.98), (0.46, 0.75)])
    return shape


def _heart() -> list[Point]:
    """The outline of a heart in the unit square."""
    outline = []
    for step in range(120):
        angle = step * pi / 60
        x = 16 * sin(angle) ** 3
        y = 13 * cos(angle) - 5 * cos(2 * angle) - 2 * cos(3 * angle) - cos(4 * angle)
        outline.append((0.5 + x / 34, (13 - y) / 30.5))
    return outline
