# SPDX-License-Identifier: Apache-2.0
"""The words of `shape`: what each means, and which do not go together."""

import pytest

from gatemark.error import UsageError
from gatemark.plan.feature import on_line, parts, shaped_bps
from gatemark.plan.misfit import check_features
from gatemark.plan.model import Arm
from gatemark.plan.shaper.shape import Shape, parse


def asked(word: str) -> Shape:
    return parse(parts(word)[1])


@pytest.mark.parametrize(
    ("word", "rates"),
    [
        ("shape:htb", (100_000_000, 100_000_000)),
        ("shape:htb:0.95", (950_000, 950_000)),
        ("shape:htb:14.25:wan", (14_250_000, 0)),
        ("shape:htb:0.128:lan", (0, 128_000)),
        ("shape:htb:14.25/95", (14_250_000, 95_000_000)),
    ],
)
def test_a_rate_is_of_each_port(word: str, rates: tuple[int, int]) -> None:
    shape = asked(word)
    assert (shape.up_bps, shape.down_bps) == rates


@pytest.mark.parametrize(
    ("word", "size"),
    [
        ("shape:htb:15", (None, 0, "")),
        ("shape:htb:15:overhead=44:mpu=64:atm", (44, 64, "atm")),
        ("shape:cake:15:docsis", (18, 64, "")),
        ("shape:cake:15:pppoe-ptm", (30, 0, "ptm")),
        ("shape:cake:15:ethernet:overhead=42", (42, 84, "")),
    ],
)
def test_a_packet_counts_for_what_the_line_makes_of_it(
    word: str, size: tuple[int | None, int, str]
) -> None:
    shape = asked(word)
    assert (shape.overhead_bytes, shape.mpu_bytes, shape.cells) == size


def test_two_classes_have_queues_and_put_udp_first_unasked() -> None:
    assert (asked("shape:htb2:15").first, asked("shape:htb2:15").queue_packets) == ("udp", 50)
    assert asked("shape:htb2:15:first=27960-27961:queue=9").first == "27960-27961"
    assert asked("shape:htb:15").queue_packets == 0


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("shape:htb:0", "MBIT from 0.01 to 100000, 3 decimals at most, or UP/DOWN, or 1% to"),
        ("shape:htb:1.2345", "3 decimals at most"),
        ("shape:htb:1e3", "MBIT from 0.01"),
        ("shape:htb:1/2/3", "MBIT from 0.01"),
        ("shape:htb:101%", "MBIT from 0.01"),
        ("shape:htb:wan", "MBIT from 0.01"),
        ("shape:htb:15:way", "no word 'way'; did you mean 'wan'"),
        ("shape:htb:15:queue", "write queue=N with N from 1 to 100000"),
        ("shape:htb:15:queue=1.5", "write queue=N with N from 1 to 100000"),
        ("shape:htb:15:wan=1", "write wan alone"),
        ("shape:htb:15:wan:wan", "wan is there twice"),
        (
            "shape:htb2:15:first=voice",
            "FLOW one of udp, marked, a port, ports FROM-TO, dscp0 to dscp63",
        ),
    ],
)
def test_a_wrong_word_is_told_with_the_fix(word: str, why: str) -> None:
    with pytest.raises(UsageError) as error:
        parts(word)
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("path", "features", "why"),
    [
        ("switch", ["shape:htb:15:wan"], "`wan` is for the paths route and nat: switch has no WAN"),
        ("endpoint", ["shape:htb:15/90"], "UP/DOWN is for the paths route and nat"),
        ("route", ["shape:htb:15:wan:lan"], "wan and lan are both ports"),
        ("switch", ["shape:htb:95%"], "95% is for the paths route and nat: switch has no WAN"),
        ("route", ["shape:htb:15/90:wan"], "`wan` is one port, and UP/DOWN are the rates of two"),
        ("route", ["shape:htb:15:diffserv4"], "diffserv4 is cake's own word, which htb does not"),
        ("route", ["shape:cake:15:diffserv4:besteffort"], "besteffort and diffserv4 contradict"),
        ("route", ["shape:cake:15:atm:ptm"], "atm and ptm contradict each other"),
        ("route", ["shape:cake:15:docsis:ethernet"], "ethernet and docsis contradict each other"),
        ("route", ["shape:tbf:15:queue=9"], "`queue` is of htb and htb2; tbf has a queue"),
        ("route", ["shape:cake:15:frame"], "`frame` is for a bucket, and cake has none"),
        ("route", ["shape:tbf:15:overhead=8"], "an overhead of 8 is cake's alone: tbf counts"),
        ("route", ["shape:htb:15:first=udp"], "`first` puts a flow into the first class of htb2"),
        ("route", ["shape:tbf:15:first=marked"], "`first` puts a flow into the first class of"),
        ("route", ["shape:htb2:15:first=9-8"], "ports are 1 to 65535, the lower one first"),
        ("route", ["shape:htb2:15:first=0"], "ports are 1 to 65535"),
        ("route", ["shape:htb2:15:first=dscp64"], "code points are 0 to 63"),
        ("switch", ["shape:htb2:15"], "htb2 sorts what is forwarded by a rule of nft"),
        ("nat", ["shape:htb2:15", "offload:software"], "a rule of nft, which offload leaves out"),
        ("route", ["shape:htb2:15", "netfilter-absent"], "which netfilter-absent leaves out"),
        ("route", ["shape:htb:15", "xdp"], "shape and xdp contradict each other"),
    ],
)
def test_words_that_do_not_go_together_are_refused(
    path: str, features: list[str], why: str
) -> None:
    with pytest.raises(UsageError) as error:
        check_features(Arm(path=path, features=tuple(features)))  # type: ignore[arg-type]
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("path", "features"),
    [
        ("switch", ["shape:htb:15"]),
        ("switch", ["bridge-netfilter", "shape:htb2:15"]),
        ("nat", ["shape:cake:0.95:wan:conservative:nat:ack-filter"]),
        ("nat", ["shape:htb2:14.25:wan:frame:first=dscp46:overhead=14"]),
        ("nat", ["classify:jumping", "shape:cake:14.25:wan:first=marked"]),
        ("route", ["shape:tbf:15", "netfilter-absent"]),
    ],
)
def test_words_that_go_together_are_taken(path: str, features: list[str]) -> None:
    check_features(Arm(path=path, features=tuple(features)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "line_bps", "at"),
    [
        ("shape:cake:95%", (1e6, 1e6), "shape:cake:0.95"),
        ("shape:cake:95%:docsis", (15e6, 100e6), "shape:cake:14.25/95:docsis"),
        ("shape:htb2:87.5%:wan", (15e6, 0), "shape:htb2:13.125:wan"),
        ("shape:cake:50%:lan", (0, 3e6), "shape:cake:1.5:lan"),
        ("shape:cake:20", (1e6, 1e6), "shape:cake:20"),
    ],
)
def test_a_share_of_the_line_is_a_rate_at_a_point(
    word: str, line_bps: tuple[float, float], at: str
) -> None:
    arm = on_line(Arm(path="nat", name="arm", features=("conntrack", word)), line_bps)
    assert (arm.name, arm.features) == ("arm", ("conntrack", at))


@pytest.mark.parametrize(
    ("line_bps", "why"),
    [(None, r"95% of which line\? Write"), ((1e6, 0), "95% of a line without a rate down")],
)
def test_a_share_needs_a_line(line_bps: tuple[float, float] | None, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        on_line(Arm(path="nat", features=("shape:cake:95%",)), line_bps)


def test_a_shapers_rates_are_read_from_its_word() -> None:
    assert shaped_bps(("conntrack", "shape:cake:14.25:wan")) == (14_250_000, 0)
    assert shaped_bps(("shape:cake",)) is None
    assert shaped_bps(("conntrack",)) is None
