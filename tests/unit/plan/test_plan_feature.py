# SPDX-License-Identifier: Apache-2.0
"""Which features, paths and directions go together, and what is said where they do not."""

import pytest

from gatemark.error import UsageError
from gatemark.plan.feature import FEATURES, check_features, misfit, parts
from gatemark.plan.model import Arm, Workload


@pytest.mark.parametrize(
    ("word", "found"), [("conntrack", ("conntrack", ())), ("filter:100", ("filter", ("100",)))]
)
def test_a_feature_is_a_name_and_its_words(word: str, found: tuple[str, tuple[str, ...]]) -> None:
    assert parts(word) == found


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("filter", "'filter': write filter:N with N from 1 to 10000"),
        ("filter:", "write filter:N"),
        ("filter:0", "write filter:N"),
        ("filter:10001", "write filter:N"),
        ("filter:ten", "write filter:N"),
        ("filter:\N{SUPERSCRIPT TWO}", "write filter:N"),
        ("conntrack:1", "conntrack takes nothing behind it"),
        ("contrack", "no feature 'contrack'; did you mean 'conntrack'?"),
    ],
)
def test_a_wrong_feature_is_told_with_the_mend(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parts(word)


@pytest.mark.parametrize("path", ["switch", "direct"])
@pytest.mark.parametrize("feature", ["conntrack", "filter:1"])
def test_a_feature_without_effect_on_a_path_is_refused(path: str, feature: str) -> None:
    arm = Arm(path=path, features=(feature,))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"has no effect on the path {path}"):
        check_features(arm)


def test_a_feature_is_there_once() -> None:
    with pytest.raises(UsageError, match="filter is there twice"):
        check_features(Arm(path="route", features=("filter:1", "filter:2")))


def test_every_feature_has_a_way_to_be_set() -> None:
    from gatemark.gateway import feature  # noqa: PLC0415  plan itself must not need it

    assert set(feature.FEATURES) == set(FEATURES)


@pytest.mark.parametrize(
    ("path", "direction", "fits"),
    [
        ("route", "up", True),
        ("route", "send", False),
        ("endpoint", "send", True),
        ("endpoint", "both", True),
        ("endpoint", "up", False),
        ("direct", "send", True),
        ("direct", "up", True),
        ("switch", "receive", False),
    ],
)
def test_directions_are_those_of_the_path(path: str, direction: str, fits: bool) -> None:
    arm = Arm(path=path)  # type: ignore[arg-type]
    load = Workload(direction=direction)  # type: ignore[arg-type]
    assert (misfit(arm, load) == "") is fits


@pytest.mark.parametrize(
    ("load", "why"),
    [
        (Workload(), ""),
        (Workload(direction="both"), "`direction` = both: with vlan nothing comes back"),
        (Workload(kind="tcp"), "`kind` = tcp: with vlan nothing comes back from the WAN side"),
        (Workload(driver="iperf3"), "`driver` = iperf3: with vlan nothing comes back"),
    ],
)
def test_a_tag_is_put_on_what_goes_up_alone(load: Workload, why: str) -> None:
    found = misfit(Arm(path="nat", features=("conntrack", "vlan")), load)
    assert found.startswith(why)
    assert bool(found) is bool(why)


def test_offload_is_for_the_tester_alone() -> None:
    load = Workload(kind="tcp", offload=True)
    assert misfit(Arm(path="direct"), load) == ""
    assert "`offload` is for the path direct alone" in misfit(Arm(path="nat"), load)
