# SPDX-License-Identifier: Apache-2.0
"""Arms against the first arm of their plan, in words: `NAT costs 14.9 ± 0.4 % against routing`."""

from collections.abc import Sequence

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.change.sampled import KNEE
from gatemark.judge.judgement import Comparison, Judgement
from gatemark.judge.math.interval import LEVEL, Interval
from gatemark.plan.model import is_twin
from gatemark.quantity import words
from gatemark.tell.group import sweep
from gatemark.tell.words import number, traffic
from gatemark.tell.words.number import PERCENT

NO_CHANGE = ("no change", "within noise")
RATES = (KNEE, "throughput_pps", "received_pps", "received_l4_bps", "goodput_bps")
OTHERS = {"delay_p50_ns": "median delay", "burst_packets": "longest burst"}
MOST_ARMS = 3  # that a title names
TOO_FEW = "too few repeats"


def groups(judgement: Judgement) -> list[list[Comparison]]:
    """Comparisons that share one figure: of one plan, of rates or of one other quantity.

    A change from or to nothing has no number and no place in a figure; the table has it.
    """
    comparisons: dict[tuple[str, str], list[Comparison]] = {}
    for comparison in judgement.comparisons:
        if max(abs(comparison.change.change.value), comparison.change.change.hi) >= UNBOUNDED:
            continue
        comparisons.setdefault((comparison.plan, _kind(comparison)), []).append(comparison)
    return list(comparisons.values())


def anchor(comparisons: Sequence[Comparison]) -> str:
    """The name of their figure."""
    return sweep.plain(f"change-{comparisons[0].plan}-{_kind(comparisons[0])}")


def arms(comparisons: Sequence[Comparison]) -> list[str]:
    """The arms that are compared with the baseline, each once."""
    return list(dict.fromkeys(comparison.arm for comparison in comparisons))


def finding(comparisons: Sequence[Comparison]) -> str:
    """What the arms cost, one clause each."""
    shown_comparisons = [
        comparison for comparison in comparisons if not is_twin(comparison.arm)
    ] or list(comparisons)
    names = arms(shown_comparisons)
    clauses = [
        _clause([comparison for comparison in shown_comparisons if comparison.arm == name])
        for name in names[:MOST_ARMS]
    ]
    more = len(names) - MOST_ARMS
    clauses += [f"{more} more arm{'' if more == 1 else 's'}"] if more > 0 else []
    text = "; ".join(clauses)
    if kind := _kind(shown_comparisons[0]):
        text = f"{OTHERS.get(kind, words(kind))}: {text}"
    return text[:1].upper() + text[1:]


def percent(i: Interval) -> str:
    """A change with its sign and interval: `+67 ± 2 %`."""
    sign = "+" if i.value > 0 else ""
    return f"{sign}{number.interval(i, PERCENT)} %"


def name(comparison: Comparison) -> str:
    """The arm as what it does, where it has no name of its own."""
    setup = comparison.definition.setup
    return (
        traffic.does(setup)
        if comparison.arm in (setup, comparison.definition.path)
        else comparison.arm
    )


def place(comparison: Comparison, among: Sequence[Comparison]) -> tuple[str, str]:
    """A heading and a name below it: the arm, then the factors in which the points differ."""
    texts = _varying(among)
    words = [traffic.factor(f, comparison.point[f]) for f in texts if f in comparison.point]
    several = len(arms(among)) > 1
    heading = ", ".join([comparison.arm] * (several or not words) + words[:-1])
    return heading, words[-1] if words else ""


def _varying(among: Sequence[Comparison]) -> list[str]:
    """Factors in which points differ; one that all points of its protocol share tells nothing."""
    factors = dict.fromkeys(factor for comparison in among for factor in comparison.point)
    kinds = {comparison.definition.l4 for comparison in among}
    alike = {
        factor
        for factor in factors
        if factor != "kind"
        and all(
            len(
                {
                    comparison.point.get(factor)
                    for comparison in among
                    if comparison.definition.l4 == kind
                }
            )
            == 1
            for kind in kinds
        )
    }
    levels = {factor: {comparison.point.get(factor) for comparison in among} for factor in factors}
    return [f for f in factors if f not in alike and len(levels[f]) > 1]


def _clause(comparisons: Sequence[Comparison]) -> str:
    who, other = name(comparisons[0]), traffic.does(comparisons[0].baseline)
    unlimited = [comparison for comparison in comparisons if not comparison.at_least]
    if not unlimited:
        return f"{who} against {other}: the tester was the bottleneck"
    if len(unlimited) < len(comparisons):
        more = len(comparisons) - len(unlimited)
        points = f"{more} more point{'' if more == 1 else 's'}"
        return f"{_clause(unlimited)} (at {points} the tester was the bottleneck)"
    verdicts = {comparison.change.verdict for comparison in comparisons}
    if verdicts <= set(NO_CHANGE):
        seen = number.quantity(max(comparison.change.mde for comparison in comparisons), "ratio")
        return f"{who} against {other}: no change that shows ({seen} would)"
    if _kind(comparisons[0]) or verdicts not in ({"slower"}, {"faster"}):
        return f"{who} against {other}: {_span(comparisons, signed=True)}{_doubt(comparisons)}"
    does = "costs" if verdicts == {"slower"} else "gains"
    return f"{who} {does} {_span(comparisons, signed=False)} against {other}"


def _span(comparisons: Sequence[Comparison], *, signed: bool) -> str:
    """One change with its interval, several as a range of their medians."""
    if len(comparisons) == 1:
        change = comparisons[0].change.change
        return percent(change) if signed else percent(number.size(change)).removeprefix("+")
    values = sorted(comparison.change.change.value for comparison in comparisons)
    low, high = (
        (values[0], values[-1]) if signed else sorted(abs(v) for v in (values[0], values[-1]))
    )
    digits = number.decimals_of((high - low) * 100 / 10 or 1.0)
    texts = [number.plain(v * 100, min(digits, 1)) for v in (low, high)]
    return f"{' to '.join(dict.fromkeys(texts))} %"


def is_sparse(comparison: Comparison) -> bool:
    """Whether its repeats are too few for an interval of 95 %, however large the change is."""
    return comparison.change.change.level < LEVEL


def _doubt(comparisons: Sequence[Comparison]) -> str:
    if {comparison.change.verdict for comparison in comparisons} != {"inconclusive"}:
        return ""
    return f", {TOO_FEW}" if all(map(is_sparse, comparisons)) else ", inconclusive"


def _kind(comparison: Comparison) -> str:
    """Empty for rates: UDP and TCP of one plan stand together."""
    return "" if comparison.quantity in RATES else comparison.quantity
