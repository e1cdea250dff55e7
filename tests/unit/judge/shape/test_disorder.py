# SPDX-License-Identifier: Apache-2.0
"""Packets that come corrupted, twice or out of order are told, with how many and how."""

from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace
from simulated import Planted

from gatemark.judge.finding import Finding
from gatemark.judge.point.group import group
from gatemark.judge.shape.diagnose import diagnose
from gatemark.store.record import Accounting, Record
from gatemark.tell.fact import say

from .conftest import LOW, outside

NOTHING = dict.fromkeys(
    ("scheduled", "refused", "lost", "duplicated", "reordered", "stale", "corrupt", "foreign"), 0
)


def altered(record: Record, counts: dict[str, int], **loss: Any) -> Record:
    """A trial of which so much is told besides."""
    (own,) = record.evidence.loss
    tried = sum(own.tried)
    sums: dict[str, Any] = NOTHING | {"tried": tried, "unique": tried, "ring_dropped": 0} | counts
    return replace(
        record,
        accounting=Accounting(**sums, interfaces={}, mismatch={}),
        evidence=replace(record.evidence, loss=(replace(own, **loss),)),
    )


def findings(counts: dict[str, int], **loss: Any) -> list[Finding]:
    records = [altered(record, counts, **loss) for record in outside(Planted(), LOW)]
    (diagnosed,) = diagnose(group(records), ())
    return list(diagnosed.diagnosis.wrong)


CAUSES = {
    "ip_sum": ": the checksum of IP is wrong",
    "udp_sum": ": the checksum of UDP is wrong",
    "no_sum": ": the checksum of UDP was taken out",
    "header": ": the checksum is right and the test header is not, as where the payload is",
    "new": ".",
}


def test_corrupted_packets_are_told_with_their_cause() -> None:
    opening = "1.8 % of the packets come corrupted"
    told = {cause: findings({}, corrupt={cause: 100})[0] for cause in CAUSES}
    assert {finding.shape for finding in told.values()} == {"corruption"}
    assert told["new"].values["share"] == pytest.approx(200 / (4_500 + 6_750), rel=0.01)
    assert say.clause(told["new"].fact) == "has 1.8 % of its packets corrupted"
    unlike = [
        cause
        for cause, f in told.items()
        if not say.words(f.fact).startswith(opening + CAUSES[cause])
    ]
    assert unlike == []


def test_the_most_frequent_cause_is_named() -> None:
    (finding,) = findings({}, corrupt={"ip_sum": 20, "udp_sum": 80})
    assert "UDP" in say.words(finding.fact)


def test_what_comes_from_a_rate_on_is_told_with_it() -> None:
    records = [
        altered(record, {"reordered": 100 * (sum(record.evidence.loss[0].tried) > 5_000)})
        for record in outside(Planted(), LOW)
    ]
    (diagnosed,) = diagnose(group(records), ())
    (finding,) = diagnosed.diagnosis.wrong
    assert say.clause(finding.fact).endswith("out of order at 15.0 k packets/s and more")


def test_packets_that_come_twice_are_told() -> None:
    (finding,) = findings({"duplicated": 100})
    assert (finding.shape, say.clause(finding.fact)) == (
        "duplication",
        "has 1.8 % of its packets twice",
    )
    assert say.words(finding.fact) == "1.8 % of the packets come twice."


def test_packets_out_of_order_are_told_with_how_far() -> None:
    (finding,) = findings({"reordered": 100}, late={"1": 10, "4": 80, "16": 10})
    words = "1.8 % of the packets come out of order, by 4 packets of their flow or more."
    assert (finding.shape, say.words(finding.fact)) == ("reordering", words)
    assert say.clause(finding.fact) == "has 1.8 % of its packets out of order"


def test_where_it_is_not_known_how_far_nothing_is_said_of_it() -> None:
    (finding,) = findings({"reordered": 100})
    assert say.words(finding.fact) == "1.8 % of the packets come out of order."


def test_a_few_are_nothing() -> None:
    assert findings({"duplicated": 9, "reordered": 9}) == []


def corrupted(each: Sequence[int], lost: int) -> list[Finding]:
    """What is said of trials of which so many came corrupted, and lost so many in one bin."""
    records = outside(Planted(holes=0), LOW)
    made = [
        altered(record, {}, corrupt={"udp_sum": count}, lost=(lost * count, *[0] * 44))
        for record, count in zip(records, each, strict=True)
    ]
    (diagnosed,) = diagnose(group(made), ())
    return list(diagnosed.diagnosis.wrong)


def test_a_few_of_each_trial_are_told_by_all_together_and_with_their_share_of_the_lost() -> None:
    (finding,) = corrupted([2, 1] * 6, lost=1)
    assert finding.shape == "corruption"
    assert "(18 of 18 lost beyond the sender's port)" in say.words(finding.fact)


def test_corruption_that_comes_in_clusters_is_told() -> None:
    """As recorded of a bit that one packet of 3 000 had turned, in buffers that are used again."""
    (finding,) = corrupted([7, 70, 1, 2, 0, 0, 6, 0, 14, 0, 55, 6], lost=1)
    assert finding.shape == "corruption"


@pytest.mark.parametrize("each", [[0, 0, 0, 0, 20, 0] * 2, [1, *[0] * 11]])
def test_one_trial_that_has_corrupted_packets_is_nothing(each: list[int]) -> None:
    assert corrupted(each, lost=0) == []


@pytest.mark.parametrize(
    ("twice", "named"), [(1.0, ["exchange"]), (0.5, ["constant-share", "duplication"])]
)
def test_as_many_twice_as_lost_are_exchanged(twice: float, named: list[str]) -> None:
    records = []
    for record in outside(Planted(share=0.02), LOW):
        (own,) = record.evidence.loss
        records.append(altered(record, {"duplicated": round(twice * sum(own.lost))}))
    (diagnosed,) = diagnose(group(records), ())
    assert [finding.shape for finding in diagnosed.diagnosis.wrong] == named
