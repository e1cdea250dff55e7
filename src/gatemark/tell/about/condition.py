# SPDX-License-Identifier: Apache-2.0
"""Under what conditions the numbers hold, and how they were made: never folded away."""

from collections import Counter
from collections.abc import Iterable, Sequence

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.store.record import Record
from gatemark.store.run import UNKNOWN, Run
from gatemark.tell.verb import ab
from gatemark.tell.words import headline, number, traffic
from gatemark.tell.words.figure import upper
from gatemark.tell.words.run import counts

KINDS = {
    "netns": "network namespaces on this machine",
    "qemu": "a virtual machine on this machine",
    "ssh": "a device, reached over SSH",
}
# Facts of a gateway's inventory, and how they are told.
DEVICE = (
    ("model", "{}"),
    ("soc", "SoC {}"),
    ("processor", "{}"),
    ("processors", "processors {}"),
    ("architecture", "{}"),
    ("cpu_mhz", "{} MHz"),
    ("caches", "caches {}"),
    ("memory", "memory {}"),
    ("memory_mhz", "memory clock {} MHz"),
    ("bus", "bus {}"),
    ("bus_mhz", "bus clock {} MHz"),
    ("flash", "flash {}"),
    ("storage", "storage {}"),
    ("switch", "switch {}"),
    ("nics", "ports {}"),
    ("wireless", "wireless {}"),
    ("kernel", "{}"),
    ("firmware", "{}"),
    ("conntrack_max", "at most {} connections tracked"),
    ("conntrack_buckets", "{} buckets"),
)
FEW = 3  # ceilings of one kind that are told one by one
BOOTS = (
    "Boots",
    "A sample is a boot of the gateway, the median of its trials, since what a boot decides by "
    "chance is the same for all its trials. One boot of old and one of new make a pair, in "
    "turns or in random order; the change is the Hodges-Lehmann estimate of the pairs with its "
    "95 % interval, faster or slower by an exact signed rank test (Wilcoxon), and beyond what is "
    "accepted.",
)


def conditions(
    run: Run, records: Sequence[Record], judgement: Judgement
) -> list[tuple[str, list[str]]]:
    """Heading -> facts; a heading without facts is absent, except what is missing."""
    every = (
        ("Old and new", _sides(run)),
        ("Gateway", _gateway(run)),
        ("Device", device(run)),
        ("Bench", bench(run)),
        ("Slowdown", _slowdown(run)),
        ("TCP", _tcp(judgement)),
        ("Tester's ceiling", _ceilings(judgement)),
        ("Tester's ports", _ports(records)),
        ("Trials", [counts(judgement), *uncounted(records)]),
        ("Not measured", _missing(judgement)),
        ("Deviations", _deviations(run, records)),
        ("Notes", _notes(run, records)),
    )
    return [(name, facts) for name, facts in every if facts]


def method(run: Run, judgement: Judgement) -> list[tuple[str, str]]:
    """How the numbers of this run were made."""
    times = sorted({plan.repeat.times for plan in run.plans})
    repeats = " or ".join(str(count) for count in times) or "no"
    warmups = sorted({plan.repeat.warmup for plan in run.plans if plan.repeat.warmup})
    sent = f"{' or '.join(map(str, warmups))} for each point before its repeats, not judged."
    intervals = [i for p in judgement.points for i in p.values.values()]
    # A single value has no interval, so no level either.
    levels = sorted({round(i.level, 3) for i in intervals if i.n > 1})
    level = f"{number.quantity(levels[0], 'ratio')} at least" if levels else "no"
    return [
        ("Repeats", f"{repeats} repeats of each point; the median is shown."),
        *([("Warm-up trials", sent)] if warmups else []),
        (
            "Order",
            "Arms that are compared are interleaved, in blocks of random order "
            f"(seed {run.seed}); the order is stored with the run.",
        ),
        (
            "Two passes",
            "Rates, loss, delay and CPU come from a pass that is read from outside the gateway. "
            "Probes on the gateway run in a second pass at the same points, so what a probe costs "
            "is in no rate. The bottleneck of a point is judged from both.",
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
        *([BOOTS] if any(c.change.paired for c in judgement.comparisons) else []),
    ]


def _sides(run: Run) -> list[str]:
    """What an A/B test compares, and what else differs between its arms."""
    if not run.ab:
        return []
    facts = [f"{side[:1].upper()}{side[1:]}." for side in ab.sides(run.ab)]
    accepted = number.quantity(run.ab.allow, "ratio")
    return [*facts, f"A change up to {accepted} is accepted.", *ab.differs(run, run.ab)]


def _gateway(run: Run) -> list[str]:
    kind = KINDS.get(run.station.kind, run.station.kind)
    facts = [
        f"{'Virtual' if run.station.virtual else 'Real'}: {kind} (station {run.station.name})."
    ]
    if run.station.virtual:
        facts.append("Compare its setups with each other; its rates are not those of a device.")
    placed = [f"{name} on {place}" for name, place in run.station.placement.items()]
    return [*facts, "; ".join(placed)] if placed else facts


def device(run: Run) -> list[str]:
    """What the gateway is made of; a namespace is this machine itself, and has no row."""
    facts = run.before.get("gateway") or run.after.get("gateway") or {}
    if run.station.kind == "netns" or "soc" not in facts:
        return []
    source = f" (told by the station file: {facts['told']})" if "told" in facts else ""
    unknown = [name for name, _ in DEVICE if facts.get(name, UNKNOWN) == UNKNOWN]
    known = [text.format(facts[name]) for name, text in DEVICE if name not in unknown]
    lines = [f"{'; '.join(known)}{source}." if known else ""]
    if unknown:
        lines.append(f"Unknown: {', '.join(unknown)}; [gateway.inventory] can tell.")
    return [line for line in lines if line]


def bench(run: Run) -> list[str]:
    """The NICs and cables around the gateway, as its station file states them."""
    facts = run.before.get("bench") or run.after.get("bench") or {}
    text = "; ".join(f"{name}: {fact}" for name, fact in facts.items())
    return [f"{upper(text)} (told by the station file)."] if text else []


def _slowdown(run: Run) -> list[str]:
    slowed: dict[int, list[str]] = {}
    for plan in run.plans:
        if plan.gateway.slow_to_pps and any(arm.path != "direct" for arm in plan.arm):
            slowed.setdefault(plan.gateway.slow_to_pps, []).append(plan.name)
    return [
        f"{', '.join(names)}: slowed on purpose to about {number.nominal(pps, 'packets/s')}, "
        "so that its knee lies below the tester's ceiling."
        for pps, names in slowed.items()
    ]


def _ports(records: Sequence[Record]) -> list[str]:
    """How sender and sink reached the wire, and why not in a better way."""
    used = Counter(tuple(record.ports.items()) for record in records if record.ports)
    whys = {
        f"No better {end}: {why}" for record in records for end, why in record.port_reasons.items()
    }
    facts = [
        f"{', '.join(f'{end} {port}' for end, port in ports)}: {count} trials"
        for ports, count in used.most_common()
    ]
    return ["; ".join(facts) + ".", *sorted(whys)] if facts else []


def _tcp(judgement: Judgement) -> list[str]:
    """What TCP depends on besides the gateway."""
    points = [p for p in (*judgement.ceilings, *judgement.points) if p.definition.l4 == "tcp"]
    if not points:
        return []
    every = [point.definition for point in points]
    buffers = sorted({d.socket_buffer_bytes or 0 for d in every})
    writes = sorted({d.write_bytes for d in every if d.write_bytes})
    segments = sorted({p.values["mss_bytes"].value for p in points if "mss_bytes" in p.values})
    names = sorted({d.congestion for d in every if d.congestion})
    facts = [f"Congestion control {' and '.join(names)} at both ends." if names else ""]
    if segments:
        sizes = " and ".join(f"{size:g}" for size in segments[:3])
        facts.append(f"Segments of {sizes} bytes of payload.")
    if writes:
        span = [traffic.size(size) for size in dict.fromkeys((writes[0], writes[-1]))]
        facts.append(f"Writes of {' to '.join(span)}.")
    tuned = [traffic.sized("socket_buffer_bytes", size) for size in buffers]
    facts.append(f"{tuned[0][:1].upper()}{', '.join(tuned)[1:]}.")
    if any(d.offload for d in every):
        facts.append("Where it is said, segmentation and aggregation at the tester's ports.")
    return [fact for fact in facts if fact]


def _ceilings(judgement: Judgement) -> list[str]:
    """Each ceiling; where one load was measured at many sizes, its range."""
    alike: dict[tuple[object, ...], list[PointResult]] = {}
    for point in judgement.ceilings:
        d = point.definition
        alike.setdefault((d.l4, d.family, d.direction, d.offload), []).append(point)
    return [
        text
        for same in alike.values()
        for text in ([_range(same)] if len(same) > FEW else map(_ceiling, same))
    ]


def _range(points: Sequence[PointResult]) -> str:
    measured = [i.value for point in points if (i := headline.headline(point)) is not None]
    first = points[0]
    if not measured:
        return f"{traffic.point_words(first)} and {len(points) - 1} more: not measured"
    low, high = (number.quantity(v, headline.unit(first)) for v in (min(measured), max(measured)))
    kind = f"{traffic.way(first.definition.direction)}, {first.definition.l4.upper()}"
    return f"{kind}, {len(points)} loads (in the tables): {low} to {high}"


def _ceiling(point: PointResult) -> str:
    measured = headline.headline(point)
    if measured is None:
        return f"{traffic.point_words(point)}: not measured"
    return (
        f"{traffic.point_words(point)}: {number.quantity_interval(measured, headline.unit(point))}"
    )


def uncounted(records: Iterable[Record]) -> list[str]:
    """Why trials did not count: `3 x invalid: the sink lost packets`, the most frequent first."""
    lost = Counter(
        f"{record.status}: {record.reason or 'no reason given'}"
        for record in records
        if record.status != "ok"
    )
    return [f"{count} x {why}" for why, count in lost.most_common()]


def _missing(judgement: Judgement) -> list[str]:
    everyone = (*judgement.ceilings, *judgement.points)
    measured = {name for point in everyone for name in point.values}
    absent = [
        ("the tester's ceiling", not judgement.ceilings),
        ("capacity", not judgement.knees and not measured & {"goodput_bps", "throughput_pps"}),
        ("delay", not measured & {"delay_p50_ns", "rtt_p50_ns"}),
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
