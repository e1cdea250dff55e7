# SPDX-License-Identifier: Apache-2.0
"""Each cause is planted, and named; a queue that is as expected has none."""

from dataclasses import replace

import pytest

from gatemark.stats.queue.cause import Case, causes
from gatemark.stats.queue.formula import Bottleneck, expected

LINE = Bottleneck(1e6, 50, mean_bytes=1178.0)
SHOULD = expected(LINE)
SEEN = {
    "queue_buffer_bytes": LINE.full_bytes,
    "queue_period_ns": SHOULD.period_ns or 0.0,
    "queue_trough_ns": SHOULD.trough_ns or 0.0,
    "queue_mean_ns": SHOULD.mean_ns or 0.0,
}
SHARE = "queue_line_share"
AS_EXPECTED = Case(SEEN, SHOULD, LINE, dropped=True)


def seen(**factors: float) -> Case:
    """As expected, but for these values, times so much."""
    changed = {f"queue_{name}": SEEN[f"queue_{name}"] * by for name, by in factors.items()}
    return replace(AS_EXPECTED, values=SEEN | changed)


SLOW = replace(AS_EXPECTED, values=SEEN | {"queue_buffer_bytes": 40 * LINE.full_bytes, SHARE: 0.55})


def over(**changes: object) -> Case:
    line = replace(LINE, **changes)  # type: ignore[arg-type]
    return replace(AS_EXPECTED, line=line, expected=expected(line))


def test_what_is_as_expected_has_no_cause() -> None:
    assert causes(AS_EXPECTED) == ()
    assert causes(seen(period_ns=1.2, trough_ns=0.9, mean_ns=1.04, buffer_bytes=1.05)) == ()


@pytest.mark.parametrize(
    ("case", "word"),
    [
        (replace(seen(buffer_bytes=0.02), shapers=("shape:tbf:1",)), "holds the load"),
        (replace(seen(buffer_bytes=0.9), shapers=("shape:tbf:1",)), "not all that waits"),
        (replace(SLOW, shapers=("shape:fq_codel:95",)), "before line and shaper"),
        (SLOW, "before line and shaper"),
        (replace(AS_EXPECTED, aqm="codel"), "codel drops before"),
        (replace(AS_EXPECTED, aqm="head"), "oldest packet"),
        (replace(seen(buffer_bytes=0.4), dropped=False), "dropped nothing"),
        (over(congestion="bbr"), "bbr paces"),
        (seen(buffer_bytes=1.2), "full frames"),
        (seen(buffer_bytes=1.8), "another queue"),
        (seen(period_ns=2), "every second segment"),
        (replace(over(streams=4), values=SEEN | {"queue_trough_ns": 330e6}), "4 streams"),
        (replace(over(streams=4), values={"queue_p5_ns": 330e6}), "4 streams"),
        (seen(mean_ns=1.1), "ever more slowly"),
        (replace(seen(mean_ns=1.15), line=replace(LINE, congestion="cubic")), "cubic stays"),
    ],
)
def test_a_planted_cause_is_named(case: Case, word: str) -> None:
    (cause,) = causes(case)
    assert word in cause
