# SPDX-License-Identifier: Apache-2.0
"""The bottleneck of connections: ordered rules, as those of packets in `limit`.

Connections end for other reasons than packets: what ends them says so, by an answer or its lack.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from gatemark import number
from gatemark.judge.fact import Text
from gatemark.judge.judgement import Limit, PointResult
from gatemark.judge.point.ceiling import near
from gatemark.judge.point.core import Core, busiest, busiest_inside
from gatemark.judge.point.facts import LOSS, tester_cpu
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import (
    ON_SCHEDULE,
    QUEUE_FULL,
    SATURATED,
    SATURATED_INSIDE,
    TESTER_BUSY,
    Verdict,
)
from gatemark.kind.connections.plan import HELD, RATE
from gatemark.store.record import Definition, Record, Scalar

QUANTITIES = (HELD, RATE)
OURS = ("no port", "no descriptor", "no memory")  # failures of the tester's own host
FULL = 0.99  # of the table: entries come and go while it is read


@dataclass(frozen=True, slots=True)
class Ends:
    """The evidence on one point; None: not known."""

    held: bool  # about those held at once; else about a rate
    count: float  # the headline quantity
    asked: int | None  # connections
    ceiling: float | None
    loss: float | None
    schedule: float | None
    last: dict[str, Scalar]  # `Evidence.connecting` of the trial that ended first
    table: dict[str, int]  # conntrack, of the trial in which it dropped most
    tester_cpu: float
    core: Core | None
    failed: int


def decide(trials: Group, ceilings: Iterable[PointResult]) -> Verdict:
    """The limit of a point of connections."""
    if not trials.outside:
        return Verdict("unknown", "no valid trial")
    ends = _gather(trials, _ceiling(ceilings, trials.definition))
    for limit, rule in RULES:
        if why := rule(ends):
            return Verdict(limit, why)
    return Verdict("unknown", _unexplained(ends))


def _ceiling(ceilings: Iterable[PointResult], definition: Definition) -> float | None:
    """The tester's own rate with as many at once; how many it holds is no ceiling of a gateway."""
    if definition.quantity != RATE:
        return None
    kind = (RATE, definition.family, definition.connections)
    values = [
        ceiling.values[definition.headline].value
        for ceiling in ceilings
        if (ceiling.definition.quantity, ceiling.definition.family, ceiling.definition.connections)
        == kind
        and definition.headline in ceiling.values
    ]
    return max(values, default=None)


def _gather(trials: Group, ceiling: float | None) -> Ends:
    outside, everything = trials.outside, (*trials.outside, *trials.instrumented)
    seen = [record.evidence.connecting for record in outside if record.evidence.connecting]
    tables = [record.evidence.conntrack for record in everything if record.evidence.conntrack]
    return Ends(
        held=trials.definition.quantity == HELD,
        count=middle(readings(outside, trials.definition.headline)) or 0.0,
        asked=trials.definition.connections,
        ceiling=ceiling,
        loss=middle(readings(outside, "loss_ratio")),
        schedule=middle([r for record in outside if (r := _schedule(record)) is not None]),
        last=min(seen, key=lambda texts: int(texts.get("opened", 0)), default={}),
        table=max(tables, key=_dropped, default={}),
        tester_cpu=tester_cpu(outside),
        core=busiest(outside) or busiest_inside(trials.instrumented),
        failed=sum(int(texts.get("failed", 0)) for texts in seen),
    )


def _schedule(record: Record) -> float | None:
    """Messages asked of those due."""
    seen = record.evidence.connecting
    scheduled = int(seen.get("scheduled", 0))
    return int(seen.get("asked", 0)) / scheduled if scheduled else None


def _dropped(table: dict[str, int]) -> int:
    return table.get("drop", 0) + table.get("insert_failed", 0)


def _tester_short(ends: Ends) -> str | None:
    """The tester itself could open no more, take no more, or did not ask as often as it should."""
    why = str(ends.last.get("why", ""))
    if why in OURS:
        return f"the tester could open no more: {why} for connection {ends.last.get('number')}"
    if full := ends.last.get("server_full"):
        return f"the far end of the tester takes no more: bound by its {full}"
    if ends.schedule is not None and ends.schedule < ON_SCHEDULE:
        return f"the tester asked {number.share(ends.schedule)} as often as it should"
    if ends.last.get("stop") == "connections" and ends.last.get("bound") in ("memory", "tuples"):
        bound = {"memory": "memory", "tuples": "addresses and ports"}[str(ends.last["bound"])]
        return f"the tester's {bound}: all {ends.last['opened']} that it could open were held"
    return None


def _table(ends: Ends) -> str | None:
    """The gateway's table: full, or no port left for a new connection (net/netfilter/)."""
    if not ends.table or not _short(ends):
        return None
    entries, most = ends.table.get("entries", 0), ends.table.get("max", 0)
    table = f"conntrack held {entries} of at most {most} entries (nf_conntrack_max)"
    if most and entries >= FULL * most:
        return f"{table} and dropped {ends.table.get('drop', 0)} packets"
    if failed := ends.table.get("insert_failed", 0):
        return f"conntrack found no free port for {failed} packets (insert_failed); {table}"
    if dropped := ends.table.get("drop", 0):
        return f"conntrack dropped {dropped} packets; {table}"
    return None


def _short(ends: Ends) -> bool:
    """Return whether connections or echoes were lost."""
    return ends.failed > 0 or (ends.loss or 0.0) > LOSS


def _near(ends: Ends) -> str | None:
    if not near(ends.count, ends.ceiling):
        return None
    share = ends.count / (ends.ceiling or 1.0)
    return f"at {number.share(share)} of the tester's ceiling of {ends.ceiling:.4g} connections/s"


def _nothing(ends: Ends) -> str | None:
    if not ends.held or _short(ends) or ends.last.get("stop") != "connections":
        return None
    asked = ends.asked if ends.asked is not None else ends.last.get("opened")
    table = ends.table
    room = f"; conntrack held {table['entries']} of {table['max']}" if "max" in table else ""
    return f"all {asked} that were asked for were held{room}"


def _cpu(ends: Ends) -> Text | None:
    core = ends.core
    if not core:
        return None
    taken = core.busy >= QUEUE_FULL and core.busy > ends.tester_cpu
    if core.busy < (SATURATED_INSIDE if core.inside else SATURATED) and not taken:
        return None
    return core.fact


def _waiting(ends: Ends) -> str | None:
    core = ends.core
    if not core or core.cpu is not None or core.busy + core.waiting < SATURATED:
        return None
    waited = f"waited for one {number.share(core.waiting)} of the time"
    return f"{core.threads} has no CPU of its own and {waited}, busy {number.share(core.busy)}"


def _busy_tester(ends: Ends) -> str | None:
    if ends.tester_cpu < TESTER_BUSY:
        return None
    return f"an end of the tester was busy {number.share(ends.tester_cpu)} of its CPU"


Rule = Callable[[Ends], Text | None]
RULES: tuple[tuple[Limit, Rule], ...] = (
    ("tester", _tester_short),
    ("flow-table", _table),
    ("tester", _near),
    ("none", _nothing),
    ("cpu", _cpu),
    ("tester", _waiting),
    ("tester", _busy_tester),
)


def _unexplained(ends: Ends) -> str:
    if "why" in ends.last:
        return f"connection {ends.last.get('number')} failed: {ends.last['why']}"
    if ends.held and ends.last.get("stop") == "time":
        return f"the time was over with {ends.last.get('opened')} open"
    busiest_ = f"busiest CPU {number.share(ends.core.busy)}" if ends.core else "CPU not read"
    return f"neither the gateway nor the tester was seen at its end: {busiest_}"


KIND: Final = Judge(
    quantities={HELD: "connections", RATE: "connections/s"},
    decide=decide,
    has_ceiling=True,
    is_read=True,
)
