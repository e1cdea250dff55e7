# SPDX-License-Identifier: Apache-2.0
"""What several points tell together: packets or bytes, sizes, a direction, a family."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from simulated import RATES, Planted, swept

from gatemark.stats.finding import Diagnosis
from gatemark.stats.point.group import Group, group
from gatemark.stats.shape.diagnose import diagnose
from gatemark.stats.shape.pairs import together
from gatemark.store.record import Record


def at(planted: Planted, **factors: int | str) -> list[Record]:
    """A sweep of a gateway, as one at other levels of some factors."""
    own = {name: level for name, level in factors.items() if name != "direction"}
    records = [r for trials in swept(planted, RATES[:5]) for r in trials.outside]
    direction = str(factors.get("direction", "up"))
    made = []
    for record in records:
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
    return together(diagnose(groups, ()))


def shapes(diagnosis: Diagnosis) -> list[str]:
    return [finding.shape for finding in diagnosis.wrong]


@pytest.mark.parametrize(
    ("small", "large", "words"),
    [(12_000, 12_000, "by packets"), (16_000, 8_000, "by bytes"), (16_000, 11_000, "no queue")],
)
def test_two_sizes_tell_what_a_policer_counts(small: int, large: int, words: str) -> None:
    diagnoses = told(
        at(Planted(policer=(small, 100)), frame_bytes=64),
        at(Planted(policer=(large, 100)), frame_bytes=128),
    )
    for diagnosis in diagnoses:
        (finding,) = diagnosis.wrong
        assert finding.shape == "policer"
        assert words in finding.words


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
