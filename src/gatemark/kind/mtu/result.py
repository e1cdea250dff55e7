# SPDX-License-Identifier: Apache-2.0
"""The outcome of the questions of sizes."""

from typing import Final

from msgspec.structs import replace

from gatemark.kind.mtu.load import loads
from gatemark.kind.mtu.plan import MTU
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of sizes alone."""
    del load
    return replace(both, l4="", quantity=MTU)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the answers."""
    del spec
    return dict(raw.ways[0].sender["mtu"]), None


KIND: Final = Kind(loads, define, outcome)
