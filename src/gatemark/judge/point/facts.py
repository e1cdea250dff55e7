# SPDX-License-Identifier: Apache-2.0
"""What all trials of a point say together about what held it back.

Rates, schedule and CPU are read from outside in every pass; the drop counters on the gateway only
in the instrumented pass, so their shares are taken of that pass's own packets.

Where several workloads are sent, a counter is of all of them, and the loss is the first one's. Then
drops count only where the first one lost: in its direction, at a stage that has one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from gatemark.judge.point.core import Core, busiest, busiest_inside, carrier
from gatemark.judge.point.group import Group, middle, reading, readings
from gatemark.plan.feature import shaped_ways
from gatemark.quantity import UNITS
from gatemark.store.drops import Crossing, Line
from gatemark.store.record import Accounting, Definition, Record
from gatemark.unit import LARGEST_FRAME_BYTES, l1_bps, payload_bytes

# The default loss criterion. The lab's own hiccups lose 0.05 to 0.2 % between 60 and 90 % load
# (measured with a namespace gateway); below 0.1 % loss says nothing about capacity.
LOSS = 0.001
WAYS = frozenset({"up", "down"})


@dataclass(frozen=True, slots=True)
class Drops:
    """Packets that one stage of the gateway dropped, by its own counter."""

    where: str
    loss_share: float  # of all that was lost
    cut: float  # of all that reached this stage; 0: that is not known, beside other workloads


@dataclass(frozen=True, slots=True)
class OnLine:
    """What the emulated line did, of its busier way."""

    drops: Drops | None  # by its queues and by chance; None: packets were not accounted for
    dropped: int  # frames, of all trials
    busy: float  # share of the time, the median
    late: float  # share of its departures that was over 1 ms late, the median


@dataclass(frozen=True, slots=True)
class Facts:
    """The evidence on one point; None: not known."""

    loss: float | None
    criterion: float
    paced: bool
    schedule: float | None  # tried / scheduled
    missed_share: float  # of what is missing at the sink, what the sender did not even try
    sink_dropped: float  # of what was tried
    refused_share: float  # of what was lost
    carried: float | None  # the headline quantity: packets/s received, or bit/s of goodput
    unit: str
    l1_bps: float | None
    link_bps: int | None
    ceiling: float | None  # of the same quantity
    restarted: bool  # the gateway was, meanwhile: what was lost is the measure
    greedy: bool  # sends as fast as the way takes it: what is lost is not the measure
    tester_cpu: float  # share of its CPU that the busier end of the tester used
    core: Core | None
    carrier: Core | None  # what carries frames between the tester and a virtual machine
    flow_table: Drops | None
    shaper: Drops | None
    line: OnLine | None
    memory: dict[str, int]

    @property
    def lossy(self) -> bool:
        """Return whether more was lost than the criterion allows."""
        return self.loss is not None and self.loss > self.criterion


def link(trials: Group) -> int | None:
    """L1 rate of the test's links."""
    everything = (*trials.outside, *trials.instrumented)
    return min((bps for r in everything if (bps := r.evidence.link_bps)), default=None)


def gather(trials: Group, ceiling: float | None) -> Facts:
    """The facts of a point, from the trials of both passes; the ceiling is of its quantity."""
    outside = trials.outside
    counts = [record.accounting for record in outside if record.accounting]
    schedule = [r for record in outside if (r := record.evidence.schedule_ratio) is not None]
    criterion = trials.definition.loss_criterion
    held = trials.definition.quantity == "held rate"  # by uploads: the flow's schedule is none
    paced = not held and bool(schedule or trials.point.get("rate_pps") or _sum(counts, "scheduled"))
    return Facts(
        loss=None if held else _loss(outside),
        criterion=LOSS if criterion is None else criterion,
        paced=paced,
        schedule=middle(schedule),
        missed_share=_missed(counts),
        sink_dropped=_sink_dropped(trials.definition, counts),
        refused_share=_share(_sum(counts, "refused"), _sum(counts, "lost")),
        carried=middle(readings(outside, trials.definition.headline)),
        unit=UNITS[trials.definition.headline],
        l1_bps=_l1_bps(outside, trials.definition),
        link_bps=link(trials),
        ceiling=ceiling,
        restarted=trials.definition.quantity == "reset time",
        greedy=trials.definition.l4 == "tcp" or not paced,
        tester_cpu=tester_cpu(outside),
        core=core_of(trials),
        carrier=carrier(outside),
        flow_table=_flow_table(trials.instrumented),
        shaper=_shaper(trials.instrumented),
        line=on_line(trials),
        memory=_memory(trials.instrumented),
    )


def core_of(trials: Group) -> Core | None:
    """The busiest CPU of the gateway: read from outside if it can be, else by itself."""
    outside = busiest(trials.outside) or busiest(trials.instrumented)
    return outside or busiest_inside(trials.instrumented)


def tester_cpu(records: Iterable[Record]) -> float:
    """Of the busier end, or of both where they share a CPU; the median."""
    shares = []
    for record in records:
        ends = [record.evidence.sender_cpu or 0.0, record.evidence.sink_cpu or 0.0]
        place = record.placement
        together = "sender" in place and place["sender"] == place.get("sink")
        shares.append(sum(ends) if together else max(ends))
    return min(1.0, median(shares)) if shares else 0.0


def is_sink(definition: Definition) -> bool:
    """Whether the gateway's own program receives: what its socket drops is the gateway's loss."""
    return (definition.path, definition.direction) == ("endpoint", "receive")


def _l1_bps(records: Sequence[Record], definition: Definition) -> float | None:
    """What came, on the wire; of TCP at least: in the longest segments, without options."""
    known = middle(readings(records, "received_l1_bps"))
    goodput = middle(readings(records, "goodput_bps"))
    if known is not None or goodput is None or definition.l4 != "tcp":
        return known
    data_bits = 8 * payload_bytes(LARGEST_FRAME_BYTES, definition.family, "tcp")
    return l1_bps(goodput / data_bits, LARGEST_FRAME_BYTES)


def _sink_dropped(definition: Definition, counts: Sequence[Accounting]) -> float:
    """What the tester's sink lost itself, of what was tried."""
    if is_sink(definition):
        return 0.0
    return _share(_sum(counts, "ring_dropped"), _sum(counts, "tried"))


def loss_ratio(record: Record) -> float | None:
    """What one trial lost of what it tried."""
    count = record.accounting
    if count and count.tried:
        return count.lost / count.tried
    return reading(record, "loss_ratio")


def _loss(records: Iterable[Record]) -> float | None:
    return middle([loss for record in records if (loss := loss_ratio(record)) is not None])


def _missed(counts: Sequence[Accounting]) -> float:
    paced = [count for count in counts if count.scheduled]
    scheduled = _sum(paced, "scheduled")
    return _share(scheduled - _sum(paced, "tried"), scheduled - _sum(paced, "unique"))


def _flow_table(instrumented: Iterable[Record]) -> Drops | None:
    """`drop`: no entry to be had; `insert_failed`: no free tuple, which is in `drop` as well
    (net/netfilter/nf_conntrack_core.c).
    """
    alone = (record for record in instrumented if not record.definition.beside)
    seen = [record for record in alone if record.evidence.conntrack and record.accounting]
    tables = [record.evidence.conntrack for record in seen]
    dropped = sum(max(table.get("drop", 0), table.get("insert_failed", 0)) for table in tables)
    return _drops("conntrack", dropped, seen) if seen else None


def _shaper(instrumented: Iterable[Record]) -> Drops | None:
    """The port whose queue dropped most. A queue never over a limit of its own shapes nothing."""
    own = (record for record in instrumented if _is_shaped(record))
    seen = [record for record in own if record.evidence.qdisc and record.accounting]
    dropped: dict[str, int] = {}
    for record in seen:
        for port, counters in record.evidence.qdisc.items():
            if counters.get("overlimits", 0):
                dropped[port] = dropped.get(port, 0) + counters.get("drops", 0)
    if not dropped:
        return None
    port = max(dropped, key=lambda name: dropped[name])
    return _drops(port, dropped[port], seen)


def on_line(trials: Group) -> OnLine | None:
    """Read in every pass. What the queue and chance took is the line's, what a port refused not."""
    records = trials.outside or trials.instrumented
    seen = [(record, line) for record in records if (line := record.evidence.line)]
    if not seen:
        return None
    ways = [way for _, line in seen for way in (line.up, line.down)]
    own = [way for record, line in seen for way in _own_ways(record, line)]
    accounted = [record for record, _ in seen if record.accounting]
    return OnLine(
        drops=_drops("the line", _dropped(own), accounted) if accounted else None,
        dropped=_dropped(ways),
        busy=median(max(line.up.busy, line.down.busy) for _, line in seen),
        late=late(records),
    )


def _dropped(ways: Iterable[Crossing]) -> int:
    return sum(way.dropped + way.lost for way in ways)


def _own_ways(record: Record, line: Line) -> list[Crossing]:
    ways = {"up": line.up, "down": line.down}
    return [crossing for way, crossing in ways.items() if way in _lossy_ways(record)]


def _is_shaped(record: Record) -> bool:
    """Whether what its shaper drops may be its own: beside others, in its direction alone."""
    shaped = shaped_ways(record.definition.features)
    return not record.definition.beside or bool(shaped and shaped <= _lossy_ways(record))


def _lossy_ways(record: Record) -> set[str]:
    """Directions in which drops may be its own: beside other workloads, those in which it lost."""
    d = record.definition
    ways = {d.direction} & WAYS or WAYS
    if not d.beside:
        return {*WAYS}
    return {way for way in ways if record.values.get(f"{way}.loss_ratio", 1.0) > 0}


def late(records: Iterable[Record]) -> float:
    """Share of an emulated line's departures that was over 1 ms late; the median, 0 without one."""
    lines = [line for record in records if (line := record.evidence.line)]
    return median(max(line.up.over_1ms, line.down.over_1ms) for line in lines) if lines else 0.0


def _drops(where: str, dropped: int, seen: Iterable[Record]) -> Drops:
    records = list(seen)
    counts = [record.accounting for record in records if record.accounting]
    is_alone = not any(record.definition.beside for record in records)
    return Drops(
        where=where,
        loss_share=_share(dropped, _sum(counts, "lost")),
        cut=_share(dropped, dropped + _sum(counts, "unique")) if is_alone else 0.0,
    )


def _memory(instrumented: Iterable[Record]) -> dict[str, int]:
    """The reading with the least memory available."""
    seen = [m for record in instrumented if "available_bytes" in (m := record.evidence.memory)]
    return min(seen, key=lambda memory: memory["available_bytes"], default={})


def _sum(counts: Iterable[Accounting], name: str) -> int:
    return sum(int(getattr(count, name)) for count in counts)


def _share(part: int, whole: int) -> float:
    """A ratio kept within 0..1; counters are read a little before and after the traffic."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0
