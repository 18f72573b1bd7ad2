"""Colours of classes, safe for colour-blind readers on light and dark backgrounds.

The first seven colours are those of Okabe and Ito (2008), "Color universal design", in an order
that keeps similar ones apart. Later colours go around the hue circle with changing lightness. The
colour of a class depends only on its position, so that two plots of a model agree.
"""

from __future__ import annotations

import math

__all__ = [
    "DARK",
    "DARK_ACCENTS",
    "LIGHT",
    "LIGHT_ACCENTS",
    "class_colour",
    "ink_on",
    "mix",
]

# Colours of the background, of cards of inner nodes and leaves, of frames, branches and text.
LIGHT = {
    "ground": "#ffffff",
    "card": "#f4f6f8",
    "leaf": "#ffffff",
    "line": "#d0d7de",
    "flow": "#dbe6ee",
    "ink": "#1f2933",
    "quiet": "#5b6773",
}
DARK = {
    "ground": "#14181d",
    "card": "#222a32",
    "leaf": "#1a2026",
    "line": "#3b4550",
    "flow": "#33434f",
    "ink": "#e6ebf0",
    "quiet": "#a3afba",
}
# Colours of the first and second line of a chart, and of good news and warnings.
LIGHT_ACCENTS = {"accent": "#0072b2", "second": "#9a6700", "good": "#00795a", "warn": "#b84f00"}
DARK_ACCENTS = {"accent": "#56b4e9", "second": "#e69f00", "good": "#3cc4a0", "warn": "#ff8f4d"}
_OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442")
_GOLDEN_ANGLE = math.pi * (3.0 - math.sqrt(5.0))
_LIGHTNESS = (0.50, 0.70, 0.60, 0.80)


def class_colour(position: int, *, dark: bool = False) -> str:
    """Return the colour of the class at a position, as ``#rrggbb``.

    Parameters
    ----------
    position : int
        Position of the class in the plot, from 0.
    dark : bool, default=False
        Whether the background is dark. Dark colours are then lightened.

    Returns
    -------
    colour : str
        The colour. It does not depend on the number of classes.

    Examples
    --------
    >>> class_colour(0), class_colour(1)
    ('#0072b2', '#e69f00')
    """
    if position < 0:
        raise ValueError(f"position must be at least 0, got {position}")
    if position < len(_OKABE_ITO):
        colour = _OKABE_ITO[position]
    else:
        step = position - len(_OKABE_ITO)
        colour = _from_oklch(_LIGHTNESS[step % len(_LIGHTNESS)], 0.11, 0.4 + step * _GOLDEN_ANGLE)
    # Darker colours would not reach a contrast of 3, the minimum for graphics.
    return mix(colour, "#ffffff", 0.25) if dark and _luminance(colour) < 0.14 else colour


def mix(colour: str, other: str, share: float) -> str:
    """Mix a share of another colour into a colour.

    Examples
    --------
    >>> mix("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return _hex(tuple(a + (b - a) * share for a, b in pairs))


def ink_on(colour: str) -> str:
    """Return black or white, whichever is easier to read on a colour.

    Examples
    --------
    >>> ink_on("#0072b2"), ink_on("#f0e442")
    ('#ffffff', '#000000')
    """
    # Equal contrast with black and white: (1.05 / (L + 0.05)) = ((L + 0.05) / 0.05).
    return "#000000" if _luminance(colour) > 0.179 else "#ffffff"


def _channels(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5))
    return red, green, blue


def _hex(channels: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255.0 * min(max(c, 0.0), 1.0)):02x}" for c in channels)


def _luminance(colour: str) -> float:
    """Return the relative luminance of the Web Content Accessibility Guidelines 2.2."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _channels(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _from_oklch(lightness: float, chroma: float, hue: float) -> str:
    """Convert an OKLCH colour (B. Ottosson, 2020) to sRGB; the hue is in radians."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return _hex(
        tuple(12.92 * c if c <= 0.0031308 else 1.055 * c ** (1.0 / 2.4) - 0.055 for c in linear)
    )
