# SPDX-License-Identifier: Apache-2.0
"""The table of published values: what is printed, what is not said, in one line each."""

from typing import Any

import msgspec
import pytest

from gatemark.judge.change.reference import Beside
from gatemark.judge.fact import Fact
from gatemark.judge.math.interval import Interval
from gatemark.store.published import Published
from gatemark.tell.answer import reference
from gatemark.tell.fact.reference import UNSTATED
from gatemark.tell.words import number

VALUE = Published(
    study="wrt54",
    device="WRTSL54GS v1.1",
    experiment="nat.tcp",
    parameter="throughput",
    quantity="goodput_bps",
    value=47.5e6,
    printed="47.5 Mbit/s",
    kind="printed",
    note="printed; table",
    stated={"path": "nat"},
)
ROW = Beside(
    plan="wrt54/paths",
    arm="nat",
    point={"direction": "up"},
    quantity="goodput_bps",
    published=VALUE,
    measured=Interval(52e6, 51.7e6, 52.3e6, 6, 0.969),
    at_least=False,
    differs=(),
)


def cell(head: str, row: Beside = ROW, **fields: Any) -> str:
    made = reference.table([msgspec.structs.replace(row, **fields)])
    return made.rows[0][made.head.index(head)]


def test_ours_has_its_interval_and_unit() -> None:
    assert cell("ours") == "52.00 ± 0.30 Mbit/s"


def test_a_lower_bound_is_marked() -> None:
    assert cell("ours", at_least=True).startswith("≥ ")


def test_our_point_is_told_with_its_arm() -> None:
    assert cell("at") == "nat, ↑ up"


def test_a_point_without_factors_is_its_arm() -> None:
    assert cell("at", point={}) == "nat"


@pytest.mark.parametrize(
    ("kind", "printed", "said"),
    [
        ("printed", "47.5 Mbit/s", "47.5 Mbit/s"),
        ("approx", "363 Mbit/s", "about 363 Mbit/s"),
        ("derived", "23.8 Mbit/s", "derived: 23.8 Mbit/s"),
        ("bound", ">=90 %", "≥ 90 %"),
        ("bound", ">100 Mbit/s", "> 100 Mbit/s"),
    ],
)
def test_a_published_value_is_told_as_it_is_known(kind: Any, printed: str, said: str) -> None:
    value = msgspec.structs.replace(VALUE, kind=kind, printed=printed)
    assert cell("published", published=value) == said


def test_what_is_not_said_is_told_together_and_last() -> None:
    unstated = [Fact(UNSTATED, {"field": name}) for name in ("write_bytes", "streams")]
    differs = (*unstated, "by a chip there")
    assert cell("differs", differs=differs) == "by a chip there; not said: write size, streams"


def test_no_difference_is_a_dash() -> None:
    assert cell("differs") == number.DASH


def test_nothing_alike_is_an_empty_table() -> None:
    assert reference.table([]).rows == ()


def test_rows_that_differ_alike_share_a_note() -> None:
    other = msgspec.structs.replace(ROW, differs=("by a chip there",))
    head, first, second, third, *notes = reference.table([ROW, other, ROW]).lines()
    assert head.endswith("differs")
    assert [line.split()[-1] for line in (first, second, third)] == ["1", "2", "1"]
    assert notes == [f"1: {number.DASH}", "2: by a chip there"]
