# SPDX-License-Identifier: Apache-2.0
"""Known traffic tools, each started the way its manual has it, on the same two hosts as ours."""

import json
import re
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gatemark.node.agent import FIRST

Process = subprocess.Popen[str]

IP_UDP_BYTES = 28
ETHERNET_BYTES = 14
PORT = 9


@dataclass(frozen=True, slots=True)
class Ends:
    """Where a tool runs and where its packets go."""

    source: str  # namespace
    sink: str
    device: str  # of the source
    src: str
    dst: str
    src_mac: str
    dst_mac: str
    sender_cpu: int
    sink_cpu: int

    def at_source(self, *command: str) -> tuple[str, ...]:
        """The command on the sender's host and CPU."""
        return _at(self.source, self.sender_cpu, command)

    def at_sink(self, *command: str) -> tuple[str, ...]:
        """The command on the sink's host and CPU."""
        return _at(self.sink, self.sink_cpu, command)


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: how to send for some seconds (0 packets/s: as fast as it can), and read its count."""

    name: str
    send: Callable[[Ends, int, float, float, Path], tuple[str, ...]]
    serve: Callable[[Ends], tuple[str, ...]] | None = None
    counted: Callable[[str, str], float] | None = None  # client's and server's output -> packets/s


@contextmanager
def served(peer: Peer, ends: Ends) -> Iterator[Process | None]:
    """The tool's own receiver, for as long as it is needed."""
    if peer.serve is None:
        yield None
        return
    server = _start(peer.serve(ends))
    time.sleep(0.3)
    try:
        yield server
    finally:
        if server.poll() is None:
            server.terminate()
            server.communicate()


@contextmanager
def sending(
    peer: Peer, ends: Ends, payload: int, rate_pps: float, seconds: float, folder: Path
) -> Iterator[Process]:
    """The tool's sender at work; ended if it did not end by itself."""
    sender = _start(peer.send(ends, payload, rate_pps, seconds, folder))
    try:
        yield sender
    finally:
        if sender.poll() is None:
            sender.terminate()


def _start(command: tuple[str, ...]) -> Process:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        start_new_session=True,
    )


def _at(space: str, cpu: int, command: tuple[str, ...]) -> tuple[str, ...]:
    # Each tool gets what our agent gets: its CPU, and to go before whatever else runs there.
    return ("ip", "netns", "exec", space, "taskset", "-c", str(cpu), *FIRST, *command)


def _iperf3(ends: Ends, payload: int, rate_pps: float, seconds: float, _: Path) -> tuple[str, ...]:
    rate = f"{round(rate_pps * payload * 8)}" if rate_pps else "0"
    words = f"iperf3 -u -c {ends.dst} -l {payload} -b {rate} -t {seconds:.0f} --json"
    return ends.at_source(*words.split())


def _iperf3_counted(client: str, _server: str) -> float:
    total = json.loads(client)["end"]["sum"]
    return float(total["packets"] - total["lost_packets"]) / float(total["seconds"])


def _iperf2(ends: Ends, payload: int, rate_pps: float, seconds: float, _: Path) -> tuple[str, ...]:
    rate = f"{round(rate_pps)}pps" if rate_pps else "100g"
    words = f"iperf -u -c {ends.dst} -l {payload} -b {rate} -t {seconds:.0f}"
    return ends.at_source(*words.split())


def _iperf2_counted(_client: str, server: str) -> float:
    """From the server's own report: `[  1] 0.0000-1.9998 sec ... 94260/730006 (13%)`."""
    found = re.findall(r"([\d.]+)-([\d.]+) sec .* (\d+)/\s*(\d+) \(", server)
    start, end, lost, total = (float(field) for field in found[-1])
    return (total - lost) / (end - start)


def _nuttcp(ends: Ends, payload: int, rate_pps: float, seconds: float, _: Path) -> tuple[str, ...]:
    rate = f"-R{round(rate_pps * payload * 8 / 1000)}k" if rate_pps else "-Ru"
    words = f"nuttcp -u {rate} -l{payload} -T{seconds:.0f} -fparse {ends.dst}"
    return ends.at_source(*words.split())


def _nuttcp_counted(client: str, _server: str) -> float:
    found = {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", client)}
    return (found["pkt"] - found["drop"]) / found["real_seconds"]


def _trafgen(
    ends: Ends, payload: int, rate_pps: float, seconds: float, folder: Path
) -> tuple[str, ...]:
    script = folder / f"trafgen-{payload}-{ends.device}.cfg"
    script.write_text(
        f"{{ eth(da={ends.dst_mac}, sa={ends.src_mac}), "
        f"ipv4(saddr={ends.src}, daddr={ends.dst}, ttl=64, df), "
        f"udp(sp=20000, dp={PORT}), fill(0, {payload}) }}\n"
    )
    # A larger ring outgrows the socket's send buffer, and trafgen then gives up with EAGAIN.
    pace = ["-b", f"{round(rate_pps)}pps"] if rate_pps else ["-S", "64KiB"]
    command = (
        "trafgen",
        "-i",
        str(script),
        "-o",
        ends.device,
        "-P1",
        "--cpus",
        str(ends.sender_cpu),
    )
    bounded = ("timeout", "-s", "INT", f"{seconds + 0.5}")
    return ends.at_source(*bounded, *command, *pace)


def _tcpreplay(
    ends: Ends, payload: int, rate_pps: float, seconds: float, folder: Path
) -> tuple[str, ...]:
    trace = folder / f"tcpreplay-{payload}-{ends.device}.pcap"
    trace.write_bytes(_pcap(ends, payload, packets=1000))
    pace = ["--pps", f"{rate_pps:.0f}"] if rate_pps else ["--topspeed"]
    command = ("tcpreplay", "-q", "-K", "--loop=1000000", *pace, "-i", ends.device, str(trace))
    bounded = ("timeout", "-s", "INT", f"{seconds + 0.5}")
    return ends.at_source(*bounded, *command)


def _pcap(ends: Ends, payload: int, packets: int) -> bytes:
    frame = _frame(ends, payload)
    header = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    record = struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    return header + record * packets


def _frame(ends: Ends, payload: int) -> bytes:
    macs = bytes.fromhex((ends.dst_mac + ends.src_mac).replace(":", ""))
    addresses = bytes(int(part) for part in f"{ends.src}.{ends.dst}".split("."))
    ip = struct.pack(">BBHHHBBH", 0x45, 0, payload + IP_UDP_BYTES, 0, 0x4000, 64, 17, 0) + addresses
    total = sum(struct.unpack(">10H", ip))
    checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    ip = ip[:10] + struct.pack(">H", checksum) + ip[12:]
    udp = struct.pack(">HHHH", 20000, PORT, payload + 8, 0)
    return macs + b"\x08\x00" + ip + udp + bytes(payload)


WITH_SINK = (
    Peer("iperf3", _iperf3, lambda ends: ends.at_sink("iperf3", "-s", "-1"), _iperf3_counted),
    Peer("iperf2", _iperf2, lambda ends: ends.at_sink("iperf", "-s", "-u"), _iperf2_counted),
    Peer("nuttcp", _nuttcp, lambda ends: ends.at_sink("nuttcp", "-S", "--nofork"), _nuttcp_counted),
)
SENDERS = (Peer("trafgen", _trafgen), Peer("tcpreplay", _tcpreplay))
PROGRAM = {"iperf2": "iperf"}


def missing() -> list[str]:
    """Peers that are not installed."""
    return [p.name for p in (*WITH_SINK, *SENDERS) if not shutil.which(PROGRAM.get(p.name, p.name))]
