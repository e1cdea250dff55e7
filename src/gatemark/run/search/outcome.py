# SPDX-License-Identifier: Apache-2.0
"""The outcome of a search for one goal: a record of its lower bound, evidence of its upper one.

Values are those of the last trial that met the goal at the lower bound. Why it is no higher shows
in a trial at the upper bound, so what held the gateway back is judged from that one. Where most
trials there were lost by a sender that could not hold the rate, it is one of those: then `judge`
names the tester, and the value is a lower bound.
"""

import msgspec
from msgspec.structs import replace

from gatemark import number
from gatemark.judge.finding import Finding
from gatemark.judge.shape import searched
from gatemark.plan.mix import mean_bytes
from gatemark.plan.model import Goal, TrialSpec, Workload
from gatemark.plan.search import GOAL, LOSS
from gatemark.plan.shaper.shaping import HELD
from gatemark.run.search import shaping
from gatemark.run.search.ask import Ask, Bounds
from gatemark.run.search.ongoing import Ongoing, Step, what
from gatemark.store.record import Record
from gatemark.unit import l1_bps, payload_bytes

S_NS = 1e9
M = 1e6
QUANTITY = {"burst": "burst", HELD: "held rate"}  # else throughput


def outcome(base: Record, spec: TrialSpec, search: Ongoing) -> Record:
    """The record of the goal that `spec` names; `base` is its frame, as a trial's would be."""
    goal: Goal = msgspec.convert(spec.point[GOAL], Goal)
    base = _defined(base, search, goal)
    bounds = next((b for b in search.bounds if b.goal == goal), None)
    if bounds is None and search.records and search.records[-1].status == "skipped":
        return replace(base, status="skipped", reason=search.failed)
    if bounds is None:
        return replace(base, status="invalid", reason=search.failed or "the search was not done")
    passed = [step for step in _at(search, bounds.lower) if step.answer.meets(goal)]
    if bounds.lower is None:
        return replace(base, status="invalid", reason=_too_low(search, goal))
    if not passed:
        return replace(base, status="invalid", reason="no full trial at the bound met the goal")
    over = _over(search, bounds.upper, goal)
    seen = (over or passed[-1]).record
    return replace(
        base,
        values=_sought(spec, search, bounds, passed[-1])
        | _of_trial(passed[-1].record)
        | _effort(search),
        accounting=seen.accounting,
        evidence=seen.evidence,
        placement=seen.placement,
        ports=seen.ports,
        port_reasons=seen.port_reasons,
        burst=seen.burst,
        notes=_notes(over),
        decided=_decided(passed[-1], over),
        deviations=spec.deviations,
    )


def _defined(base: Record, search: Ongoing, goal: Goal) -> Record:
    definition = replace(
        base.definition,
        quantity=QUANTITY.get(goal, "throughput"),
        loss_criterion=LOSS.get(goal),
        duration_s=search.terms.trial_s,
        packets=0,
    )
    started = search.records[0].started if search.records else base.started
    return replace(base, definition=definition, started=started)


def _at(search: Ongoing, ask: Ask | None) -> list[Step]:
    """The longest trials at a bound, in the order in which they ran."""
    here = [s for s in search.steps if ask and what(s.ask) == what(ask)]
    longest = max((step.ask.duration_s for step in here), default=0.0)
    return [step for step in here if step.ask.duration_s == longest]


def _over(search: Ongoing, ask: Ask | None, goal: Goal) -> Step | None:
    """The last trial at the upper bound that failed the goal, for the reason most of them did."""
    missed = [step for step in _at(search, ask) if not step.answer.meets(goal)]
    off = [step for step in missed if not step.answer.on_schedule]
    chosen = off if 2 * len(off) >= len(missed) else [s for s in missed if s.answer.on_schedule]
    return chosen[-1] if chosen else None


def _sought(spec: TrialSpec, search: Ongoing, bounds: Bounds, step: Step) -> dict[str, float]:
    """What the search was for."""
    if bounds.goal == "burst":
        return _burst(search, bounds, step)
    return _held(bounds) if bounds.goal == HELD else _rate(spec, search, bounds, step)


def _held(bounds: Bounds) -> dict[str, float]:
    """The shaper's rate, as it counts its frames."""
    assert bounds.lower is not None
    over = {"too_fast_bps": bounds.upper.mbit * M} if bounds.upper else {}
    return {"held_bps": bounds.lower.mbit * M} | over


def _rate(spec: TrialSpec, search: Ongoing, bounds: Bounds, step: Step) -> dict[str, float]:
    """The rate of all directions together, as received rates are, on each layer.

    A schedule that was kept to 99 % counts as kept, but only the sent part is claimed.
    """
    sent = min(1.0, step.answer.tried / step.answer.scheduled)
    rate_pps, size = search.ways * bounds.throughput_pps * sent, mean_bytes(spec.workload)
    values = {
        "throughput_pps": rate_pps,
        "throughput_l1_bps": l1_bps(rate_pps, size),
        "throughput_l2_bps": rate_pps * size * 8,
        "throughput_l4_bps": rate_pps * payload_bytes(size, spec.workload.family) * 8,
    }
    if bounds.upper:
        values["too_fast_pps"] = search.ways * bounds.upper.rate_pps
    return values


def _burst(search: Ongoing, bounds: Bounds, step: Step) -> dict[str, float]:
    """The longest burst, and the time of it that a buffer holds, corrected: RFC 9004 section 6.4.

    While a burst comes in, the gateway forwards at its throughput; only the rest is in the buffer.
    """
    assert bounds.lower is not None
    packets, rate_pps = float(bounds.lower.packets), step.answer.offered_pps
    values = {"burst_packets": packets, "offered_pps": search.ways * rate_pps}
    throughput = next(
        (b.throughput_pps for b in search.bounds if b.goal == "ndr" and b.lower), None
    )
    if throughput is not None and throughput < rate_pps:
        implied_ns = packets / rate_pps * S_NS
        values["buffer_ns"] = implied_ns * (1 - throughput / rate_pps)
    return values


def _of_trial(record: Record) -> dict[str, float]:
    kept = (
        "cpu_busy",
        "loss_ratio",
        "captured_share",
        "program_cpu",
        shaping.SHARE_NAME,
        shaping.ADDED,
    )
    # Of a flow beside uploads they would be over the time before these, too.
    delays = () if shaping.ADDED in record.values else ("delay_",)
    return {
        name: value
        for name, value in record.values.items()
        if name in kept or name.startswith(delays)
    }


def _effort(search: Ongoing) -> dict[str, float]:
    spent = sum(record.values.get("search_s", 0.0) for record in search.records)
    return {"search_trials": float(len(search.records)), "search_s": spent}


def _too_low(search: Ongoing, goal: Goal) -> str:
    if goal == "burst":
        return "a burst of one packet was lost already"
    if goal == HELD:
        lowest = f"{search.terms.min_mbit:g} Mbit/s"
        return f"not even {lowest} was held; set `min_mbit` of [search] lower"
    allowed = f"{100 * LOSS[goal]:g} %" if LOSS[goal] else "nothing"
    if share := _constant(search, LOSS[goal]):
        none = f"loses at most {allowed}" if LOSS[goal] else "without loss"
        lost = number.quantity(share.values["share"], "ratio")
        why = "not load. Look at rules, errors of the ports, cable, duplex."
        return f"no rate {none}: it loses {lost} at any rate: {why}"
    return (
        f"at {search.terms.min_pps:g} packets/s, the lowest rate, more was lost than {allowed}; "
        "set `min_pps` of [search] lower"
    )


def _constant(search: Ongoing, allowed: float) -> Finding | None:
    """The share that is lost at any rate, where a goal allows less: then no rate is low enough."""
    steps = [step.record for step in search.steps]
    ways = dict.fromkeys(loss.direction for step in steps for loss in step.evidence.loss)
    shares = (searched.constant(steps, way) for way in ways)
    return next((share for share in shares if share and share.values["share"] > allowed), None)


def _decided(passed: Step, over: Step | None) -> dict[str, str]:
    """Which trials decided it."""
    upper = {"upper": over.record.trial} if over else {}
    return {"lower": passed.record.trial} | upper


def _notes(over: Step | None) -> tuple[str, ...]:
    """A note where the tester set the upper bound."""
    if over is None or over.answer.on_schedule:
        return ()
    share = 100 * over.answer.tried / max(over.answer.scheduled, over.answer.packets)
    return (
        f"at the upper bound the sender made {share:.3g} % of its schedule, "
        "which says nothing of the gateway",
    )


def stepped(spec: TrialSpec, ask: Ask, number: int) -> TrialSpec:
    """The trial of a search's step, named by its number and what it asks for.

    A number of its own, so that packets of the step before are not taken for its own.
    """
    if ask.mbit:
        spec, asked = shaping.rated(spec, ask.mbit), f"{ask.mbit:g}"
    else:
        asked = str(ask.packets or round(ask.rate_pps) or "overload")
    load: Workload = replace(
        spec.workload, rate_pps=ask.rate_pps, packets=ask.packets, duration_s=ask.duration_s
    )
    own = {name: level for name, level in spec.point.items() if name != GOAL}
    return replace(
        spec,
        trial=f"{spec.seeks}/{number:02d}-{asked}",
        workload=load,
        point=own | what(ask),
        pass_="search",  # noqa: S106  not a password
        sequence=spec.sequence + number,
    )
