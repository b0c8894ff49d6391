"""Figures as SVG that is part of a page: with the colors and the letters of the page, and no identifiers that clash."""

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from typing import Any

import matplotlib
from matplotlib.figure import Figure

FONT_SIZE = 13  # pixels

NUM_COLORS = 8
INK, FAINT, LINE = "#a00001", "#a00002", "#a00003"
COLORS = tuple(f"#b0000{number}" for number in range(NUM_COLORS))
# What each of these colors, which nobody sees, stands for in the page.
THEME = {INK: "currentColor", FAINT: "var(--faint)", LINE: "var(--line)"} | {
    color: f"var(--agent-{number})" for number, color in enumerate(COLORS)
}
STYLE: dict[Any, Any] = {  # whose type names every setting there is
    "svg.fonttype": "none",
    "font.size": FONT_SIZE,
    "text.color": INK,
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": FONT_SIZE,
    "figure.dpi": 72,  # a pixel of the page is a point of the figure
    "grid.color": LINE,
    "grid.linewidth": 1,
    "lines.linewidth": 2,
    "lines.markersize": 6,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
}

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


def as_svg(figure: Figure, description: str, is_ornament: bool = False) -> str:
    """The figure as an element of a page. Its description is for whoever cannot see it, unless it is an ornament.

    Figures of a page must differ in their description or their width, for that makes their identifiers.
    """
    width, height = figure.get_size_inches() * 72
    with (
        matplotlib.rc_context({"svg.hashsalt": f"{description} {width}"}),
        warnings.catch_warnings(),
    ):  # the same figure gives the same text
        text = io.StringIO()
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the browser has the letters of all names
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(text.getvalue())
    _clean(root)
    root.attrib.clear()
    root.attrib |= {"viewBox": f"0 0 {width:g} {height:g}", "style": f"max-width: {width:g}px"}
    root.attrib |= {"aria-hidden": "true"} if is_ornament else {"role": "img", "aria-label": description}
    return _themed(ElementTree.tostring(root, "unicode"))


def _clean(root: ElementTree.Element) -> None:
    """Take out what a page must not have: addresses, a style that is not its own, and identifiers that nothing uses."""
    root.remove(root[0])  # the metadata
    root.remove(root[0])  # the style
    used = _used(root)
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)
        if target := element.attrib.pop(f"{{{XLINK}}}href", None):
            element.set("href", target)


def _used(root: ElementTree.Element) -> set[str]:
    """The identifiers that other elements name."""
    targets = (element.get(f"{{{XLINK}}}href", "").lstrip("#") for element in root.iter())
    clips = (element.get("clip-path", "").removeprefix("url(#").removesuffix(")") for element in root.iter())
    return {*targets, *clips} - {""}


def _themed(svg: str) -> str:
    """With the colors and the letters of the page, and coordinates of no more digits than can be seen."""
    for color, name in THEME.items():
        svg = svg.replace(color, name)
    svg = re.sub(r"font-family: [^;\"]*;? ?", "", svg)
    svg = re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    return re.sub(r"\s+", " ", svg)
