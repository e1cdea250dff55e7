# SPDX-License-Identifier: Apache-2.0
"""What crossed the line: books that fit, books that do not, and how late frames left."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.node.shell import Local
from gatemark.probe.line import Crossed
from gatemark.run.raw import Raw
from gatemark.run.result.line import evidence, notes, series, why_invalid
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.store.drops import Line
from gatemark.workload.way import Way

S = 1_000_000_000
PORTS = {role: Port(Local(), role, "") for role in ROLES}


def report(came: int, dropped: int = 0, **more: int) -> dict[str, Any]:
    """One way: of four departures three were late by less than 50 us, and one by 2 ms."""
    books = {"in": came, "dropped": dropped, "lost": 0, "refused": 0, "waiting": 0} | more
    sent = came - sum(books[name] for name in ("dropped", "lost", "refused", "waiting"))
    late = {"p50": 7000, "p99": 2_000_000, "p999": 2_000_000, "max": 2_000_000}
    return {
        **books,
        "sent": more.get("sent", sent),
        "bytes": 1514 * sent,
        "busy_ns": S // 2,
        "peak_packets": 50,
        "peak_bytes": 75_700,
        "late_ns": {**late, "within_50us": 3, "low": [6144, 1_966_080], "count": [3, 1]},
        "drops": {"at_ns": [10, 20], "bytes": [1514, 60]},
    }


def moved(up: dict[str, Any], down: dict[str, Any]) -> dict[str, int]:
    return {
        "line0.rx_packets": up["in"],
        "line1.tx_packets": up["sent"],
        "line1.rx_packets": down["in"],
        "line0.tx_packets": down["sent"],
    }


def raw(up: dict[str, Any], down: dict[str, Any], *, silent: bool = True, **off: int) -> Raw:
    (wire,) = wires(PORTS, "route", "up")
    crossed = Crossed(
        {"up": up, "down": down, "cpu_ns": S // 4},
        {name: count + off.get(name.split(".")[0], 0) for name, count in moved(up, down).items()},
        silent,
    )
    way = Way(wire, {"t0_ns": 0, "t1_ns": S}, {}, {})
    return Raw([way], {"line": crossed})


def line(*args: Any, **more: Any) -> Line:
    made: Line = evidence(raw(*args, **more))["line"]
    return made


def test_nothing_is_told_where_no_line_stands() -> None:
    assert evidence(Raw([], {})) == {}
    assert series(Raw([], {})) == {}
    assert why_invalid(None) == ""


def test_shares_are_of_the_time_of_sending_and_of_the_departures() -> None:
    made = line(report(100, 60), report(0))
    assert (made.up.busy, made.cpu) == (0.5, 0.25)
    assert (made.up.within_50us, made.up.over_1ms) == (0.75, 0.25)
    assert (made.up.came, made.up.sent, made.up.dropped) == (100, 40, 60)
    assert made.up.late_ns["p50"] == 7000


def test_a_full_buffer_that_drains_afterwards_is_no_more_than_all_of_the_time() -> None:
    assert line(report(10) | {"busy_ns": 3 * S}, report(0)).up.busy == 1.0


def test_its_series_are_its_drops_and_how_late_it_was() -> None:
    columns = series(raw(report(9), report(9)))
    assert columns["line.up.drops"] == ([10, 20], [1514, 60])
    assert columns["line.down.late_ns"] == ([6144, 1_966_080], [3, 1])


def test_books_that_fit_make_a_trial() -> None:
    assert why_invalid(line(report(100, 60, lost=3, refused=2, waiting=1), report(7))) == ""


def test_a_frame_that_no_book_has_makes_the_trial_invalid() -> None:
    why = why_invalid(line(report(100, 60, sent=39), report(0)))
    assert why == "the line's books differ: 100 frames came up, 99 are known of"


@pytest.mark.parametrize(
    ("port", "words"),
    [("line0", "up.in +3, down.sent +3"), ("line1", "up.sent +3, down.in +3")],
)
def test_ports_that_saw_others_than_the_books_make_it_invalid(port: str, words: str) -> None:
    why = why_invalid(line(report(100), report(50), **{port: 3}))
    assert why == f"the line's ports and its books differ: {words} frames"


def test_a_clock_that_was_set_makes_it_invalid() -> None:
    made = line(report(1), report(1))
    assert why_invalid(replace(made, clock_stepped_ns=400_000)) == ""
    assert why_invalid(replace(made, clock_stepped_ns=-5_000_000)).startswith(
        "the clock was set by"
    )


def test_what_its_agent_says_is_a_note() -> None:
    seen = raw(report(1), report(1))
    seen.line.report["notes"] = ["not in the class SCHED_FIFO: Operation not permitted"]
    assert notes(seen) == ("line: not in the class SCHED_FIFO: Operation not permitted",)
    assert notes(Raw([], {})) == ()


def test_a_kernel_of_its_own_may_say_a_word() -> None:
    assert why_invalid(line(report(100), report(50), silent=False, line0=3)) == ""
    assert why_invalid(line(report(100), report(50), silent=False, line0=300)) != ""
