# SPDX-License-Identifier: Apache-2.0
"""A trial is used only if the packets of each of its workloads are accounted for."""

import pytest
from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.run.validity import require_valid
from gatemark.store.record import Accounting, Definition, Part, Record

WHOLE = Accounting(
    **dict.fromkeys(("scheduled", "tried", "unique"), 1000),
    **dict.fromkeys(("refused", "lost", "duplicated", "reordered", "stale"), 0),
    **dict.fromkeys(("corrupt", "foreign", "ring_dropped"), 0),
    interfaces={},
    mismatch={},
)
STALE = replace(WHOLE, stale=11)
TWICE = replace(WHOLE, lost=-1)


def mixed(first: Accounting | None, beside: Accounting | None) -> Record:
    definition = Definition(path="route")
    return Record(
        trial="p/route/1/outside",
        plan="p",
        arm="route",
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="2026-11-21T16:15:00Z",
        definition=definition,
        accounting=first,
        parts={"down": Part(definition=definition, accounting=beside)},
    )


def test_each_workload_is_accounted_for() -> None:
    require_valid(mixed(WHOLE, WHOLE), "")
    require_valid(mixed(None, None), "")


@pytest.mark.parametrize(("wrong", "why"), [(STALE, "came so late"), (TWICE, "1 more packets")])
def test_a_workload_makes_its_trial_invalid_and_is_named(wrong: Accounting, why: str) -> None:
    with pytest.raises(InvalidTrialError, match=f"^down: .*{why}"):
        require_valid(mixed(WHOLE, wrong), "")
    with pytest.raises(InvalidTrialError, match=f"^{why}|^11 packets {why}"):
        require_valid(mixed(wrong, WHOLE), "")


def test_packets_that_may_still_be_on_their_way_make_it_invalid() -> None:
    with pytest.raises(InvalidTrialError, match=r"^packets still arrived$"):
        require_valid(mixed(WHOLE, WHOLE), "packets still arrived")
