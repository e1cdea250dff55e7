# SPDX-License-Identifier: Apache-2.0
"""Gateways side by side, like with like, the clock beside the rate."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.judge.change.cmp import Cell, Clock, Cmp, clock_mhz, cmp
from gatemark.judge.change.diff import Side

from ..conftest import Trial, run
from .test_diff import side, station, trials


def box(rate: float, mhz: object = None, **fields: Any) -> Side:
    before = {} if mhz is None else {"cpu_mhz": mhz}
    return side(trials(rate, Trial(**fields)), station(gateway=before))


def cells(found: Cmp) -> list[Cell | None]:
    (row,) = found.rows
    return list(row)


def second(*sides: Side) -> Cell:
    cell = cells(cmp(sides))[1]
    assert cell
    return cell


def test_each_run_is_held_against_the_first() -> None:
    found = cells(cmp([box(20_000), box(10_000), box(30_000)]))
    ratios = [cell.ratio.value if cell and cell.ratio else None for cell in found]
    assert ratios == [None, pytest.approx(0.5), pytest.approx(1.5)]


def test_the_ratio_has_its_interval() -> None:
    ratio = second(box(20_000), box(10_000)).ratio
    assert ratio
    assert ratio.lo < 0.5 < ratio.hi


def test_a_run_without_the_value_has_none() -> None:
    found = cmp([box(20_000), box(20_000, path="nat"), box(20_000)])
    assert [[cell is not None for cell in row] for row in found.rows] == [
        [True, False, True],
        [False, True, False],
    ]


def test_a_value_that_the_first_lacks_has_no_ratio() -> None:
    sides: Sequence[Side] = [box(1), side([*trials(9), *trials(5, Trial(path="nat"))])]
    last = cmp([*sides, box(5, path="nat")]).rows[1]
    assert [cell.ratio if cell else "-" for cell in last] == ["-", None, None]


def test_unlike_definitions_are_refused_with_what_differs() -> None:
    with pytest.raises(UsageError, match="nearest differ in frame_bytes 64 against 512"):
        cmp([box(20_000), box(20_000, frame_bytes=512)])


def test_across_compares_them_and_tells_the_difference() -> None:
    found = cmp([box(20_000), box(20_000, frame_bytes=512)], ["frame_bytes"])
    differences = [d for cell in cells(found) if cell for d in cell.differences]
    assert [str(d) for d in differences] == ["frame_bytes 64 against 512"]


def test_the_slowdown_is_which_gateway_it_is() -> None:
    found = cmp([box(20_000, slowdown=20_000), box(10_000, slowdown=10_000)])
    assert len(found.rows) == 1
    assert {fact.field: fact.new for fact in found.conditions[1]}["slow_to_pps"] == "10000"


def test_the_tester_alone_is_not_compared() -> None:
    both = side([*trials(20_000), *trials(40_000, Trial(path="direct"))])
    assert len(cmp([both, both]).rows) == 1


def test_a_lower_bound_bounds_the_ratio() -> None:
    exact, limited = side(trials(20_000)), side(trials(20_000, Trial(ring_dropped=9_000)))
    assert [
        second(a, b).bound
        for a, b in ((exact, exact), (exact, limited), (limited, exact), (limited, limited))
    ] == ["", "at least", "at most", "none"]


def test_a_delay_of_a_limited_tester_bounds_nothing() -> None:
    def delayed(trial: Trial) -> Side:
        records = [
            replace(record, values=record.values | {"delay_p50_ns": 1000.0})
            for record in trials(20_000, trial)
        ]
        return side(records, quantities=["delay_p50_ns"])

    exact, limited = delayed(Trial()), delayed(Trial(ring_dropped=9_000))
    assert [second(exact, other).bound for other in (exact, limited)] == ["", "none"]


# --- the clock (requirement B06)


@pytest.mark.parametrize(("rate", "held"), [(15_040, True), (14_400, False)])
def test_a_rate_that_follows_the_clock_holds_its_ratio(rate: float, held: bool) -> None:
    assert second(box(20_000, 266), box(rate, 200)).clock == Clock("cpu_mhz", 200 / 266, held)


def test_the_slowdown_stands_for_the_clock() -> None:
    clock = second(box(20_000, slowdown=20_000), box(10_000, slowdown=10_000)).clock
    assert clock == Clock("slow_to_pps", 0.5, held=True)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ((266, 0), (None, 0)),  # one clock is not known
        ((266, 0), (266, 0)),  # nothing to learn from
        ((266, 20_000), (200, 0)),  # a slowdown and a clock
    ],
)
def test_clocks_that_cannot_be_compared_are_not_told(
    first: tuple[object, int], other: tuple[object, int]
) -> None:
    a, b = (box(20_000, mhz, slowdown=slowdown) for mhz, slowdown in (first, other))
    assert second(a, b).clock is None


def test_a_clock_is_read_from_the_inventory() -> None:
    clocks: dict[object, float | None] = {
        "2095.078": 2095.078, 266: 266.0, "266 MHz": 266.0, "?": None
    }  # fmt: skip
    kept = {
        text: side([], replace(run(), before={"gateway": {"cpu_mhz": text}})) for text in clocks
    }
    assert {text: clock_mhz(made) for text, made in kept.items()} == clocks


def test_what_a_reader_must_know_of_each_gateway_is_told() -> None:
    known = {"cpu_mhz": "1200.5", "kernel": "6.1", "firmware_sha256": 64 * "a"}
    made = side(trials(1, Trial()), station(gateway=known))
    assert [(fact.field, fact.old, fact.new) for fact in cmp([made, made]).conditions[0]] == [
        ("shape of loss", "", None),
        ("station", "", "lab"),
        ("gateway", "", "virtual, netns"),
        ("kernel", "", "6.1"),
        ("firmware_sha256", "", 12 * "a"),
        ("slow_to_pps", "", "none"),
        ("cpu_mhz", "", 1200.5),
    ]


def test_gateways_of_other_firmware_are_compared_where_that_is_asked() -> None:
    sides = [side(trials(20_000), station(gateway={"kernel": text})) for text in "ab"]
    with pytest.raises(UsageError, match="--across firmware compares them all the same"):
        cmp(sides)
    assert len(cmp(sides, ["firmware"]).rows) == 1
