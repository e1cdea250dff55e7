# SPDX-License-Identifier: Apache-2.0
"""Tests of the ports that send whole frames: all of them alike, and how auto chooses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from ipaddress import ip_address
from math import inf
from typing import TYPE_CHECKING

from wire import (
    ADDRESS,
    Agent,
    B,
    Event,
    Keys,
    SkipError,
    Wire,
    conserved,
    expect,
    holds,
    ones_sum,
    ran_s,
    segmentation_off,
    sh,
    unless_overrun,
    waits_s,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

FRAME_PORTS = ("live", "afxdp", "raw")

# Listens to whole frames at v1 until so many of them are UDP, then prints them in hex, a line each.
SNIFF = """
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(("v1", 3))
s.settimeout(60)
print("ready", flush=True)
left = int(sys.argv[1])
while left:
    frame = s.recv(2000)
    protocol = frame[23] if frame[12:14] == b"\\x08\\0" else frame[20]
    if frame[12:14] in (b"\\x08\\0", b"\\x86\\xdd") and protocol == 17:
        print(frame.hex(), flush=True)
        left -= 1
"""


def frame_ports(wire: Wire) -> Iterator[str]:
    """Those to be had here; the kernel must be too old, or forbid it, where one is not."""
    if wire.loopback:
        raise SkipError("whole frames need a device of their own")
    for port in FRAME_PORTS:
        agent = wire.sender(port=port)
        if agent.end() == 1 and agent.ready["ev"] == "error" and port != "raw":
            raise SkipError(f"{port}: {agent.ready['reason']}")
        expect(agent.ready["ev"], "ready", agent.ready)
        yield port


def frames_arrive_once(wire: Wire) -> None:
    """Every port, both families, a cycle of sizes: each packet once, whole, in order."""
    for port in frame_ports(wire):
        for family, least in ((4, 64), (6, 80)):
            cycle = [least, 1518, 333]
            keys: Keys = {"port": port, "family": family, "frame_bytes": cycle, "packets": 300}
            sent, received = wire.trial(keys, {"family": family})
            conserved(sent, received)
            expect((sent["tried"], sent["scheduled"], sent["refused"]), (300, 300, 0), port)
            expect(sent["frame_bytes_tried"], 100 * sum(cycle), port)
            expect((received["bytes"], received["reordered"]), (100 * sum(cycle), 0), port)


def frames_bear_a_mark(wire: Wire) -> None:
    """Every port marks its frames, and they are known again where the kernel counts and here."""
    for port in frame_ports(wire):
        for family in (4, 6):
            keys: Keys = {"port": port, "family": family, "dscp": 46}
            for sink in ("xdp", "ring"):
                for asked, changed in ((46, 0), (8, 500)):
                    taken: Keys = {"port": sink, "family": family, "dscp": asked}
                    conserved(*(both := wire.trial(keys, taken)))
                    expect(both[1]["mark_changed"], changed, port, sink, family)


def flows_in_a_drawn_order(wire: Wire) -> None:
    """Every port sends the flows in the order that the seed draws, anew in each round."""
    order = [1, 8, 5, 2, 9, 6, 3, 0, 7, 4, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 6, 3, 0, 7, 4, 1, 8]
    for port in frame_ports(wire):
        keys: Keys = {"port": port, "flows": 10, "seed": 3}
        frames = sniffed(wire, len(order), keys)
        expect([int.from_bytes(frame[44:47]) for frame in frames], order, port)
        expect([int.from_bytes(frame[47:51]) for frame in frames], [i // 10 for i in range(27)])
        sent, received = wire.trial(keys | {"packets": len(order)}, {"flows": 10})
        conserved(sent, received)
        expect(sent["tried_by_flow"], [order.count(flow) for flow in range(10)], port)
        expect(received["flow"]["unique"], sent["tried_by_flow"])


def sending_over_time(wire: Wire) -> None:
    """What was tried by time of sending adds up; a sender that is stopped has paused."""
    keys: Keys = {"rate_pps": 20_000, "packets": 0, "duration_ms": 1000, "tick_ms": 20}
    for port in frame_ports(wire):
        agent, sink = wire.sender(port=port, **keys), wire.sink()
        sink.start()
        agent.start()
        while not agent.until("tick")["tried"]:
            pass
        agent.process.send_signal(signal.SIGSTOP)
        time.sleep(0.12)  # of which a signal that comes late may take some
        agent.process.send_signal(signal.SIGCONT)
        sent = agent.done()
        sink.close()
        sending, pauses = sent["sending"], sent["pauses"]
        expect((sending["t0_ns"], sending["bin_ms"]), (sent["t0_ns"], 10), port)
        expect((sum(sending["tried"]), sum(sending["refused"])), (sent["tried"], sent["refused"]))
        expect(pauses["count"], len(pauses["ns"]), port)
        expect(pauses["total_ns"], sum(pauses["ns"]), port)
        holds(max(pauses["ns"], default=0) > 40_000_000, port, pauses)
        if port != "live":  # which spreads what it has sent since the last look
            expect(sum(within_longest_pause(sent)), 0, port, pauses)


def within_longest_pause(sent: Event) -> list[int]:
    """What was tried in the bins that lie in the longest pause."""
    sending, pauses = sent["sending"], sent["pauses"]
    length, begins = max(zip(pauses["ns"], pauses["t_ns"], strict=True))
    begins -= sending["t0_ns"]
    bin_ns = sending["bin_ms"] * 1_000_000
    bins: list[int] = sending["tried"][-(-begins // bin_ns) : (begins + length) // bin_ns]
    holds(len(bins) >= 3, bins, sent["sending"], pauses)
    return bins


def many_flows(wire: Wire) -> None:
    """2000 flows over 3 addresses, with a port each."""
    sources = [20000 + i for i in range(2000)]
    targets = [9000 + i % 3 for i in range(2000)]
    for port in frame_ports(wire):
        keys: Keys = {"port": port, "flows": 2000, "src_port": sources, "dst_port": targets}
        keys |= {"src_count": 3, "packets": 4001, "rate_pps": 40000}
        sent, received = wire.trial(keys, {"flows": 2000, "dst_port": [9000, 9001, 9002]})
        conserved(sent, received)
        expect(sent["tried_by_flow"], [3] + [2] * 1999, port)
        expect(received["flow"]["unique"], sent["tried_by_flow"], port)
        expect(received["flow"]["source_port"], sources, port)


@unless_overrun()
def sniffed(wire: Wire, count: int, keys: Keys) -> list[bytes]:
    """The frames of a sender as they stand on the wire."""
    way_in = ["ip", "netns", "exec", B, sys.executable, "-c", SNIFF, str(count)]
    with subprocess.Popen(way_in, stdout=subprocess.PIPE, text=True) as sniffer:
        assert sniffer.stdout
        sniffer.stdout.readline()
        sending = wire.sender(packets=count, **keys)
        sending.start()
        sending.done()
        frames = [bytes.fromhex(line) for line in sniffer.stdout]
    expect(len(frames), count)
    return frames


def flows_step_over_addresses(wire: Wire) -> None:
    """Flow f has the addresses src + f mod src_count and dst + f mod dst_count; checksums hold."""
    for port in frame_ports(wire):
        for family, at, octets in ((4, 26, 4), (6, 22, 16)):
            source, target = (int(ip_address(text)) for text in ADDRESS[family])
            keys: Keys = {"port": port, "family": family, "flows": 12, "frame_bytes": 120}
            for i, frame in enumerate(
                sniffed(wire, 24, keys | {"src_count": 3, "dst_count": 2, "burst": 4})
            ):
                flow = i % 12
                addresses = frame[at : at + 2 * octets]
                expect(int.from_bytes(addresses[:octets]), source + flow % 3, port, i)
                expect(int.from_bytes(addresses[octets:]), target + flow % 2, port, i)
                expect(int.from_bytes(frame[at + 2 * octets + 8 :][2:5]), flow, port, i)
                udp = frame[at + 2 * octets : 116]
                pseudo = addresses + len(udp).to_bytes(4) + (17).to_bytes(4)
                expect(ones_sum(pseudo + udp), 0xFFFF, port, i)
                expect(ones_sum(frame[14:34]) if family == 4 else 0xFFFF, 0xFFFF, port, i)


def frames_are_paced(wire: Wire) -> None:
    """Each port holds the schedule exactly, packet by packet and in bursts; a cap is reported."""
    for port in frame_ports(wire):
        keys: Keys = {"port": port, "rate_pps": 20000, "packets": 1000}
        for burst in (0, 16):
            sent, received = wire.trial(keys | {"burst": burst}, {})
            conserved(sent, received)
            counts = (sent["tried"], sent["scheduled"], sent["burst"])
            expect(counts, (1000, 1000, burst or 1), port)
            # A machine under load makes it late, but nothing makes it too fast.
            holds(sent["t1_ns"] - sent["t0_ns"] >= 50_000_000, port, burst, sent)
            # The last packet is due after 49.95 ms, the last burst after 49.6 ms.
            holds(received["last_ns"] - sent["t0_ns"] >= 49_500_000, port, burst, received, sent)
        sent, _ = wire.trial(keys | {"packets": 0, "duration_ms": 200, "cap_pps": 5000}, {})
        expect(sent["scheduled"], 4000, port)
        holds(0 < sent["tried"] <= 1010, port, sent["tried"])


def schedules_begin_between_ticks(wire: Wire) -> None:
    """At 10 000 packets/s by 75 to 94 us after a multiple of 4 ms, by each port."""
    for port in frame_ports(wire):
        sent, _ = wire.trial({"port": port, "rate_pps": 10000, "packets": 10}, {})
        holds(75_000 <= sent["t0_ns"] % 4_000_000 < 94_000, port, sent["t0_ns"])


def even_gaps(wire: Wire, port: str) -> tuple[int, float]:
    """Gaps of 47 us, where they should be 50, after a stop of 20 ms; s that others had the CPU."""
    receiving = wire.sink()
    receiving.start()
    sending = wire.sender(port=port, rate_pps=20000, packets=3000)
    sending.start()
    time.sleep(0.05)
    before = waits_s(sending.process.pid)
    sending.process.send_signal(signal.SIGSTOP)
    time.sleep(0.02)
    sending.process.send_signal(signal.SIGCONT)
    time.sleep(0.03)  # it has caught up, and has not ended, unless we come too late to know
    after = waits_s(sending.process.pid)
    waited = sum(after.get(each, inf) - before.get(each, 0) for each in before | after)
    sent, received = sending.done(), receiving.close()
    conserved(sent, received)
    expect(sent["tried"], 3000, port)
    gaps = received["gap_ns"]
    pairs = zip(gaps["low"], gaps["count"], strict=True)
    return sum(count for low, count in pairs if 44_000 <= low < 48_000), waited


def late_frames_catch_up_evenly(wire: Wire) -> None:
    """The last late millisecond takes 250 packets; a busy machine may stop them: hence again."""
    for port in frame_ports(wire):
        tries = [even_gaps(wire, port)]
        while tries[-1][0] < 100 and len(tries) < 10:
            tries.append(even_gaps(wire, port))
        if tries[-1][0] < 100 and all(waited > 0.001 for _, waited in tries):
            raise SkipError("other work leaves too little of a CPU")
        holds(tries[-1][0] >= 100, port, tries)


def slow_frames_are_paced(wire: Wire) -> None:
    """Where packets are far apart the live port sleeps in between."""
    for port in frame_ports(wire):
        sent, received = wire.trial({"port": port, "rate_pps": 100, "packets": 10}, {})
        conserved(sent, received)
        expect((sent["tried"], sent["scheduled"]), (10, 10), port)
        holds(sent["t1_ns"] - sent["t0_ns"] >= 100_000_000, port, sent)
        holds(received["last_ns"] - sent["t0_ns"] >= 89_900_000, port, received, sent)


def refusals_are_counted(wire: Wire) -> None:
    """A receiver that is too slow: what its queue did not take is refused, nothing else lost."""
    if wire.loopback:
        raise SkipError("needs BPF and a device of its own")
    if len(os.sched_getaffinity(0)) < 2:
        raise SkipError("needs two CPUs: on one the receiver takes turns with the sender")
    threaded = "echo {} > /sys/class/net/v1/threaded"
    with segmentation_off(wire):
        sh("ip", "netns", "exec", B, "sh", "-c", threaded.format(1))
        try:
            for port in frame_ports(wire):
                refuse(wire, port)
        finally:
            sh("ip", "netns", "exec", B, "sh", "-c", threaded.format(0))


def arrived(device: str) -> int:
    """Packets that a device of the receiver has seen."""
    path = f"/sys/class/net/{device}/statistics/rx_packets"
    return int(sh("ip", "netns", "exec", B, "cat", path))


def refuse(wire: Wire, port: str) -> None:
    """Of a thousand packets to a slowed receiver."""
    before = arrived("v1")
    receiving = wire.sink()
    receiving.start()
    slow = Agent(B, "slow", {"devices": ["v1"], "wait_ns": 1_000_000})
    sending = wire.sender(port=port, rate_pps=100000, packets=1000)
    sending.start()
    sent = sending.done()
    slow.say({"cmd": "set", "wait_ns": 0})
    slow.close()
    # The receiver's thread works its queue off, once it gets a CPU.
    until = time.monotonic() + 10
    while arrived("v1") - before < sent["sent"] and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.1)
    conserved(sent, receiving.close())
    expect(sent["tried"], 1000, port)
    holds(sent["errors"].get("ENOBUFS", 0) > 0, port, sent["errors"])


def live_ends_early(wire: Wire) -> None:
    """The thread inside the kernel is called back: at any rate, by stdin and by a signal."""
    for port in frame_ports(wire):
        for rate in (100, 20000, 0):
            keys: Keys = {"rate_pps": rate, "packets": 0, "duration_ms": 60000, "tick_ms": 20}
            sending = wire.sender(port=port, **keys)
            sending.start()
            # On a machine with other work the thread may get no CPU for its first packet yet.
            until = time.monotonic() + 30
            while not sending.until("tick")["tried"] and time.monotonic() < until:
                pass
            began = time.monotonic()
            if rate:
                sent = sending.close()
            else:
                sending.process.terminate()
                sent = sending.done()
            holds(time.monotonic() - began < 50, port, rate)
            holds(sent["tried"] > 0, port, rate, sent)
            holds(0 < sent["t1_ns"] - sent["t0_ns"] < 50e9, port, rate, sent)


def auto_takes_the_best(wire: Wire) -> None:
    """Live frames need NAPI at the other end; without it they are passed over, and why."""
    for _ in frame_ports(wire):
        pass
    expect(ready(wire), ("live", {}))
    gro = ("ip", "netns", "exec", B, "ethtool", "-K", "v1", "gro")
    sh(*gro, "off")
    try:
        port, passed = ready(wire)
        expect((port, list(passed)), ("afxdp", ["live"]))
        holds("NAPI" in passed["live"], passed)
        forced = wire.sender(port="live")
        expect((forced.ready["ev"], forced.ready["key"], forced.end()), ("error", "port", 1))
        holds("NAPI" in forced.ready["reason"] and "ethtool" in forced.ready["fix"], forced.ready)
    finally:
        sh(*gro, "on")


def ready(wire: Wire) -> tuple[str, Keys]:
    """What auto took, and what it passed over."""
    agent = wire.sender(port="auto", dst_mac=wire.mac)
    expect(agent.ready["ev"], "ready", agent.ready)
    expect(agent.ready.get("mode"), "copy" if agent.ready["port"] == "afxdp" else None)
    agent.end()
    return agent.ready["port"], agent.ready["passed_over"]


def auto_falls_back(wire: Wire) -> None:
    """On lo no live frame leaves: auto says so and goes on to the next."""
    agent = wire.sender(port="auto", dst_mac="00:00:00:00:00:00", device="lo")
    if agent.ready["ev"] == "error":  # not root, or under an emulator: nor is a raw socket
        expect((agent.ready["key"], agent.end()), ("port", 1))
        holds(all(f"{port}: " in agent.ready["reason"] for port in FRAME_PORTS), agent.ready)
        return
    holds(agent.ready["port"] in {"afxdp", "raw"}, agent.ready)
    holds(agent.ready["passed_over"]["live"], agent.ready)
    agent.end()


def a_hundred_thousand_flows(wire: Wire) -> None:
    """A request of over a megabyte is read in a few seconds, and each flow has its packet."""
    flows = 100_000
    numbers = [1 + i % 65535 for i in range(flows)]
    keys: Keys = {"flows": flows, "src_port": numbers, "dst_port": numbers, "rate_pps": 0}
    keys |= {"packets": flows + 1}
    for port in frame_ports(wire):
        text = json.dumps(wire.send_keys(port=port, **keys))
        holds(len(text) > 1 << 20)
        agent = Agent(wire.a, "send", text)
        expect(agent.ready["ev"], "ready", agent.ready)
        holds(ran_s(agent.process.pid) < 5, port)
        if port == "live":
            agent.start()
            expect(Counter(agent.done()["tried_by_flow"]), {1: flows - 1, 2: 1})


PORT_TESTS = [
    frames_arrive_once,
    frames_bear_a_mark,
    flows_in_a_drawn_order,
    sending_over_time,
    many_flows,
    flows_step_over_addresses,
    frames_are_paced,
    schedules_begin_between_ticks,
    late_frames_catch_up_evenly,
    slow_frames_are_paced,
    refusals_are_counted,
    live_ends_early,
    auto_takes_the_best,
    auto_falls_back,
    a_hundred_thousand_flows,
]
