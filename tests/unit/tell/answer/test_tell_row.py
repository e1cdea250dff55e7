# SPDX-License-Identifier: Apache-2.0
"""One row of Markdown: the same columns for every run, virtual said aloud, no table broken."""

import re
from collections.abc import Sequence
from typing import Any

import builder
import msgspec
import pytest

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition
from gatemark.store.run import Run, StationInfo
from gatemark.tell.about import row
from gatemark.tell.words.number import DASH

BOX = StationInfo(name="bench", kind="ssh", virtual=False)
TCP = Definition(
    path="nat", l4="tcp", quantity="goodput", write_bytes=131_072, streams=1, duration_s=10
)


def cells(line: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<!\\)\|", line)[1:-1]]


def told(run: Run, judgement: Judgement) -> dict[str, str]:
    return dict(zip(row.HEAD, cells(row.row(run, judgement)), strict=True))


def point(definition: Definition, rate: float, **fields: Any) -> PointResult:
    values = {
        definition.headline: Interval(rate, rate * 0.99, rate * 1.01, 6, 0.969),
        "cpu_busy": Interval(0.92, 0.91, 0.93, 6, 0.969),
    }
    made = PointResult(
        subject=Subject(
            plan="p",
            arm="a",
            setup=definition.path,
            definition=definition,
        ),
        values=values,
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
    )
    return msgspec.structs.replace(made, **fields)


def judged(points: Sequence[PointResult]) -> Judgement:
    return msgspec.structs.replace(builder.nothing(), points=tuple(points))


def changed(**fields: Any) -> Definition:
    return msgspec.structs.replace(TCP, **fields)


def box(**known: object) -> Run:
    return msgspec.structs.replace(builder.run(), station=BOX, before={"gateway": known})


def tcp(*points: PointResult) -> str:
    return told(box(), judged(points))["nat TCP, Mbit/s"]


def test_the_head_fits_the_row() -> None:
    lines = [*row.head().splitlines(), row.row(builder.run(), builder.judgement())]
    assert len({len(cells(line)) for line in lines}) == 1


def test_a_cell_has_value_interval_and_cpu() -> None:
    assert tcp(point(TCP, 50e6)) == "50.0 ± 0.5 (CPU 92 %)"


def test_a_bound_of_the_tester_is_marked() -> None:
    assert tcp(point(TCP, 50e6, at_least=True)).startswith("≥ 50.0")


@pytest.mark.parametrize(
    "fields",
    [
        {"line": "10 Mbit/s, 100 packets"},
        {"beside": ("uploads: tcp streams=8",)},
        {"turn_ms": 2.0},
        {"dscp": 46},
    ],
)
def test_what_else_held_a_rate_back_is_in_no_row(fields: dict[str, Any]) -> None:
    limited = point(changed(write_bytes=131_072, **fields), 9e6)
    assert tcp(limited) == DASH
    assert tcp(limited, point(TCP, 50e6)).startswith("50.0")


def test_what_was_not_measured_is_a_dash() -> None:
    assert set(told(box(), builder.nothing()).values()) - {DASH} == {
        "station bench; 2026-11-21; gatemark 0.1.0"
    }


@pytest.mark.parametrize(
    "other",
    [
        {"features": ("filter:100",)},
        {"family": "ipv6"},
        {"direction": "down"},
        {"streams": 4},
        {"write_bytes": 1024},
    ],
)
def test_the_plain_path_is_shown(other: dict[str, Any]) -> None:
    assert tcp(point(changed(**other), 80e6), point(TCP, 50e6)).startswith("50.0")


def test_a_way_that_is_not_the_usual_one_is_told() -> None:
    assert tcp(point(changed(direction="down"), 50e6)) == "50.0 ± 0.5 (down, CPU 92 %)"


def test_the_rate_of_small_packets_is_the_knee() -> None:
    made = builder.judgement()
    slowed = tuple(point for point in made.points if point.definition.slow_to_pps)
    found = told(builder.run(), msgspec.structs.replace(made, points=slowed))
    assert found["route UDP 64 B, k packets/s"] == "30.10 (29.92\N{EN DASH}30.25) (CPU 100 %)"


def test_without_a_knee_the_most_received_counts() -> None:
    udp = Definition(path="nat", frame_bytes=64)
    found = told(box(), judged([point(udp, 20_000), point(udp, 26_000)]))
    assert found["nat UDP 64 B, k packets/s"].startswith("26.0")


def test_a_rate_that_came_through_whole_is_a_lower_bound() -> None:
    udp = Definition(path="nat", frame_bytes=64)
    found = told(box(), judged([point(udp, 20_000, limit="none")]))
    assert found["nat UDP 64 B, k packets/s"].startswith("≥ ")


def test_one_row_is_of_the_gateway_as_it_is_where_that_was_measured() -> None:
    slowed = [point(changed(path=p, slow_to_pps=9000), 9e6) for p in ("route", "switch")]
    found = told(box(), judged([point(TCP, 50e6), *slowed]))
    assert found["nat TCP, Mbit/s"] != DASH
    assert found["route TCP, Mbit/s"] == DASH
    assert "slowed" not in found["remark"]


def test_one_row_is_of_one_slowdown() -> None:
    slowed = [point(changed(path=p, slow_to_pps=9000), 9e6) for p in ("route", "switch")]
    other = point(changed(path="nat", slow_to_pps=4000), 4e6)
    assert told(box(), judged([other, *slowed]))["nat TCP, Mbit/s"] == DASH


def test_the_slowdown_is_told() -> None:
    found = told(box(), judged([point(changed(slow_to_pps=9000), 9e6)]))
    assert "slowed to about 9 k packets/s" in found["remark"]


def test_virtual_is_said_aloud_in_front_and_in_the_remark() -> None:
    found = told(builder.run(), builder.judgement())
    assert all("**VIRTUAL**" in found[name] for name in ("device", "remark"))


def test_a_device_is_not_called_virtual() -> None:
    assert "VIRTUAL" not in row.row(box(model="WRT54GL"), builder.nothing())


def test_a_device_is_told_by_its_inventory() -> None:
    known = box(model="WRT54GL", soc="BCM5352", cpu_mhz="200.00", kernel="Linux 6.6")
    assert list(told(known, builder.nothing()).values())[:3] == [
        "WRT54GL",
        "BCM5352, 200 MHz",
        "Linux 6.6",
    ]


def test_a_namespace_has_the_processor_of_the_tester() -> None:
    assert told(builder.run(), builder.nothing())["processor"] == "2 x virtual core"


def test_a_box_does_not_have_the_processor_of_the_tester() -> None:
    run = msgspec.structs.replace(builder.run(), station=BOX)
    assert told(run, builder.nothing())["processor"] == DASH


def test_a_bar_breaks_no_table() -> None:
    assert told(box(model="a|b\nc"), builder.nothing())["device"] == r"a\|b c"
