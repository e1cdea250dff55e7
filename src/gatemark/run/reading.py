# SPDX-License-Identifier: Apache-2.0
"""From what the agents reported to a record's values and evidence: pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from gatemark.plan.model import TrialSpec
from gatemark.probe import registry, starved
from gatemark.probe.column import flat
from gatemark.probe.probe import Sent
from gatemark.probe.threads import busiest, cpu_readings
from gatemark.run import mixed, program, turns
from gatemark.run.kind import kind_of
from gatemark.run.raw import Raw
from gatemark.run.result import caches, course, line
from gatemark.station.thread import Thread
from gatemark.store.record import Accounting, CpuReading, Evidence, Record
from gatemark.store.series import Series
from gatemark.workload import account
from gatemark.workload.way import Report, Way, span_ns

MODES: Final = ("user", "system", "softirq", "irq")  # of a CPU that is busy


def complete(base: Record, spec: TrialSpec, raw: Raw, threads: Mapping[str, Thread]) -> Record:
    """The record of a finished trial."""
    kind = kind_of(spec.workload)
    values, accounting = kind.values(spec, raw)
    delivered_pps = mixed.delivered_pps(raw) if raw.beside else kind.delivered_pps(raw, values)
    first = raw.ways[0]
    path = base.definition.path
    window_ns = mixed.window_ns(raw)
    sent = Sent(*window_ns, delivered_pps, values, accounting, path, raw.gateway_cpus)
    probes = registry.outcomes(raw.probes, sent)
    evidence = replace(
        _evidence(raw, threads, accounting, delivered_pps),
        **{**kind.evidence(raw), **probes.evidence, **line.evidence(raw)},
    )
    modelled = caches.outcome(spec, raw, delivered_pps)
    burst = first.sender.get("burst")
    cpu = {} if path == "direct" else _cpu(threads, evidence, delivered_pps)
    record = replace(
        base,
        values=values
        | cpu
        | _watching(raw)
        | _offloaded(raw)
        | dict(probes.values)
        | program.values(evidence.programs)
        | caches.values(modelled)
        | turns.values(spec, raw, threads, accounting)
        | course.values(spec, raw, partial(_of_kind, spec, raw)),
        accounting=accounting,
        window_ns=span_ns(raw.ways),
        evidence=replace(
            evidence,
            **caches.evidence(modelled),
            **({"cpu": turns.own_share(evidence.cpu, spec.turn)} if spec.turn.of else {}),
        ),
        ports=first.ports,
        port_reasons=first.port_reasons,
        burst=None if burst is None else int(burst),
        notes=(
            *base.notes,
            *(note for way in raw.ways for note in way.notes),
            *account.notes(raw.ways),
            *program.notes(evidence.programs),
            *probes.notes,
            *line.notes(raw),
        ),
    )
    return mixed.complete(record, spec, raw)


def _cpu(
    threads: Mapping[str, Thread], evidence: Evidence, delivered_pps: float
) -> dict[str, float]:
    """The busiest CPU of the gateway: what its threads and programs used of it together."""
    values = {"cpu_busy": min(1.0, busiest(evidence.cpu))} if evidence.cpu else {}
    if evidence.inside:
        busy = max(evidence.inside, key=lambda reading: reading.busy)
        values["cpu_busy_inside"] = busy.busy
        values |= {f"cpu_{mode}": busy.modes[mode] for mode in MODES if mode in busy.modes}
        if not threads:  # a box: nobody else reads it
            values["cpu_busy"] = values["cpu_busy_inside"]
    if "cpu_busy" in values and delivered_pps:
        values["packet_ns"] = values["cpu_busy"] * 1e9 / delivered_pps
    return values


def _offloaded(raw: Raw) -> dict[str, float]:
    """The share of what the tester's ports received that did not go the gateway's usual way."""
    received = sum(
        count - raw.before[name]
        for name, count in raw.after.items()
        if name.endswith(".rx_packets")
    )
    if "usual" not in raw.features or received <= 0:
        return {}
    return {"offloaded_share": max(0.0, 1.0 - raw.features["usual"] / received)}


def _watching(raw: Raw) -> dict[str, float]:
    """What watching itself cost."""
    times = raw.watched.get("t_ns")
    span_ns = raw.watched.get("cpu_over_ns", times[-1] - times[0]) if times else 0
    return {"probe_cpu": raw.watched["cpu_ns"] / span_ns} if span_ns else {}


def _evidence(
    raw: Raw,
    threads: Mapping[str, Thread],
    accounting: Accounting | None,
    delivered_pps: float,
) -> Evidence:
    # Directions of a workload run at the same time: the first one's window is theirs.
    first, window_ns = raw.ways[0], mixed.window_ns(raw)
    late = first.sender.get("late_ns", {})
    seen = dict(
        zip(
            threads.values(),
            cpu_readings(raw.threads, threads.values(), *window_ns, delivered_pps),
            strict=False,
        )
    )
    outside = [reading for thread, reading in seen.items() if not thread.carries]
    gateway_cpu = next((thread.cpu for thread in threads.values()), None)
    # A workload's slow start is no part of its window, but its programs were there.
    programs = program.readings(raw.programs, max(first.span_ns, window_ns[1] - window_ns[0]))
    # Of another machine's, the thread that is read from outside has its programs' time in it.
    besides = program.cpu(programs, gateway_cpu) if raw.gateway_cpus is not None else ()
    return Evidence(
        schedule_ratio=accounting.tried / accounting.scheduled
        if accounting and accounting.scheduled
        else None,
        sender_cpu=_tester_cpu(raw.ways, "sender"),
        sink_cpu=_tester_cpu(raw.ways, "sink"),
        late_ns={name: float(value) for name, value in late.items()},
        gaps_over_1ms=sum(int(way.sink.get("gaps_over_1ms", 0)) for way in raw.ways),
        cpu=(*outside, *_programs(raw.ways, gateway_cpu, delivered_pps), *besides),
        carrier=next((reading for thread, reading in seen.items() if thread.carries), None),
        offload=dict(raw.features),
        programs=programs,
        starved=starved.judge(raw.hogs, raw.threads, threads.values()),
        link_bps=_link_bps(raw.ways),
    )


def _link_bps(ways: Sequence[Way]) -> int | None:
    """What the cables carry, all directions of the traffic together: they do not share it."""
    rates = [bps for way in ways if (bps := way.wire.link_bps)]
    return sum(rates) if ways and len(rates) == len(ways) else None


def _own(way: Way) -> str:
    """Which end is the gateway's own program, if one is."""
    if not way.wire.own:
        return ""
    return "sink" if way.wire.away else "sender"


def _ends(way: Way) -> dict[str, Report]:
    return {"sender": way.sender, "sink": way.sink}


def _tester_cpu(ways: Sequence[Way], end: str) -> float | None:
    reports = [(_ends(way)[end], way.span_ns) for way in ways if _own(way) != end]
    shares = [report["cpu_ns"] / span_ns for report, span_ns in reports if "cpu_ns" in report]
    return max(shares, default=None)


def _programs(ways: Sequence[Way], cpu: int | None, delivered_pps: float) -> Iterator[CpuReading]:
    """The gateway's own programs: the ends that ran on it."""
    for way in ways:
        end = _own(way)
        if end and "cpu_ns" in _ends(way)[end]:
            busy = _ends(way)[end]["cpu_ns"] / way.span_ns
            cost = busy * 1e9 / delivered_pps if delivered_pps else None
            name = f"{way.program} {way.wire.direction}"
            yield CpuReading(thread=name, cpu=cpu, busy=busy, ns_per_packet=cost)


def series(spec: TrialSpec, raw: Raw, threads: Mapping[str, Thread]) -> Series:
    """The time series and histograms of a trial, by name."""
    columns = {**_of_kind(spec, raw)}
    columns |= {**mixed.series(spec, raw), **line.series(raw)}
    for thread in threads.values():
        run_ns = raw.threads["threads"][str(thread.pid)]["run_ns"]
        columns[f"outside.{thread.name}.run_ns"] = raw.threads["t_ns"], run_ns
    return {**columns, **flat(raw.watched), **registry.series(raw.probes)}


def _of_kind(spec: TrialSpec, raw: Raw) -> Series:
    """The series of the first workload."""
    columns: dict[str, tuple[Sequence[int], Sequence[float]]] = {}
    for way in raw.ways:
        columns |= kind_of(spec.workload).series(way)
    return columns
