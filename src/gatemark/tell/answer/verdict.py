# SPDX-License-Identifier: Apache-2.0
"""The verdict that people ask for: a letter, what works beside a load, which shaper to set.

It is of the line's queue. On a virtual or slowed gateway that is the lab's, which its words say.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.math.interval import Interval
from gatemark.judge.verdict import shaping
from gatemark.judge.verdict.grade import limits
from gatemark.judge.verdict.responsive import responsive
from gatemark.judge.verdict.shaper import advice
from gatemark.judge.verdict.use import RULES, Reason, Use
from gatemark.judge.verdict.verdict import Verdict, verdicts
from gatemark.tell.group.each_run import by_run
from gatemark.tell.group.source import Source
from gatemark.tell.words import number, traffic
from gatemark.tell.words.brief import NAMES, Brief
from gatemark.tell.words.number import MBPS, PERCENT, Scale
from gatemark.tell.words.table import NONE, Table
from gatemark.tell.words.verdict import line, paragraph, responsiveness, sentence

ANCHOR: Final = "verdict"
MS: Final = Scale(1e6, "ms")
MOS: Final = Scale(1.0, "")
QUICK: Final = "quick/"  # a suite whose gateway has the lab's queue has no letter
HERE: Final = "In this lab, "
CAPTION: Final = (
    "Beside a load. Added: mean round trip, of the directions in the column (the worse one first); "
    "high percentile: of the worse, the highest that ten packets exceed. Grade: {}. "
    "IQB: whether that barometer's thresholds are kept, too{}"
)
SHORT: Final = "Beside a load{}: what it adds to a round trip, and how the line is graded by it{}"
HEADS: Final = (
    *(NAMES, ("", "grade"), ("adds,", "ms"), ("high,", "ms")),
    *(("", "works"), ("does not", "work")),
)
LINE: Final = "line."  # a factor of the emulated line
NUMERIC: Final = frozenset(
    {"idle, ms", "added, ms", "high percentile, ms", "up, Mbit/s", "down, Mbit/s", "CPU, %"}
)
NOT_A_DEVICE: Final = ". This lab's queue, not a device's"


def tables(source: Source) -> list[tuple[str, Table]]:
    """A row for each point that has a flow beside a load."""
    pairs = [(run, v) for run in by_run(source).values() for v in shown(run)]
    every = [verdict for _, verdict in pairs]
    return [(ANCHOR, table(every, is_lab=any(_is_lab(run, verdict) for run, verdict in pairs)))]


def shown(source: Source) -> list[Verdict]:
    """All but those of `quick` on a gateway that is no device."""
    every = verdicts(source.judgement)
    return [v for v in every if not (_is_lab(source, v) and v.point.plan.startswith(QUICK))]


def lines(source: Source) -> list[str]:
    """In a sentence each: what the load does at worst, and with the best shaper; or none."""
    every = shown(source)
    trips = responsiveness(responsive(source.judgement.points))
    if not every:
        return trips
    advised = advice(every, shaping.rates(source.judgement.points))
    worst = max(advised, key=lambda made: made.before.added_ns.value, default=None)
    texts = paragraph(worst) if worst else [f"{sentence(max(every, key=_added))}."]
    if _is_lab(source, every[0]):
        texts[0] = f"{HERE}{texts[0][0].lower()}{texts[0][1:]}"
    return [*texts, *trips]


def table(every: Sequence[Verdict], *, is_lab: bool) -> Table:
    """A column that no row has is left out."""
    rows = [dict(_cells(verdict)) for verdict in every]
    heads = [head for head in (rows[0] if rows else ()) if any(row[head] != NONE for row in rows)]
    return Table(
        CAPTION.format(limits(), NOT_A_DEVICE if is_lab else ""),
        tuple(heads),
        tuple(tuple(row[head] for head in heads) for row in rows),
        frozenset(place for place, head in enumerate(heads) if head in NUMERIC),
    )


def brief(source: Source) -> Brief:
    """The same for the first answer: letter, delay, and what works."""
    every = shown(source)
    lines = {line(verdict.line_bps) for verdict in every}
    rows = tuple(_brief(verdict, is_alike=len(lines) == 1) for verdict in every)
    where = f", {lines.pop()}" if len(lines) == 1 and "" not in lines else ""
    lab = NOT_A_DEVICE if any(_is_lab(source, verdict) for verdict in every) else ""
    return Brief(SHORT.format(where, lab), HEADS, rows)


def _brief(verdict: Verdict, *, is_alike: bool) -> tuple[str, ...]:
    factors = verdict.factors.items()
    at = {key: level for key, level in factors if not (is_alike and key.startswith(LINE))}
    good, bad = (
        [use.name for use in verdict.uses if use.works is is_so] for is_so in (True, False)
    )
    tail = verdict.tail_ns
    return (
        ", ".join([verdict.point.arm, *([traffic.point(at)] if at else [])]),
        verdict.letter,
        number.value_alone(verdict.added_ns, MS),
        f"{number.value_alone(tail, MS)} ({verdict.tail})" if tail else NONE,
        ", ".join(good) or NONE,
        ", ".join(bad) or NONE,
    )


def _cells(verdict: Verdict) -> Iterator[tuple[str, str]]:
    point = verdict.point
    yield "setup", point.arm
    factors = verdict.factors
    yield "load", traffic.point(factors) if factors else ", ".join(filter(None, verdict.loads))
    yield "line", line(verdict.line_bps) or NONE
    yield "grade", verdict.letter
    yield "idle, ms", _cell(verdict.idle_ns, MS)
    yield "added, ms", _cell(verdict.added_ns, MS)
    tail = verdict.tail_ns
    yield "high percentile, ms", f"{_cell(tail, MS)} ({verdict.tail})" if tail else NONE
    yield "of", ", ".join(sorted(verdict.ways, key=lambda way: way != verdict.worse))
    for way in ("down", "up"):
        yield f"{way}, Mbit/s", _cell(verdict.goodput_bps.get(way), MBPS)
    yield "CPU, %", _cell(verdict.cpu, PERCENT)
    uses = {use.name: use for use in verdict.uses}
    for name in RULES:
        yield name, _use(uses[name]) if name in uses else NONE


def _use(use: Use) -> str:
    """`yes: missed 0.3 %; IQB no`."""
    text = f"{_yes(is_so=use.works)}: {_reason(use.reason)}"
    return text if use.iqb is None else f"{text}; IQB {_yes(is_so=use.iqb)}"


def _reason(reason: Reason) -> str:
    to, unit = {
        "round trip": (MS, " ms"),
        "mos": (MOS, ""),
    }.get(reason.quantity, (PERCENT, " %"))
    name = "MOS" if reason.quantity == "mos" else reason.quantity
    return f"{name} {number.interval(reason.value, to)}{unit}"


def _yes(*, is_so: bool) -> str:
    return "yes" if is_so else "no"


def _cell(value: Interval | None, to: Scale) -> str:
    return NONE if value is None else number.interval(value, to)


def _added(verdict: Verdict) -> float:
    return verdict.added_ns.value


def _is_lab(source: Source, verdict: Verdict) -> bool:
    """Return whether it is of a gateway that is no device."""
    return source.run.station.virtual or bool(verdict.point.definition.slow_to_pps)
