# SPDX-License-Identifier: Apache-2.0
"""What several points tell together: packets or bytes, sizes, a direction, a family."""

from collections.abc import Sequence
from dataclasses import replace as changed

import pytest
from msgspec.structs import replace
from simulated import PLANTED, Planted

from gatemark.judge.fact import Fact
from gatemark.judge.finding import Diagnosis, Finding
from gatemark.judge.point.group import Group, group
from gatemark.judge.shape.diagnose import Diagnosed, diagnose
from gatemark.judge.shape.factor import with_levels
from gatemark.judge.shape.pairs import together
from gatemark.store.record import Record
from gatemark.tell.answer.diagnosis import table
from gatemark.tell.fact import say

from .conftest import FEW, LOW, outside


def at(planted: Planted, rates: tuple[int, ...] = LOW, **factors: int | str) -> list[Record]:
    """A sweep of a gateway, as one at other levels of some factors."""
    own = {name: level for name, level in factors.items() if name != "direction"}
    direction = str(factors.get("direction", "up"))
    made = []
    for record in outside(planted, rates):
        losses = tuple(replace(loss, direction=direction) for loss in record.evidence.loss)
        made.append(
            replace(
                record,
                point={**record.point, **factors},
                definition=replace(record.definition, direction=direction, **own),
                evidence=replace(record.evidence, loss=losses),
            )
        )
    return made


def told(*sweeps: Sequence[Record]) -> list[Diagnosis]:
    groups: list[Group] = group(record for sweep in sweeps for record in sweep)
    return [*with_levels(together(diagnose(groups, ())))]


def shapes(diagnosis: Diagnosis) -> list[str]:
    return [finding.shape for finding in diagnosis.wrong]


def policed(*sizes: int) -> list[Diagnosed]:
    """A policer that counts packets, seen with frames of these sizes."""
    sweeps = [at(PLANTED["policer"][0], FEW, frame_bytes=size) for size in sizes]
    return diagnose(group(record for sweep in sweeps for record in sweep), ())


def test_a_policer_of_packets_is_told_at_either_size() -> None:
    words = [
        say.words(finding.fact) for each in together(policed(64, 128)) for finding in each.wrong
    ]
    assert len(words) == 2
    assert all(
        text.endswith(": a policer, by packets: 12.0 k packets/s at 128 bytes too.")
        for text in words
    )


@pytest.mark.parametrize(
    ("large_pps", "counts"),
    [
        (8_001, ", by packets: 8.00 k packets/s at 128 bytes too."),
        (8_000, "a policer."),
        (6_250, "a policer."),
        (6_249, ", by bytes: 6.4 Mbit/s of frames."),
    ],
)
def test_two_sizes_tell_what_a_policer_counts(large_pps: float, counts: str) -> None:
    """It lets 10 000 packets/s of 64 bytes through, and so many of 128."""
    made = []
    for each, rate in zip(policed(64, 128), (10_000.0, large_pps), strict=True):
        (finding,) = each.diagnosis.wrong
        own = replace(finding, values=finding.values | {"rate_pps": rate})
        made.append(changed(each, diagnosis=replace(each.diagnosis, findings=(own,))))
    assert [say.words(each.wrong[0].fact)[-len(counts) :] for each in together(made)] == [
        counts
    ] * 2


def test_one_direction_that_loses_is_named_there() -> None:
    up, down = told(at(Planted(share=0.05), direction="up"), at(Planted(), direction="down"))
    assert (shapes(up), shapes(down)) == (["one-direction"], [])


def test_both_directions_that_lose_are_a_constant_share() -> None:
    lossy = Planted(share=0.05)
    diagnoses = told(at(lossy, direction="up"), at(lossy, direction="down"))
    assert [shapes(diagnosis) for diagnosis in diagnoses] == [["constant-share"]] * 2


def test_one_family_that_loses_is_named_there() -> None:
    v4, v6 = told(at(Planted(), family="ipv4"), at(Planted(share=0.05), family="ipv6"))
    assert (shapes(v4), shapes(v6)) == ([], ["one-family"])


@pytest.mark.parametrize(("is_dearer", "shape"), [(True, ["one-direction"]), (False, [])])
def test_a_direction_that_carries_less_is_named_where_each_packet_takes_the_cpu_longer(
    is_dearer: bool, shape: list[str]
) -> None:
    up = at(Planted(), FEW, direction="up")
    down = at(Planted(capacity=27_000 * 0.73), FEW, direction="down")
    if not is_dearer:
        cpus = [record.evidence.cpu for record in up]
        pairs = zip(down, cpus, strict=True)
        down = [replace(r, evidence=replace(r.evidence, cpu=cpu)) for r, cpu in pairs]
    assert shapes(told(up, down)[1]) == shape


def test_one_level_of_a_factor_that_loses_is_named_with_it() -> None:
    usual, marked = told(at(Planted(), dscp=0), at(Planted(share=0.05), dscp=46))
    assert (shapes(usual), shapes(marked)) == ([], ["one-level"])
    assert say.clause(marked.wrong[0].fact) == "loses 5.0 % of DSCP 46 alone"
    rows = table([usual, marked]).rows
    assert [row[2].endswith("dscp 46") for row in rows] == [True]


def test_a_slow_level_is_named_beside_another_fault_of_it() -> None:
    """A share that all lose makes nobody wait."""
    slow = at(Planted(share=0.05), dscp=46)
    late = [replace(r, values=r.values | {"delay_p50_ns": 2e6}) for r in slow]
    _, marked = told(at(Planted(share=0.05), dscp=0), late)
    assert shapes(marked) == ["one-level", "constant-share"]
    assert say.clause(marked.wrong[0].fact).startswith("delays DSCP 46 by 1.9")


def test_a_limit_of_one_level_is_named_with_it() -> None:
    v4, v6 = told(at(Planted(), FEW, family="ipv4"), at(PLANTED["policer"][0], FEW, family="ipv6"))
    assert (shapes(v4), shapes(v6)) == ([], ["policer"])
    assert say.clause(v6.wrong[0].fact) == "is policed to 12.0 k packets/s with IPv6 alone"


@pytest.mark.parametrize(
    ("factor", "levels", "words"),
    [
        ("family", ("ipv4", "ipv6"), "This is so with IPv6 alone."),
        ("clients", (16, 1), "This is so with 1 client alone."),
        ("frame_bytes", (64, 128), "This is so with frames of 128 bytes alone."),
        ("path", ("route", "nat"), "No other path shows it."),
    ],
)
def test_what_a_counter_has_at_one_level_is_named_with_it(
    factor: str, levels: tuple[str | int, ...], words: str
) -> None:
    counted = Finding(shape="not-forwarding", fact=Fact("nothing.sent"), values={"share": 1.0})
    usual, worse = told(*(at(Planted(), LOW, **{factor: level}) for level in levels))
    _, named = with_levels([usual, replace(worse, findings=(counted,))])
    assert say.words(named.findings[0].fact) == f"what is sent {words}"


def test_what_each_level_has_is_of_none() -> None:
    v4, v6 = told(*(at(Planted(share=0.05), family=family) for family in ("ipv4", "ipv6")))
    assert [say.clause(each.wrong[0].fact).endswith("at any rate") for each in (v4, v6)] == [
        True,
        True,
    ]


def test_a_level_that_carries_less_is_named_with_it() -> None:
    slow = Planted(capacity=13_000)
    v4, v6 = told(at(Planted(), FEW, family="ipv4"), at(slow, FEW, family="ipv6"))
    assert (shapes(v4), shapes(v6)) == ([], ["one-family"])
    assert v6.wrong[0].values["rate_pps"] == pytest.approx(13_000, rel=0.1)


def test_frames_over_a_length_that_do_not_come() -> None:
    sizes = {64: 0.0, 512: 0.0, 1518: 1.0}
    diagnoses = told(*(at(Planted(share=share), frame_bytes=b) for b, share in sizes.items()))
    for diagnosis in diagnoses:
        finding = diagnosis.get("some-sizes")
        assert finding is not None
        assert finding.values["frame_bytes"] == 512


def test_a_size_that_does_worse_than_its_neighbours() -> None:
    sizes = {64: 0.0, 512: 0.04, 1518: 0.0}
    diagnoses = told(*(at(Planted(share=share), frame_bytes=b) for b, share in sizes.items()))
    assert all("not-monotone" in shapes(diagnosis) for diagnosis in diagnoses)
