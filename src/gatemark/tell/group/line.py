# SPDX-License-Identifier: Apache-2.0
"""The lines of a curve over sizes: one for each arm and each further factor, in panels."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.knee import straightness
from gatemark.tell.group import study
from gatemark.tell.words import headline, number, traffic

FEW = 6  # sizes; from so many on the plateau is taken of the largest three, else of two
FEWEST = 4  # sizes that a straight line is fitted to
FLAT = 0.1  # a last step of less is a plateau's
MOST_OF_IT = 0.9  # of the plateau: the size that reaches so much is told
BLOCK_BYTES = 8192  # iperf's default "block", which the studies compare with
SENDS = {"send": "The gateway sends", "receive": "The gateway receives"}


@dataclass(frozen=True, slots=True)
class Line:
    """An arm, or one level of what varies besides the size, in one panel."""

    name: str
    factor: str  # the size that is drawn
    points: tuple[PointResult, ...]  # by size

    @property
    def l4(self) -> str:
        """The protocol."""
        return self.points[0].definition.l4

    @property
    def direction(self) -> str:
        """The direction."""
        return self.points[0].definition.direction

    @property
    def panel(self) -> str:
        """A panel holds one protocol and one direction."""
        return f"{self.l4}-{self.direction}"

    @property
    def heading(self) -> str:
        """The panel's heading: `TCP, ↑ up: LAN to WAN`."""
        return f"{self.l4.upper()}, {traffic.heading(self.direction)}"

    @property
    def values(self) -> list[float]:
        """Bits of payload a second at each size."""
        return [i.value for point in self.points if (i := headline.payload(point)) is not None]

    @property
    def is_flat(self) -> bool:
        """Return whether it has a plateau at all: its last step is small."""
        before, last = self.values[-2:] if len(self.values) > 1 else (0.0, 1.0)
        return abs(last - before) <= FLAT * last

    @property
    def plateau(self) -> float:
        """The median at the largest two or three sizes."""
        return median(self.values[-3:] if len(self.values) >= FEW else self.values[-2:])

    def size(self, place: int) -> float:
        """The size of a point in bytes."""
        return study.size(self.points[place], self.factor)


def lines(points: Sequence[PointResult]) -> list[Line]:
    """All lines, panel by panel. Size 0 is the kernel's choice and has no place among sizes."""
    panels: dict[tuple[str, str], list[PointResult]] = {}
    for point in points:
        key = (point.definition.l4, point.definition.direction)
        panels.setdefault(key, []).append(point)
    return [line for points in panels.values() for line in _lines(points)]


def panels(drawn: Sequence[Line]) -> list[list[Line]]:
    """The lines of each panel."""
    lines: dict[str, list[Line]] = {}
    for line in drawn:
        lines.setdefault(line.panel, []).append(line)
    return list(lines.values())


def names(drawn: Sequence[Line]) -> list[str]:
    """The names of these lines, each once: they have a colour each."""
    return list(dict.fromkeys(line.name for line in drawn))


def title(drawn: Sequence[Line]) -> str:
    """The finding: the most of the first line, and what a small size leaves of it."""
    line = drawn[0]
    best = line.values.index(max(line.values))
    numbers = [place for place in range(len(line.points)) if line.size(place) == BLOCK_BYTES]
    small = numbers[0] if numbers else 0
    most, less = (headline.payload_words(line.points[place]) for place in (best, small))
    size = traffic.sized(line.factor, line.size(small))
    who = SENDS.get(line.direction, f"{_first(traffic.does(line.points[0].setup))} carries")
    if line.direction in SENDS and len(names(drawn)) > 1:
        who = f"{line.name}: {who[0].lower()}{who[1:]}"
    return f"{who} {most} of {line.l4.upper()} payload at best, {less} with {size}"


def share_title(drawn: Sequence[Line]) -> str:
    """The finding: from which size on the first line of each protocol is on its plateau."""
    first: dict[str, Line] = {}
    for line in drawn:
        first.setdefault(line.l4, line)
    texts = [f"{l4.upper()} {_needs(line)}" for l4, line in first.items()]
    return f"{number.nominal(MOST_OF_IT, 'ratio')} of the plateau: {'; '.join(texts)}"


def straight(drawn: Sequence[Line]) -> str:
    """How straight UDP rises with its datagram, and at how many packets/s; empty without UDP.

    One cost for each packet, whatever its size, is a line through the origin: bits over size by
    least squares (Kofler and others, figure 2).
    """
    line = next((line for line in drawn if line.l4 == "udp"), None)
    if line is None or len(line.values) < FEWEST:
        return ""
    sizes = [line.size(place) for place in range(len(line.points))]
    r2 = straightness(sizes, line.values)
    if r2 is None:
        return ""
    slope = sum(x * y for x, y in zip(sizes, line.values, strict=True)) / sum(x * x for x in sizes)
    rate = number.quantity(slope / 8, "packets/s")
    return f"UDP over its datagram is a straight line to R² {r2:.3f}, at {rate} for all sizes."


def _needs(line: Line) -> str:
    """The smallest size that is, or where the tester was the limit may be, on the plateau."""
    enough = len(line.values) - 1
    wanted = MOST_OF_IT * line.plateau
    while enough and (line.points[enough - 1].at_least or line.values[enough - 1] >= wanted):
        enough -= 1
    size = traffic.sized(line.factor, line.size(enough))
    if any(point.at_least for point in line.points):
        return f"needs {number.AT_LEAST}{size}"
    return f"needs {size}" if enough else f"has it with {size} already"


def _lines(points: Sequence[PointResult]) -> list[Line]:
    factor = study.size_factor(points)
    further = [n for n in study.varying(points) if n not in (factor, "direction", "kind")]
    several = len(study.arms(points)) > 1
    kept: dict[str, list[PointResult]] = {}
    for point in sorted(points, key=lambda p: study.size(p, factor)):
        more = study.label(point, further)
        name = ", ".join(filter(None, (point.arm if several or not more else "", more)))
        if study.size(point, factor) > 0:
            kept.setdefault(name, []).append(point)
    order = sorted(kept, key=lambda name: points.index(kept[name][0]))
    return [Line(name, factor, tuple(kept[name])) for name in order]


def _first(text: str) -> str:
    return text[:1].upper() + text[1:]
