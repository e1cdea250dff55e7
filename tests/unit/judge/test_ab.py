# SPDX-License-Identifier: Apache-2.0
"""An A/B test judged: the boot is the sample, boots of one number are a pair."""

from collections.abc import Iterable, Mapping

import pytest
from msgspec.structs import replace

from gatemark.judge.ab import ab
from gatemark.judge.change.diff import Diff
from gatemark.judge.judge import judged
from gatemark.plan.model import NEW, OLD, PLAN_SCHEMA, Arm, Plan, Repeat
from gatemark.store.record import Record
from gatemark.store.run import AB, Run, Side, StationInfo
from gatemark.tell.sentence.answer import answered

from .conftest import Trial, run

SIX = (1.0, 1.02, 0.98, 1.01, 0.99, 1.0)  # from boot to boot; the same for both arms
LAB = StationInfo(name="lab", kind="netns", virtual=True)


def trials(arm: str, boots: Iterable[tuple[int, float]], within: float = 0.0) -> list[Record]:
    """Three trials a boot: the boot's own rate, and one to either side of it."""
    return [
        replace(
            Trial(offered=1e6, received=rate * (1 + within * (place - 1))).record(),
            trial=f"sweep/{arm}/{3 * boot + place}",
            arm=arm,
            point={},
            boot=boot,
            repeat=3 * boot + place,
            sequence=6 * boot + place + 3 * (arm == NEW),
        )
        for boot, rate in boots
        for place in range(3)
    ]


def both(times: float, within: float = 0.0) -> list[Record]:
    """Six boots of either arm; the new one's rate is so many times the old one's."""
    old = [(boot, 20_000 * x) for boot, x in enumerate(SIX, 1)]
    new = [(boot, rate * times) for boot, rate in old]
    return trials(OLD, old, within) + trials(NEW, new, within)


def a_test(records: list[Record], allow: float = 0.01) -> Run:
    arms = (Arm(path="route", name=OLD), Arm(path="route", name=NEW))
    plan = Plan(
        schema=PLAN_SCHEMA,
        name="sweep",
        title="t",
        why="w",
        reading="r",
        arm=arms,
        repeat=Repeat(times=3, boots=6),
    )
    inventories: Mapping[str, str] = {"route": "6.1.0", "nat": "6.6.0"}
    old, new = (
        Side(name=said, station_file="lab", station=LAB, inventory={"gateway": {"kernel": kernel}})
        for said, kernel in inventories.items()
    )
    return replace(run(records), plans=(plan,), ab=AB(old=old, new=new, allow=allow))


def told(records: list[Record], allow: float = 0.01) -> Diff:
    made = a_test(records, allow)
    assert made.ab is not None
    return ab(made, made.ab, judged(made, records).compared)


@pytest.mark.parametrize(
    ("times", "verdict", "slower"),
    [(0.985, "slower", True), (1.015, "faster", False), (1.0, "no change", False)],
)
def test_the_verdict_is_that_of_new_against_old(times: float, verdict: str, slower: bool) -> None:
    """Boots differ by more than old and new do: only pairs of them tell."""
    found = told(both(times))
    assert [row.change.verdict for row in found.rows] == [verdict]
    assert found.slower is slower


def test_a_boot_is_one_sample_however_many_trials_it_has() -> None:
    (row,) = told(both(1.0)).rows
    assert (len(row.old.samples), row.change.change.n, row.change.paired) == (6, 6, True)


def test_a_boot_is_the_median_of_its_trials() -> None:
    (row,) = told(both(1.0, within=0.3)).rows
    assert row.old.samples == pytest.approx([20_000 * x for x in SIX], rel=1e-4)


def test_a_boot_without_its_partner_is_left_out() -> None:
    found = [r for r in both(0.95) if (r.arm, r.boot) not in {(OLD, 2), (NEW, 5)}]
    (row,) = told(found).rows
    assert (row.old.boots, row.new.boots) == ((1, 3, 4, 6), (1, 3, 4, 6))


def test_what_is_accepted_is_not_told() -> None:
    assert told(both(0.95), allow=0.1).rows[0].change.verdict == "within noise"


def test_what_else_differs_is_of_the_inventories_of_both_arms() -> None:
    found = {one.field: (one.old, one.new) for one in told(both(1.0)).conditions}
    assert found == {"gateway's kernel": ("6.1.0", "6.6.0")}


def test_the_sentence_tells_old_new_and_the_boots() -> None:
    records = both(0.95)
    said = answered(a_test(records), records).sentence
    assert said.startswith("New (nat) is slower than old (route): \N{MINUS SIGN}5.0 %")
    assert said.endswith("6 boots of each.")


def test_page_and_terminal_tell_the_same_change() -> None:
    records = both(0.95)
    (one,) = answered(a_test(records), records).comparisons
    assert one.change == told(records).rows[0].change
