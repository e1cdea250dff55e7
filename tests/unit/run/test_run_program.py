# SPDX-License-Identifier: Apache-2.0
"""What programs on the gateway counted and used, as evidence and values of a record."""

from typing import Any

from gatemark.gateway.program import Program, counting
from gatemark.gateway.supervisor import End, Use
from gatemark.run.program import Ran, notes, readings, values

MS = 1_000_000
CAPTURE = Program(
    "capture:tcpdump:68", ("tcpdump",), device="gw1", counters=counting(r"(?P<captured>\d+) caught")
)


def ran(**more: Any) -> Ran:
    keys: dict[str, Any] = {
        "program": CAPTURE,
        "before": Use(10 * MS, 20 * MS, 31 * MS, 4096, 1),
        "after": Use(30 * MS, 90 * MS, 131 * MS, 8192, 1),
        "crossed": 200,
        "end": End("term", 0, 0, "150 caught\n"),
    }
    return Ran(**(keys | more))


def test_cpu_is_a_share_of_the_time_that_was_sent() -> None:
    (reading,) = readings([ran()], 1000 * MS)
    assert (reading.cpu, reading.cpu_user, reading.cpu_system) == (0.1, 0.02, 0.07)


def test_without_schedstat_ticks_are_what_there_is() -> None:
    (reading,) = readings([ran(before=Use(0, 0, 0), after=Use(20 * MS, 30 * MS, 0))], 100 * MS)
    assert reading.cpu == 0.5


def test_captured_is_of_what_crossed_the_port() -> None:
    quantities = values(readings([ran()], 1000 * MS))
    assert quantities == {"program_cpu": 0.1, "captured_share": 0.75}


def test_a_program_at_no_port_has_no_share() -> None:
    assert values(readings([ran(crossed=None)], 1000 * MS)) == {"program_cpu": 0.1}


def test_without_programs_there_is_nothing() -> None:
    assert values(()) == {}


def test_who_had_to_be_killed_and_what_stayed_is_noted() -> None:
    lines = list(notes(readings([ran(end=End("kill", 137, 2, ""))], MS)))
    assert lines == [
        "capture:tcpdump:68 did not end by SIGTERM: SIGKILL ended it",
        "capture:tcpdump:68: 2 of its processes could not be ended",
    ]


def test_flows_that_went_past_a_classifier_are_noted() -> None:
    classifier = Program("classify:jumping", (), counters=counting(r"(?P<offloaded>\d+) past"))
    for count, noted in ((0, []), (16, [True])):
        words = End("term", 0, 0, f"{count} past\n")
        lines = notes(readings([ran(program=classifier, end=words)], MS))
        assert ["up to 16 flows at a time" in line for line in lines] == noted


def test_who_ended_as_asked_is_not_noted() -> None:
    assert list(notes(readings([ran()], MS))) == []
