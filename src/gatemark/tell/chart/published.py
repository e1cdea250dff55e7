# SPDX-License-Identifier: Apache-2.0
"""Published values of other devices beside ours: hollow markers, named where they stand.

They never stretch an axis until ours cannot be read: what is too far away is left to the table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

from gatemark.judge.change.reference import Beside
from gatemark.judge.judgement import PointResult
from gatemark.tell.answer import reference
from gatemark.tell.chart import theme, vega
from gatemark.tell.chart.figure import Panel, Row
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.words import headline

TIMES_LESS, TIMES_MORE = 20.0, 3.0  # than our largest value: so far a marker may be
TIPS = vega.tips("device", "study", "printed", "differs")
LOOK: Final = {"style": "published", "filled": False, "size": 70}
LEVELS = (-11, 14, 27)  # pixels from a marker to its name
CLOSE = 0.1  # of the largest: names of values that are nearer lie on each other
SHAPES = ("diamond", "square", "triangle-up", "triangle-down", "circle", "cross")
KEY_HEADING = "Hollow markers: published values"
KEY_ROW = 20  # pixels of a line of the key
NEAR_WORDS = (
    "Hollow markers: published values of other devices; the tooltip and the table of published "
    "values say in what they differ."
)
FAR_WORDS = "Published values of {} are too far from ours to be drawn; they are in the table."


@dataclass(frozen=True, slots=True)
class Choice:
    """What a figure shows of the published values, and what it leaves to the table."""

    every: tuple[tuple[PointResult, Beside], ...] = ()  # shares of these may always be drawn
    near: tuple[tuple[PointResult, Beside], ...] = ()
    far: tuple[str, ...] = ()  # devices

    @property
    def devices(self) -> list[str]:
        """The devices that are drawn, each once."""
        return list(dict.fromkeys(results.published.device for _, results in self.near))

    def words(self) -> str:
        """What the definition says of them; empty where nothing was published."""
        far = FAR_WORDS.format(", ".join(self.far)) if self.far else ""
        return " ".join(filter(None, (NEAR_WORDS if self.near else "", far)))


def choose(beside: Iterable[Beside], points: Sequence[PointResult]) -> Choice:
    """The published values of these points' payload, by device near or far from ours."""
    pairs = [
        (point, pair)
        for pair in beside
        for point in points
        if (pair.plan, pair.arm) == (point.plan, point.arm)
        and pair.point == point.point
        and pair.quantity == headline.PAYLOAD.get(point.definition.l4)
    ]
    ours = [i.value for point in points if (i := headline.payload(point)) is not None]
    best: dict[str, float] = {}
    for _, kept_pair in pairs:
        device = kept_pair.published.device
        best[device] = max(best.get(device, 0.0), kept_pair.published.value)
    far = [name for name, top in best.items() if not in_reach(top, max(ours, default=0.0))]
    near = tuple(pair for pair in pairs if pair[1].published.device not in far)
    return Choice(tuple(pairs), near, tuple(far))


def in_reach(value: float, most: float) -> bool:
    """Return whether a value may be drawn on an axis that ends at our largest one."""
    return most / TIMES_LESS <= value <= most * TIMES_MORE


def row(pair: Beside) -> Row:
    """What a tooltip tells of a published value."""
    return {
        "device": pair.published.device,
        "study": pair.published.study,
        "printed": reference.printed(pair.published),
        "differs": reference.differs(pair),
    }


def layers(name: str, panel: str, devices: Sequence[str], x: Part, y: Part) -> list[Part]:
    """The hollow markers of one panel. A device keeps its marker in all panels."""
    rows = vega.rows(f"{name}-published", panel=panel)
    made = [
        rows.where(device=device).mark("point", x=x, y=y, tooltip=TIPS, **LOOK, shape=shape)
        for device, shape in shapes(devices).items()
    ]
    sides = [(side, align) for side, align, _ in theme.SIDES]
    for (side, align), (level, dy) in product(sides if devices else (), enumerate(LEVELS)):
        look = {"text": "device:N", "style": "note", "align": align, "dy": dy}
        made += rows.where(named=side, level=level).haloed(x=x, y=y, **look)
    return made


def shapes(devices: Sequence[str]) -> dict[str, str]:
    """Device -> its marker, the same in all panels of a figure."""
    return {device: SHAPES[place % len(SHAPES)] for place, device in enumerate(devices)}


def key(devices: Sequence[str]) -> list[Panel]:
    """A panel that says which device has which marker: one for a whole figure, if any."""
    at = {"x": vega.value(8), "y": channel("device:N", sort=list(devices), axis=None)}
    text = {"text": "device:N", "style": "value", "align": "left", "dx": 12}
    marks = []
    for device, shape in shapes(devices).items():
        line = vega.inline({"device": device})
        marks += [line.mark("point", **at, **LOOK, shape=shape), line.mark("text", **at, **text)]
    panel = vega.panel(KEY_HEADING, marks, KEY_ROW * len(devices))
    return [(KEY_HEADING, panel)] if devices else []


def levels(rows: Sequence[Row], field: str) -> None:
    """Spread the names that would lie on each other: the highest stands above, others below."""
    top = max((float(row[field] or 0) for row in rows), default=0.0)
    places: dict[tuple[object, object], list[Row]] = {}
    for row in sorted(rows, key=lambda row: -float(row[field] or 0)):
        row["level"] = 0.0
        if row["named"]:
            places.setdefault((row["panel"], row["size_bytes"]), []).append(row)
    for texts in places.values():
        values = [float(row[field] or 0) for row in texts]
        if any(a - b < CLOSE * top for a, b in pairwise(values)):
            for level, row in enumerate(texts):
                row["level"] = float(min(level, len(LEVELS) - 1))
