# SPDX-License-Identifier: Apache-2.0
"""One gateway over time: what changed, what did not, what cannot be said."""

from collections.abc import Sequence
from dataclasses import replace as changed
from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.judge.change.diff import Diff, Side, conditions, diff
from gatemark.judge.judge import judged
from gatemark.store.record import Record
from gatemark.store.run import Run

from ..conftest import Simulated, Trial, run, sweep

RATES = (10_000, 20_000, 30_000, 40_000, 50_000, 62_000)
SIX = (0.999, 0.9995, 1.0, 1.0005, 1.001, 1.0015)


def trials(rate: float, trial: Trial | None = None) -> list[Record]:
    base = changed(trial or Trial(), offered=50_000.0, busy=0.99, refused=50_000 - rate)
    return [changed(base, received=rate * x, repeat=i).record() for i, x in enumerate(SIX, 1)]


def side(records: Sequence[Record], of: Run | None = None, quantities: Sequence[str] = ()) -> Side:
    kept = of or run(records)
    made = judged(kept, records, quantities=quantities)
    return Side(kept, made.judgement, made.rows)


def station(name: str = "lab", kind: str = "netns", **before: Any) -> Run:
    made = run()
    return replace(made, station=replace(made.station, name=name, kind=kind), before=before)


def compared(old: float, new: float, *across: str, noise: float = 0.01) -> Diff:
    return diff(side(trials(old)), side(trials(new)), across, noise)


@pytest.mark.parametrize(
    ("new", "verdict"), [(18_000, "slower"), (22_000, "faster"), (20_001, "no change")]
)
def test_the_new_run_is_held_against_the_old(new: float, verdict: str) -> None:
    (row,) = compared(20_000, new).rows
    assert row.change.verdict == verdict
    assert row.change.change.value == pytest.approx(new / 20_000 - 1)


@pytest.mark.parametrize(("new", "slower"), [(18_000, True), (22_000, False)])
def test_slower_is_a_regression(new: float, slower: bool) -> None:
    assert compared(20_000, new).slower == slower


def test_a_sweep_is_compared_by_its_knee_alone() -> None:
    old, new = (side(sweep(Simulated(knee), RATES)) for knee in (30_500, 29_000))
    assert [row.new.quantity for row in diff(old, new).rows] == ["knee_pps"]


def test_everything_lists_the_single_rates_too() -> None:
    old, new = (side(sweep(Simulated(knee), RATES)) for knee in (30_500, 29_000))
    assert len(diff(old, new, everything=True).rows) == 1 + len(RATES)


def test_delays_are_better_if_lower() -> None:
    records = [[replace(r, values=r.values | {"delay_p50_ns": x}) for r in trials(20_000)]
               for x in (1e6, 2e6)]  # fmt: skip
    old, new = (side(found, quantities=["delay_p50_ns"]) for found in records)
    assert [row.change.verdict for row in diff(old, new).rows] == ["slower"]


def test_what_only_one_run_has_is_listed() -> None:
    nat, route = trials(20_000, Trial(path="nat")), trials(20_000)
    found = diff(side([*nat, *route]), side(route))
    assert ([row.setup for row in found.only_old], found.only_new) == (["nat"], ())


def test_unlike_definitions_are_refused_with_what_differs() -> None:
    with pytest.raises(UsageError, match="differ in frame_bytes 64 against 512"):
        diff(side(trials(20_000)), side(trials(20_000, Trial(frame_bytes=512))))


def test_across_compares_them_and_tells_the_difference() -> None:
    unlike = side(trials(20_000, Trial(frame_bytes=512)))
    (row,) = diff(side(trials(20_000)), unlike, ["frame_bytes"]).rows
    assert [str(d) for d in row.differences] == ["frame_bytes 64 against 512"]


def test_a_run_without_values_is_refused() -> None:
    with pytest.raises(UsageError, match="NEW has no value of a gateway"):
        diff(side(trials(20_000)), side([]))


def test_a_limit_of_the_tester_leaves_no_verdict() -> None:
    found = diff(side(trials(20_000)), side(trials(30_000, Trial(ring_dropped=9_000))))
    assert [(row.at_least, row.change.verdict) for row in found.rows] == [(True, "inconclusive")]


# --- noise


def test_noise_is_at_least_what_is_asked() -> None:
    (row,) = compared(20_000, 18_000, noise=0.2).rows
    assert (row.change.noise, row.change.verdict) == (0.2, "within noise")


def moved(gateway: float, *tester: float, virtual: bool = True, noise: float = 0.01) -> Diff:
    """The gateway, and the tester in one direction or two, so many times as fast as before."""

    def measured(gateway: float, *tester: float) -> Side:
        records = trials(10_000 * gateway)
        for speed, direction in zip(tester, ("up", "down"), strict=False):
            records += trials(40_000 * speed, Trial(path="direct", direction=direction))
        return side(records, run(records, virtual=virtual))

    old, new = measured(1.0, *[1.0] * len(tester)), measured(gateway, *tester)
    return diff(old, new, noise=noise)


@pytest.mark.parametrize("virtual", [True, False])
def test_a_tester_that_changed_hides_no_slower_row(virtual: bool) -> None:
    found = moved(0.55, 1 / 2.8, virtual=virtual)
    (row,) = found.rows
    assert (row.change.verdict, row.change.noise) == ("slower", 0.01)
    assert [ceiling.change.verdict for ceiling in found.ceilings] == ["slower"]


def test_a_real_gateway_is_comparable_whatever_its_tester_does() -> None:
    assert moved(0.55, 1 / 2.8, virtual=False).tester is None


@pytest.mark.parametrize(
    ("tester", "noise", "changed"),
    [(0.9, 0.01, True), (1.1, 0.01, True), (0.96, 0.01, False), (0.9, 0.2, False)],
)
def test_a_virtual_gateways_tester_changed_beyond_what_is_accepted(
    tester: float, noise: float, changed: bool
) -> None:
    assert (moved(1.0, tester, noise=noise).tester is not None) == changed


def test_the_ceiling_that_changed_most_is_told() -> None:
    tester = moved(1.0, 0.9, 0.7).tester
    assert tester is not None
    assert tester.change.change.value == pytest.approx(-0.3)


@pytest.mark.parametrize(("gateway", "count"), [(0.6, 1), (0.8, 0), (1.6, 0)])
def test_rows_that_are_slower_by_more_than_the_tester_are_counted(
    gateway: float, count: int
) -> None:
    assert moved(gateway, 0.7).slower_than_tester == count


def test_the_tester_is_no_row_of_the_gateway() -> None:
    both = side([*trials(20_000), *trials(40_000, Trial(path="direct"))])
    found = diff(both, both)
    assert (len(found.rows), len(found.ceilings), found.slower) == (1, 1, False)


def test_an_arm_that_differs_from_its_twin_hides_smaller_changes() -> None:
    twin = [replace(r, arm="route (A/A)") for r in trials(21_600)]
    found = diff(side([*trials(20_000), *twin]), side(trials(19_000)))
    assert found.noise.twins == pytest.approx(0.08)
    assert [row.change.verdict for row in found.rows] == ["within noise"]


# --- the gateway


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        ({"name": "attic"}, "station lab against attic"),
        ({"kind": "qemu"}, "station's kind netns against qemu"),
        ({"gateway": {"processor": "b"}}, "gateway's processor a against b"),
    ],
)
def test_another_gateway_is_refused(other: dict[str, Any], difference: str) -> None:
    records = trials(20_000)
    own = side(records, station(gateway={"processor": "a"}))
    with pytest.raises(UsageError, match=f"not the same gateway .{difference}.: `gatemark cmp`"):
        diff(own, side(records, station(**other)))


def test_a_virtual_gateway_has_the_testers_processor() -> None:
    old, new = (station(tester={"processor": name}) for name in "ab")
    with pytest.raises(UsageError, match="gateway's processor a against b"):
        diff(side(trials(20_000), old), side(trials(20_000), new))


def test_across_gateway_compares_them_all_the_same() -> None:
    records = trials(20_000)
    found = diff(side(records, station()), side(records, station("attic")), ["gateway"])
    assert len(found.rows) == 1


def test_an_unknown_processor_is_no_other() -> None:
    records = trials(20_000)
    named = station(gateway={"processor": "a"})
    assert len(diff(side(records, named), side(records, station())).rows) == 1


def test_changed_conditions_are_told() -> None:
    old = station(gateway={"kernel": "6.1", "forwarding": "1"})
    new = replace(station(gateway={"kernel": "6.6", "forwarding": "1"}), versions={"gatemark": "2"})
    assert [str(difference) for difference in conditions(old, new)] == [
        "gateway's kernel 6.1 against 6.6",
        "version of gatemark none against 2",
    ]


def test_another_cable_is_told() -> None:
    old, new = (station(bench={"cable lan to gateway lan": text}) for text in ("2 m", "50 m"))
    assert [str(difference) for difference in conditions(old, new)] == [
        "bench's cable lan to gateway lan 2 m against 50 m"
    ]


def test_the_seed_is_no_condition() -> None:
    assert list(conditions(station(), replace(station(), seed=99))) == []


@pytest.mark.parametrize("name", ["firmware", "kernel", "kernel_config_sha256"])
def test_another_firmware_is_refused_unless_asked(name: str) -> None:
    records = trials(20_000)
    old, new = (side(records, station(gateway={name: text})) for text in "ab")
    with pytest.raises(UsageError, match=f"not the same firmware .gateway's {name} a against b"):
        diff(old, new)
    assert len(diff(old, new, ["firmware"]).rows) == 1


def test_an_unknown_firmware_is_no_other() -> None:
    records = trials(20_000)
    old, new = (side(records, station(gateway=known)) for known in ({"kernel": "6.1"}, {}))
    assert len(diff(old, new).rows) == 1
