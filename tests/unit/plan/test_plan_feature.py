# SPDX-License-Identifier: Apache-2.0
"""Which features, paths and directions go together, and what is said where they do not."""

from inspect import iscoroutinefunction

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.feature import FEATURES, parts, samples, tracks, unnumbered, writes_dscp
from gatemark.plan.misfit import check_features, misfit
from gatemark.plan.model import Arm, Direction, Plan, Workload


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("conntrack", ("conntrack", ())),
        ("filter:100", ("filter", ("100", "nft"))),
        ("filter:100:set", ("filter", ("100", "set"))),
        ("shape:cake", ("shape", ("cake", "100"))),
        ("shape:tbf:20", ("shape", ("tbf", "20"))),
    ],
)
def test_a_feature_is_a_name_and_its_words(word: str, found: tuple[str, tuple[str, ...]]) -> None:
    assert parts(word) == found


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("filter", r"'filter': write filter:N\[:BY\] with N from 1 to 10000; BY one of nft, set,"),
        ("filter:9:ipset", "BY one of nft, set, map, legacy"),
        ("shape:red", "BY one of tbf, htb, htb2, fq_codel, cake"),
        ("offload", "write offload:BY"),
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


@pytest.mark.parametrize("name", FEATURES)
def test_each_feature_has_samples_that_a_plan_takes(name: str) -> None:
    assert {parts(sample)[0] for sample in samples(name).values()} <= {name}
    assert bool(samples(name)) is (name != "command")


def test_the_samples_of_a_feature_are_its_kinds() -> None:
    assert samples("shape")["cake"] == "shape:cake:100"
    assert samples("filter") == {
        kind: f"filter:1:{kind}" for kind in ("nft", "set", "map", "legacy")
    }
    assert samples("conntrack") == {"": "conntrack"}


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("conntrack", "conntrack"),
        ("filter:100", "filter:nft"),
        ("shape:cake:15/90:wan", "shape:cake:wan"),
        ("capture:tcpdump:68:disk", "capture:tcpdump:disk"),
    ],
)
def test_a_kind_has_no_numbers(word: str, kind: str) -> None:
    assert unnumbered(word) == kind


@pytest.mark.parametrize("path", ["switch", "direct"])
@pytest.mark.parametrize("feature", ["conntrack", "filter:1"])
def test_a_feature_without_effect_on_a_path_is_refused(path: str, feature: str) -> None:
    arm = Arm(path=path, features=(feature,))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"has no effect on the path {path}"):
        check_features(arm)


@pytest.mark.parametrize("feature", ["conntrack", "notrack", "filter:1:set"])
def test_a_bridge_passes_rules_of_ip_where_it_is_told_to(feature: str) -> None:
    check_features(Arm(path="switch", features=("bridge-netfilter", feature)))
    with pytest.raises(UsageError, match="and beside bridge-netfilter on switch"):
        check_features(Arm(path="switch", features=(feature,)))


def test_features_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(UsageError, match="netfilter-absent and filter contradict each other"):
        check_features(Arm(path="route", features=("filter:1", "netfilter-absent")))


@pytest.mark.parametrize("tunnel", ["pppoe", "wireguard"])
@pytest.mark.parametrize("other", ["xdp", "steering:one"])
def test_what_a_test_port_receives_is_not_steered_beside_a_tunnel(tunnel: str, other: str) -> None:
    name = other.partition(":")[0]
    with pytest.raises(UsageError, match=f"{tunnel} and {name} contradict each other"):
        check_features(Arm(path="route", features=(other, tunnel)))


@pytest.mark.parametrize(
    ("arm", "does"),
    [
        (Arm(path="nat"), True),
        (Arm(path="route"), False),
        (Arm(path="route", features=("conntrack",)), True),
        (Arm(path="route", features=("offload:software",)), True),
        (Arm(path="route", features=("notrack",)), False),
    ],
)
def test_who_tracks_has_a_table_to_empty(arm: Arm, does: bool) -> None:
    assert tracks(arm) is does


def test_a_feature_is_there_once() -> None:
    with pytest.raises(UsageError, match="filter is there twice"):
        check_features(Arm(path="route", features=("filter:1", "filter:2")))


def test_every_feature_has_a_way_to_be_set() -> None:
    from gatemark.gateway import feature  # plan itself must not need it

    for name, properties in FEATURES.items():
        file = feature.feature_of(name)
        assert iscoroutinefunction(file.apply)
        assert hasattr(file, "program") is properties.program


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


@pytest.mark.parametrize(
    ("load", "why"),
    [
        (Workload(frame_bytes=1510), ""),
        (Workload(frame_bytes=1511), "`frame_bytes` = 1511: with pppoe a frame with FCS has 1510"),
        (Workload(kind="walk", frame_bytes=1518), "`frame_bytes` = 1518: with pppoe"),
        (Workload(mix="64:1,1518:1"), "`mix` = 64:1,1518:1: with pppoe"),
        (Workload(kind="tcp"), ""),
    ],
)
def test_a_packet_that_a_session_would_cut_is_refused(load: Workload, why: str) -> None:
    found = misfit(Arm(path="route", features=("conntrack", "pppoe")), load)
    assert found.startswith(why)
    assert bool(found) is bool(why)
    assert misfit(Arm(path="route"), load) == ""


@pytest.mark.parametrize("one", ["vlan", "wireguard"])
def test_a_line_is_of_one_kind(one: str) -> None:
    with pytest.raises(UsageError, match=f"pppoe and {one} contradict each other"):
        check_features(Arm(path="route", features=(one, "pppoe")))


@pytest.mark.parametrize("direction", ["send", "receive"])
def test_a_gateway_that_is_an_end_answers_a_segment(direction: Direction) -> None:
    own = Workload(kind="walk", l4="tcp", direction=direction)
    found = misfit(Arm(path="endpoint"), own)
    assert found.startswith("`l4` = tcp: the gateway itself answers a segment by another packet")
    assert misfit(Arm(path="endpoint"), replace(own, l4="udp")) == ""
    assert misfit(Arm(path="nat"), replace(own, direction="down")) == ""


def test_offload_is_for_the_tester_alone() -> None:
    load = Workload(kind="tcp", offload=True)
    assert misfit(Arm(path="direct"), load) == ""
    assert "`offload` is for the path direct alone" in misfit(Arm(path="nat"), load)


def test_a_plan_that_sets_buckets_has_room_for_its_flows(
    shipped: dict[str, tuple[Plan, ...]],
) -> None:
    """A full table is no long hash chain; `conntrack-max` sets the buckets too, so it is first."""
    arms = []
    for plan in (plan for plans in shipped.values() for plan in plans):
        for arm in plan.arm:
            given = dict(map(parts, arm.features))
            if "buckets" in given:
                arms.append(arm)
                most = max(int(flows) for flows in plan.sweep["flows"])
                assert int(given.get("conntrack-max", ("0",))[0]) >= most, (plan.name, arm.name)
                assert [*given].index("conntrack-max") < [*given].index("buckets")
    assert len(arms) == 5


def test_a_feature_of_no_known_name_writes_no_dscp() -> None:
    assert writes_dscp(["filter:100", "dscp:0"])
    assert not writes_dscp(["of-another-version:1", "conntrack"])
