# SPDX-License-Identifier: Apache-2.0
"""The instructions of a packet of a setup, by the model of a run in instructions; no rate."""

from dataclasses import dataclass

from gatemark.judge.capacity.line import tells_down
from gatemark.judge.capacity.model import Model
from gatemark.judge.capacity.part import Parts, parts
from gatemark.judge.capacity.term import Case, Setup
from gatemark.judge.math.interval import Interval


@dataclass(frozen=True, slots=True)
class Count:
    """Instructions of one packet, one at a time."""

    case: Case
    instructions: Interval  # by the model
    least: float  # with its margin besides
    most: float
    parts: Parts  # base, path, features, bytes: what they come to
    measured: Interval | None  # the case itself; None: it was not counted


def counts(model: Model, setup: Setup, frame_bytes: float) -> list[Count]:
    """Return the count of each direction that the run has."""
    ways = ("up", "down") if tells_down(model) else ("up",)
    return [_count(model, Case(setup, way, frame_bytes)) for way in ways]


def _count(model: Model, case: Case) -> Count:
    takes = model.takes(case)
    own = [check.measured for check in model.checks if check.case == case]
    return Count(
        case=case,
        instructions=takes,
        least=takes.lo / model.margin,
        most=takes.hi * model.margin,
        parts=parts(model, case),
        measured=own[0] if own else None,
    )
