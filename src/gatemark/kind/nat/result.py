# SPDX-License-Identifier: Apache-2.0
"""The outcome of the questions: the values, and the packets that show them."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from gatemark.kind.nat.ask import Answers
from gatemark.kind.nat.load import loads
from gatemark.kind.nat.plan import NAT
from gatemark.kind.nat.requirement import share_met
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of NAT alone."""
    del load
    return replace(both, l4="", quantity=NAT)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values, and the share of the requirements that they meet."""
    values = _answers(raw).values
    share = share_met(values, spec.workload.duration_s)
    return values | ({} if share is None else {"nat_met": share}), None


def evidence(raw: Raw) -> Mapping[str, Any]:
    """The packets that show each value."""
    return {"nat": _answers(raw).shown}


def _answers(raw: Raw) -> Answers:
    answers: Answers = raw.ways[0].sender["nat"]
    return answers


KIND: Final = Kind(loads, define, outcome, evidence=evidence)
