# SPDX-License-Identifier: Apache-2.0
"""Arrivals that were stamped by a clock that was set meanwhile."""

from gatemark.node.shell import Local
from gatemark.run.result.clock import why_invalid
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.workload.way import Way

S = 1_000_000_000
PORTS = {role: Port(Local(), role, "") for role in ROLES}


def ways(**sink: int) -> list[Way]:
    """Both directions, of which only the second one's sink has something to say."""
    up, down = wires(PORTS, "route", "both")
    sender = {"t0_ns": 0, "t1_ns": S}
    return [Way(up, sender, {}, {}), Way(down, sender, sink, {})]


def test_a_clock_that_was_set_makes_a_trial_invalid() -> None:
    why = why_invalid(ways(clock_stepped_ns=5 * S))
    assert why == "the clock was set by 5.00 s while the sink stamped by it"


def test_what_changes_no_time_that_counts_is_borne() -> None:
    assert why_invalid(ways(clock_stepped_ns=400_000)) == ""
    assert why_invalid(ways(clock_stepped_ns=0)) == ""


def test_an_agent_that_does_not_say_is_believed() -> None:
    assert why_invalid(ways()) == ""
    assert why_invalid([]) == ""
