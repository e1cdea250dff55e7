# SPDX-License-Identifier: Apache-2.0
"""What real-time flows had of the gateway: what load added, what came too late, how a call sounds.

A row for each direction of each flow that was replayed. Added is against the same setup and flow
with nothing sent beside it, where that was measured as well.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from gatemark.judge.math.interval import less
from gatemark.judge.point.realtime import Flow, alone, flows
from gatemark.tell.answer.rates import WHOLE, cell, who
from gatemark.tell.group.each_run import by_run
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT, Scale
from gatemark.tell.words.table import NONE, Table
from gatemark.tell.words.traffic import way

ANCHOR: Final = "flows"
P99: Final = "delay_p99_ns"
MS: Final = Scale(1e6, "ms")
CAPTION: Final = (
    "Real-time flows. Added: 99th percentile of the delay, less that of the flow alone. Missed: "
    "lost or later than its deadline. MOS: of a G.711 call, 1 to 4.5, estimated by ITU-T G.107"
)
HEAD: Final = ("setup", "flow", "beside", "delay p50, ms", "p99, ms", "added, ms")
MORE: Final = ("lost, %", "missed, %", "longest, ms", "MOS (estimate)")
# Of a definition of what is sent beside (plan/workloads.py).
DEFAULT: Final = "up"  # a direction that is not written
KNOWN: Final = ("kind", "direction", "streams", "congestion", "trace", "start_s", "duration_s")
KNOWN_RATES: Final = {"rate_pps": "packets/s", "rate_bps": "bit/s of payload"}
NAMES: Final = {"tcp": "TCP", "udp": "UDP", "replay": "replay", "responsiveness": "HTTP"}


def table(source: Source) -> Table:
    """A row for each; empty without one that has a deadline."""
    rows = []
    for run in by_run(source).values():
        every = flows([*run.judgement.floors, *run.judgement.points])
        timed = [flow for flow in every if flow.deadlines_ms]
        rows += [(*_who(flow), *_delays(flow, every), *_use(flow)) for flow in timed]
    return Table(CAPTION, HEAD + MORE, tuple(rows), frozenset(range(3, len(HEAD + MORE))))


def _who(flow: Flow) -> Iterator[str]:
    yield who(flow.point)
    yield f"{flow.trace}, {traffic.way(flow.way)}"
    yield beside(flow.point.definition.beside) or NONE


def _delays(flow: Flow, every: Sequence[Flow]) -> Iterator[str]:
    for quantity in ("delay_p50_ns", P99):
        yield cell(flow.point, flow.name(quantity), MS)
    idle = alone(flow, every)
    loaded = flow.point.values.get(flow.name(P99))
    before = idle.point.values.get(idle.name(P99)) if idle else None
    if loaded is None or before is None:
        yield NONE
        return
    added = less(loaded, before)
    yield number.value_alone(added, MS)


def _use(flow: Flow) -> Iterator[str]:
    """Lost, missed, the longest time of that, the opinion."""
    values, deadlines = flow.point.values, flow.deadlines_ms
    yield cell(flow.point, flow.name("loss_ratio"), PERCENT)
    shares = [
        (ms, cell(flow.point, flow.name(f"missed_{ms}ms_ratio"), PERCENT)) for ms in deadlines
    ]
    yield "; ".join(f"{share} > {ms} ms" for ms, share in shares)
    longest = (cell(flow.point, flow.name(f"missed_{ms}ms_longest_ns"), MS) for ms in deadlines)
    yield "; ".join(longest)
    opinion = values.get(flow.name("mos"))
    yield cell(flow.point, flow.name("mos"), WHOLE) if opinion else NONE


def beside(texts: Iterable[str]) -> str:
    """All of a definition, one behind the other."""
    return "; ".join(map(_workload, texts))


def _workload(text: str) -> str:
    name, _, rest = text.partition(": ")
    kind, *pairs = rest.split(" ")
    keys = {key: value for key, _, value in (pair.partition("=") for pair in pairs)}
    return f"{name}: {', '.join(_parts(kind, keys))}"


def _parts(kind: str, keys: Mapping[str, str]) -> Iterator[str]:
    yield f"{_what(kind, keys)} {way(keys.get('direction', DEFAULT))}"
    if congestion := keys.get("congestion"):
        yield congestion
    for key, unit in KNOWN_RATES.items():
        if key in keys:
            yield f"{float(keys[key]):g} {unit}"
    if "start_s" in keys:
        yield f"from {float(keys['start_s']):g} s on"
    if "duration_s" in keys:
        yield f"for {float(keys['duration_s']):g} s"
    others = [key for key in keys if key not in (*KNOWN, *KNOWN_RATES)]
    yield from (f"{key.replace('_', ' ')} {keys[key]}" for key in others)


def _what(kind: str, keys: Mapping[str, str]) -> str:
    if kind == "replay":
        return keys.get("trace", "game")
    count = int(keys.get("streams", "1"))
    if kind == "tcp":
        return f"{count} TCP stream{'' if count == 1 else 's'}"
    return NAMES.get(kind, kind)
