# SPDX-License-Identifier: Apache-2.0
"""The commands that `shape` gives the gateway."""

import pytest

from gatemark.gateway.feature.shape import change, rules
from gatemark.plan.feature import parts
from gatemark.plan.shaper.shape import parse

BPS = 15_000_000


def commands(word: str, bps: int = BPS) -> list[str]:
    text = change(parse(parts(f"shape:{word}")[1]), "eth1", bps)
    return [" ".join(line.split()) for line in text.splitlines()]


ENDS = [
    ("tbf:15", "tbf rate 15000000bit burst 9375b latency 50ms"),
    ("tbf:15:overhead=44:mpu=64:atm",
     "tbf rate 15000000bit burst 9375b latency 50ms overhead 30 mpu 64 linklayer atm"),
    ("tbf:15:ptm", "tbf rate 14769231bit burst 9231b latency 50ms"),
    ("htb:15:overhead=18",
     "ceil 15000000bit prio 0 quantum 1514 burst 1875b cburst 1875b overhead 4"),
    ("htb:15:frame", "quantum 1514 burst $(($(cat /sys/class/net/eth1/mtu) + 18))b "
     "cburst $(($(cat /sys/class/net/eth1/mtu) + 18))b"),
    ("fq_codel:15", "parent 676d:1 fq_codel"),
    ("cake:15", "cake bandwidth 15000000bit"),
    ("cake:15:pppoe-ptm:diffserv4:nat",
     "cake bandwidth 15000000bit diffserv4 nat overhead 30 ptm"),
    ("cake:15:ipoa-vcmux", "cake bandwidth 15000000bit overhead 8 atm"),
]  # fmt: skip


def test_a_word_becomes_tcs() -> None:
    lines = [(commands(word)[-1], last) for word, last in ENDS]
    assert [row for row in lines if not row[0].endswith(row[1])] == []


@pytest.mark.parametrize(("bps", "target"), [(1_000_000, "target 18168us"), (4_000_000, "")])
def test_fq_codel_lets_a_frame_and_a_half_wait(bps: int, target: str) -> None:
    assert (
        commands("fq_codel", bps)[-1]
        == f"tc qdisc add dev eth1 parent 676d:1 fq_codel {target}".strip()
    )


def test_two_classes_share_a_rate_100_to_5() -> None:
    root, parent, first, _, second, _ = commands("htb2:1.05", 1_050_000)
    assert root.endswith("htb default 2")
    assert "classid 676d:10 htb rate 1050000bit" in parent
    assert "parent 676d:10 classid 676d:1 htb rate 1000000bit ceil 1050000bit prio 0" in first
    assert "parent 676d:10 classid 676d:2 htb rate 50000bit ceil 1050000bit prio 1" in second


def test_a_flow_is_put_into_the_first_class() -> None:
    ports = "meta l4proto { tcp, udp } th"
    matches = {
        "udp": ["meta l4proto udp"],
        "27960": [f"{ports} sport 27960", f"{ports} dport 27960"],
        "9-10": [f"{ports} sport 9-10", f"{ports} dport 9-10"],
        "dscp46": ["ip dscp 46", "ip6 dscp 46"],
        "marked": ["meta mark & 0xf0 == 0x30"],
    }
    lines = {first: [line.strip() for line in rules(first).splitlines()] for first in matches}
    assert lines == {
        first: [f"{match} meta priority set 676d:1" for match in wanted]
        for first, wanted in matches.items()
    }
