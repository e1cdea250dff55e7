# SPDX-License-Identifier: Apache-2.0
"""One run as one row of a Markdown table, to be pasted where devices are collected.

In the tradition of forum and wiki tables: device, processor, kernel, then a column for each path
with `47.5 ± 0.3 (CPU 92 %)`, and a remark. The columns are the same for every run.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, Knee, PointResult
from gatemark.judge.point.likeness import is_alone
from gatemark.plan.model import is_twin
from gatemark.store.record import Definition
from gatemark.store.run import UNKNOWN, Run
from gatemark.tell.group import sweep
from gatemark.tell.words import number
from gatemark.tell.words.markdown import text
from gatemark.tell.words.number import DASH, KPPS, MBPS, PERCENT

PATHS: Final = ("switch", "route", "nat", "endpoint")
WAYS: Final = ("up", "send", "down", "receive", "both")  # the first that was measured is shown
SMALL_BYTES: Final = 64
DEFAULT_WRITE_BYTES: Final = 131_072
VIRTUAL: Final = "**VIRTUAL**"

HEAD: Final = (
    "device",
    "processor",
    "kernel",
    *(f"{path} TCP, Mbit/s" for path in PATHS),
    *(f"{path} UDP {SMALL_BYTES} B, k packets/s" for path in PATHS),
    "remark",
)
# Keys of the gateway's inventory, the first that it has.
DEVICE: Final = ("model", "device", "board")
PROCESSOR: Final = ("soc", "processor", "cpu", "system_type")
MHZ: Final = ("cpu_mhz", "clock_mhz")


def head() -> str:
    """The two lines that begin the table."""
    rule = ["---", "---", "---", *["---:"] * (2 * len(PATHS)), "---"]
    return f"{_line(HEAD)}\n{_line(rule)}"


def row(run: Run, judgement: Judgement) -> str:
    """The row of one run; what was not measured is a dash."""
    slowdown = _slowdown(judgement)
    own = (p for p in judgement.points if not is_twin(p.arm))
    points = [p for p in own if _plain(p.definition) and _of(p, slowdown)]
    knees = [k for k in judgement.knees if _plain(k.definition) and _of(k, slowdown)]
    return _line(
        (
            *_gateway(run),
            *(_tcp(points, path) for path in PATHS),
            *(_udp(judgement, points, knees, path) for path in PATHS),
            _remark(run, slowdown),
        )
    )


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _gateway(run: Run) -> tuple[str, str, str]:
    known, tester = (run.before.get(node) or {} for node in ("gateway", "tester"))
    device = text(_first(known, DEVICE))
    if run.station.virtual:
        device = f"{VIRTUAL} ({run.station.kind}{f', {device}' if device else ''})"
    # A namespace shares processor and clock with the tester.
    host = {**tester, **known} if run.station.kind == "netns" else known
    return device or DASH, text(_processor(host)), text(_first(known, ("kernel",))) or DASH


def _processor(host: Mapping[str, Any]) -> str:
    name, clock = _first(host, PROCESSOR), _first(host, MHZ)
    try:
        clock = f"{float(clock):.0f} MHz"
    except ValueError:
        clock = ""
    return ", ".join(filter(None, (name, clock))) or DASH


def _first(facts: Mapping[str, Any], keys: Sequence[str]) -> str:
    return next(
        (str(facts[key]).strip() for key in keys if facts.get(key, UNKNOWN) not in ("", UNKNOWN)),
        "",
    )


def _slowdown(judgement: Judgement) -> int:
    """One row is of one gateway: as it is, else of the slowdown that fills most cells, by knees."""
    measured: tuple[PointResult | Knee, ...] = (*judgement.knees, *judgement.points)
    slowdowns = list(dict.fromkeys(result.definition.slow_to_pps for result in measured))
    filled = {slowdown: len(_filled(measured, slowdown)) for slowdown in slowdowns}
    return 0 if filled.get(0) else max(filled, key=lambda slowdown: filled[slowdown], default=0)


def _filled(measured: Iterable[PointResult | Knee], slowdown: int) -> set[tuple[str, str]]:
    own = (f.definition for f in measured if _plain(f.definition) and _of(f, slowdown))
    return {(d.path, d.l4) for d in own}


def _of(point: PointResult | Knee, slowdown: int) -> bool:
    return point.definition.slow_to_pps == slowdown


def _plain(definition: Definition) -> bool:
    """A path without features, over IPv4, in frames of the smallest size or in a stream, alone.

    Packets of arms that take turns are alone in theirs.
    """
    small = definition.l4 == "tcp" or definition.frame_bytes == SMALL_BYTES
    turn_ms = definition.turn_ms if definition.l4 == "tcp" else 0.0
    bare = not definition.features and is_alone(replace(definition, turn_ms=turn_ms))
    return small and bare and definition.family == "ipv4"


def _tcp(points: Iterable[PointResult], path: str) -> str:
    """Goodput at the fewest streams and the write size nearest the default of a plan."""
    routed = [p for p in points if p.definition.path == path and "goodput_bps" in p.values]
    if not routed:
        return DASH
    best = min(routed, key=_rank)
    rate = number.interval(best.values["goodput_bps"], MBPS, at_least=best.at_least)
    return _cell(rate, best, best.definition)


def _rank(point: PointResult) -> tuple[float, ...]:
    d = point.definition
    return (_way(d), d.streams or 1, abs((d.write_bytes or 0) - DEFAULT_WRITE_BYTES))


def _way(definition: Definition) -> int:
    return WAYS.index(definition.direction) if definition.direction in WAYS else len(WAYS)


def _udp(
    judgement: Judgement, points: Iterable[PointResult], knees: Iterable[Knee], path: str
) -> str:
    """The NDR of the smallest frames; the knee; where neither was sought, the most received."""
    sought = [p for p in points if p.definition.path == path and _is_ndr(p)]
    if sought:
        ndr = min(sought, key=lambda p: _way(p.definition))
        rate = number.interval(ndr.values["throughput_pps"], KPPS, at_least=ndr.at_least)
        return _cell(rate, ndr, ndr.definition)
    swept = [knee for knee in knees if knee.definition.path == path]
    if swept:
        best = min(swept, key=lambda knee: _way(knee.definition))
        rate = number.interval(best.knee_pps, KPPS, at_least=best.at_least)
        return _cell(rate, sweep.loaded(judgement, best), best.definition)
    sent = [p for p in points if p.definition.path == path and p.definition.l4 == "udp"]
    sent = [p for p in sent if "received_pps" in p.values]
    if not sent:
        return DASH
    most = min(sent, key=lambda p: (_way(p.definition), -p.values["received_pps"].value))
    bound = most.at_least or most.limit == "none"  # nobody offered more
    rate = number.interval(most.values["received_pps"], KPPS, at_least=bound)
    return _cell(rate, most, most.definition)


def _is_ndr(point: PointResult) -> bool:
    """Return whether a search found it, without loss."""
    return "throughput_pps" in point.values and not point.definition.loss_criterion


def _cell(rate: str, at: PointResult | None, definition: Definition) -> str:
    busy = at.values.get("cpu_busy") if at else None
    cpu = f"CPU {number.plain(busy.value / PERCENT.factor, 0)} %" if busy else ""
    way = "" if definition.direction in WAYS[:2] else definition.direction
    words = ", ".join(filter(None, (text(way), cpu)))
    return f"{rate} ({words})" if words else rate


def _remark(run: Run, slowdown: int) -> str:
    """Where, when and how it was measured; that it is virtual is said again."""
    version = run.versions.get("gatemark", "")
    slowed = f"slowed to about {number.nominal(slowdown, 'packets/s')}" if slowdown else ""
    virtual = f"{VIRTUAL} gateway, no device" if run.station.virtual else ""
    made = text(f"gatemark {version}")
    parts = (text(f"station {run.station.name}"), virtual, slowed, text(run.started[:10]), made)
    return "; ".join(filter(None, parts))
