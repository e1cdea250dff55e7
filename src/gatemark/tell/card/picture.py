# SPDX-License-Identifier: Apache-2.0
"""The small picture of a card as inline SVG: bars with intervals, or curves with a mark on each.

Colours are CSS values, so that light, dark and paper need no redraw.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite, log10

from gatemark.judge.math.interval import Interval

WIDTH, HEIGHT = 200.0, 52.0  # of the drawing, in its own units
NAME_WIDTH = 74.0  # where bars begin
LONGEST_NAME = 12
MOST_BARS = 4
TINY = 1e-9  # an axis is no shorter
ROW = HEIGHT / MOST_BARS


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval, drawn from zero."""

    name: str
    color: str
    value: Interval


@dataclass(frozen=True, slots=True)
class Line:
    """A curve over the offered rate, with the rate that is marked on it, if one is."""

    name: str
    color: str
    points: tuple[tuple[float, float], ...]
    mark: Interval | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """Bars or lines; `words` says to those who do not see it what it shows."""

    words: str
    bars: tuple[Bar, ...] = ()
    lines: tuple[Line, ...] = ()
    most: float = 0.0  # the bars' axis ends here at least
    is_log: bool = False  # the lines' axis upwards

    @property
    def svg(self) -> str:
        """The drawing as an SVG element; names are escaped."""
        parts = _bars(self) if self.bars else _lines(self)
        return (
            f'<svg class="small" role="img" viewBox="0 0 {WIDTH:g} {_height(self):g}" '
            f'aria-label="{escape(self.words)}">{"".join(parts)}</svg>'
        )


def _height(picture: Picture) -> float:
    return ROW * min(len(picture.bars), MOST_BARS) if picture.bars else HEIGHT


def _bars(picture: Picture) -> Iterable[str]:
    """Each name with its bar; where a value is below zero, bars begin inside."""
    bars = picture.bars[:MOST_BARS]
    ends = [end for bar in bars for end in (bar.value.lo, bar.value.hi) if isfinite(end)]
    ends += [bar.value.value for bar in bars] + [0.0, picture.most]
    low, high = min(ends), max(ends)
    scale = (WIDTH - NAME_WIDTH - 2) / max(high - low, TINY)

    def x(value: float) -> float:
        return NAME_WIDTH + (min(max(value, low), high) - low) * scale

    for place, bar in enumerate(bars):
        middle = ROW * (place + 0.5)
        left, right = sorted((x(0), x(bar.value.value)))
        yield _text(0, middle + 3.5, _short(bar.name), bar.color)
        yield (
            f'<rect x="{left:.1f}" y="{middle - 4:.1f}" width="{max(right - left, 0.8):.1f}" '
            f'height="8" fill="{bar.color}"/>'
        )
        if bar.value.n > 1:
            yield _rule(x(bar.value.lo), middle, x(bar.value.hi), middle, "var(--ink)")
    yield _rule(x(0), 0, x(0), _height(picture), "var(--soft)")


def _lines(picture: Picture) -> Iterable[str]:
    """Curves over one pair of axes, their names at the lower right, a mark where one stops."""
    points = [point for line in picture.lines for point in line.points]
    right = max((at for at, _ in points), default=1.0) or 1.0
    values = [_height_of(value, picture) for _, value in points]
    low = min(values, default=0.0) if picture.is_log else 0.0
    high = max(values, default=1.0)

    def xy(at: float, value: float) -> tuple[float, float]:
        share = (_height_of(value, picture) - low) / ((high - low) or 1.0)
        return WIDTH * at / right, HEIGHT - 2 - (HEIGHT - 5) * share

    for line in picture.lines:
        yield from _mark(line, WIDTH / right)
        places = " ".join("{:.1f},{:.1f}".format(*xy(*point)) for point in line.points)
        yield f'<polyline points="{places}" fill="none" stroke="{line.color}"/>'
    yield _rule(0, HEIGHT - 0.5, WIDTH, HEIGHT - 0.5, "var(--soft)")
    for place, line in enumerate(reversed(_named(picture.lines))):
        text = _text(WIDTH - 2, HEIGHT - 6 - 11 * place, _short(line.name), line.color)
        yield text.replace("<text", '<text text-anchor="end"', 1)


def _named(lines: Sequence[Line]) -> list[Line]:
    """The lines whose names have room."""
    return list(lines[: MOST_BARS - 1])


def _height_of(value: float, picture: Picture) -> float:
    return log10(max(value, 1.0)) if picture.is_log else value


def _mark(line: Line, scale: float) -> Iterable[str]:
    """The marked rate upright, its interval as a band."""
    if line.mark is None:
        return
    at = line.mark.value * scale
    low, high = line.mark.lo * scale, min(line.mark.hi * scale, WIDTH)
    yield (
        f'<rect x="{low:.1f}" y="0" width="{max(high - low, 0.5):.1f}" height="{HEIGHT:g}" '
        f'fill="{line.color}" opacity="0.3"/>'
    )
    yield _rule(at, 0, at, HEIGHT, line.color)


def _rule(x1: float, y1: float, x2: float, y2: float, color: str) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{color}"/>'


def _text(x: float, y: float, words: str, color: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}">{escape(words)}</text>'


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
