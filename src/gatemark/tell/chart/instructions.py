# SPDX-License-Identifier: Apache-2.0
"""Instructions of one packet over the size of its frame: a panel for each way, a line each arm."""

from collections.abc import Sequence

from gatemark.judge.judgement import Executed, Judgement
from gatemark.tell.answer import exact
from gatemark.tell.chart import curve, theme, vega
from gatemark.tell.chart.figure import Figure, Row, heads, three
from gatemark.tell.chart.vega import Part, channel
from gatemark.tell.group import sweep
from gatemark.tell.words import traffic

FEWEST = 3  # sizes that make a line


def figures(judgement: Judgement) -> list[Figure]:
    """One for each plan with so many sizes."""
    plans: dict[str, list[Executed]] = {}
    for counted in judgement.executed:
        plans.setdefault(counted.plan, []).append(counted)
    return [
        _figure(plan, counteds)
        for plan, counteds in plans.items()
        if len(_sizes(counteds)) >= FEWEST
    ]


def _figure(plan: str, walks: Sequence[Executed]) -> Figure:
    name = sweep.plain(f"instructions-{plan}")
    rows = sorted(map(_row, walks), key=lambda row: (row["arm"], row["frame_bytes"]))
    arms = list(dict.fromkeys(walk.arm for walk in walks))
    ways = dict.fromkeys(str(_row(walk)["way"]) for walk in walks)
    high = max(walk.instructions.hi for walk in walks)
    columns = {"arm": "arm", "way": "way", "frame_bytes": "frame (B)"}
    columns |= heads("instructions", "instructions of a packet", "instructions")
    return Figure(
        name=name,
        title=_title(walks),
        definition=(
            "Instructions that the gateway executes for one packet, by the size of its frame: the "
            "mode of all walks. A copy that a card makes costs none, one that the CPU makes does."
        ),
        panels=tuple((way, _panel(name, way, arms, high)) for way in ways),
        rows=rows,
        columns=columns,
        plan=plan,
    )


def _sizes(walks: Sequence[Executed]) -> list[int]:
    return sorted({size for walk in walks if (size := walk.definition.frame_bytes)})


def _row(walk: Executed) -> Row:
    kind = walk.definition
    family = "" if kind.family == "ipv4" else f", {traffic.FAMILY[kind.family]}"
    over = ", TCP" if kind.l4 == "tcp" else ""
    way = f"{traffic.way(kind.direction)}{over}{family}"
    row: Row = {"arm": walk.arm, "way": way}
    row |= {"frame_bytes": float(kind.frame_bytes or 0)}
    return row | three("instructions", walk.instructions)


def _title(walks: Sequence[Executed]) -> str:
    """What the smallest and largest frame of the first line with most sizes execute."""
    lines: dict[object, list[Executed]] = {}
    for walk in walks:
        lines.setdefault((walk.arm, _row(walk)["way"]), []).append(walk)
    own = max(lines.values(), key=len)
    own.sort(key=lambda walk: walk.definition.frame_bytes or 0)
    first, last = own[0], own[-1]
    sizes = f"{first.definition.frame_bytes} to {last.definition.frame_bytes} bytes"
    by = exact.signed(last.instructions.value - first.instructions.value)
    return f"{first.arm}: from {sizes} a packet costs {by} instructions"


def _panel(name: str, way: str, arms: Sequence[str], high: float) -> Part:
    x = channel("frame_bytes:Q", title="frame, bytes", axis=theme.si(5), scale={"nice": False})
    title, scale = "instructions of a packet", {"domain": [0, high], "nice": True}
    y = channel("instructions:Q", title=title, axis=theme.si(5), scale=scale)
    at = {"x": x, "color": theme.color(arms, arms)}
    tips, shape = vega.tips("arm", "way", "frame_bytes", "instructions"), theme.shape(arms, arms)
    base = vega.rows(name, way=way)
    return theme.panel(
        f"Instructions of a packet over its size, {way}",
        base.mark("line", **at, y=y),
        base.span("rule", "y", "instructions", title, **at, strokeWidth=1.5),
        curve.dots(base, **at, y=y, shape=shape, tooltip=tips, size=50),
    )
