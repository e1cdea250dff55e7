# SPDX-License-Identifier: Apache-2.0
"""The sink's ways to count against each other, packet by packet, and what XDP leaves behind."""

from __future__ import annotations

import base64
import json
import signal
import struct
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wire import (
    ADDRESS,
    A,
    Agent,
    B,
    SkipError,
    Wire,
    conserved,
    expect,
    holds,
    ones_sum,
    ran_s,
    segmentation_off,
    sh,
    snmp,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Event, Keys

TOTALS = ("received", "unique", "duplicated", "reordered", "stale", "foreign", "corrupt", "bytes")
TOTALS += ("port_changed",)
MANY = 50_000  # flows

# Without rights over the machine: the agent in a user and a network namespace of its own.
BARE = ["unshare", "-Urn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]

# Sends a datagram from A to B and waits for the ICMP error that nobody listens there.
KNOCK = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(float(sys.argv[2]))
s.connect(("10.9.0.2", int(sys.argv[1])))
try:
    s.send(b"knock, knock")
    s.recv(1)
except ConnectionRefusedError:
    print("refused")
except TimeoutError:
    print("silence")
"""


def attached() -> bool:
    """Whether a program is at v1."""
    return "xdp" in json.loads(sh("ip", "-j", "-n", B, "link", "show", "v1"))[0]


def need_xdp(wire: Wire) -> None:
    """Skips where the kernel has no XDP for us."""
    if wire.loopback:
        raise SkipError("needs a device of its own")
    agent = wire.sink(port="xdp")
    if agent.ready["ev"] == "error" and "device" not in agent.ready.get("key", ""):
        raise SkipError(agent.ready["reason"])
    agent.end()


def header(sequence: int, flow: int = 0, run: int = 7, magic: int = 0xC7) -> bytes:
    """A test header of PROTOCOL.md, sent long ago."""
    return bytes([magic, run]) + flow.to_bytes(3) + sequence.to_bytes(4) + bytes(5)


def udp(
    family: int, payload: bytes, *, check: str = "right", port: int = 9000, source: int = 5000
) -> bytes:
    """A UDP datagram; its checksum is right, wrong or none."""
    bare = struct.pack("!HHHH", source, port, 8 + len(payload), 0) + payload
    pseudo = addresses(family) + struct.pack("!HH", 17, len(bare))
    sums = {
        "right": ~ones_sum(pseudo + bare) & 0xFFFF,
        "wrong": ~ones_sum(pseudo + bare) & 0xFFFF ^ 0x0100,
        "none": 0,
    }
    return bare[:6] + struct.pack("!H", sums[check]) + bare[8:]


def addresses(family: int) -> bytes:
    """Source and destination."""
    if family == 4:
        return bytes(map(int, ".".join(ADDRESS[4]).split(".")))
    return b"".join(bytes.fromhex("fd09" + "00" * 13 + end[-1:].zfill(2)) for end in ADDRESS[6])


def packet(
    family: int, data: bytes, *, protocol: int = 17, fragment: int = 0x4000, options: bytes = b""
) -> bytes:
    """An IP packet around it; IPv4's options are `options`."""
    if family == 6:
        return struct.pack("!IHBB", 6 << 28, len(data), protocol, 64) + addresses(6) + data
    first = 0x45 + len(options) // 4
    ip = struct.pack(
        "!BBHHHBBH", first, 0, 20 + len(options) + len(data), 0, fragment, 64, protocol, 0
    )
    ip += addresses(4) + options
    return ip[:10] + struct.pack("!H", ~ones_sum(ip) & 0xFFFF) + ip[12:] + data


def script(family: int) -> list[bytes]:
    """Packets of three flows with everything that a sink has to distinguish."""

    def test(*where: int, size: int = 14, check: str = "right") -> bytes:
        return packet(family, udp(family, header(*where).ljust(size, b"\x5a"), check=check))

    # 2 comes late and then again, 4 so late that it is stale; 3 is lost.
    packets = [test(number) for number in (0, 1, 5, 2, 2, 4999, 5000, 4)]
    # Each length of the checksum's last words; the largest frame.
    packets += [test(i, 1, size=size) for i, size in enumerate((15, 16, 17, 511, 600, 1023, 1452))]
    packets += [packet(family, udp(family, header(7, 1), source=1024))]  # as a NAT may change it
    # Damage: another byte, no checksum at all.
    packets += [test(9, 2, check="wrong"), test(9, 2, check="wrong", size=901)]
    packets += [test(9, 2, check="none")]
    # Strangers: another run, an unknown flow, another header, too short for one, a wrong length.
    packets += [test(9, 2, 8), test(9, 3), test(9, 0xFFFFFF), test(9, 2, 7, 0xC8)]
    packets += [packet(family, udp(family, b"short"))]
    packets += [packet(family, udp(family, header(9))[:-4])]
    # None of a sink's business: another port, another protocol.
    packets += [packet(family, udp(family, header(9), port=9001))]
    packets += [packet(family, udp(family, header(9)), protocol=6)]
    if family == 4:
        good = udp(4, header(0, 2))
        packets += [packet(4, good, options=b"\x01" * 8)]
        packets += [packet(4, good, fragment=0x2000)]
        packets += [packet(4, good)[:8] + b"\x07" + packet(4, good)[9:]]  # the header's checksum
    return packets


def inject(wire: Wire, family: int, packets: list[bytes]) -> None:
    """Sends them from v0 as they are."""
    kind = "0800" if family == 4 else "86dd"
    ethernet = bytes.fromhex(wire.mac.replace(":", "") + "020000000001" + kind)
    wire.inject([ethernet + each for each in packets])


def sinks_agree(wire: Wire) -> None:
    """The kernel's counts are the ring's, of traffic with every fault, and are what was planted."""
    need_xdp(wire)
    for family in (4, 6):
        agree(wire, family)
        with segmentation_off(wire):  # GRO declares checksums right, also a missing one
            agree(wire, family)


def agree(wire: Wire, family: int) -> None:
    """On the same script."""
    wanted = {"received": 16, "unique": 14, "duplicated": 1, "reordered": 2, "stale": 1}
    reports: dict[str, Event] = {}
    for port in ("xdp", "ring"):
        agent = wire.sink(port=port, family=family, flows=3)
        expect(agent.ready["port"], port, agent.ready)
        agent.start()
        inject(wire, family, script(family))
        reports[port] = agent.close()
    xdp, ring = reports["xdp"], reports["ring"]
    expect({name: xdp[name] for name in TOTALS}, {name: ring[name] for name in TOTALS})
    expect(xdp["flow"], ring["flow"])
    odd = int(family == 4)  # the packet with options, and the damaged header
    planted = wanted | {"received": 16 + odd, "unique": 14 + odd, "port_changed": 1}
    planted |= {"foreign": 6, "corrupt": 3 + odd}
    expect({name: xdp[name] for name in planted}, planted, family)
    causes = {"ip_sum": odd, "udp_sum": 2, "no_sum": 1, "header": 3}
    for report in (xdp, ring):
        expect(report["corrupt_by"], causes, family)
        # 2 came after 5; 4 after 5000.
        expect(report["late"], {"low": [2, 4096], "count": [1, 1]}, family)
    expect(sum(xdp["gap_ns"]["count"]), xdp["received"] - 1)
    expect(sum(xdp["rate"]["packets"]), xdp["received"])
    expect(sum(xdp["delay_ns"]["count"]), xdp["unique"])


def numbers(report: Event, flow: int) -> list[int]:
    """Those of a flow that the ledger has."""
    ledger = report["ledger"]
    data = base64.b64decode(ledger["bits"][flow])
    expect(len(data), 8 * ledger["words"])
    bits = int.from_bytes(data, "little")
    return [number for number in range(bits.bit_length()) if bits >> number & 1]


def sinks_keep_a_ledger(wire: Wire) -> None:
    """Which packets came; nothing is stale, as what the window has forgotten is known there."""
    need_xdp(wire)
    for port in ("xdp", "ring"):
        agent = wire.sink(port=port, flows=3, ledger=5001)
        agent.start()
        inject(wire, 4, script(4))
        report = agent.close()
        expect(report["ledger"]["numbers"], 5001)
        expect(report["ledger"]["words"], 79)
        expect(numbers(report, 0), [0, 1, 2, 4, 5, 4999, 5000], port)
        expect(numbers(report, 1), list(range(8)), port)
        expect((report["unique"], report["stale"], report["duplicated"]), (16, 0, 1), port)
        small = wire.sink(port=port, flows=3, ledger=64)
        small.start()
        inject(wire, 4, script(4))
        report = small.close()
        expect(numbers(report, 0), [0, 1, 2, 4, 5], port)
        large = wire.sink(port=port, flows=100_000, ledger=64 * 100)
        expect((large.ready["ev"], large.ready["key"], large.end()), ("error", "ledger", 2))


def a_ledger_in_the_order_of_sending(wire: Wire) -> None:
    """A round of ten flows as the seed has it (tests/unit/frame/order_test.c), cut after seven."""
    need_xdp(wire)
    came = [packet(4, udp(4, header(0, flow))) for flow in (1, 2, 3, 5, 6, 8, 9)]
    for port in ("xdp", "ring"):
        for seed, wanted in ((3, 0b0001111111), (0, 0b1101101110)):
            agent = wire.sink(port=port, flows=10, ledger=64, seed=seed)
            agent.start()
            inject(wire, 4, came)
            sent = base64.b64decode(agent.close()["ledger"]["sent"])
            expect(len(sent), 8 * 10)
            expect(int.from_bytes(sent, "little"), wanted, (port, seed))


def sinks_know_silences(wire: Wire) -> None:
    """Times without an arrival, where the gaps of the schedule are as long; none in between."""
    need_xdp(wire)
    for port in ("xdp", "ring"):
        keys: Keys = {"rate_pps": 50, "packets": 5}
        sent, received = wire.trial(keys, {"port": port, "silence_us": 15_000})
        conserved(sent, received)
        (queue,) = received["silences"]
        # A sender that was late catches up, so not all gaps are as long as the schedule's.
        gaps = list(zip(received["gap_ns"]["low"], received["gap_ns"]["count"], strict=True))
        long = sum(count for low, count in gaps if low > 15_000_000)
        at_most = sum(count for low, count in gaps if low > 14_000_000)  # a bucket's lower bound
        holds(long <= queue["count"] <= at_most, queue["count"], gaps)
        expect((len(queue["t_ns"]), queue["total_ns"]), (queue["count"], sum(queue["ns"])))
        holds(all(length > 15_000_000 for length in queue["ns"]), queue["ns"])
        holds(all(queue["first_ns"] <= at < queue["last_ns"] for at in queue["t_ns"]), queue)
        _, received = wire.trial(keys, {"port": port, "silence_us": 1_000_000})
        expect(received["silences"][0]["count"], 0)


def sinks_know_two_clocks(wire: Wire) -> None:
    """A clock given as a millisecond ahead makes each delay that much shorter."""
    need_xdp(wire)
    for port in ("xdp", "ring"):
        _, late = wire.trial({}, {"port": port, "clock_ns": 2**40 - 5_000_000})
        _, early = wire.trial({}, {"port": port, "clock_ns": 5_000_000_000})
        expect(late["delay_negative"], 0)
        holds(min(late["delay_ns"]["low"]) > 4_800_000, late["delay_ns"]["low"][:3])
        expect(early["delay_negative"], early["unique"])


def sink_in_the_kernel(wire: Wire) -> None:
    """Whole trials: both families, raw and socket senders, a cycle of sizes, flows with delays."""
    need_xdp(wire)
    for family in (4, 6):
        for port in ("raw", "udp"):
            keys = {"port": port, "family": family, "frame_bytes": [100, 1518, 333], "flows": 3}
            sent, received = wire.trial(
                keys, {"port": "auto", "family": family, "flows": 3, "delay": "flow"}
            )
            conserved(sent, received)
            expect(received["flow"]["unique"], sent["tried_by_flow"])
            expect(
                [sum(flow["count"]) for flow in received["delay_by_flow"]], sent["tried_by_flow"]
            )
            expect(received["bytes"], sent["frame_bytes_tried"])
            expect(received["flow"]["source_port"], [5000] * 3)


def stack_sees_nothing(wire: Wire) -> None:
    """Test packets end at XDP; whatever else goes on, whether ports are named or not."""
    need_xdp(wire)

    def seen() -> dict[str, int]:
        return {
            name: n
            for name, n in snmp().items()
            if name.startswith("Udp") or name.endswith("OutDestUnreachs")
        }

    def knock(port: int, wait_s: str = "5") -> str:
        return sh("ip", "netns", "exec", A, sys.executable, "-c", KNOCK, str(port), wait_s).strip()

    every: list[int] = []
    for ports in (9000, every):
        before = seen()
        for family in (4, 6):
            keys: Keys = {"port": "xdp", "family": family, "dst_port": ports}
            conserved(*wire.trial({"family": family, "packets": 50}, keys))
        after = seen()
        expect({name: n - before[name] for name, n in after.items() if n != before[name]}, {})
        agent = wire.sink(port="xdp", dst_port=ports)
        agent.start()
        expect(knock(7001), "refused")
        expect(knock(9000, "0.3") if ports else knock(9000), "silence" if ports else "refused")
        expect(agent.close()["foreign"], 1 if ports else 2)


def every_port_of_the_ring(wire: Wire) -> None:
    """Without ports the ring takes any, and guards none."""
    if wire.loopback:
        raise SkipError("the udp port has sockets of its own")
    keys: Keys = {"flows": 5, "dst_port": [9000, 1, 65535, 53, 40000]}
    sent, received = wire.trial(keys, {"flows": 5, "dst_port": []})
    conserved(sent, received)
    expect(received["flow"]["unique"], sent["tried_by_flow"])
    agent = wire.sink(port="udp", dst_port=[])
    expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", "dst_port", 2))


def many_flows(wire: Wire) -> None:
    """Each of many flows is counted alone, in a request of a megabyte; the sink can keep more."""
    need_xdp(wire)
    ports = [1 + i for i in range(MANY)]
    sent, received = wire.trial(
        {"flows": MANY, "src_port": ports, "packets": MANY + 7, "rate_pps": 100_000},
        {"port": "xdp", "flows": 100_000, "dst_port": [9000] * 100_000},
    )
    conserved(sent, received)
    unique = received["flow"]["unique"]
    if not sent["refused"]:
        expect(unique, [2] * 7 + [1] * (MANY - 7) + [0] * (100_000 - MANY))
        expect(received["flow"]["source_port"], ports + [0] * (100_000 - MANY))
    expect(len(received["flow"]["highest"]), 100_000)


def rests_alone(wire: Wire) -> None:
    """With nobody to talk with it sleeps until a packet or a signal comes."""
    need_xdp(wire)
    for port in ("xdp", "ring"):
        request = json.dumps({"port": port, "device": "v1", "family": 4, "run": 0})
        command = ["ip", "netns", "exec", B, *Agent.command, "sink", request]
        pipe, none = subprocess.PIPE, subprocess.DEVNULL
        with subprocess.Popen(command, stdout=pipe, stdin=none, text=True) as process:
            assert process.stdout
            while '"start"' not in (line := process.stdout.readline()):
                holds(line, "it ended")
            before = ran_s(process.pid)
            time.sleep(1)
            ran = ran_s(process.pid) - before
            process.terminate()
        holds(ran < 0.05, port, ran)


def gone_with_the_agent(wire: Wire) -> None:
    """However the agent ends, nothing of XDP stays; a second sink hears that the place is taken."""
    need_xdp(wire)
    for how in (signal.SIGKILL, signal.SIGTERM):
        agent = wire.sink(port="xdp")
        agent.start()
        holds(attached())
        second = wire.sink(port="xdp")
        expect((second.ready["ev"], second.ready["key"], second.end()), ("error", "device", 1))
        third = wire.sink(port="auto")
        expect(third.ready.get("port"), "ring", third.ready)
        holds("another XDP program" in third.ready["passed_over"]["xdp"], third.ready)
        third.end()
        agent.process.send_signal(how)
        agent.process.wait(10)
        deadline = time.monotonic() + 5
        while attached() and time.monotonic() < deadline:
            time.sleep(0.01)
        holds(not attached())


@contextmanager
def bare() -> Iterator[None]:
    """Agents without rights over the machine."""
    command = Agent.command
    Agent.command = [*BARE, *command]
    try:
        yield
    finally:
        Agent.command = command


def second_best(wire: Wire) -> None:
    """What is refused has a reason: a forced port fails with it, `auto` takes the ring."""
    if wire.loopback:
        raise SkipError("needs a raw socket")
    keys = wire.sink_keys(device="lo")
    driver = Agent(B, "sink", keys | {"port": "auto"})
    expect(driver.ready["port"], "ring", driver.ready)
    holds("native XDP" in driver.ready["passed_over"]["xdp"], driver.ready)
    sh("ip", "-n", A, "link", "set", "v0", "mtu", "9000")
    try:
        large = wire.sink(port="auto", dst_port=9001)
    finally:
        sh("ip", "-n", A, "link", "set", "v0", "mtu", "1500")
    expect(large.ready["port"], "ring", large.ready)
    holds("MTU" in large.ready["passed_over"]["xdp"], large.ready)
    with bare():
        forced = Agent(None, "sink", keys | {"port": "xdp"})
        expect((forced.ready["ev"], forced.end()), ("error", 1), forced.ready)
        holds("root of the first user namespace" in forced.ready["fix"], forced.ready)
        chosen = Agent(None, "sink", keys | {"port": "auto"})
        expect(chosen.ready["port"], "ring", chosen.ready)
        expect(chosen.ready["passed_over"], {"xdp": forced.ready["reason"]})
        chosen.end()


SINK_TESTS = [
    sinks_agree,
    sinks_keep_a_ledger,
    a_ledger_in_the_order_of_sending,
    sinks_know_silences,
    sinks_know_two_clocks,
    sink_in_the_kernel,
    stack_sees_nothing,
    every_port_of_the_ring,
    many_flows,
    rests_alone,
    gone_with_the_agent,
    second_best,
]
