# SPDX-License-Identifier: Apache-2.0
"""The agent's capture and its flow records, against tcpdump's reading and against what was sent."""

from __future__ import annotations

import signal
import struct
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from captured import Collector, Record, interfaces, packets, pcap
from wire import Agent, B, Event, Keys, SkipError, Wire, expect, holds, sh, unless_overrun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OURS = "ether src 02:00:00:00:00:01"
ETHERNET = bytes.fromhex("020000000002 020000000001")
LINK_ETHERNET, LINK_RAW = 1, 101  # https://www.tcpdump.org/linktypes.html
ACTIVE = 2  # flowEndReason (RFC 5102)
LEFT, RIGHT = bytes([10, 9, 0, 1]), bytes([10, 9, 0, 2])
EXPRESSIONS = (
    "udp",
    "udp port 53",
    "udp dst portrange 100-200",
    "tcp[tcpflags] & tcp-syn != 0",
    "ip6",
    "ip6 and udp",
    "arp",
    "icmp",
    "len > 300",
    "less 64",
    "greater 1000 and not port 53",
    "host 10.9.0.77",
    "net 10.9.0.0/25 and src host 10.9.0.1",
    "ether dst 02:00:00:00:00:02 and not ip",
    "ip[8] < 5 or udp[4:2] > 500",
    "ip[2:2] - ((ip[0] & 0xf) << 2) > 100",
    "(ip[1] & 0xfc) >> 2 = 46",
    "ether[102:4] = 0xfedcba98",
    "not ip and not ip6 and not arp",
)


# A device t1 of the type of ipip tunnels, from which the IP packets of stdin come.
TUNNEL = """
import fcntl, os, struct, subprocess, sys
tunnel = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tunnel, 0x400454CA, struct.pack("16sH22x", b"t1", 0x1001))  # TUNSETIFF, without PI
fcntl.ioctl(tunnel, 0x400454CD, 768)  # TUNSETLINK: ARPHRD_TUNNEL
subprocess.run(["ip", "link", "set", "t1", "up"], check=True)
print("up", flush=True)
for line in sys.stdin:
    os.write(tunnel, bytes.fromhex(line))
    print("sent", flush=True)
"""


def ip4(protocol: int, body: bytes, to: bytes = RIGHT, ttl: int = 64, tos: int = 0) -> bytes:
    """A frame with an IPv4 packet; nobody looks at its checksum."""
    head = struct.pack("!BBHHHBBH", 0x45, tos, 20 + len(body), 0, 0, ttl, protocol, 0)
    return ETHERNET + b"\x08\x00" + head + LEFT + to + body


def udp(port: int, size: int) -> bytes:
    """A datagram; its last bytes are known, so that filters find them."""
    return struct.pack("!HHHH", 5000, port, 8 + size, 0) + bytes.fromhex("fedcba98") * (size // 4)


def mixture() -> list[bytes]:
    """Frames of all kinds that the expressions part."""
    tcp = struct.pack("!HHIIBBHHH", 6000, 80, 1, 0, 0x50, 2, 1000, 0, 0)
    ip6 = struct.pack("!IHBB", 6 << 28, 16, 17, 64) + bytes(16) + bytes(16)
    frames = [ip4(17, udp(port, size)) for port in (53, 100, 150, 200, 9000) for size in (8, 600)]
    frames += [ip4(6, tcp), ip4(6, tcp[:13] + b"\x10" + tcp[14:]), ip4(1, b"\x08" + bytes(7))]
    frames += [ip4(17, udp(7, 1400)), ip4(17, udp(7, 8), ttl=3), ip4(17, udp(7, 8), tos=46 << 2)]
    frames += [ip4(17, udp(7, 8), to=bytes([10, 9, 0, 77])), ip4(17, udp(7, 40), ttl=1)]
    frames += [
        ETHERNET + b"\x86\xdd" + ip6 + udp(53, 8),
        ETHERNET + b"\x86\xdd" + ip6[:6] + b"\x3a",
    ]
    frames += [ETHERNET + b"\x08\x06" + bytes(46), ETHERNET + b"\x88\xb5" + bytes(100)]
    return frames


def classic(expression: str) -> list[int]:
    """A filter as tcpdump compiles it for Ethernet."""
    lines = sh("tcpdump", "-y", "EN10MB", "-ddd", f"({expression}) and {OURS}").splitlines()
    return [int(number) for line in lines[1:] for number in line.split()]


def counted_by_tcpdump(path: Path, expression: str) -> int:
    """How many packets of a file a filter takes, by libpcap's own machine."""
    done = subprocess.run(
        ["tcpdump", "-nr", str(path), "-w", "-", f"({expression}) and {OURS}"],
        capture_output=True,
        check=True,
    )
    at, count = 24, 0
    while at < len(done.stdout):
        at, count = at + 16 + struct.unpack_from("<I", done.stdout, at + 8)[0], count + 1
    return count


def capture(wire: Wire, path: Path, **keys: object) -> Agent:
    """A capture of what comes in at v1, begun."""
    request: Keys = {"devices": ["v1"], "ways": ["in"], "file": str(path), "look_ms": 5}
    agent = Agent(wire.b, "capture", request | keys)
    expect(agent.ready["ev"], "ready", agent.ready)
    agent.start()
    return agent


@contextmanager
def tunnel(wire: Wire) -> Iterator[Callable[[bytes], None]]:
    """A device t1 beside v1, and what makes an IP packet come from it."""
    need_a_device(wire)
    if not Path("/dev/net/tun").exists():
        raise SkipError("needs CONFIG_TUN")
    command = ["ip", "netns", "exec", wire.b or "", "python3", "-c", TUNNEL]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin
        assert process.stdout
        expect(process.stdout.readline(), "up\n")

        def receive(packet: bytes) -> None:
            print(packet.hex(), file=process.stdin, flush=True)
            expect(process.stdout and process.stdout.readline(), "sent\n")

        yield receive
        process.stdin.close()


def need_a_device(wire: Wire) -> None:
    """Captures and flow records need a device that nothing else crosses."""
    if wire.loopback:
        raise SkipError("needs a device of its own")


def in_a_folder(test: Callable[[Wire, Path], None]) -> Callable[[Wire], None]:
    """A test with a folder for its files, on a device of its own."""

    def tested(wire: Wire) -> None:
        need_a_device(wire)
        with tempfile.TemporaryDirectory() as folder:
            test(wire, Path(folder))

    tested.__name__, tested.__doc__ = test.__name__, test.__doc__
    return tested


def ours(data: bytes) -> bool:
    """Whether a packet was injected here, and is not the kernel's own."""
    return data[6:12] == ETHERNET[6:]


@in_a_folder
def captured_whole(wire: Wire, folder: Path) -> None:
    """Each packet is in the file once, in order, to the byte, by either source."""
    frames = mixture() * 10
    for source in ("bpf", "packet"):
        agent = capture(wire, folder / source, by=source)
        expect(agent.ready["by"], source)
        began = time.time_ns()
        wire.inject(frames)
        time.sleep(0.2)
        done = agent.close()
        kept = packets((folder / source).read_bytes())
        expect(interfaces((folder / source).read_bytes()), [("v1", LINK_ETHERNET)])
        expect([packet.data for packet in kept if ours(packet.data)], frames)
        expect(done["written"], len(kept))
        expect(done["captured"], len(kept))
        expect(sum(done["drops"].values()), 0)
        expect(done["bytes"], sum(packet.length for packet in kept))
        times = [packet.time_ns for packet in kept]
        holds(times == sorted(times))
        holds(began - 10**7 <= times[0] <= times[-1] <= time.time_ns() + 10**7, began, times[0])
        expect(counted_by_tcpdump(folder / source, OURS), len(frames))


@in_a_folder
def captured_to_the_end(wire: Wire, folder: Path) -> None:
    """What the kernel has not handed over as a capture ends is in the file as well."""
    for number in range(4):  # a block may be handed over just before
        agent = capture(wire, folder / f"{number}", by="packet")
        wire.inject(mixture())
        agent.close()
        expect(injected(folder / f"{number}"), mixture(), number)


@in_a_folder
def captured_short(wire: Wire, folder: Path) -> None:
    """A snaplen keeps the beginning of each packet and its length, in both formats."""
    frames = mixture()
    for name, read in (("pcapng", packets), ("pcap", pcap)):
        agent = capture(wire, folder / name, snaplen=61, format=name)
        wire.inject(frames)
        time.sleep(0.1)
        agent.close()
        kept = [packet for packet in read((folder / name).read_bytes()) if ours(packet.data)]
        expect([packet.data for packet in kept], [frame[:61] for frame in frames])
        expect([packet.length for packet in kept], [len(frame) for frame in frames])


@in_a_folder
def filtered(wire: Wire, folder: Path) -> None:
    """A filter takes what libpcap's own machine takes of the same packets, by either source."""
    agents = {"all": capture(wire, folder / "all")}
    for number, expression in enumerate(EXPRESSIONS):
        source = ("bpf", "packet")[number % 7 == 0]
        agents[expression] = capture(
            wire, folder / f"{number}", filter=classic(expression), by=source
        )
    wire.inject(mixture() * 3)
    time.sleep(0.2)
    for agent in agents.values():
        agent.close()
    for number, expression in enumerate(EXPRESSIONS):
        kept = packets((folder / f"{number}").read_bytes())
        expect(len(kept), counted_by_tcpdump(folder / "all", expression), expression)
        holds(0 < len(kept) < len(mixture()) * 3, expression, len(kept))


@in_a_folder
def tags_are_kept(wire: Wire, folder: Path) -> None:
    """A VLAN tag that the kernel takes out of a packet is in the file where it was on the wire."""
    frame = ETHERNET + bytes.fromhex("8100 2042 0800") + ip4(17, udp(7, 80))[14:]
    for source in ("bpf", "packet"):
        agent = capture(wire, folder / source, by=source, snaplen=70)
        wire.inject([frame] * 3)
        time.sleep(0.2)
        agent.close()
        kept = [packet for packet in packets((folder / source).read_bytes()) if ours(packet.data)]
        expect([(packet.data, packet.length) for packet in kept], [(frame[:70], len(frame))] * 3)


@in_a_folder
def full_rings(wire: Wire, folder: Path) -> None:
    """What finds no room in the ring is counted, and the file keeps whole packets."""
    agent = capture(wire, folder / "file", look_ms=10000, memory_bytes=1 << 20)
    frames = [ip4(17, udp(7, 1400))] * 700
    wire.inject(frames)
    done = agent.close()
    kept = packets((folder / "file").read_bytes())
    expect(done["captured"], len(kept))
    holds(done["drops"]["ring"] > 0, done)
    holds(done["captured"] + done["drops"]["ring"] >= len(frames), done)
    expect({packet.data for packet in kept if ours(packet.data)}, {frames[0]})


def written(path: Path, count: int) -> list[bytes]:
    """Our packets in a file that is still written, once it has so many; what it has after 5 s."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        with suppress(struct.error):  # a block is half written
            if len(mine := injected(path)) >= count:
                return mine
        time.sleep(0.005)
    return injected(path)


def injected(path: Path) -> list[bytes]:
    """Our packets in a file."""
    return [packet.data for packet in packets(path.read_bytes()) if ours(packet.data)]


@in_a_folder
def laps(wire: Wire, folder: Path) -> None:
    """A ring that is gone round many times loses and repeats nothing.

    A part is in the file before its place in the ring is free. So two fit into a ring of 256 KiB.
    """
    agent, sent = capture(wire, folder / "file", look_ms=1, memory_bytes=1 << 20), 0
    for size in (8, 40, 333, 1200, 77):
        part = [ip4(17, udp(7, size) + struct.pack("!I", i)) for i in range(75)]
        for _ in range(6):
            wire.inject(part)
            sent += len(part)
            expect(written(folder / "file", sent)[sent - len(part) :], part, size)
    expect(agent.close()["drops"]["ring"], 0)


@in_a_folder
def rotated(wire: Wire, folder: Path) -> None:
    """Files of a size, the newest kept: each readable by itself, none with half a packet."""
    agent = capture(wire, folder / "a.pcapng", rotate_bytes=20000, keep=2)
    frames = [ip4(17, udp(7, 1000) + struct.pack("!I", i)) for i in range(100)]
    for at in range(0, 100, 5):
        wire.inject(frames[at : at + 5])
        time.sleep(0.03)
    done = agent.close()
    holds(done["files"] > 3, done)
    names = [f"a-{number}.pcapng" for number in (done["files"] - 1, done["files"])]
    expect(sorted(path.name for path in folder.iterdir()), sorted(names))
    last = [packet.data for name in names for packet in packets((folder / name).read_bytes())]
    kept = [data for data in last if ours(data)]
    expect(kept, frames[-len(kept) :])


@in_a_folder
def disk_full(wire: Wire, folder: Path) -> None:
    """A full disk costs packets, which are counted; the file ends behind a whole one."""
    mount = f'mount -t tmpfs -o size=32k tmpfs {folder}; exec "$0" "$@"'
    whole, Agent.command = Agent.command, ["unshare", "-m", "sh", "-c", mount, *Agent.command]
    try:
        agent = capture(wire, folder / "file")
    finally:
        Agent.command = whole
    frames = [ip4(17, udp(7, 1000))] * 60
    for at in range(0, 60, 5):
        wire.inject(frames[at : at + 5])
        time.sleep(0.02)
    with (Path(f"/proc/{agent.process.pid}/root") / str(folder / "file")[1:]).open("rb") as file:
        done = agent.close()
        kept = packets(file.read())
    expect(done["error"], "No space left on device", done)
    holds(done["drops"]["file"] > 0, done)
    expect(done["captured"], done["written"] + done["drops"]["file"])
    expect(len(kept), done["written"])


@in_a_folder
def killed(wire: Wire, folder: Path) -> None:
    """A capture that is killed leaves whole packets in its file and nothing at the device."""
    agent = capture(wire, folder / "file")
    wire.inject(mixture())
    expect(written(folder / "file", len(mixture())), mixture())
    agent.process.send_signal(signal.SIGKILL)
    agent.process.wait()
    expect(injected(folder / "file"), mixture())
    again = capture(wire, folder / "again")
    again.close()


@in_a_folder
def alone(wire: Wire, folder: Path) -> None:
    """A request on the command line: it starts at once and ends by SIGTERM."""
    request = f'{{"devices":["v1"],"file":"{folder}/file"}}'
    command = ["ip", "netns", "exec", B, *Agent.command, "capture", request]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    assert process.stdout
    while '"start"' not in (line := process.stdout.readline()):
        holds(line, "it ended")
    wire.inject(mixture())
    time.sleep(0.2)
    process.terminate()
    words = process.communicate(timeout=10)[0]
    expect(process.returncode, 0, words)
    holds('"ev":"done"' in words, words)
    kept = packets((folder / "file").read_bytes())
    expect([packet.data for packet in kept if ours(packet.data)], mixture())


@in_a_folder
def captured_in_tunnels(wire: Wire, folder: Path) -> None:
    """Packets of a tunnel begin with the IP header, and the file says so."""
    packet = ip4(17, udp(7, 80))[len(ETHERNET) + 2 :]
    with tunnel(wire) as receive:
        for source in ("bpf", "packet"):
            agent = capture(wire, folder / source, devices=["t1"], by=source)
            receive(packet)
            agent.close()
            data = (folder / source).read_bytes()
            expect(interfaces(data), [("t1", LINK_RAW)])
            expect([kept.data for kept in packets(data)], [packet], source)


def one_link_type(wire: Wire) -> None:
    """A pcap file of devices whose packets begin in different ways is refused."""
    with tunnel(wire):
        request: Keys = {"devices": ["v1", "t1"], "file": "/dev/null", "format": "pcap"}
        agent = Agent(wire.b, "capture", request)
        expect((agent.ready["ev"], agent.ready.get("key")), ("error", "format"), agent.ready)
        expect(agent.end(), 2)


def refused(wire: Wire) -> None:
    """What cannot be captured is refused by its key."""
    need_a_device(wire)
    for keys, key in (
        ({"devices": []}, "devices"),
        ({"devices": ["none9"]}, "devices"),
        ({"filter": [6, 0, 0]}, "filter"),
        ({"filter": [21, 9, 9, 0, 6, 0, 0, 1]}, "filter"),
        ({"filter": [0x20, 0, 0, 0xFFFFF000, 6, 0, 0, 1]}, "filter"),
        ({"filter": [0x34, 0, 0, 0, 6, 0, 0, 1]}, "filter"),
        ({"memory_bytes": 1 << 18, "by": "bpf"}, "memory_bytes"),
        ({"file": "/none/at/all"}, "file"),
    ):
        request: Keys = {"devices": ["v1"], "file": "/dev/null"}
        agent = Agent(wire.b, "capture", request | keys)
        expect((agent.ready["ev"], agent.ready.get("key")), ("error", key), agent.ready)
        agent.end()


def flows_sent(wire: Wire, family: int, **keys: object) -> tuple[Event, Agent]:
    """500 packets of seven flows, seen by an agent that keeps their records."""
    agent = Agent(wire.b, "flows", {"devices": ["v1"], "look_ms": 50, **keys})
    expect(agent.ready["ev"], "ready", agent.ready)
    agent.start()
    receiving = wire.sink(port="udp", family=family, flows=7, dst_port=list(range(9000, 9007)))
    receiving.start()
    ports: Keys = {"flows": 7, "src_port": list(range(5000, 5007))}
    sending = wire.sender(family=family, dst_port=list(range(9000, 9007)), packets=700, **ports)
    sending.start()
    sent = sending.done()
    receiving.close()
    return sent, agent


def records_to_the_end(agent: Agent) -> tuple[list[Event], Event]:
    """Ends the job; the records of flows that were left, and `done`."""
    assert agent.process.stdin
    agent.process.stdin.close()
    records = []
    while (event := agent.event()) and event["ev"] != "done":
        records.append(event)
    agent.process.wait()
    return records, event


def packets_of(records: list[Event]) -> int:
    """The packets of flows, of both ways."""
    return sum(record["packets"] + record["packets_back"] for record in records)


@unless_overrun()
def flow_totals(wire: Wire) -> None:
    """Records of flows add up to what was sent, to the packet and the byte; IPv4 and IPv6."""
    need_a_device(wire)
    for family in (4, 6):
        sent, agent = flows_sent(wire, family)
        records, done = records_to_the_end(agent)
        test = [r for r in records if r["protocol"] == 17 and 9000 <= r["dst_port"] <= 9006]
        expect(sorted(r["dst_port"] for r in test), list(range(9000, 9007)))
        expect([r["packets"] for r in test], [100] * 7)
        expect(sum(r["packets"] for r in test), sent["sent"])
        expect({r["bytes"] for r in test}, {100 * (100 - 18)})
        expect(done["counted"], packets_of(records))
        expect((done["records"], done["untracked"]), (len(records), 0))


def flow_parts(wire: Wire) -> None:
    """Each part of a long flow is told from the end that began it; the parts add up."""
    need_a_device(wire)
    there = ip4(17, udp(7, 8))
    ports = struct.pack("!HH", 7, 5000)
    back = there[:26] + RIGHT + LEFT + ports + there[38:]
    agent = Agent(wire.b, "flows", {"devices": ["v1"], "look_ms": 10, "active_ms": 100})
    expect(agent.ready["ev"], "ready", agent.ready)
    agent.start()
    records = []
    for frame in (there, back, back):
        wire.inject([frame])
        records += records_until(agent, lambda record: record["protocol"] == 17)
    parts = [record for record in records if record["protocol"] == 17]
    expect([(r["src"], r["src_port"]) for r in parts], [("10.9.0.1", 5000)] * 3)
    expect([(r["packets"], r["packets_back"]) for r in parts], [(1, 0), (0, 1), (0, 1)])
    expect({r["end"] for r in parts}, {ACTIVE})
    rest, done = records_to_the_end(agent)
    expect(done["counted"], packets_of(records + rest))


def records_until(agent: Agent, last: Callable[[Event], bool]) -> list[Event]:
    """The records of flows up to one of this kind."""
    records = []
    while event := agent.event():
        if event["ev"] == "flow":
            records.append(event)
            if last(event):
                return records
    raise AssertionError(records)


def packets_in(records: list[Record]) -> int:
    """The packets that records of the test's flows count."""
    return sum(int.from_bytes(record[0, 2]) for record in of_the_test(records))


def of_the_test(records: list[Record]) -> list[Record]:
    """Those to its ports."""
    return [record for record in records if 9000 <= int.from_bytes(record[0, 11]) <= 9006]


@unless_overrun()
def flow_messages(wire: Wire) -> None:
    """IPFIX over UDP and TCP: templates first, numbers in order, totals as sent; both kinds."""
    need_a_device(wire)
    for protocol, uniflows in (("udp", False), ("tcp", False), ("udp", True)):
        with Listener(protocol) as listener:
            keys = {"collector": "127.0.0.1", "port": listener.port, "protocol": protocol}
            sent, agent = flows_sent(wire, 4, uniflows=uniflows, idle_ms=300, **keys)
            while packets_in(listener.collector.records) < sent["sent"]:
                listener.take()  # by its idle time, while it runs
            done = agent.close()
            while len(listener.collector.records) < done["sent"]:
                listener.take()
            collector = listener.read()
        expect((done["sent"], done["lost"]), (len(collector.records), 0))
        test = of_the_test(collector.records)
        expect(packets_in(test), sent["sent"])
        expect(sum(int.from_bytes(r[0, 1]) for r in test), sent["sent"] * 82)
        expect({r[0, 136] for r in test}, {b"\x01"}, "idle")
        expect(any((29305, 2) in r for r in test), not uniflows)


class Listener:
    """A collector in the namespace of v1: a program of its own, since a socket is of one."""

    # Over UDP it reads until its stdin is closed, over TCP to the end of the connection.
    PROGRAM = """
import select, socket, sys
kind = {"udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}[sys.argv[1]]
s = socket.socket(socket.AF_INET, kind)
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", int(sys.argv[2])))
if sys.argv[1] == "tcp": s.listen()
print(s.getsockname()[1], flush=True)
c = s.accept()[0] if sys.argv[1] == "tcp" else s
sources = [c] if sys.argv[1] == "tcp" else [c, sys.stdin]
wait = None
while ready := select.select(sources, [], [], wait)[0]:
    if c in ready:
        data = c.recv(65536)
        if not data: break
        print(data.hex(), flush=True)
    else: sources, wait = [c], 0
"""

    def __init__(self, protocol: str, port: int = 0) -> None:
        self.protocol, self.collector, self.rest = protocol, Collector(), b""
        command = ["ip", "netns", "exec", B, "python3", "-c", self.PROGRAM, protocol, str(port)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        assert self.process.stdout
        self.port = int(self.process.stdout.readline())

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()

    def take(self) -> None:
        """Waits for what comes next, and reads it."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        holds(line, "the collector has ended")
        self.accept(bytes.fromhex(line))

    def accept(self, data: bytes) -> None:
        """A datagram is a message; a part of a stream ends anywhere."""
        if self.protocol == "udp":
            self.collector.read(data)
            return
        messages, self.rest = cut(self.rest + data)
        for message in messages:
            self.collector.read(message)

    def read(self) -> Collector:
        """All messages up to the end, once the agent has ended."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        for line in self.process.stdout:
            self.accept(bytes.fromhex(line))
        expect(self.rest, b"")
        return self.collector


def cut(stream: bytes) -> tuple[list[bytes], bytes]:
    """The whole messages of a stream, by their lengths, and what is behind them."""
    messages, at = [], 0
    while at + 4 <= len(stream):
        (length,) = struct.unpack_from(">H", stream, at + 2)
        if at + length > len(stream):
            break
        messages.append(stream[at : at + length])
        at += length
    return messages, stream[at:]


def collector_gone(wire: Wire) -> None:
    """Records for a collector that is not there are counted as lost over TCP; the job goes on."""
    need_a_device(wire)
    with Listener("tcp") as listener:
        keys = {"collector": "127.0.0.1", "port": listener.port, "protocol": "tcp"}
        agent = Agent(wire.b, "flows", {"devices": ["v1"], "look_ms": 20, "idle_ms": 100, **keys})
        expect(agent.ready["ev"], "ready", agent.ready)
        agent.start()
    for _ in range(5):
        wire.inject(mixture())
        time.sleep(0.3)
    done = agent.close()
    expect(done["records"], done["sent"] + done["lost"])
    holds(done["lost"] > 0, done)


def collector_silent(wire: Wire) -> None:
    """A collector that does not answer is given up after a second, with the reason."""
    need_a_device(wire)
    silent = ("10.9.0.78", "lladdr", "02:00:00:00:00:78", "dev", "v1")
    sh("ip", "-n", wire.b or "", "neigh", "replace", *silent)
    keys = {"collector": silent[0], "protocol": "tcp"}
    agent = Agent(wire.b, "flows", {"devices": ["v1"], **keys})
    expect((agent.ready["ev"], agent.ready.get("key")), ("error", "collector"), agent.ready)
    holds("timed out" in agent.ready["reason"], agent.ready)
    expect(agent.end(), 1)


def collector_back(wire: Wire) -> None:
    """A collector that comes back over TCP can read all that it is sent: templates come first."""
    need_a_device(wire)
    with Listener("tcp") as listener:
        port = listener.port
        keys = {"collector": "127.0.0.1", "port": port, "protocol": "tcp"}
        agent = Agent(wire.b, "flows", {"devices": ["v1"], "look_ms": 20, "idle_ms": 100, **keys})
        expect(agent.ready["ev"], "ready", agent.ready)
        agent.start()
    with Listener("tcp", port) as listener:
        for _ in range(16):  # it tries again after 5 s
            wire.inject(mixture())
            time.sleep(0.4)
        done = agent.close()
        collector = listener.read()
    holds(done["lost"] > 0, done)
    holds(collector.records, done)
    holds(len(collector.records) <= done["sent"], done)


def full_table(wire: Wire) -> None:
    """Packets of flows that find no room are counted as untracked; those that did stay exact."""
    need_a_device(wire)
    agent = Agent(wire.b, "flows", {"devices": ["v1"], "flows": 64})
    expect(agent.ready["ev"], "ready", agent.ready)
    agent.start()
    wire.inject([ip4(17, udp(port, 8)) for port in range(1000, 1400)])
    time.sleep(0.1)
    records, done = records_to_the_end(agent)
    holds(done["untracked"] >= 400 - 64 - 64, done)
    expect(done["counted"], packets_of(records))


CAPTURE_TESTS = (
    captured_whole,
    captured_to_the_end,
    captured_short,
    filtered,
    tags_are_kept,
    full_rings,
    laps,
    rotated,
    disk_full,
    killed,
    alone,
    captured_in_tunnels,
    one_link_type,
    refused,
    flow_totals,
    flow_parts,
    flow_messages,
    collector_gone,
    collector_silent,
    collector_back,
    full_table,
)
