# SPDX-License-Identifier: Apache-2.0
"""What a counted block says of its builds: a count of which too few walks agree decides nothing."""

from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from gatemark.commands.campaign.answer import readings
from gatemark.commands.campaign.bisect import Bisection, SkippedError
from gatemark.commands.campaign.layout import Layout
from gatemark.fleet.file import Model, Suite
from gatemark.judge.judge import judged
from gatemark.store.record import Record

WALKS = 200


def agreeing(walks: int, next_: int) -> Record:
    """A trial of which so many walks took the same number, fewer another, and the rest its own."""
    import counted

    made = counted.trials()[0]
    held = made.evidence.counted
    assert held
    rest = {str(2000 + at): 1 for at in range(WALKS - walks - next_)}
    modes = {"1000": walks, "1001": next_, **rest}
    return replace(made, evidence=replace(made.evidence, counted=replace(held, modes=modes)))


@pytest.mark.parametrize(
    ("walks", "next_", "is_unclear"),
    [(50, 45, False), (49, 45, True), (49, 33, True), (49, 28, False), (140, 10, False)],
)
def test_a_quarter_of_the_walks_agrees_or_far_more_than_in_any_other_number(
    walks: int, next_: int, is_unclear: bool
) -> None:
    import counted

    records = [agreeing(walks, next_)]
    (reading,) = readings(judged(counted.run(records), records), exact=True)
    assert (reading.value, reading.at_least) == (1000.0, is_unclear)


def test_a_bisection_takes_no_such_count(tmp_path: Path) -> None:
    import counted

    records = [agreeing(49, 45)]
    rows = list(readings(judged(counted.run(records), records), exact=True))
    model = Model(name="m", stations=("qemu-x86",), exact=True)
    layout = cast("Layout", None)
    search = Bisection(layout, model, Suite(plan="cost/ab"), [], "", 0.005, tmp_path, 9)
    with pytest.raises(SkippedError, match="too few of its walks agree"):
        list(search._at_point(rows))
