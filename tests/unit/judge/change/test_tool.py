# SPDX-License-Identifier: Apache-2.0
"""Another tool's file beside a run: in every row that is like in what the file tells."""

from functools import cache

import builder
import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.judge.change import tool
from gatemark.judge.change.cmp import Cmp, cmp
from gatemark.judge.change.diff import Side
from gatemark.judge.judge import judged
from gatemark.store.measured import OF_PATH, UNKNOWN, Measured
from gatemark.store.record import Definition

TOOL = Measured(
    tool="iperf3 3.12",
    values={"received_pps": 300e3, "loss_ratio": 0.0},
    definition=Definition(
        path=UNKNOWN, direction=UNKNOWN, frame_bytes=64, driver="iperf3", duration_s=10.0
    ),
    asked={"rate_pps": 0.0},
)


@cache
def own_side() -> Side:
    run, records = builder.run(), builder.trials()
    made = judged(run, records)
    return Side(run, made.judgement, made.rows)


def compared(measured: Measured = TOOL, *, first: bool = False) -> Cmp:
    other = tool.side(measured)
    return cmp((other, own_side()) if first else (own_side(), other))


def both(result: Cmp) -> list[tuple[str, float]]:
    """The setups that the tool stands beside, with the ratio."""
    return [
        (own.value.setup, other.ratio.value)
        for own, other in result.rows
        if own and other and other.ratio
    ]


def test_a_tool_stands_beside_every_setup_of_its_definition() -> None:
    assert {setup for setup, _ in both(compared())} == {arm for arm, _ in builder.PLAIN}


def test_the_ratio_is_to_the_first_run() -> None:
    row = next(row for row in compared().rows if row[1])
    own, other = row
    assert own is not None
    assert other is not None
    assert other.ratio is not None
    assert other.ratio.value == pytest.approx(300e3 / own.value.interval.value, rel=1e-3)


def test_what_the_file_does_not_tell_is_named_as_a_difference() -> None:
    cell = next(row[1] for row in compared().rows if row[1])
    fields = {difference.field for difference in cell.differences}
    assert fields == {"path", "direction", "driver", "duration_s"}


def test_the_gateway_is_unknown() -> None:
    facts = {fact.field: fact.new for fact in compared().conditions[1]}
    assert facts["station"] == "unknown, by iperf3 3.12"
    assert {facts[field] for field in ("gateway", "kernel", "slow_to_pps")} == {UNKNOWN}


def test_a_tool_may_come_first() -> None:
    rows = compared(first=True).rows
    ratios = [(tools.ratio, own.ratio) for tools, own in rows if tools and own]
    assert [first for first, _ in ratios] == [None] * len(builder.PLAIN)
    assert all(ratio is not None and ratio.value < 1 for _, ratio in ratios)


def test_another_size_is_refused_with_the_field() -> None:
    larger = replace(TOOL, definition=replace(TOOL.definition, frame_bytes=512))
    with pytest.raises(UsageError, match=r"differ in frame_bytes 64 against 512 \(--across"):
        compared(larger)


def test_another_offered_rate_is_refused() -> None:
    with pytest.raises(UsageError, match="rate_pps"):
        compared(replace(TOOL, asked={"rate_pps": 123.0}))


def test_a_quantity_that_was_asked_for_is_taken() -> None:
    rows = tool.side(TOOL, ["loss_ratio", "delay_p50_ns"]).rows
    assert [row.quantity for row in rows] == ["loss_ratio"]


def test_two_files_of_tools_compare_with_each_other() -> None:
    other = replace(TOOL, values={"received_pps": 150e3})
    ((first, second),) = cmp([tool.side(TOOL), tool.side(other)]).rows
    assert first is not None
    assert second is not None
    assert second.ratio is not None
    assert second.ratio.value == pytest.approx(0.5)


def test_the_path_is_what_no_tool_tells() -> None:
    assert {"path", "direction"} <= OF_PATH
