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
    """A limit and its evidence in words."""

    limit: Limit
    why: str


Rule = Callable[[Facts], str | None]


def decide(facts: Facts) -> Verdict:
    """The limit of a point."""
    if facts.carried is None:
        return Verdict("unknown", "no valid trial")
    for limit, rule in RULES:
        if why := rule(facts):
            return Verdict(limit, why)
    return Verdict("unknown", _unexplained(facts))


def _nothing(facts: Facts) -> str | None:
    if facts.lossy or facts.loss is None or not facts.paced or facts.sink_dropped > LOSS_AT_SINK:
        return None
    if _off_schedule(facts) or near(facts.carried or 0.0, facts.ceiling):
        return None
    return f"{percent(facts.loss)} lost, on schedule"


def _late_line(facts: Facts) -> str | None:
    """The emulated line is the tester's: where it is late, delays are not the gateway's."""
    if not facts.line or facts.line.late <= MOST_LATE:
        return None
    return f"the line sent {percent(facts.line.late)} of its frames over 1 ms late"


def _line(facts: Facts) -> str | None:
    """Who asks for all there is fills it, or the drops are its own; who loses lost there."""
    line = facts.line
    if not line:
        return None
    if facts.lossy and line.drops and _explains(line.drops):
        return f"the line dropped {percent(line.drops.loss_share)} of what was lost"
    fills = line.busy >= FULL_LINE or (line.dropped > 0 and line.busy >= HALF)
    if facts.greedy and not facts.lossy and fills:
        return f"the line was busy {percent(line.busy)} of the time"
    return None


def _sink(facts: Facts) -> str | None:
    if facts.sink_dropped <= LOSS_AT_SINK:
        return None
    return f"the sink itself dropped {percent(facts.sink_dropped)} of what was sent"


def _ceiling(facts: Facts) -> str | None:
    if not near(facts.carried or 0.0, facts.ceiling):
        return None
    share = (facts.carried or 0.0) / (facts.ceiling or 1.0)
    return f"at {percent(share)} of the tester's ceiling of {facts.ceiling:.4g} {facts.unit}"


def _sender(facts: Facts) -> str | None:
    """Off schedule counts only where it, and not the gateway's loss, is most of what is missing."""
    if facts.loss is not None and facts.greedy and not facts.lossy and not _taken_up(facts):
        return "sent as fast as the tester can, nothing lost"
    if _off_schedule(facts) and (not facts.lossy or facts.missed_share >= HALF):
        return f"the sender made {percent(facts.schedule or 0.0)} of its schedule"
    return None


def _flow_table(facts: Facts) -> str | None:
    drops = facts.flow_table
    if not facts.lossy or not drops or not _explains(drops):
        return None
    return f"conntrack dropped {percent(drops.loss_share)} of what was lost"


def _shaper(facts: Facts) -> str | None:
    drops = facts.shaper
    if not facts.lossy or not drops or not _explains(drops):
        return None
    return f"the queue of {drops.where} dropped {percent(drops.loss_share)} of what was lost"


def _cpu(facts: Facts) -> str | None:
    """Frames refused at the test port are the gateway's: with veth its queue sits there."""
    core = facts.core
    if not core or not (facts.lossy or _taken_up(facts)):
        return None
    full = core.busy >= QUEUE_FULL and facts.refused_share >= HALF
    saturated = SATURATED_INSIDE if core.inside else SATURATED
    if core.busy < saturated and not full and not _taken_up(facts):
        return None
    queue = "; its queue refused the surplus" if facts.lossy and facts.refused_share >= HALF else ""
    return f"{core.words}{queue}"


def _taken_up(facts: Facts) -> bool:
    """A sender that waits for the way asks for all there is; is it the gateway's CPU that it gets?

    The pauses in which sender and receiver wait for each other leave a CPU a few per cent.
    """
    busy = facts.core.busy if facts.core else 0.0
    return facts.greedy and busy >= QUEUE_FULL and busy > facts.tester_cpu


def _kept_waiting(facts: Facts) -> str | None:
    """A gateway without a CPU of its own: what came while others had the CPU was lost.

    Or it never rested, where it may send as much as it can.
    """
    core = facts.core
    if not core or core.cpu is not None:
        return None
    lost = facts.lossy and core.waiting >= HALF * (facts.loss or 0.0)
    if not lost and not (facts.greedy and core.busy + core.waiting >= SATURATED):
        return None
    return (
        f"{core.threads} has no CPU of its own and waited for one {percent(core.waiting)} "
        f"of the time, busy {percent(core.busy)}"
    )


def _carrier(facts: Facts) -> str | None:
    """A virtual machine's cards are emulated on the tester's CPU; the rest it never saw."""
    carrier = facts.carrier
    if not carrier or not facts.lossy or carrier.busy + carrier.waiting < QUEUE_FULL:
        return None
    waited = f"kept waiting {percent(carrier.waiting)}"
    return f"the {carrier.threads} that carries the frames: busy {percent(carrier.busy)}, {waited}"


def _link(facts: Facts) -> str | None:
    if not facts.link_bps or facts.l1_bps is None:
        return None
    share = facts.l1_bps / facts.link_bps
    if not FULL_LINK <= share <= OVER_LINK:
        return None
    return f"{percent(share)} of the link's {facts.link_bps / 1e6:g} Mbit/s"


def _memory(facts: Facts) -> str | None:
    if not facts.memory or not (facts.lossy or facts.greedy):
        return None
    available, total = facts.memory["available_bytes"], facts.memory.get("total_bytes")
    if available >= (LOW_MEMORY * total if total else LOW_MEMORY_BYTES):
        return None
    return f"{available / 2**20:.1f} MiB of memory left"


def _late_sender(facts: Facts) -> str | None:
    """The schedule was missed and nothing on the gateway explains the loss besides."""
    if not _off_schedule(facts):
        return None
    return f"the sender made {percent(facts.schedule or 0.0)} of its schedule"


def _busy_tester(facts: Facts) -> str | None:
    """A sender that waits for the way: a tester that is busy all the time gave all it had."""
    if not facts.greedy or facts.tester_cpu < TESTER_BUSY:
        return None
    return f"an end of the tester was busy {percent(facts.tester_cpu)} of its CPU"


def _restarted(facts: Facts) -> str | None:
    if not facts.restarted or _off_schedule(facts):
        return None
    return "what was lost was lost while the gateway restarted"


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


def percent(ratio: float) -> str:
    """A share in words, with three figures: 99.8 %, 0.15 %."""
    return f"{100 * ratio:.3g} %"


def _off_schedule(facts: Facts) -> bool:
    return facts.schedule is not None and facts.schedule < ON_SCHEDULE


def _explains(drops: Drops) -> bool:
    return drops.loss_share >= HALF or drops.cut >= CUT


def _unexplained(facts: Facts) -> str:
    busiest = f"busiest CPU {percent(facts.core.busy)}" if facts.core else "CPU not read"
    if facts.greedy:
        return f"neither the gateway nor the tester was seen at its end: {busiest}"
    if facts.loss is None:
        return "packets were not accounted for"
    return f"{percent(facts.loss)} lost and no evidence that explains it, {busiest}"
