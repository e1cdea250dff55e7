# SPDX-License-Identifier: Apache-2.0
"""The outcome of the questions of sizes."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.kind.mtu.load import loads
from gatemark.kind.mtu.plan import MTU
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition
from gatemark.store.series import Series
from gatemark.workload.way import Way


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of sizes alone."""
    del load
    return replace(both, l4="", quantity=MTU)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the answers."""
    del spec
    return dict(raw.ways[0].sender["mtu"]), None


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Return none to speak of: packets go one at a time."""
    del raw, values
    return 0.0


def series(way: Way) -> Series:
    """Return none: what is asked has no course."""
    del way
    return {}


KIND: Final = Kind(loads, define, outcome, delivered_pps, series)
