# SPDX-License-Identifier: Apache-2.0
"""Fifty filters of a live capture beside `tcpdump -i`, on the same device at the same time.

The kernel takes the first VLAN tag out of a packet before anybody filters it (skb_vlan_untag()).
"""

from __future__ import annotations

import signal
import struct
import subprocess
import time
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import TYPE_CHECKING

from captured import packets, pcap
from captures import ETHERNET, EXPRESSIONS, OURS, capture, in_a_folder, mixture
from wire import B, Wire, expect, holds, sh

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TAGGED = (
    "vlan",
    "vlan 100",
    "vlan 200",
    "not vlan",
    "vlan and ip",
    "vlan and ip6",
    "vlan and arp",
    "vlan 100 and udp",
    "vlan 100 and udp port 53",
    "vlan 100 and udp dst port 9000",
    "vlan and vlan",
    "vlan 100 and vlan 300",
    "vlan and vlan 300 and ip",
    "vlan 4095 or vlan 0",
    "vlan and host 10.9.0.77",
    "vlan and net 10.9.0.0/25",
    "vlan and ip[8] < 5",
    "vlan and len > 300",
    "vlan and not ip",
    "vlan 100 or vlan 200",
    "vlan and (udp or tcp)",
    "vlan and tcp[tcpflags] & tcp-syn != 0",
    "vlan and ether dst 02:00:00:00:00:02",
    "vlan and ether proto 0x8864",
    "vlan 100 and icmp",
    "ip and not vlan",
    "udp port 53 or (vlan and udp port 53)",
    "ether proto 0x8864",
    "ether proto 0x88b5",
    "ether[12:2] = 0x8100",
    "ether[14:2] & 0xfff = 300",
)
ALL = (*EXPRESSIONS, *TAGGED)
LAST = bytes.fromhex("020000000002 020000000099 88b5") + bytes(46)  # each filter takes it
LONGEST_S = 20
AT_ONCE = 10  # tcpdumps, and twice as many agents


def tagged(frame: bytes, control: int, protocol: int = 0x8100) -> bytes:
    """A frame with one more tag in front of its EtherType."""
    return frame[:12] + struct.pack("!HH", protocol, control) + frame[12:]


def tagged_mixture() -> list[bytes]:
    """Frames with no tag, one and two, of all kinds that the expressions part."""
    plain = mixture()
    pppoe = ETHERNET + b"\x88\x64\x11\x00" + bytes(46)
    frames = [*plain, pppoe, tagged(pppoe, 7), tagged(plain[0], 0), tagged(plain[0], 0xEFFF)]
    frames += [tagged(frame, 0x2000 | 100) for frame in plain]
    frames += [tagged(frame, 200, 0x88A8) for frame in plain[::2]]
    frames += [tagged(tagged(frame, 300), 100, 0x88A8) for frame in plain[::3]]
    return frames + [tagged(tagged(frame, 300), 100) for frame in plain[::3]]


def ended(expression: str) -> str:
    """The filter for packets of ours, and for the last one."""
    return f"(({expression}) and {OURS}) or ether src 02:00:00:00:00:99"


def compiled(expression: str) -> list[int]:
    """A filter as tcpdump compiles it for what is read from a device."""
    words = ("tcpdump", "-i", "v1", "-ddd", ended(expression))
    lines = sh("ip", "netns", "exec", B, *words).splitlines()
    return [int(number) for line in lines[1:] for number in line.split()]


@contextmanager
def listening(expression: str, path: Path) -> Iterator[None]:
    """A tcpdump at v1 that writes what a filter takes of what comes in."""
    words = ["tcpdump", "-Z", "root", "-pni", "v1", "-Q", "in", "-s", "128", "-U", "-w", str(path)]
    words += ["--immediate-mode", "--nano", ended(expression)]
    with subprocess.Popen(
        ["ip", "netns", "exec", B, *words], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        while "listening on" not in (line := process.stderr.readline()):
            holds(line, "tcpdump ended", expression)
        try:
            yield
            until = time.monotonic() + LONGEST_S
            while LAST not in path.read_bytes() and time.monotonic() < until:
                time.sleep(0.01)
        finally:
            process.send_signal(signal.SIGINT)


@in_a_folder
def filtered_as_tcpdump(wire: Wire, folder: Path) -> None:
    """Each filter takes as many packets as tcpdump takes live, by either source."""
    numbered = enumerate(ALL)
    while part := dict(islice(numbered, AT_ONCE)):
        compare(wire, folder, part)


def compare(wire: Wire, folder: Path, part: dict[int, str]) -> None:
    """Run some filters at once, beside their tcpdumps."""
    with ExitStack() as tcpdumps:
        for number, text in part.items():
            tcpdumps.enter_context(listening(text, folder / f"{number}.pcap"))
        agents = [
            capture(wire, folder / f"{number}.{source}", filter=compiled(text), by=source)
            for number, text in part.items()
            for source in ("bpf", "packet")
        ]
        wire.inject([*tagged_mixture(), LAST])
        for agent in agents:
            agent.close()
    for number, text in part.items():
        wanted = len(pcap((folder / f"{number}.pcap").read_bytes()))
        for source in ("bpf", "packet"):
            kept = len(packets((folder / f"{number}.{source}").read_bytes()))
            expect(kept, wanted, text, source)


FILTER_TESTS = (filtered_as_tcpdump,)
