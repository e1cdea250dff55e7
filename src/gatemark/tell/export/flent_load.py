# SPDX-License-Identifier: Apache-2.0
"""A flow beside a load, as flent's own test `tcp_nup` names it, so that flent's plots draw it.

The first trial of each point, in steps of 0.2 s from its first packet: `Ping (ms) ...` is the
median one-way delay of the flow's packets, `TCP upload::N` what the peer of stream N acknowledged.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.queue.fair import at
from gatemark.judge.queue.flow import Columns, Flow
from gatemark.tell.group.queue import Loaded, Scene, flow_name, scenes
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic

TEST: Final = "tcp_nup"  # flent's name for uploads of so many streams with a ping beside them
STEP_S: Final = 0.2  # as flent's own
TCP: Final = {"up": "TCP upload", "down": "TCP download"}
S_NS: Final = 1_000_000_000

Column = tuple[str, dict[float, float]]  # unit, time in s -> value


def columns(source: Source, label: str = "") -> dict[str, Column]:
    """All series of a run's flows and loads; alone, a point has the very names of flent's test."""
    every = scenes(source)
    alone = not label and sum(len(scene.loaded) for scene in every) == 1
    made: dict[str, Column] = {}
    for scene in every:
        for loaded in scene.loaded:
            made |= dict(_point(loaded, "" if alone else _where(scene, loaded, label)))
    return made


def streams(names: Sequence[str]) -> int:
    """How many uploads there are: a parameter of flent's test."""
    return sum(name.startswith(f"{TCP['up']}::") for name in names)


def _where(scene: Scene, loaded: Loaded, label: str) -> str:
    """What tells a point's series from those of others."""
    bps = scene.first.line_bps
    line = [number.nominal(bps, "bit/s")] if bps else []
    parts = [*filter(None, [label]), scene.plan, *line, loaded.label]
    return ", ".join([*parts, flow_name(loaded.queue), traffic.way(loaded.queue.way)])


def _point(loaded: Loaded, where: str) -> Iterator[tuple[str, Column]]:
    seen, way = loaded.sights[0].seen, loaded.queue.way
    flow = seen.flow
    zero = min([*flow.sent_ns[:1], *flow.lost_ns[:1]])
    end = max([*flow.sent_ns[-1:], *flow.lost_ns[-1:]])
    behind = f" {where}" if where else ""
    yield f"Ping (ms){behind or ' ICMP'}", ("ms", _delays(flow, zero, end))
    rates = [_rates(stream, zero, end) for stream in seen.streams]
    for place, rate in enumerate(rates, 1):
        yield f"{TCP[way]}::{place}{behind}", ("Mbits/s", rate)
    if rates:
        steps = sorted({step for rate in rates for step in rate})
        total = {step: sum(rate.get(step, 0.0) for rate in rates) for step in steps}
        yield f"{TCP[way]} sum{behind}", ("Mbits/s", total)


def _steps(zero: float, end: float) -> Iterator[tuple[float, float, float]]:
    """Each step's end in s, as flent counts, and from when to when it is."""
    for place in range(int((end - zero) / S_NS / STEP_S)):
        low, high = (zero + (place + more) * STEP_S * S_NS for more in (0, 1))
        yield round((place + 1) * STEP_S, 3), low, high


def _delays(flow: Flow, zero: float, end: float) -> dict[float, float]:
    """In ms; a step in which nothing arrived has none."""
    pairs = ((when, flow.between(low, high)) for when, low, high in _steps(zero, end))
    return {when: part.percentile(0.5) / 1e6 for when, part in pairs if part.delay_ns}


def _rates(stream: Columns, zero: float, end: float) -> dict[float, float]:
    """In Mbit/s, while the stream was asked for what it had done."""
    if len(stream[0]) < 2:
        return {}
    first, last = stream[0][0], stream[0][-1]
    return {
        when: (at(stream, high) - at(stream, low)) * 8 / STEP_S / 1e6
        for when, low, high in _steps(zero, end)
        if low >= first and high <= last
    }
