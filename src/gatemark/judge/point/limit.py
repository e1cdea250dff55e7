# SPDX-License-Identifier: Apache-2.0
"""What limited a point: ordered rules, the first that finds its evidence names the limit.

A gateway is a row of stages: port queue and CPU, flow table, shaper, link. What a later stage
dropped had already come through the earlier ones, so the later one is narrower, even where the CPU
is saturated by the surplus. Therefore the drop counters are asked before the CPU. The bench comes
first of all: where the tester fell short, the gateway was not asked the question, and the books of
an emulated line before the WAN host are exact.
"""

from collections.abc import Callable
from dataclasses import dataclass

from gatemark.judge.fact import Fact, Text, fact
from gatemark.judge.judgement import Limit
from gatemark.judge.point.ceiling import near
from gatemark.judge.point.facts import LOSS, Drops, Facts

ON_SCHEDULE = 0.99  # tried / scheduled
SATURATED = 0.97  # of a CPU; a saturated forwarding thread was seen at 99 %, real loss from 98 %
SATURATED_INSIDE = 0.95  # of a CPU read by ticks: 97 to 99 % were seen when it was saturated
QUEUE_FULL = 0.9  # of a CPU, where its queue overflowed besides
HALF = 0.5  # a cause explains a loss if it explains half of it
CUT = 0.1  # or if it took a tenth of what reached it
TESTER_BUSY = 0.9  # of a CPU that one end of the tester used for itself
FULL_LINK = 0.97  # of the L1 rate; the rest is clock tolerance and control traffic
OVER_LINK = 1.01  # of it: what carries more has no such rate, as a virtual machine's card
FULL_LINE = 0.97  # of the time that it serialised: a line that always has a frame is near 1
# Of a line's departures, over 1 ms late. A frame that leaves late moves no other's schedule, so the
# rate stays; but beyond this not even the 90th percentile of a delay is right to 1 ms.
MOST_LATE = 0.1
LOW_MEMORY = 0.02  # of all memory: near the kernel's own reserve (vm.min_free_kbytes)
LOW_MEMORY_BYTES = 1 << 20  # where the total is not known
LOSS_AT_SINK = LOSS  # of what was tried: as much as the default criterion lets be lost


@dataclass(frozen=True, slots=True)
class Verdict:
    """A limit and its evidence."""

    limit: Limit
    why: Text


Rule = Callable[[Facts], Fact | None]


def decide(facts: Facts) -> Verdict:
    """The limit of a point."""
    if facts.carried is None:
        return Verdict("unknown", fact("why.no-trial"))
    for limit, rule in RULES:
        if why := rule(facts):
            return Verdict(limit, why)
    return Verdict("unknown", _unexplained(facts))


def _nothing(facts: Facts) -> Fact | None:
    if facts.lossy or facts.loss is None or not facts.paced or facts.sink_dropped > LOSS_AT_SINK:
        return None
    if _off_schedule(facts) or near(facts.carried or 0.0, facts.ceiling):
        return None
    return fact("why.on-schedule", share=facts.loss)


def _late_line(facts: Facts) -> Fact | None:
    """The emulated line is the tester's: where it is late, delays are not the gateway's."""
    if not facts.line or facts.line.late <= MOST_LATE:
        return None
    return fact("why.late-line", share=facts.line.late)


def _line(facts: Facts) -> Fact | None:
    """Who asks for all there is fills it, or the drops are its own; who loses lost there."""
    line = facts.line
    if not line:
        return None
    if facts.lossy and line.drops and _explains(line.drops):
        return fact("why.line-dropped", share=line.drops.loss_share)
    fills = line.busy >= FULL_LINE or (line.dropped > 0 and line.busy >= HALF)
    if facts.greedy and not facts.lossy and fills:
        return fact("why.line-busy", share=line.busy)
    return None


def _sink(facts: Facts) -> Fact | None:
    if facts.sink_dropped <= LOSS_AT_SINK:
        return None
    return fact("why.sink", share=facts.sink_dropped)


def _ceiling(facts: Facts) -> Fact | None:
    if not near(facts.carried or 0.0, facts.ceiling):
        return None
    share = (facts.carried or 0.0) / (facts.ceiling or 1.0)
    return fact("why.ceiling", share=share, ceiling=facts.ceiling, unit=facts.unit)


def _sender(facts: Facts) -> Fact | None:
    """Off schedule counts only where it, and not the gateway's loss, is most of what is missing."""
    if facts.loss is not None and facts.greedy and not facts.lossy and not _taken_up(facts):
        return fact("why.all-it-can")
    if _off_schedule(facts) and (not facts.lossy or facts.missed_share >= HALF):
        return fact("why.schedule", share=facts.schedule or 0.0)
    return None


def _flow_table(facts: Facts) -> Fact | None:
    drops = facts.flow_table
    if not facts.lossy or not drops or not _explains(drops):
        return None
    return fact("why.conntrack", share=drops.loss_share)


def _shaper(facts: Facts) -> Fact | None:
    drops = facts.shaper
    if not facts.lossy or not drops or not _explains(drops):
        return None
    return fact("why.queue", where=drops.where, share=drops.loss_share)


def _cpu(facts: Facts) -> Fact | None:
    """Frames refused at the test port are the gateway's: with veth its queue sits there."""
    core = facts.core
    if not core or not (facts.lossy or _taken_up(facts)):
        return None
    full = core.busy >= QUEUE_FULL and facts.refused_share >= HALF
    saturated = SATURATED_INSIDE if core.inside else SATURATED
    if core.busy < saturated and not full and not _taken_up(facts):
        return None
    is_refused = facts.lossy and facts.refused_share >= HALF
    return fact("why.core-refused", core=core.fact) if is_refused else core.fact


def _taken_up(facts: Facts) -> bool:
    """A sender that waits for the way asks for all there is; is it the gateway's CPU that it gets?

    The pauses in which sender and receiver wait for each other leave a CPU a few per cent.
    """
    busy = facts.core.busy if facts.core else 0.0
    return facts.greedy and busy >= QUEUE_FULL and busy > facts.tester_cpu


def _kept_waiting(facts: Facts) -> Fact | None:
    """A gateway without a CPU of its own: what came while others had the CPU was lost.

    Or it never rested, where it may send as much as it can.
    """
    core = facts.core
    if not core or core.cpu is not None:
        return None
    lost = facts.lossy and core.waiting >= HALF * (facts.loss or 0.0)
    if not lost and not (facts.greedy and core.busy + core.waiting >= SATURATED):
        return None
    return fact("why.waited", who=core.threads, waiting=core.waiting, busy=core.busy)


def _carrier(facts: Facts) -> Fact | None:
    """A virtual machine's cards are emulated on the tester's CPU; the rest it never saw."""
    carrier = facts.carrier
    if not carrier or not facts.lossy or carrier.busy + carrier.waiting < QUEUE_FULL:
        return None
    return fact("why.carrier", who=carrier.threads, busy=carrier.busy, waiting=carrier.waiting)


def _link(facts: Facts) -> Fact | None:
    if not facts.link_bps or facts.l1_bps is None:
        return None
    share = facts.l1_bps / facts.link_bps
    if not FULL_LINK <= share <= OVER_LINK:
        return None
    return fact("why.link", share=share, mbps=facts.link_bps / 1e6)


def _memory(facts: Facts) -> Fact | None:
    if not facts.memory or not (facts.lossy or facts.greedy):
        return None
    available, total = facts.memory["available_bytes"], facts.memory.get("total_bytes")
    if available >= (LOW_MEMORY * total if total else LOW_MEMORY_BYTES):
        return None
    return fact("why.memory", mib=available / 2**20)


def _late_sender(facts: Facts) -> Fact | None:
    """The schedule was missed and nothing on the gateway explains the loss besides."""
    if not _off_schedule(facts):
        return None
    return fact("why.schedule", share=facts.schedule or 0.0)


def _busy_tester(facts: Facts) -> Fact | None:
    """A sender that waits for the way: a tester that is busy all the time gave all it had."""
    if not facts.greedy or facts.tester_cpu < TESTER_BUSY:
        return None
    return fact("why.tester-cpu", busy=facts.tester_cpu)


def _restarted(facts: Facts) -> Fact | None:
    if not facts.restarted or _off_schedule(facts):
        return None
    return fact("why.restarted")


RULES: tuple[tuple[Limit, Rule], ...] = (
    ("tester", _late_line),
    ("none", _restarted),
    ("none", _nothing),
    ("tester", _sink),
    ("line", _line),
    ("tester", _ceiling),
    ("tester", _sender),
    ("flow-table", _flow_table),
    ("shaper", _shaper),
    ("cpu", _cpu),
    ("tester", _kept_waiting),
    ("tester", _carrier),
    ("link", _link),
    ("memory", _memory),
    ("tester", _late_sender),
    ("tester", _busy_tester),
)


def _off_schedule(facts: Facts) -> bool:
    return facts.schedule is not None and facts.schedule < ON_SCHEDULE


def _explains(drops: Drops) -> bool:
    return drops.loss_share >= HALF or drops.cut >= CUT


def _unexplained(facts: Facts) -> Fact:
    busiest = fact("why.busiest", busy=facts.core.busy) if facts.core else fact("cpu.unread")
    if facts.greedy:
        return fact("why.nobody", busiest=busiest)
    if facts.loss is None:
        return fact("why.no-account")
    return fact("why.unexplained", share=facts.loss, busiest=busiest)
