# SPDX-License-Identifier: Apache-2.0
"""Scores as rows for programs, and as tables for people."""

from collections.abc import Iterator, Sequence
from itertools import chain

from gatemark.classifier.recipe import PRIORITY
from gatemark.classifier.score import Beside, Confusion, Interval, Scores

Row = dict[str, object]
Table = list[tuple[str, ...]]


def rows(scores: Scores) -> Iterator[Row]:
    """One row for each finding, each with its `what`."""
    yield from chain.from_iterable(map(_beside_rows, scores.beside))
    whole = scores.beside[0]
    for (label, given), flows in sorted(whole.tree.counts.items()):
        place = {"least_packets": whole.least_packets}
        yield {"what": "confusion", **place, "class": label, "given": given, "flows": flows}
    for name in classes(whole.tree):
        place = {"least_packets": whole.least_packets}
        yield {"what": "class", **place, "class": name, **_values(whole.tree, name)}
    if speed := scores.speed:
        yield {
            "what": "first right decision",
            "flows": speed.flows,
            "never": speed.never,
            "packets_p50": speed.packets,
            "seconds_p50": speed.seconds,
        }
    for apart in scores.apart:
        yield {
            "what": "apart",
            "role": apart.role,
            "flows": apart.flows,
            "given_priority": apart.favoured,
            "given_priority_by_one_line": apart.by_one_line,
        }
    for uplink in scores.uplink:
        yield {
            "what": "uplink bytes with priority",
            "class": uplink.name,
            "bytes": uplink.bytes_,
            "priority_bytes": uplink.favoured,
            "ratio": uplink.ratio,
        }
    for application in scores.applications:
        yield {
            "what": "application",
            "application": application.name,
            "class": application.label,
            "flows": application.flows,
            "windows": application.windows,
            "right_windows": application.right_windows,
            "right_flows": application.right_flows,
        }


def _beside_rows(beside: Beside) -> Iterator[Row]:
    place: Row = {"flows": beside.flows, "least_packets": beside.least_packets}
    for by, confusion in (("tree", beside.tree), ("one line", beside.baseline)):
        yield {"what": "score", **place, "by": by, **_values(confusion, PRIORITY)}
    for what, (least, most) in (("f1 interval", beside.f1), ("gain interval", beside.gain)):
        yield {"what": what, **place, "lo": least, "hi": most}


def classes(confusion: Confusion) -> list[str]:
    """All that are right or given."""
    return sorted({name for pair in confusion.counts for name in pair})


def _values(confusion: Confusion, name: str) -> Row:
    return {
        "precision": confusion.precision(name),
        "recall": confusion.recall(name),
        "f1": confusion.f1(name),
    }


def tables(scores: Scores) -> Iterator[Table]:
    """The same as tables with a header; applications are those that are to have priority."""
    yield [
        ("FLOWS", "BY", "NUMBER", "PRECISION", "RECALL", "F1", "95%"),
        *_score_rows(scores.beside),
    ]
    whole = scores.beside[0].tree
    names = classes(whole)
    yield [
        ("CLASS", *(f"GIVEN {name}" for name in names), "PRECISION", "RECALL"),
        *(
            (
                name,
                *(str(whole.counts.get((name, given), 0)) for given in names),
                ratio(whole.precision(name)),
                ratio(whole.recall(name)),
            )
            for name in names
        ),
    ]
    if scores.apart:
        yield [
            ("APART", "FLOWS", "GIVEN PRIORITY", "BY ONE LINE"),
            *((a.role, str(a.flows), str(a.favoured), str(a.by_one_line)) for a in scores.apart),
        ]
    yield [
        ("UPLINK OF", "BYTES", "WITH PRIORITY"),
        *((u.name, str(u.bytes_), f"{u.ratio:.1%}") for u in scores.uplink),
    ]
    yield [
        ("APPLICATION", "FLOWS", "WINDOWS", "RIGHT WINDOWS", "RIGHT FLOWS"),
        *(
            (a.name, str(a.flows), str(a.windows), ratio(a.right_windows), ratio(a.right_flows))
            for a in scores.applications
            if a.label == PRIORITY
        ),
    ]


def _score_rows(besides: Sequence[Beside]) -> Iterator[tuple[str, ...]]:
    for beside in besides:
        least = f", {beside.least_packets} packets or more" if beside.least_packets else ""
        for by, scored in (("tree", beside.tree), ("one line", beside.baseline)):
            yield (
                f"{beside.flows}{least}",
                by,
                str(sum(scored.counts.values())),
                ratio(scored.precision(PRIORITY)),
                ratio(scored.recall(PRIORITY)),
                ratio(scored.f1(PRIORITY)),
                interval(beside.f1) if by == "tree" else "",
            )
        yield f"{beside.flows}{least}", "gain", "", "", "", gain(beside), interval(beside.gain)


def gain(beside: Beside) -> str:
    """The tree's F1 less the baseline's."""
    ours, theirs = (c.f1(PRIORITY) for c in (beside.tree, beside.baseline))
    return "-" if ours is None or theirs is None else f"{ours - theirs:+.3f}"


def interval(bounds: Interval) -> str:
    """From and to."""
    return f"{bounds[0]:.3f} to {bounds[1]:.3f}"


def ratio(value: float | None) -> str:
    """Three digits; nothing where there is nothing to divide."""
    return "-" if value is None else f"{value:.3f}"


def sentences(scores: Scores) -> Iterator[str]:
    """Yield the sentences beside the tables."""
    if speed := scores.speed:
        yield (
            f"First right decision of {speed.flows} real-time flows: after {speed.packets:g} "
            f"packets and {speed.seconds:.2f} s (medians); {speed.never} flows never had one."
        )
    if (recall := scores.recall_of_applications) is not None:
        yield f"Mean share of right windows over the real-time applications: {recall:.3f}."
