# SPDX-License-Identifier: Apache-2.0
"""Whether what was measured is enough for an access line, in a sentence for each packet size."""

from collections.abc import Sequence
from math import isfinite

from msgspec.structs import replace

from gatemark.judge.capacity.line import Line
from gatemark.judge.judgement import PointResult
from gatemark.judge.line import Share, shares
from gatemark.judge.math.interval import Interval
from gatemark.tell.answer import verdict
from gatemark.tell.group.source import Source
from gatemark.tell.words import number
from gatemark.tell.words.number import PERCENT

NOT_MEASURED = (
    "not known, as no full frames were sent both ways at full speed: gatemark run quick, or fit"
)


def lines(source: Source) -> list[str]:
    """The answer for the line that a run is asked to carry; none where a verdict is the answer."""
    if not source.run.line:
        return []
    asked = Line(*source.run.line)
    if not shares(source.judgement.points, asked) and verdict.shown(source):
        return []
    return [sentence(source.judgement.points, asked)]


def sentence(points: Sequence[PointResult], line: Line) -> str:
    """`Line 1000/500 Mbit/s through nat: enough at 1518 bytes (leaves 70 % ...), ...`."""
    answers = shares(points, line)
    rates = "/".join(f"{bps / 1e6:g}" for bps in (line.down_bps, line.up_bps))
    if not answers:
        return f"Line {rates} Mbit/s: {NOT_MEASURED}."
    clauses = ", ".join(map(_clause, answers))
    return f"Line {rates} Mbit/s through {answers[0].setup}: {clauses}."


def _clause(answer: Share) -> str:
    what = f"{answer.answer} {'with' if answer.size == 'IMIX' else 'at'} {answer.size}"
    if answer.answer == "enough":
        return f"{what} (leaves {number.interval(_left(answer.share), PERCENT)} % of the gateway)"
    if not isfinite(answer.share.hi):  # one repeat carried nothing
        return what
    return f"{what} (needs {number.interval(answer.share, PERCENT)} % of it)"


def _left(share: Interval) -> Interval:
    return replace(share, value=1 - share.value, lo=1 - share.hi, hi=1 - share.lo)
