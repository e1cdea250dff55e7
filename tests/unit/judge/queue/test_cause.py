# SPDX-License-Identifier: Apache-2.0
"""Each cause is planted, and named; a queue that is as expected has none."""

from collections.abc import Mapping
from dataclasses import replace

from gatemark.judge.queue.cause import Case, causes
from gatemark.judge.queue.formula import Bottleneck, expected
from gatemark.tell.fact import say

LINE = Bottleneck(1e6, 50, mean_bytes=1178.0)
SHARE = "queue_line_share"


def as_expected() -> Case:
    should = expected(LINE)
    values = {
        "queue_buffer_bytes": LINE.full_bytes,
        "queue_period_ns": should.period_ns or 0.0,
        "queue_trough_ns": should.trough_ns or 0.0,
        "queue_mean_ns": should.mean_ns or 0.0,
    }
    return Case(values, should, LINE, dropped=True)


def having(**values: float) -> Case:
    """As expected, but for these values."""
    return replace(as_expected(), values={**as_expected().values, **values})


def seen(**factors: float) -> Case:
    """As expected, but for these values, times so much."""
    usual = as_expected().values
    return having(**{f"queue_{name}": usual[f"queue_{name}"] * by for name, by in factors.items()})


def over(values: Mapping[str, float] | None = None, **changes: object) -> Case:
    """The values that are expected of LINE, or these, seen over another line."""
    line = replace(LINE, **changes)  # type: ignore[arg-type]
    usual = as_expected()
    own = usual.values if values is None else values
    return replace(usual, values=own, line=line, expected=expected(line))


def test_what_is_as_expected_has_no_cause() -> None:
    assert causes(as_expected()) == ()
    assert causes(seen(period_ns=1.2, trough_ns=0.9, mean_ns=1.04, buffer_bytes=1.05)) == ()


def test_a_planted_cause_is_named_and_no_other() -> None:
    slow = having(**{"queue_buffer_bytes": 40 * LINE.full_bytes, SHARE: 0.55})
    trough = having(queue_trough_ns=330e6).values
    planted = [
        (replace(seen(buffer_bytes=0.02), shapers=("shape:tbf:1",)), "holds the load"),
        (replace(seen(buffer_bytes=0.9), shapers=("shape:tbf:1",)), "not all that waits"),
        (replace(slow, shapers=("shape:fq_codel:95",)), "before line and shaper"),
        (slow, "before line and shaper"),
        (replace(as_expected(), aqm="codel"), "codel drops before"),
        (replace(as_expected(), aqm="head"), "oldest packet"),
        (replace(seen(buffer_bytes=0.4), dropped=False), "dropped nothing"),
        (over(congestion="bbr"), "bbr paces"),
        (seen(buffer_bytes=1.2), "full frames"),
        (seen(buffer_bytes=1.8), "another queue"),
        (seen(period_ns=2), "every second segment"),
        (over(trough, streams=4), "4 streams"),
        (over({"queue_p5_ns": 330e6}, streams=4), "4 streams"),
        (seen(mean_ns=1.1), "ever more slowly"),
        (replace(seen(mean_ns=1.15), line=replace(LINE, congestion="cubic")), "cubic stays"),
    ]
    found = [(word, [*map(say.words, causes(case))]) for case, word in planted]
    unlike = [(word, named) for word, named in found if len(named) != 1 or word not in named[0]]
    assert unlike == []
