# SPDX-License-Identifier: Apache-2.0
"""A planted line that halves again and again is followed, and each of its falls is scored."""

from msgspec.structs import replace

from gatemark.plan.model import Arm, Line, LineWay, Probe, Workload
from lab.planted import measure, plan

HALVES = Line(up=LineWay(rate_bps=4e6, course="halves", period_s=1.8, buffer_packets=20))
CALL = Workload(kind="replay", trace="voip", direction="both", duration_s=5.6)
UPLOAD = Workload(kind="tcp", congestion="cubic", start_s=0.3, duration_s=5)


def test_a_line_that_halves_is_followed_and_scored() -> None:
    """Look at bounds that a busy machine keeps: it carries no more than its course lets through."""
    planned = plan(Arm(path="nat", name="none"), CALL)
    planned = replace(planned, beside={"upload": UPLOAD}, probe=Probe(), line=HALVES)
    _, (record,) = measure(planned)
    assert (record.status, record.reason) == ("ok", "")
    assert record.evidence.line is not None
    lasted_s = 5.6 + 1.0  # and the buffer, which drains behind it
    assert 8 * record.evidence.line.up.bytes < 4e6 * 5 / 6 * lasted_s
    assert 0 <= record.values["course_lost"] < 1
    assert 0 <= record.values["course_above"] <= 1
    assert record.values["course_falls"] in (2, 3)
    assert record.values["course_reaction_ns"] >= 0
