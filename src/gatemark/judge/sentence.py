# SPDX-License-Identifier: Apache-2.0
"""The answer of a run in one sentence, numbers with units."""

from collections.abc import Collection, Iterable, Sequence

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.change.ladder import INSTRUCTIONS, PACKET
from gatemark.judge.finding import NAMES, Diagnosis, Shape
from gatemark.judge.judgement import (
    Change,
    Comparison,
    Judgement,
    Knee,
    Ladder,
    Limit,
    PointResult,
    Travel,
    Verdict,
)
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.path import base
from gatemark.judge.point.timed import MEDIAN, SHARE, is_timed
from gatemark.judge.speed import RATE, bottleneck, speed, words
from gatemark.judge.subject import About
from gatemark.judge.verdict import shaping
from gatemark.kind.algorithm import left_out
from gatemark.kind.algorithm import point as kernel
from gatemark.kind.algorithm.plan import KERNEL
from gatemark.kind.kinds import entries
from gatemark.number import AT_LEAST, MINUS, duration, measured, quantity, si
from gatemark.plan.feature import DIRECT
from gatemark.plan.model import NEW, OLD, is_twin
from gatemark.store.record import REPLAYED, Definition, Record
from gatemark.store.run import AB, Run
from gatemark.unit import l1_bps

THROUGHPUT = "throughput"
BURST = "burst"
MOST_WRONG = 3  # shapes of loss that it names
MOST_SETUPS = 4  # named; the table below the sentence has them all
VERBS = {"switch": "bridges", "route": "routes", "nat": "NATs"}
DOES = {"switch": "bridge", "route": "route", "nat": "NAT"}
WAYS = {"up": "from LAN to WAN", "down": "from WAN to LAN", "both": "both ways together"}
# What is counted, and is no rate of packets, in the order in which it is told.
COUNTS = {
    about: noun
    for kind in entries("point", Judge).values()
    for about, noun in kind.quantities.items()
    if noun
}
# Verdicts of an A/B test, the one first that its reader must know of.
TELLING: tuple[Verdict, ...] = ("slower", "inconclusive", "faster", "within noise", "no change")
TESTERS_FAULT = "No rate is told, as the tester was at fault."
TESTERS: tuple[Shape, ...] = ("tester",)
ONCE = "Nothing is said yet: a rate needs two trials at least. The tables have what was measured."
NOTHING = "Nothing came through."
OURS = "gatemark"  # who makes the traffic if no known tool does
OWN = {"send": "sends", "receive": "receives", "both": "sends and receives"}
OWN_DOES = {"send": "send", "receive": "receive"}
LIMITS: dict[Limit, str] = {
    **{shape: name for shape, name in NAMES.items()},  # noqa: C416 - a dict of more keys
    "none": "all that was offered came through",
    "tester": "the tester is the bottleneck",
    "link": "the link is the bottleneck",
    "line": "the line is the bottleneck",
    "cpu": "its CPU is the bottleneck",
    "memory": "its memory is the bottleneck",
    "flow-table": "its flow table is the bottleneck",
    "shaper": "its shaper is the bottleneck",
    "unknown": "what holds it back is not known",
    "policer": "a policer is the bottleneck",
    "limiter": "a rate limit is the bottleneck",
}


class Rate(About, frozen=True, kw_only=True):
    """One rate that the sentence may tell."""

    interval: Interval  # packets/s, or bit/s of goodput
    limit: Limit
    at_least: bool

    @property
    def value(self) -> float:
        """The median."""
        return self.interval.value


def sentence(run: Run, records: Sequence[Record], judged: Judgement) -> str:
    """What was searched for, without loss; else what it does at full speed; else the knees.

    Else what each step of a ladder costs, or the most that came through. Where only delays were
    asked for: how long it took. Behind a rate that was searched for stands what else was: the
    longest burst, and delays at shares of that rate; behind it all what is wrong. What was measured
    once, or by a tester that was at fault, makes no answer.
    """
    points = [point for point in judged.points if _is_sound(point, judged)]
    knees = [knee for knee in judged.knees if _is_sound(knee, judged)]
    timed = [point for point in points if is_timed(point, run.plans)]
    plain = [point for point in points if point not in timed]
    unsound = _unsound(judged)
    texts = (
        _kernels(run, records, points),
        _full_speed(run, records, plain, knees, judged.comparisons),
        _costs(run, points, knees, judged.ladders),
        _and_more(_carries(run, records, judged, plain, knees), points, timed),
        _takes(run, timed),
        _shapes(run, points),
        unsound,
        _alone(judged.ceilings),
        _nowhere(points),
        _uncounted(records),
    )
    text = next(filter(None, texts), "Nothing has been measured yet.")
    faults = judged.diagnoses
    if text == ONCE:  # a counter has no chance in it
        faults = tuple(each.counted for each in faults)
    text = _with_wrong(text, wrong(faults, TESTERS if text == TESTERS_FAULT else ()))
    return " ".join((text, *_replayed(records)))


def _with_wrong(text: str, faults: str) -> str:
    """The answer, and what is wrong; where nothing came through there is no more to say."""
    if text != NOTHING or not faults:
        return f"{text}{f' But {faults}.' if faults else ''}"
    return f"{faults[:1].upper()}{faults[1:]}."


def _replayed(records: Sequence[Record]) -> list[str]:
    """Which share of each capture was replayed, where it was not all of it."""
    notes = (note for record in records for note in record.notes)
    return list(dict.fromkeys(f"{note}." for note in notes if note.startswith(REPLAYED)))


def _is_sound(judged: PointResult | Knee, among: Judgement) -> bool:
    """Return True if a rate or goodput has two trials at least, and a tester that worked."""
    headline = judged.definition.headline
    if headline not in (RATE, "goodput_bps"):
        return True
    interval = judged.knee_pps if isinstance(judged, Knee) else judged.values.get(headline)
    return (interval is None or interval.n > 1) and not _is_testers(judged, among.diagnoses)


def _is_testers(judged: PointResult | Knee, diagnoses: Iterable[Diagnosis]) -> bool:
    own = (judged.plan, judged.arm, judged.definition.direction)
    return any(
        diagnosis.get("tester") and own == (diagnosis.plan, diagnosis.arm, diagnosis.direction)
        for diagnosis in diagnoses
    )


def _unsound(judged: Judgement) -> str:
    """Why what was measured makes no answer."""
    unsound = [point for point in judged.points if not _is_sound(point, judged)]
    if not unsound:
        return ""
    return TESTERS_FAULT if any(_is_testers(p, judged.diagnoses) for p in unsound) else ONCE


def _and_more(text: str, points: Sequence[PointResult], timed: Sequence[PointResult]) -> str:
    """A rate that was searched for, and what was searched for besides."""
    delays = _delays([point for point in timed if SHARE in point.point])
    more = filter(None, (_bursts(points), f"It {delays}." if delays else ""))
    return " ".join((text, *more)) if text else ""


def _bursts(points: Sequence[PointResult]) -> str:
    """The longest burst of each setup, of its first load."""
    first: dict[str, str] = {}
    for point in points:
        if point.definition.quantity == BURST and point.definition.headline in point.values:
            packets = f"{point.values[point.definition.headline].value:.0f}"
            first.setdefault(point.setup, f"{AT_LEAST if point.at_least else ''}{packets}")
    clauses = [f"{packets} ({setup})" for setup, packets in [*first.items()][:MOST_SETUPS]]
    shown = " and ".join(clauses)
    return f"Of a burst it passes {shown} packets with none lost." if shown else ""


def _kernels(run: Run, records: Sequence[Record], points: Sequence[PointResult]) -> str:
    """Return the fastest point of each kind of kernel, and what of its input was left out."""
    clauses = [
        f"{kernel.DOES.get(name, name)} {si(best.values[best.definition.headline].value, unit)}"
        for name, unit in kernel.UNITS.items()
        for best in kernel.fastest(points, name)
    ]
    if not clauses:
        return ""
    who = "This machine's" if run.station.kind == "netns" else f"{_gateway(run, [])}'s"
    *others, last = clauses
    does = f"{', '.join(others)} and {last}" if others else last
    fastest = f"{who} processor {does} (the fastest of each kind)."
    return " ".join((fastest, *left_out.sentences(records)))


def wrong(diagnoses: Sequence[Diagnosis], but: Collection[Shape] = ()) -> str:
    """What is wrong of the first arms, in short: `route loses 2.0 % at any rate`."""
    first: dict[tuple[str, str], str] = {}  # of a setup the same may be wrong at many points
    for diagnosis in diagnoses:
        for finding in (finding for finding in diagnosis.wrong if finding.shape not in but):
            first.setdefault((diagnosis.setup, finding.shape), finding.clause)
    setups: dict[str, dict[str, None]] = {}  # of each clause, in their order
    for (setup, _), clause in first.items():
        setups.setdefault(clause, {})[setup] = None
    texts = [
        f"{'each of ' if len(names) > 1 else ''}{' and '.join(names)} {clause}"
        for clause, names in list(setups.items())[:MOST_WRONG]
    ]
    return "; ".join(texts)


def _full_speed(
    run: Run,
    records: Sequence[Record],
    plain: Sequence[PointResult],
    knees: Sequence[Knee],
    comparisons: Sequence[Comparison],
) -> str:
    """Small and full frames at overload; a search, or a knee at full speed, tells more."""
    if _searched(plain) or not all(knee.definition.slow_to_pps for knee in knees):
        return ""
    routed = speed(plain)
    if routed is None:
        return ""
    limit = bottleneck((routed.small, routed.full))
    is_one = _is_one_cpu(records)
    text = f"{_kernel(run)} {words(routed, comparisons, ' on one core' if is_one else '')}"
    if is_one and limit == "cpu":
        return f"{text}; the core is the bottleneck."
    return f"{text}; {_phrases(records)[limit]}."


def _costs(
    run: Run, points: Sequence[PointResult], knees: Sequence[Knee], ladders: Sequence[Ladder]
) -> str:
    """Steps of a ladder, or instructions, where no rate was looked for."""
    if _searched(points) or any(knee.knee_pps.value for knee in knees):
        return ""
    text = _steps(ladders) or _executes(points)
    foot = [ladder.definition for ladder in ladders[:1]] or [p.definition for p in points[:1]]
    return f"{_gateway(run, foot)} {text}." if text else ""


def _carries(
    run: Run,
    records: Sequence[Record],
    judged: Judgement,
    plain: Sequence[PointResult],
    knees: Sequence[Knee],
) -> str:
    """What was searched for, without loss; else the knees; else the most that came through."""
    points = [point for point in judged.points if _is_sound(point, judged)]
    kept_rates = [_of_knee(knee) for knee in knees if knee.knee_pps.value]  # 0: it always lost
    rates = _choose(_of_points(_searched(points)) or kept_rates or _of_points(plain))
    if not rates:
        return ""
    if not any(rate.value for rate in rates) and rates[0].definition.headline == RATE:
        return NOTHING
    gateway = _gateway(run, [rate.definition for rate in rates])
    faulty = {(each.plan, each.arm) for each in judged.diagnoses if each.wrong}
    limits = _limits([rate for rate in rates[:MOST_SETUPS] if not _is_told(rate, faulty)], records)
    return f"{gateway} {_rates(rates)}{f'; {limits}' if limits else ''}."


def _is_told(rate: Rate, faulty: Collection[tuple[str, str]]) -> bool:
    """Whether what holds a rate back is told, or denied, by what is wrong with its arm."""
    is_vague = rate.limit in ("unknown", "none") or rate.limit in NAMES
    return is_vague and (rate.plan, rate.arm) in faulty


def _takes(run: Run, timed: Sequence[PointResult]) -> str:
    if lined := [point for point in timed if point.definition.line]:
        return _over_line(lined)
    delays = _delays(timed)
    return f"{_gateway(run, [point.definition for point in timed])} {delays}." if delays else ""


def _shapes(run: Run, points: Sequence[PointResult]) -> str:
    """The highest rate that a shaper holds, of the one that holds most."""
    shapers = shaping.held(points).values()
    if not shapers:
        return ""
    best = max(shapers, key=lambda point: point.values["held_bps"].value)
    bound = "at least " if best.at_least else ""
    rate = f"{bound}{quantity(best.values['held_bps'].value, 'bit/s')}"
    end = "" if best.at_least else f"; {LIMITS.get(best.limit, 'the bottleneck is not known')}"
    return f"{_gateway(run, [best.definition])} shapes up to {rate} ({best.arm}){end}."


def _alone(ceilings: Sequence[PointResult]) -> str:
    rates = _choose(_of_points(ceilings))
    if not rates:
        return ""
    return f"The tester alone carries {_full(rates[0])}; no gateway has been measured yet."


def _nowhere(points: Sequence[PointResult]) -> str:
    """Return that searches found no rate, where it is known why: `wrong` goes on with it."""
    sought = [point for point in points if point.definition.quantity == THROUGHPUT]
    if not sought or any(point.values or point.limit not in NAMES for point in sought):
        return ""
    allowed = max(point.definition.loss_criterion or 0.0 for point in sought)
    return f"No rate was found {_within(allowed)}."


def _within(criterion: float) -> str:
    """What may be lost: `with no loss`."""
    return f"with {f'at most {100 * criterion:g} %' if criterion else 'no'} loss"


def _uncounted(records: Sequence[Record]) -> str:
    """Of trials that nothing else is said of."""
    if not records:
        return ""
    valid = [record for record in records if record.status == "ok"]
    if not valid:
        return f"Nothing has been measured yet: none of {len(records)} trials was valid."
    if any(record.definition.path != DIRECT for record in valid):
        return f"Valid trials: {len(valid)} of {len(records)}; the tables have their values."
    return f"No gateway has been measured yet; valid trials of the tester alone: {len(valid)}."


def _searched(points: Sequence[PointResult]) -> list[PointResult]:
    """Points of a search, by its strictest goal if it has one without loss."""
    every = [point for point in points if point.definition.quantity == THROUGHPUT]
    return [point for point in every if not point.definition.loss_criterion] or every


def of_ab(ab: AB, comparisons: Sequence[Comparison]) -> str:
    """Whether the new arm is slower than the old one: the most telling verdict of all points."""
    worst = min(comparisons, key=lambda comparison: TELLING.index(comparison.change.verdict))
    change, verdict = worst.change, worst.change.verdict
    new, old = (f"{arm} ({ab.side(arm).name})" for arm in (NEW, OLD))
    text = {
        "slower": f"{new} is slower than {old}",
        "faster": f"{new} is faster than {old}",
        "inconclusive": f"whether {new} differs from {old} cannot be told",
    }.get(verdict, f"{new} is as fast as {old}")
    boots = f"{change.change.n} boot{'' if change.change.n == 1 else 's'} of each"
    among = f"; of {len(comparisons)} points this one tells most" if len(comparisons) > 1 else ""
    return f"{text[:1].upper()}{text[1:]}: {_percents(change)}, {boots}{among}."


def _percents(change: Change) -> str:
    """`-2.1 % (-2.6 to -1.5)`; and what would have been seen, where nothing was."""
    interval = change.change
    if max(abs(interval.value), interval.hi) >= UNBOUNDED:
        return "from or to nothing"
    each = (f"{100 * x:+.1f}" for x in (interval.value, interval.lo, interval.hi))
    text = "{} % ({} to {})".format(*each).replace("-", MINUS)
    if change.verdict in ("slower", "faster") or change.mde >= UNBOUNDED:
        return text
    return f"{text}; {100 * change.mde:.1f} % would have been seen"


def _over_line(lined: Sequence[PointResult]) -> str:
    """Of the first line: how long a packet takes, with the line's own queue; a clause a setup."""
    first = lined[0].definition
    setups: dict[str, PointResult] = {}
    for point in lined:
        same = (point.definition.line, point.definition.beside) == (first.line, first.beside)
        if same and MEDIAN in point.values and not is_twin(point.arm):
            setups.setdefault(point.setup, point)
    clauses = [
        f"{duration(point.values[MEDIAN].value)} through {setup}"
        for setup, point in [*setups.items()][:MOST_SETUPS]
    ]
    if not clauses:
        return ""
    return f"Over a line ({first.line}) a packet takes {' and '.join(clauses)} (median, one way)."


def _delays(timed: Sequence[PointResult]) -> str:
    """The median at the highest rate that was timed, a clause for each setup."""
    points = [p for p in timed if {MEDIAN, "offered_pps"} <= p.values.keys() and not is_twin(p.arm)]
    most: dict[str, PointResult] = {}
    for point in sorted(points, key=lambda p: -p.values["offered_pps"].value):
        most.setdefault(point.setup, point)
    shown = [p for p in points if p is most[p.setup]][:MOST_SETUPS]
    rates = [si(p.values["offered_pps"].value, "packets/s") for p in shown]
    same = len(set(rates)) == 1
    clauses = [
        f"{duration(p.values[MEDIAN].value)} to {_does(p.setup)} a packet"
        f"{'' if same else f' at {at}'}"
        for p, at in zip(shown, rates, strict=True)
    ]
    at = f" at {rates[0]}" if same else ""
    return f"takes {' and '.join(clauses)}{at} (median, one way)" if clauses else ""


def _steps(ladders: Sequence[Ladder]) -> str:
    """What a packet takes at the foot of the first ladder, and what its dearest steps add."""
    first = next(iter(ladders), None)
    name = next((n for n in (PACKET, INSTRUCTIONS) if first and n in first.values), "")
    if first is None or not name:
        return ""
    says = duration if name == PACKET else _plain
    dear = [(step, step.costs[name]) for step in first.steps if name in step.costs]
    dear = [(step, cost) for step, cost in dear if cost.verdict == "slower"]
    dear.sort(key=lambda pair: -pair[1].difference.value)
    takes = f"takes {says(first.values[name].value)} of its CPU"
    if name == INSTRUCTIONS:
        takes = f"executes {says(first.values[name].value)} instructions"
    does = f"{takes} to {_does(first.setup)} a packet"
    if not dear:
        return f"{does}; {nothing_clear(first, name)}"
    adds = [f"{step.arm} {says(cost.difference.value)}" for step, cost in dear[:MOST_SETUPS]]
    return f"{does}; the dearest steps add {', '.join(adds)}"


def nothing_clear(ladder: Ladder, quantity: str) -> str:
    """Return why no step is told to cost: none does, or so few repeats cannot decide."""
    costs = [step.costs[quantity] for step in ladder.steps if quantity in step.costs]
    open_ = [cost for cost in costs if cost.verdict == "inconclusive"]
    if not open_:
        return f"no step costs more than {'chance does' if quantity == PACKET else 'nothing'}"
    repeats = min(cost.difference.n for cost in open_)
    return f"{repeats} repeat{'' if repeats == 1 else 's'} cannot decide what a step costs"


def of_travels(run: Run, travels: Sequence[Travel]) -> str:
    """What a packet of the first arm takes, and the arm that takes most at the same point."""
    first = travels[0]
    same = [travel for travel in travels if travel is first or base(travels, travel) is first]
    most = max(same, key=lambda travel: travel.own.calls)
    does = OWN_DOES.get(first.definition.direction) or _does(first.definition.path)
    text = (
        f"{_gateway(run, [first.definition])} runs {_ran(first)} to {does} one packet ({first.arm})"
    )
    if most is first:
        return f"{text}."
    if not first.in_order:
        return f"{text}; {most.arm}: {_ran(most)}."
    share = 100 * most.netfilter.calls / max(1, most.own.calls)
    return f"{text}; {most.arm}: {_ran(most)}, {share:.0f} % of them netfilter's."


def _ran(travel: Travel) -> str:
    amount = f"{travel.total:,}".replace(",", "\N{NO-BREAK SPACE}")
    return f"{amount} {travel.unit}" + (f" in {travel.own.calls} calls" if travel.in_order else "")


def _executes(points: Sequence[PointResult]) -> str:
    """Instructions of each setup's first point; "" where other things were measured as well."""
    first: dict[str, PointResult] = {}
    for point in points:
        if point.definition.quantity != INSTRUCTIONS:
            return ""
        if INSTRUCTIONS in point.values:
            first.setdefault(point.setup, point)
    shown_points = list(first.values())
    if not shown_points:
        return ""
    lead = shown_points[0]
    way = OWN.get(lead.definition.direction)
    does = f"a packet that it {way}" if way else f"to {_does(lead.setup)} a packet"
    size = f" of {lead.definition.frame_bytes} bytes" if lead.definition.frame_bytes else ""
    more = [
        f"{p.setup} {_plain(p.values[INSTRUCTIONS].value)}" for p in shown_points[1:MOST_SETUPS]
    ]
    text = f"executes {_plain(lead.values[INSTRUCTIONS].value)} instructions {does}{size}"
    return "; ".join([text, ", ".join(more)] if more else [text])


def _plain(count: float) -> str:
    return f"{count:.0f}"


def _does(setup: str) -> str:
    path, *features = setup.split(" + ")
    return " + ".join((DOES.get(path, path), *features))


def _of_knee(knee: Knee) -> Rate:
    return Rate(
        subject=knee.subject, interval=knee.knee_pps, limit=knee.limit, at_least=knee.at_least
    )


def _of_point(point: PointResult) -> Rate:
    return Rate(
        subject=point.subject,
        interval=point.values[point.definition.headline],
        limit=point.limit,
        at_least=point.at_least,
    )


def _of_points(points: Sequence[PointResult]) -> list[Rate]:
    return [
        _of_point(p)
        for p in points
        if p.definition.headline in p.values
        and p.definition.quantity not in (BURST, INSTRUCTIONS, KERNEL)  # no rates
        and not is_twin(p.arm)
    ]


def _choose(rates: Sequence[Rate]) -> list[Rate]:
    """One rate a setup, the highest: TCP before UDP, then the smallest frame, family, direction."""
    if not rates:
        return []
    ours = [rate for rate in rates if rate.definition.driver == OURS]
    rates = ours or rates  # a known tool's value stands for itself where there is no other
    lead = min((rate.definition for rate in rates), key=_precedence)
    best: dict[str, Rate] = {}
    for rate in rates:
        held = best.get(rate.setup)
        if _precedence(rate.definition) == _precedence(lead) and (
            held is None or rate.value > held.value
        ):
            best[rate.setup] = rate
    return list(best.values())


def _precedence(definition: Definition) -> tuple[int, int, str, int]:
    order = {"up": 0, "send": 0, "down": 1, "receive": 1, "both": 2}
    size = -(definition.write_bytes or 0) or definition.frame_bytes or 1 << 16
    protocol = 0 if definition.l4 == "tcp" else 1
    if definition.quantity in COUNTS:
        protocol = 2 + list(COUNTS).index(definition.quantity)
    return protocol, size, definition.family, order.get(definition.direction, 3)


def _kernel(run: Run) -> str:
    """Who routes: in the built-in lab this machine's kernel does."""
    if run.station.kind == "netns":
        return "This machine's kernel"
    return "This virtual gateway" if run.station.virtual else "This gateway"


def _gateway(run: Run, definitions: Sequence[Definition]) -> str:
    if any(definition.slow_to_pps for definition in definitions):
        return "Slowed to a home router's speed, the lab gateway"
    if run.station.virtual:
        return "A namespace gateway" if run.station.kind == "netns" else "A virtual gateway"
    return "This gateway"


def _rates(texts: Sequence[Rate]) -> str:
    parts = [f"{_verb(texts[0])} {_full(texts[0])}"]
    parts += [f"{_verb(r)} {_bound(r)}{_short(r)}" for r in texts[1:MOST_SETUPS]]
    if len(texts) > MOST_SETUPS:
        parts.append(f"has {len(texts) - MOST_SETUPS} more setups measured")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _verb(rate: Rate) -> str:
    path, *features = rate.setup.split(" + ")
    own = OWN.get(rate.definition.direction, "ends") if path == "endpoint" else ""
    verb = own or VERBS.get(path, f"carries by {path}")
    return f"{verb} with {' + '.join(features)}" if features else verb


def _short(rate: Rate) -> str:
    """The number alone, as the first one gave the unit of packets; bits name theirs."""
    if rate.definition.quantity in COUNTS:
        return si(rate.value, "")
    if rate.definition.l4 == "tcp":
        return _measured(rate.interval, "bit/s")
    return _measured(rate.interval, "packets/s").removesuffix("packets/s").rstrip()


def _full(rate: Rate) -> str:
    """A rate with its size, its bits on the wire and its way."""
    kind, way = rate.definition, rate.definition.direction
    if kind.quantity in COUNTS:
        return f"{_bound(rate)}{si(rate.value, COUNTS[kind.quantity])}"
    if kind.l4 == "tcp":
        text = f"{_bound(rate)}{_measured(rate.interval, 'bit/s')} of TCP goodput"
    else:
        text = _bound(rate) + _measured(rate.interval, "packets/s")
    if size := kind.frame_bytes:
        i = rate.interval
        ends = l1_bps(i.value, size), l1_bps(i.lo, size), l1_bps(i.hi, size)
        bits = _measured(Interval(*ends, i.n, i.level), "bit/s")
        text += f" of {size}-byte frames ({bits} on the wire)"
    if kind.quantity == THROUGHPUT:
        text += f" {_within(kind.loss_criterion or 0.0)}"
    if way not in ("up", *OWN) or way == "both":
        text += f" {WAYS.get(way, way)}"
    return text if kind.driver == OURS else f"{text} as {kind.driver} measures it"


def _measured(i: Interval, unit: str) -> str:
    """A value with the digits that it has beside its interval; three where it has none."""
    return measured(i.value, i.lo, i.hi, unit) if i.lo < i.hi else si(i.value, unit)


def _bound(rate: Rate) -> str:
    return "≥ " if rate.at_least else ""


def _is_one_cpu(records: Sequence[Record]) -> bool:
    """Whether the gateway has a CPU of its own, and only one."""
    cpus = {reading.cpu for record in records for reading in record.evidence.cpu}
    return len(cpus) == 1 and cpus != {None}


def _phrases(records: Sequence[Record]) -> dict[Limit, str]:
    """The words for each bottleneck of this gateway."""
    cpus = {reading.cpu for record in records for reading in record.evidence.cpu}
    phrases = dict(LIMITS)
    if cpus == {None}:  # it has none of its own
        phrases["cpu"] = "the CPU is the bottleneck"
        phrases["tester"] = "the CPUs that it shares with the tester are the bottleneck"
    elif _is_one_cpu(records):
        phrases["cpu"] = "its one CPU is the bottleneck"
    return phrases


def _limits(texts: Sequence[Rate], records: Sequence[Record]) -> str:
    """A clause for each limit, with the setups that it held where they do not share one."""
    phrases = _phrases(records)
    held: dict[Limit, list[str]] = {}
    for rate in texts:
        held.setdefault(rate.limit, []).append(rate.setup)
    if len(held) <= 1:
        return "".join(phrases[limit] for limit in held)
    return ", ".join(f"{phrases[limit]} ({', '.join(setups)})" for limit, setups in held.items())
