# SPDX-License-Identifier: Apache-2.0
"""Numbers that nothing measured has: the line that has one is named, and all others are read."""

import json
from typing import Any

import builder
import msgspec
import pytest

from gatemark.store import trials
from gatemark.store.schema import DAY_S, MOST_CPUS

ODD: list[tuple[tuple[str | int, ...], float]] = [
    (("values", "received_pps"), 1e300),
    (("values", "received_pps"), -1e20),
    (("point", "rate_pps"), 1e300),
    (("point", "rate_pps"), 1 << 70),
    (("definition", "duration_s"), 1e308),
    (("definition", "duration_s"), DAY_S + 1),
    (("definition", "settle_s"), -1.0),
    (("sequence",), 10**400),
    (("evidence", "cpu", 0, "busy"), 1e308),
    (("evidence", "cpu", 0, "busy"), 2 * MOST_CPUS),
]


def line(*at: str | int, value: float) -> bytes:
    """A record's line with this value at a place."""
    made: Any = msgspec.to_builtins(builder.trials()[30])
    place = made
    for key in at[:-1]:
        place = place[key]
    place[at[-1]] = value
    return json.dumps(made, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(("at", "value"), ODD, ids=map(str, range(len(ODD))))
def test_it_is_told_and_the_others_are_read(at: tuple[str | int, ...], value: float) -> None:
    good = [msgspec.json.encode(record) + b"\n" for record in builder.trials()[:2]]
    read = trials.read([good[0], line(*at, value=value), good[1]])
    assert read.records == builder.trials()[:2]
    assert [fault.partition(" (")[0] for fault in read.unread] == [
        f"line 2 of {trials.NAME} cannot be read"
    ]


def test_what_is_at_its_bound_is_read() -> None:
    assert trials.read([line("values", "received_pps", value=9e18)]).unread == []


def test_what_records_have_in_common_is_held_once_to_the_type_of_a_level() -> None:
    lines = [line("point", "rate_pps", value=level) for level in (5, 5, 5.0)]
    records = trials.read(
        [text.replace(b'"trial":"', b'"trial":"%d' % i) for i, text in enumerate(lines)]
    )
    first, second, third = (record.point for record in records.records)
    assert first is second
    assert (type(first["rate_pps"]), type(third["rate_pps"])) == (int, float)
