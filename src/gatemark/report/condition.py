# SPDX-License-Identifier: Apache-2.0
"""Under what conditions the numbers hold, and how they were made: never folded away."""

from collections import Counter
from collections.abc import Sequence

from gatemark.report import number, sweep, terminal
from gatemark.stats.judgement import Judgement, PointResult
from gatemark.store.record import Record
from gatemark.store.run import Run

KINDS = {
    "netns": "network namespaces on this machine",
    "qemu": "a virtual machine on this machine",
    "ssh": "a device, reached over SSH",
}


def conditions(
    run: Run, records: Sequence[Record], judgement: Judgement
) -> list[tuple[str, list[str]]]:
    """Heading -> facts; a heading without facts is absent, except what is missing."""
    every = (
        ("Gateway", _gateway(run)),
        ("Brake", _brake(run)),
        ("Tester's ceiling", [_ceiling(point) for point in judgement.ceilings]),
        ("Trials", _trials(records, judgement)),
        ("Not measured", _missing(judgement)),
        ("Deviations", _deviations(run, records)),
        ("Notes", _notes(run, records)),
    )
    return [(name, facts) for name, facts in every if facts]


def method(run: Run, judgement: Judgement) -> list[tuple[str, str]]:
    """How the numbers of this run were made."""
    times = sorted({plan.repeat.times for plan in run.plans})
    repeats = " or ".join(str(count) for count in times) or "no"
    levels = sorted({round(i.level, 3) for p in judgement.points for i in p.values.values()})
    level = f"{number.quantity(levels[0], 'ratio')} at least" if levels else "no"
    return [
        ("Repeats", f"{repeats} repeats of each point; the median is shown."),
        (
            "Order",
            "Arms that are compared take turns, in blocks of random order "
            f"(seed {run.seed}); the order is stored with the run.",
        ),
        (
            "Two passes",
            "Rates, loss, delay and CPU come from a pass that is read from outside the gateway. "
            "Probes on the gateway run in a second pass at the same points, so what a probe costs "
            "is in no rate. The limit of a point is judged from both.",
        ),
        (
            "Interval",
            "Of the median, from order statistics, without assuming a distribution "
            f"(six repeats give 95 % or more; here {level}). Outliers stay in.",
        ),
        (
            "Accounting",
            "Every packet carries a number. Tried = delivered once + lost, duplicates apart; a "
            "trial in which this does not agree with the interfaces' counters is invalid. A frame "
            "that the test port refused is the gateway's loss.",
        ),
        (
            "Knee",
            "The offered rate at which received stops following, by a fit of two straight lines.",
        ),
        (
            "Bits on the wire",
            "L1: with preamble, frame check sequence and gap, 20 bytes more than the frame.",
        ),
    ]


def _gateway(run: Run) -> list[str]:
    kind = KINDS.get(run.station.kind, run.station.kind)
    facts = [
        f"{'Virtual' if run.station.virtual else 'Real'}: {kind} (station {run.station.name})."
    ]
    if run.station.virtual:
        facts.append("Compare its setups with each other; its rates are not those of a device.")
    placed = [f"{name} on {place}" for name, place in run.station.placement.items()]
    return [*facts, "; ".join(placed)] if placed else facts


def _brake(run: Run) -> list[str]:
    return [
        f"{plan.name}: slowed on purpose to about "
        f"{number.nominal(plan.gateway.brake_pps, 'packets/s')}, so that its knee lies below "
        "the tester's ceiling."
        for plan in run.plans
        if plan.gateway.brake_pps
    ]


def _ceiling(point: PointResult) -> str:
    if "received_pps" not in point.values:
        return f"{sweep.point_words(point)}: not measured"
    rate = number.quantity_interval(point.values["received_pps"], "packets/s")
    return f"{sweep.point_words(point)}: {rate}"


def _trials(records: Sequence[Record], judgement: Judgement) -> list[str]:
    lost = Counter(
        f"{record.status}: {record.reason or 'no reason given'}"
        for record in records
        if record.status != "ok"
    )
    return [terminal.counts(judgement), *(f"{count} x {why}" for why, count in lost.most_common())]


def _missing(judgement: Judgement) -> list[str]:
    everyone = (*judgement.ceilings, *judgement.points)
    measured = {name for point in everyone for name in point.values}
    absent = [
        ("the tester's ceiling", not judgement.ceilings),
        ("capacity", not judgement.knees),
        ("delay", "delay_p50_ns" not in measured),
        ("the gateway's CPU", "cpu_busy" not in measured),
    ]
    return [name for name, is_absent in absent if is_absent]


def _deviations(run: Run, records: Sequence[Record]) -> list[str]:
    planned = [f"{plan.name}: {text}" for plan in run.plans for text in plan.deviations]
    met = [f"{record.plan}: {text}" for record in records for text in record.deviations]
    return list(dict.fromkeys((*planned, *met)))


def _notes(run: Run, records: Sequence[Record]) -> list[str]:
    seen = Counter(note for record in records for note in record.notes)
    counted = [f"{note} ({count} trials)" for note, count in seen.most_common()]
    return [*run.notes, *counted]
