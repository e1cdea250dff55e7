# SPDX-License-Identifier: Apache-2.0
"""A classic flow beside a scalable one through FQ-CoDel's `ce_threshold`, all of Debian's kernel.

    gm-a  cubic, dctcp ---- gm-g  htb, fq_codel ---- gm-b

The hosts and the router are namespaces of the virtual gateway, as this machine's kernel has no
dctcp. Each flow has a queue of its own, so its round trips are what its own queue adds.
"""

import json
import re
from statistics import median
from typing import Any, Final

import pytest

from gatemark.node.remote.ssh import Ssh
from vm.conftest import Booted

pytestmark = pytest.mark.long
SECONDS: Final = 10
SETTLED_NS: Final = 3_000_000_000
PORTS: Final = {"cubic": 7001, "dctcp": 7002}
MADE: Final = """set -e
for it in a g b; do ip netns add gm-$it; ip -n gm-$it link set lo up; done
ip link add ga netns gm-a type veth peer name gg netns gm-g
ip link add bg netns gm-g type veth peer name gb netns gm-b
while read space device address; do
  ip netns exec gm-$space ethtool -K $device tso off gso off gro off > /dev/null
  ip -n gm-$space addr add $address/24 dev $device
  ip -n gm-$space link set $device up
done << END
a ga 10.9.1.2
g gg 10.9.1.1
g bg 10.9.2.1
b gb 10.9.2.2
END
ip netns exec gm-g sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
ip netns exec gm-a sh -c 'echo 0 > /proc/sys/net/ipv4/tcp_ecn'
ip -n gm-a route add default via 10.9.1.1
ip -n gm-b route add default via 10.9.2.1
ip netns exec gm-g tc qdisc add dev gg root netem delay 10ms limit 1000
ip netns exec gm-g tc qdisc add dev bg root handle 1: htb default 1
ip netns exec gm-g tc class add dev bg parent 1: classid 1:1 htb rate 10mbit ceil 10mbit
ip netns exec gm-g tc qdisc add dev bg parent 1:1 fq_codel $QUEUE"""
GONE: Final = "for it in a g b; do ip netns del gm-$it 2> /dev/null || true; done"
# stdin stays open: the sources end by themselves, the sinks with it.
RUN: Final = """run() {
  (printf '%s\\n' "$4"; sleep $3; echo '{"cmd":"start"}'; sleep $5) |
    ip netns exec gm-$1 $AGENT stream > /tmp/gm-$2 2>&1
}"""


def flows(booted: Booted, queue: str) -> tuple[dict[str, list[float]], str]:
    """The round trips that each flow saw, in ms, and what the queue counted."""
    node = booted.lab.gateway.node
    assert isinstance(node, Ssh)
    lines = [f"AGENT={booted.run(node.agent('stream'))}; QUEUE='{queue}'", GONE, MADE, RUN]
    for name, port in PORTS.items():
        both = {"family": 4, "congestion": name, "duration_ms": SECONDS * 1000, "stall_ms": 60000}
        sink = {"role": "sink", "open": "listen", "src": "10.9.2.2", "src_port": port}
        source = {"role": "source", "open": "connect", "src": "10.9.1.2", "src_port": port}
        source |= {"dst": "10.9.2.2", "dst_port": port}
        for space, delay_s, end in (("b", 0, sink), ("a", 3, source)):
            file, start_s = f"{name}-{end['role']}", 8 - delay_s
            asked = json.dumps(both | end)
            lines.append(
                f"(sleep {delay_s}; run {space} {file} {start_s} '{asked}' {SECONDS + 5}) &"
            )
    lines += ["wait", "ip netns exec gm-g tc -s qdisc show dev bg", GONE]
    counted = booted.said("\n".join(lines))
    return {
        name: _round_trips(booted.said(f"cat /tmp/gm-{name}-source")) for name in PORTS
    }, counted


def _round_trips(said: str) -> list[float]:
    """Of the settled part of a flow."""
    done: dict[str, Any] = json.loads(said.splitlines()[-1])
    assert done["ev"] == "done", said
    info = done["info"]
    rows = zip(info["t_ns"], info["rtt_us"], strict=True)
    return [rtt / 1000 for at, rtt in rows if at - info["t_ns"][0] > SETTLED_NS]


def test_a_scalable_flow_waits_less_than_a_classic_one(booted: Booted) -> None:
    trips, counted = flows(booted, "ecn ce_threshold 1ms")
    marks = re.search(r"ce_mark (\d+)", counted)
    assert marks is not None
    assert int(marks[1]) > 0
    assert median(trips["dctcp"]) < median(trips["cubic"])
