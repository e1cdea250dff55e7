# SPDX-License-Identifier: Apache-2.0
"""Paths where nobody counts: asked for all the same, and kept as time."""

from typing import cast

import pytest
from msgspec.structs import replace

from gatemark.commands.measure import require
from gatemark.error import UnavailableError
from gatemark.kind.walk import result as walk
from gatemark.kind.walk.traced import Traced
from gatemark.plan.exact import is_traceable
from gatemark.plan.load import load
from gatemark.plan.order import order
from gatemark.run.raw import Raw
from gatemark.station.counting import refuse
from gatemark.station.station import Station
from gatemark.store.record import Call, Counted
from gatemark.workload.way import Way

PATH = (Call("ip_forward", 0, 0, 700),)
TRACED = Traced("function_graph", 1, PATH, {"ip_forward": (700, 1)})


class Uncounted:
    """A station that counts no instructions."""

    entered = False

    def count(self, caches: tuple[str, ...], *, programs: bool) -> None:
        del caches, programs
        refuse()

    def enter(self) -> None:
        self.entered = True


def raw() -> Raw:
    way = Way(None, {"traced": TRACED}, {}, {})  # type: ignore[arg-type]
    return Raw([way])


def test_paths_alone_are_asked_of_a_gateway_that_counts_nothing() -> None:
    _, plans = load("counting/kernel-path")
    station = Uncounted()
    require(plans, cast(Station, station))
    assert station.entered


def test_instructions_are_not() -> None:
    _, (plan,) = load("counting/kernel-path")
    unordered = replace(plan, workload=replace(plan.workload, ordered=False))
    assert not is_traceable(unordered)
    with pytest.raises(UnavailableError, match="only an emulated gateway"):
        require([plan, unordered], cast(Station, Uncounted()))


def test_a_traced_path_is_kept_as_time() -> None:
    kept = walk.evidence(raw())["counted"]
    assert kept == Counted(
        walks=1, lost=0, functions={"ip_forward": (700, 1)}, path=PATH, tracer="function_graph"
    )


def test_it_has_no_values_and_no_series() -> None:
    (spec, *_) = order(load("counting/kernel-path")[1], seed=1)
    assert walk.outcome(spec, raw()) == ({}, None)
    assert walk.series(raw().ways[0]) == {}
