# SPDX-License-Identifier: Apache-2.0
"""What a counted block says of its builds: a count of which too few walks agree decides nothing."""

from pathlib import Path
from typing import cast

import counted
import pytest
from msgspec.structs import replace

from gatemark.campaign.file import Model, Suite
from gatemark.commands.campaign.answer import readings
from gatemark.commands.campaign.bisect import Bisection, SkippedError
from gatemark.commands.campaign.layout import Layout
from gatemark.store.record import Record

WALKS = 200


def agreeing(walks: int) -> Record:
    """A trial of which so many walks took the same number, and each other one its own."""
    made = counted.trials()[0]
    held = made.evidence.counted
    assert held
    modes = {str(1000 + at): 1 for at in range(1, 1 + WALKS - walks)} | {"1000": walks}
    return replace(made, evidence=replace(made.evidence, counted=replace(held, modes=modes)))


@pytest.mark.parametrize(("walks", "is_few"), [(49, True), (50, False), (140, False)])
def test_a_quarter_of_the_walks_has_to_agree(walks: int, is_few: bool) -> None:
    records = [agreeing(walks)]
    (reading,) = readings(counted.run(records), records, exact=True)
    assert (reading.value, reading.at_least) == (1000.0, is_few)


def test_a_bisection_takes_no_such_count(tmp_path: Path) -> None:
    records = [agreeing(49)]
    rows = list(readings(counted.run(records), records, exact=True))
    model = Model(name="m", stations=("qemu-x86",), exact=True)
    layout = cast("Layout", None)
    search = Bisection(layout, model, Suite(plan="cost/ab"), [], "", 0.005, tmp_path, 9)
    with pytest.raises(SkippedError, match="less than a quarter of the walks agree"):
        list(search._at_point(rows))
