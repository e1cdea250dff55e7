# SPDX-License-Identifier: Apache-2.0
"""The fate of a group: its members got all of it, or not."""

from collections.abc import Iterable
from typing import Final

from gatemark.judge.judgement import PointResult
from gatemark.judge.point.group import Group, middle, readings
from gatemark.judge.point.kind import Judge
from gatemark.judge.point.limit import Verdict
from gatemark.kind.multicast.plan import MULTICAST

WHOLE: Final = 0.999


def decide(trials: Group, ceilings: Iterable[PointResult]) -> Verdict:
    """Return that nothing held it back, or the share that members got."""
    del ceilings
    share = middle(readings(trials.outside, "forwarded_share"))
    if share is None:
        return Verdict("unknown", "no valid trial")
    if share >= WHOLE:
        return Verdict("none", "members got all of the group")
    return Verdict("unknown", f"members got {100 * share:.3g} % of the group")


KIND: Final = Judge(
    quantities={MULTICAST: ""}, decide=decide, has_ceiling=True, is_rate=False, is_bounded=False
)
