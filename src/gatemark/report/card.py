# SPDX-License-Identifier: Apache-2.0
"""The cards of the first screen: one number each, with interval, definition and evidence.

A card whose measurement was not made is absent.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gatemark.plan.model import Plan, is_twin
from gatemark.quantity import UNITS
from gatemark.report.answer import exact, fill, grade, ladder, search
from gatemark.report.group import cost, latency, study, sweep
from gatemark.report.group.latency import Load
from gatemark.report.group.study import Study
from gatemark.report.words import headline, number, traffic
from gatemark.stats.change.ladder import INSTRUCTIONS, PACKET, quantity_of
from gatemark.stats.judgement import Comparison, Judgement, Knee, Ladder, PointResult, Step
from gatemark.stats.math.interval import Interval

LIMITS = {"cpu": "CPU", "none": "none seen", "flow-table": "flow table"}
GIGABIT_BPS = 1e9
MOST_LINES = 5
MOST_STEPS = 10  # of a ladder, on its card
LAB_CLOCK = "Here one machine's clock, veth links, and the lab's queue."
LAB_QUEUE = "the queue is the lab's (256 packets), not a device's"
Held = tuple[str, str, str]  # limit, why, where it was seen


@dataclass(frozen=True, slots=True)
class Card:
    """A number that answers one question."""

    title: str
    value: str
    unit: str
    lines: tuple[str, ...]  # what belongs to it: the other direction, bits on the wire
    definition: str
    evidence: str  # anchor
    grade: str = ""


def cards(judgement: Judgement, plans: Sequence[Plan] = (), *, virtual: bool = False) -> list[Card]:
    """Capacity, payload, delay and what load adds, connections, what arms cost, the limit."""
    studies = study.studies(judgement, plans)
    first: dict[str, Card] = {}  # of several plans on the same setup the first tells
    for card in map(_payload, studies):
        first.setdefault(card.title, card)
    capacities = [_capacity(knees) for knees in sweep.groups(judgement)]
    made = [
        *_throughput(judgement),
        *capacities[:1],
        *first.values(),
        *_latency(judgement, plans, virtual=virtual),
        *_delay(judgement, virtual=virtual),
        *_connections(judgement),
        *_features(judgement),
        *_costs(judgement),
    ]
    return [*made, *_limit(judgement, studies)]


def _throughput(judgement: Judgement) -> Iterable[Card]:
    """What the first search found by its strictest goal, its other goals, the other arms."""
    every = [goal_set for searches in search.plans(judgement).values() for goal_set in searches]
    searches = [goal_set for goal_set in every if headline.headline(goal_set.first) is not None]
    if not searches:
        return
    first_search, first = searches[0], searches[0].first
    same = [o for o in searches[1:] if (o.plan, o.load) == (first_search.plan, first_search.load)]
    rates = [(search.NAMES[goal], p) for goal, p in first_search.goals.items() if p is not first]
    rates += [(f"{search.NAMES[str(o.first.point['goal'])]} {o.arm}", o.first) for o in same]
    lines = [f"{who}: {_searched(p)}" for who, p in rates if headline.headline(p) is not None]
    value, unit = _parts(first.values["throughput_pps"], "packets/s", at_least=first.at_least)
    goal = str(first.point["goal"])
    yield Card(
        title=f"Throughput: {first.setup}",
        value=value,
        unit=unit,
        lines=tuple(lines[:MOST_LINES]),
        definition=f"{search.NAMES[goal]}: the highest rate with {search.MEANS[goal]}; "
        f"{traffic.traffic(first.definition)}.",
        evidence="throughput",
    )


def _searched(point: PointResult) -> str:
    measured = point.values["throughput_pps"]
    return number.quantity_interval(measured, "packets/s", at_least=point.at_least)


def _capacity(knees: Sequence[Knee]) -> Card:
    """The first setup's knee, then the other directions and setups of the same sweep."""
    first = sweep.lead(knees)[0]
    others = [knee for knee in knees if knee is not first]
    to = number.scale([first.knee_pps.value], "packets/s")
    lines = [f"{_what(first)}: {_wire(first)}"]
    lines += [
        f"{_what(knee)}: {number.interval(knee.knee_pps, to, at_least=knee.at_least)}"
        for knee in others
    ]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES - 1 :] = [f"and {len(lines) - MOST_LINES + 1} more"]
    value, unit = _parts(first.knee_pps, "packets/s", at_least=first.at_least)
    return Card(
        title=f"Capacity: {first.setup}",
        value=value,
        unit=unit,
        lines=(*lines, *_flooded(knees)),
        definition="The knee: the offered rate beyond which the gateway no longer keeps up; "
        f"{traffic.traffic(first.definition)}.",
        evidence=sweep.anchor("knee", first),
    )


def _what(knee: Knee) -> str:
    return f"{knee.setup} {traffic.way(knee.direction)}"


def _wire(knee: Knee) -> str:
    """The rate as bits on the wire, and how much of a line they fill."""
    share = number.quantity(knee.knee_l1_bps / GIGABIT_BPS, "ratio")
    bound = number.AT_LEAST if knee.at_least else ""
    return f"{bound}{number.quantity(knee.knee_l1_bps, 'bit/s')}, {share} of a gigabit line"


def _flooded(knees: Sequence[Knee]) -> Iterable[str]:
    """What still comes through at twice the knee, of the arm that keeps least."""
    beyond = [(knee, knee.retained["2x"]) for knee in knees if "2x" in knee.retained]
    if beyond:
        knee, left = min(beyond, key=lambda pair: pair[1].value)
        least = f" ({_what(knee)}, the least)" if len(beyond) > 1 else ""
        yield f"flooded at twice the knee it keeps {_parts(left, 'ratio')[0]} %{least}"


def _latency(judgement: Judgement, plans: Sequence[Plan], *, virtual: bool) -> Iterable[Card]:
    """The delay below the knee: of the first setup at its highest load, then all the others."""
    timed = next(iter(latency.groups(judgement, plans)), None)
    swept = [load for k in sweep.lead(judgement.knees) for load in latency.loads(judgement, k)]
    below = [point for point in swept if point.load != "over"]
    loads = list(timed.loads) if timed else below
    if not loads:
        return
    own = [
        load for load in loads if (load.arm, load.direction) == (loads[0].arm, loads[0].direction)
    ]
    others = [load for load in loads if load not in own]
    floor = latency.floor(judgement, loads[0].point.definition)
    value, unit = _parts(own[-1].point.values[grade.MEDIAN], "ns")
    lines = [_timed(judgement, load) for load in own]
    lines += [f"{latency.way(point)}, {_timed(judgement, point)}" for point in _last(others)]
    lines += [f"the tester alone: {latency.spread(floor)}"] if floor else []
    lines += [_variation(own[-1])] if "delay_pdv_ns" in own[-1].point.values else []
    clock = f" {LAB_CLOCK}" if virtual else ""
    anchor = timed.anchor if timed else ""
    yield Card(
        title=f"One-way delay: {own[-1].point.setup}",
        value=value,
        unit=f"{unit} at {_rate(own[-1])}",
        lines=tuple(lines[: MOST_LINES + 1]),
        definition=f"Median; {traffic.traffic(own[-1].point.definition)}. {latency.WHERE}{clock} "
        f"Known to within {latency.KNOWN}.",
        evidence="delays" if anchor else "every-point",
    )


def _timed(judgement: Judgement, load: Load) -> str:
    part = latency.share(judgement, load.point)
    of = f" ({number.plain(part * 100, 0)} % of its knee)" if part else ""
    return f"at {_rate(load)}{of}: {latency.spread(load.point)}"


def _variation(load: Load) -> str:
    text = number.quantity_interval(load.point.values["delay_pdv_ns"], "ns")
    return f"variation (99.9 % against the fastest): {text}"


def _rate(load: Load) -> str:
    return number.nominal(sweep.offered_pps(load.point), "packets/s")


def _last(loads: Sequence[Load]) -> list[Load]:
    """Each arm's highest load, in each direction."""
    return list({(load.arm, load.direction): load for load in loads}.values())


def _delay(judgement: Judgement, *, virtual: bool) -> Iterable[Card]:
    delay = grade.added(judgement)
    if delay is None:
        return
    value, unit = _parts(delay.delay_ns, "ns")
    idle = delay.light.values[grade.MEDIAN]
    lines = [f"nearly idle: {number.quantity_interval(idle, 'ns')}"]
    if "delay_p99_ns" in delay.light.values:
        lines[0] += f", 99 of 100 within {_ns(delay.light.values['delay_p99_ns'])}"
    lines.append(f"overloaded: {number.quantity_interval(delay.heavy.values[grade.MEDIAN], 'ns')}")
    lines += [LAB_QUEUE] if virtual else []
    is_told = delay.heavy.limit != "tester"  # else it says more of the tester than of a gateway
    graded = f" Grade: {grade.limits()}." if is_told else ""
    rates = [number.nominal(sweep.offered_pps(p), "packets/s") for p in (delay.heavy, delay.light)]
    yield Card(
        title="Delay under load",
        value=f"+{value}" if delay.delay_ns.value > 0 else value,
        unit=unit,
        lines=tuple(lines),
        definition=f"Added to the median one-way delay by {rates[0]} offered, against {rates[1]}; "
        f"{_what(delay.knee)}.{graded}",
        evidence=sweep.anchor("delay", delay.knee),
        grade=grade.letter(delay.delay_ns.value) if is_told else "",
    )


def _ns(i: Interval) -> str:
    return number.quantity(i.value, "ns")


def _payload(shown: Study) -> Card:
    """The first arm of a study at its best, then the other arms, or the way down the sizes."""
    lead = shown.points[0]
    first = _best([p for p in shown.points if p.arm == lead.arm and _alike(p, lead)])
    others = [arm for arm in study.arms(shown.points) if arm != first.arm]
    lines = [_busy(first)] if "cpu_busy" in first.values else []
    alike = [point for point in shown.points if _alike(point, first)]
    lines += [
        f"{arm}: {_own_rate(_best([p for p in alike if p.arm == arm]))}" for arm in others[:3]
    ]
    if not others and first.definition.l4 == "tcp":
        least = min(alike, key=_value)
        lines.append(f"{traffic.load(least.definition)}: {_own_rate(least)}")
    value, unit = _parts(_measured(first), "bit/s", at_least=first.at_least)
    return Card(
        title=f"{first.definition.l4.upper()}: {first.setup}",
        value=value,
        unit=f"{unit} of payload",
        lines=tuple(lines),
        definition=(
            f"{traffic.way(first.definition.direction)}, {traffic.traffic(first.definition)}."
        ),
        evidence=shown.anchor,
    )


def _features(judgement: Judgement) -> Iterable[Card]:
    """What the first step of the first ladder costs, then what the others do."""
    for steps_of in judgement.ladders[:1]:
        name = quantity_of(steps_of)
        steps = [s for s in steps_of.steps if name in s.costs and not s.twin]
        if not steps:
            return
        if name == INSTRUCTIONS:
            yield _counted(steps_of, steps)
            return
        first, *others = steps
        value, unit = _parts(first.costs[name].difference, UNITS[name])
        of = " a packet" if name == PACKET else ""
        lines = [f"{first.arm}, against {first.against}: {ladder.verdict(steps_of, first)}"]
        lines += [f"{step.arm}: {_step(steps_of, step, name)}" for step in others]
        if len(lines) > MOST_STEPS:
            lines[MOST_STEPS - 1 :] = [f"and {len(lines) - MOST_STEPS + 1} more"]
        yield Card(
            title="Cost of features",
            value=f"+{value}" if first.costs[name].difference.value > 0 else value,
            unit=f"{unit}{of}",
            lines=tuple(lines),
            definition="What each adds to the arm that it is against, by differences within blocks "
            f"of trials that took turns; {ladder.sent(steps_of)}.",
            evidence=ladder.anchor(steps_of),
        )


def _counted(stack: Ladder, steps: Sequence[Step]) -> Card:
    """The same in instructions."""
    first, *others = steps
    lines = [f"{first.arm}, against {first.against}: {exact.verdict(first)}"]
    lines += [f"{s.arm}: {exact.added(s.costs[INSTRUCTIONS].difference)}" for s in others]
    if len(lines) > MOST_STEPS:
        lines[MOST_STEPS - 1 :] = [f"and {len(lines) - MOST_STEPS + 1} more"]
    return Card(
        title="Cost of features",
        value=exact.added(first.costs[INSTRUCTIONS].difference),
        unit="instructions a packet",
        lines=tuple(lines),
        definition="What each adds to the arm that it is against, of packets sent one at a time; "
        f"{ladder.sent(stack)}.",
        evidence=ladder.anchor(stack),
    )


def _step(stack: Ladder, step: Step, name: str) -> str:
    cost = step.costs[name]
    value, unit = _parts(cost.difference, UNITS[name])
    sign = "+" if cost.difference.value > 0 else ""
    doubt = "" if cost.verdict in ladder.VERDICTS else f", {ladder.verdict(stack, step)}"
    return f"{sign}{value} {unit}{doubt}"


def _connections(judgement: Judgement) -> Iterable[Card]:
    """The most held at once by the setup that held least, what each takes, then the others."""
    filled = fill.held(judgement)
    if not filled:
        return
    first = min(filled, key=fill.count)
    kind = first.definition
    of = "UDP, a packet each" if kind.l4 == "udp" else "TCP, a message and its echo each"
    is_asked = first.limit == "none"
    others = [f"{p.setup}: {_held(p)}" for p in filled if p is not first]
    whole = number.Scale(1.0, kind.headline)
    yield Card(
        title=f"Connections: {first.setup}",
        value=number.interval(first.values[kind.headline], whole, at_least=is_asked),
        unit=f"{whole.unit} at once",
        lines=(first.why, *fill.lines(first), *others[:MOST_LINES]),
        definition=f"{of}; {'no more were asked for' if is_asked else 'until one failed'}.",
        evidence=fill.ANCHOR if kind.l4 == "udp" else "connections-held",
    )


def _held(point: PointResult) -> str:
    """How many, and whether more were not asked for."""
    headline = point.definition.headline
    is_asked = point.limit == "none"
    return number.quantity_interval(point.values[headline], headline, at_least=is_asked)


def _costs(judgement: Judgement) -> Iterable[Card]:
    """What an arm costs, or gains, at its worst: each once, in the first plan that tells it."""
    worst: dict[str, tuple[Comparison, str]] = {}
    for group in cost.groups(judgement):
        compared = [
            comparison
            for comparison in group
            if not is_twin(comparison.arm) and not comparison.at_least
        ]
        for name in dict.fromkeys(
            cost.name(comparison) for comparison in compared if comparison.quantity in cost.RATES
        ):
            own = [comparison for comparison in compared if cost.name(comparison) == name]
            least = min(own, key=lambda comparison: comparison.change.change.value)
            worst.setdefault(name, (least, cost.anchor(group)))
    if worst:
        yield _cost(list(worst.items()))


def _cost(texts: Sequence[tuple[str, tuple[Comparison, str]]]) -> Card:
    """The first arm's cost, then the others'."""
    name, (first, anchor) = texts[0]
    is_cost = first.change.verdict == "slower"
    change = first.change.change
    text = cost.percent(number.size(change) if is_cost else change).removesuffix(" %")
    others = [
        f"{other}: {_cost_words(comparison)}" for other, (comparison, _) in texts[1:MOST_LINES]
    ]
    return Card(
        title=f"{'Cost of' if is_cost else 'Change by'} {name}",
        value=text.lstrip("+") if is_cost else text,
        unit="%",
        lines=(f"against {traffic.does(first.baseline)}: {first.change.verdict}", *others),
        definition=f"Of the rate, {traffic.load(first.definition)}; where it is worst.",
        evidence=anchor,
    )


def _cost_words(comparison: Comparison) -> str:
    return f"{cost.percent(comparison.change.change)}, {comparison.change.verdict}"


def _limit(judgement: Judgement, studies: Sequence[Study]) -> Iterable[Card]:
    points = [point for study in studies for point in study.points]
    held: list[Held] = [(k.limit, k.why, _what(k)) for k in judgement.knees]
    held += [(p.limit, p.why, f"{p.setup} {traffic.way(p.definition.direction)}") for p in points]
    limits = [limit for limit in dict.fromkeys(limit for limit, *_ in held) if limit != "none"]
    if not held:
        return
    yield Card(
        title="Bottleneck",
        value=", ".join(LIMITS.get(limit, limit) for limit in limits or ["none"]),
        unit="",
        lines=tuple(_reason(held, limit) for limit in limits),
        definition="What held the gateway back"
        f"{' at the knee' if judgement.knees and not points else ''}.",
        evidence="every-point",
    )


def _reason(held: Sequence[Held], limit: str) -> str:
    """Where a limit was seen first, and by what."""
    _, why, where = next(limited for limited in held if limited[0] == limit)
    return f"{where}: {why}" if why else where


def _measured(point: PointResult) -> Interval:
    return point.values[headline.PAYLOAD[point.definition.l4]]


def _value(point: PointResult) -> float:
    return _measured(point).value


def _best(points: Sequence[PointResult]) -> PointResult:
    return max(points, key=_value)


def _alike(point: PointResult, other: PointResult) -> bool:
    a, b = point.definition, other.definition
    return (a.l4, a.family, a.direction) == (b.l4, b.family, b.direction)


def _busy(point: PointResult) -> str:
    return f"CPU {number.plain(point.values['cpu_busy'].value * 100, 0)} %"


def _own_rate(point: PointResult) -> str:
    text = number.quantity_interval(_measured(point), "bit/s", at_least=point.at_least)
    return f"{text} ({_busy(point)})" if "cpu_busy" in point.values else text


def _parts(i: Interval, unit: str, *, at_least: bool = False) -> tuple[str, str]:
    to = number.scale([i.value], unit)
    return number.interval(i, to, at_least=at_least), to.unit
