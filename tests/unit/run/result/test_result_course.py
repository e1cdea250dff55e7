# SPDX-License-Identifier: Apache-2.0
"""The score of a line that changes: what was not used, how long packets waited, when that ended."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.plan.line.course import course_of
from gatemark.plan.model import Line, LineWay, Workload
from gatemark.probe.line import Crossed
from gatemark.run.raw import Raw
from gatemark.run.result import course
from gatemark.workload.way import Way

S, MS = 10**9, 10**6
HALVES = LineWay(rate_bps=10e6, course="halves", period_s=6)
T0 = 1000 * S  # when the course begins
LASTS_S = 18


def way(share: float = 1.0, payload: int = 1448) -> Way:
    """An upload that takes a share of what the course lets through, from its begin on."""
    made = course_of(HALVES)
    assert made is not None
    bits = [made.bits(at / 100, (at + 1) / 100) for at in range(LASTS_S * 100)]
    counts = [round(share * each / 8 * payload / (payload + 66)) for each in bits]
    rate = {"bin_ms": 10, "t0_ns": T0, "bytes": counts}
    sender = {"t0_ns": T0, "t1_ns": T0 + LASTS_S * S, "mss_bytes": payload}
    wire = SimpleNamespace(direction="up")
    return Way(wire, sender, {"rate": rate}, {})  # type: ignore[arg-type]


def values(share: float, delays: list[tuple[int, int]] | None = None) -> dict[str, float]:
    """The values over that line; `delays`: arrival after the begin and one-way delay, ns."""
    raw = Raw([], beside={"uploads": [way(share)]})
    raw.seen["line"] = Crossed({"begun_ns": T0})
    spec = SimpleNamespace(
        line=Line(up=HALVES),
        workload=Workload(kind="replay"),
        beside={"uploads": Workload(kind="tcp")},
    )
    rows = delays or []
    columns = {"replay.up.delay": ([T0 + at for at, _ in rows], [ns for _, ns in rows])}
    return course.values(spec, raw, lambda: columns if rows else {})  # type: ignore[arg-type]


def call(wait_ms: dict[int, int]) -> list[tuple[int, int]]:
    """A packet each 20 ms that takes 10 ms, and more in seconds that are listed."""
    delays = [(at, (10 + wait_ms.get(at // S, 0)) * MS) for at in range(0, LASTS_S * S, 20 * MS)]
    return [(at + ns, ns) for at, ns in delays]


@pytest.mark.parametrize("share", [1.0, 0.9, 0.25])
def test_what_was_not_sent_is_lost(share: float) -> None:
    assert values(share)["course_lost"] == pytest.approx(1 - share, abs=0.01)


def test_a_line_that_halves_is_seen_by_who_had_all_of_it() -> None:
    seen = values(1.0)
    assert seen["course_low_share"] == pytest.approx(0.5, abs=0.02)
    assert seen["course_low_ns"] == pytest.approx(2 * S, abs=0.3 * S)
    assert seen["course_low_period_ns"] == pytest.approx(6 * S, abs=0.3 * S)
    assert "course_low_share" not in values(0.5)


def test_waits_are_beyond_the_shortest() -> None:
    seen = values(1.0, call({2: 100, 3: 100}))
    assert seen["course_above"] == pytest.approx(2 / LASTS_S, abs=0.01)


def test_a_reaction_ends_where_packets_wait_no_longer() -> None:
    assert values(1.0, call({}))["course_reaction_ns"] == 0
    seen = values(1.0, call({2: 100, 8: 100, 14: 100}))
    assert seen["course_falls"] == 3
    assert seen["course_reaction_ns"] == pytest.approx(1 * S, abs=0.05 * S)
    late = values(1.0, call(dict.fromkeys(range(2, LASTS_S), 100)))
    assert late["course_reaction_ns"] == pytest.approx(6 * S, rel=0.4)


def test_no_line_is_no_score() -> None:
    assert course.values(SimpleNamespace(line=None), Raw([]), dict) == {}  # type: ignore[arg-type]


def test_times_that_differ_have_no_period() -> None:
    regular = ([10.0] * 20 + [5.0] * 10) * 3
    assert course.lows(regular)["period_ns"] == 30
    assert course.lows([10.0] * 20 + [5.0] * 3 + [10.0] * 5 + [5.0] * 17 + [10.0] * 9) == {}
    assert course.lows([10.0] * 50) == {}


@given(st.lists(st.floats(0, 1e9), max_size=80))
def test_any_rates_have_slow_times_or_not(sums: list[float]) -> None:
    assert course.lows(sums).keys() <= {"share", "ns", "period_ns"}
