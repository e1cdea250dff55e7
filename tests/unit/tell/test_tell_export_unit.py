# SPDX-License-Identifier: Apache-2.0
"""The unit of a column, by its name."""

import pytest

from gatemark.tell.export.parquet import units


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("received_pps_lo", "packets/s"),
        ("values.delay_p50_ns", "ns"),
        ("values.interrupts.busiest_share", "ratio"),
        ("point.write_bytes", "bytes"),
        ("definition.turn_ms", "ms"),
        ("retained_2x_hi", "ratio"),
        ("flows", "flows"),
    ],
)
def test_a_name_says_the_unit(column: str, unit: str) -> None:
    assert units([column]) == {column: unit}


@pytest.mark.parametrize("column", ["value", "started", "point.direction", "definition.l4"])
def test_what_has_no_unit_is_left_out(column: str) -> None:
    assert units([column]) == {}
