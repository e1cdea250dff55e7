# SPDX-License-Identifier: Apache-2.0
"""The bars of a study: one for each point, under the name of its arm, in panels."""

from collections.abc import Sequence
from dataclasses import dataclass

from gatemark.judge.judgement import PointResult
from gatemark.tell.group import study
from gatemark.tell.words import headline, traffic

MOST_ARMS = 4  # that a title names
_PANEL = ("kind", "family", "direction")  # factors that make panels


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: where it stands and what it shows."""

    panel: str  # heading: `TCP over IPv6, ↑ up: LAN to WAN`
    traffic: str  # the same within a sentence: `TCP over IPv6, LAN to WAN`
    group: str  # arm
    name: str  # within its group; empty where the group says all
    point: PointResult

    @property
    def l4(self) -> str:
        """The protocol."""
        return self.point.definition.l4

    @property
    def value(self) -> float:
        """Bits of payload a second."""
        measured = headline.payload(self.point)
        return measured.value if measured else 0.0


def bars(points: Sequence[PointResult]) -> list[Bar]:
    """The bars of these points, panel by panel, in the order of the plan."""
    panels: dict[tuple[str, str, str], list[PointResult]] = {}
    for point in points:
        d = point.definition
        panels.setdefault((d.l4, d.family, d.direction), []).append(point)
    is_plain = {family for _, family, _ in panels} == {"ipv4"}
    several = len(study.arms(points)) > 1
    drawn = []
    for (l4, family, direction), own_points in panels.items():
        over = "" if is_plain else f" over {traffic.FAMILY.get(family, family)}"
        heading = f"{l4.upper()}{over}, {traffic.heading(direction)}"
        sent = f"{l4.upper()}{over}, {traffic.DIRECTION.get(direction, traffic.way(direction))}"
        names = [name for name in study.varying(own_points) if name not in _PANEL]
        for point in own_points:
            group = point.arm if several or not names else ""
            drawn.append(Bar(heading, sent, group, study.label(point, names), point))
    return drawn


def panels(drawn: Sequence[Bar]) -> dict[str, list[Bar]]:
    """The bars of each panel by its heading."""
    bars: dict[str, list[Bar]] = {}
    for bar in drawn:
        bars.setdefault(bar.panel, []).append(bar)
    return bars


def title(drawn: Sequence[Bar]) -> str:
    """The finding: each arm at its best, in the first panel; of one arm the most and the least."""
    bars = next(iter(panels(drawn).values()))
    best: dict[str, Bar] = {}
    for bar in sorted(bars, key=lambda bar: -bar.value):
        best.setdefault(bar.group, bar)
    if len(best) > 1:
        shown_bars = list(best.values())
        shown_bars = shown_bars if len(shown_bars) <= MOST_ARMS else [shown_bars[0], shown_bars[-1]]
        best_of = ", at best" if len(bars) > len(best) else ""
        rates = ", ".join(f"{bar.group} {headline.payload_words(bar.point)}" for bar in shown_bars)
        return f"{bars[0].traffic}{best_of}: {rates}"
    most, least = max(bars, key=lambda bar: bar.value), min(bars, key=lambda bar: bar.value)
    shown_bars = [most] if most is least else [most, least]
    parts = [
        f"{headline.payload_words(bar.point)}{f' with {bar.name}' if bar.name else ''}"
        for bar in shown_bars
    ]
    return f"{bars[0].traffic}: {', '.join(parts)}"
