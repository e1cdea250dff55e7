# SPDX-License-Identifier: Apache-2.0
"""ECN: what a gateway does to its bits."""

from collections.abc import Iterator

from gatemark.judge.judgement import PointResult
from gatemark.kind.ecn.plan import ECN
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import number, traffic

# What is wrong: the value, and its words.
WRONG = {
    "ecn_bleached": "bleaches {} of the packets that can be marked, so queues behind it drop them",
    "ecn_hidden": "takes the mark off {} of the marked packets, so senders do not slow down",
    "ecn_made": "makes {} of the packets capable of marks that their senders do not heed",
}


def applies(case: Case) -> bool:
    """Return True where ECN was asked for."""
    return any(point.definition.quantity == ECN for point in case.judgement.points)


def say(case: Case) -> str:
    """Say of each setup what is wrong, else that the bits come as they may, and who marks."""
    points = [p for p in case.judgement.points if p.definition.quantity == ECN]
    points = [point for point in points if "ecn_kept" in point.values]
    wrong = [f"{_place(point)} {text}" for point in points for text in _wrong(point)]
    marks = [
        f"{_place(point)} marks {_share(point, 'ecn_marked')} of the capable packets"
        for point in points
        if _value(point, "ecn_marked") and not _value(point, "ecn_hidden")
    ]
    if not points:
        return ""
    if not wrong:
        wrong = ["The bits of ECN come as they may"]
    text = "; ".join((*wrong, *marks))
    return f"{text}."


def _wrong(point: PointResult) -> Iterator[str]:
    for name, words in WRONG.items():
        if _value(point, name) and not (name == "ecn_hidden" and _is_bleached(point)):
            yield words.format(_share(point, name))
    if _value(point, "ecn_opened", 1.0) < 1:
        yield "takes ECN's flags out of the segments that open TCP, so nobody uses it"


def _is_bleached(point: PointResult) -> bool:
    """Return whether marks are lost as all of the bits are."""
    return _value(point, "ecn_bleached") >= _value(point, "ecn_hidden")


def _value(point: PointResult, name: str, default: float = 0.0) -> float:
    return point.values[name].value if name in point.values else default


def _share(point: PointResult, name: str) -> str:
    return number.quantity(point.values[name].value, "ratio")


def _place(point: PointResult) -> str:
    definition = point.definition
    return f"{point.arm} ({definition.direction}, {traffic.FAMILY[definition.family]})"
