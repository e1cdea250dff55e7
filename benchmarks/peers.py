# SPDX-License-Identifier: Apache-2.0
"""Known traffic tools, each started as its manual says, on the same two hosts as ours."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gatemark.kind.tool import capture, tcpreplay
from gatemark.kind.tool.capture import Frames
from gatemark.kind.tool.iperf3 import IPERF3
from gatemark.kind.tool.job import Job, Tool
from gatemark.kind.tool.nuttcp import NUTTCP
from gatemark.node.shell import FIRST
from gatemark.plan.model import Workload
from gatemark.unit import frame_bytes

Process = subprocess.Popen[str]

PORT = 9
HEADERS = 14 + 20 + 8  # of Ethernet, IPv4 and UDP
START_S = 3.0  # of a program that takes long until its first packet


@dataclass(frozen=True, slots=True)
class Ends:
    """Where a tool runs, and where its packets go."""

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
    """A tool: how it sends for some seconds (0 packets/s: as fast as it can), and its count."""

    name: str
    send: Callable[[Ends, int, float, float, Path], tuple[str, ...]]
    serve: Callable[[Ends], tuple[str, ...]] | None = None
    # Payload, the client's and the server's output -> packets/s.
    counted: Callable[[int, str, str], float] | None = None


@contextmanager
def served(peer: Peer, ends: Ends) -> Iterator[Process | None]:
    """The tool's own receiver; ended afterwards."""
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
    """The tool's sender at work; ended if it does not end by itself."""
    sender = _start(peer.send(ends, payload, rate_pps, seconds, folder))
    try:
        yield sender
    finally:
        if sender.poll() is None:
            os.killpg(sender.pid, signal.SIGTERM)  # a session of its own: its shell's children too


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
    # As our agent: its CPU, with precedence over everything else there.
    return ("ip", "netns", "exec", space, "taskset", "-c", str(cpu), *FIRST, *command)


def _job(ends: Ends, payload: int, rate_pps: float, seconds: float) -> Job:
    size = frame_bytes(payload, "ipv4")
    load = Workload(frame_bytes=size, rate_pps=rate_pps, duration_s=seconds)
    return Job(load, ends.dst)


def _driver(tool: Tool) -> Peer:
    """A tool that can also drive trials: the same command, and the same parser of its output."""

    def send(ends: Ends, payload: int, rate: float, seconds: float, _: Path) -> tuple[str, ...]:
        return ends.at_source(*tool.call(_job(ends, payload, rate, seconds)))

    def serve(ends: Ends) -> tuple[str, ...]:
        return ends.at_sink(*tool.serve(_job(ends, 64, 0, 1)))

    def counted(payload: int, client: str, _server: str) -> float:
        count = tool.read(Job(Workload(frame_bytes=frame_bytes(payload, "ipv4")), ""), client)
        return count.received / count.seconds

    return Peer(tool.name, send, serve, counted)


def _iperf2(ends: Ends, payload: int, rate_pps: float, seconds: float, _: Path) -> tuple[str, ...]:
    rate = f"{round(rate_pps)}pps" if rate_pps else "100g"
    words = f"iperf -u -c {ends.dst} -l {payload} -b {rate} -t {seconds:.0f}"
    return ends.at_source(*words.split())


def _iperf2_counted(_payload: int, _client: str, server: str) -> float:
    """From the server's own report: `[  1] 0.0000-1.9998 sec ... 94260/730006 (13%)`."""
    reports = re.findall(r"([\d.]+)-([\d.]+) sec .* (\d+)/\s*(\d+) \(", server)
    start, end, lost, total = (float(field) for field in reports[-1])
    return (total - lost) / (end - start)


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
    frames = Frames(
        family="ipv4",
        src_mac=ends.src_mac,
        dst_mac=ends.dst_mac,
        src=ends.src,
        dst=ends.dst,
        src_ports=[20000],
        dst_ports=[PORT],
        frame_bytes=frame_bytes(payload, "ipv4"),
        run=1,
    )
    trace.write_bytes(capture.write(frames, packets=1000))
    load = Workload(rate_pps=rate_pps)
    *once, file = tcpreplay.call(load, ends.device, str(trace))
    bounded = ("timeout", "-s", "INT", f"{seconds + 0.5}")
    return ends.at_source(*bounded, *once, "--loop=1000000", file)


def _testpmd(driver: str) -> Peer:
    """DPDK's own sender at a port of the kernel's; it sends until nothing is left to read.

    Its first thread only waits, so both are on one CPU.
    """

    def send(ends: Ends, payload: int, _rate: float, seconds: float, _: Path) -> tuple[str, ...]:
        core = ends.sender_cpu
        place = f"--no-huge -m 256 --no-pci --no-telemetry --file-prefix gatemark-{os.getpid()}"
        way = f"--eth-peer=0,{ends.dst_mac} --tx-ip={ends.src},{ends.dst} --tx-udp=20000,{PORT}"
        words = (
            f"dpdk-testpmd --lcores 0@{core},1@{core} {place} --vdev={driver},iface={ends.device}"
            f" -- --forward-mode=txonly --txpkts={HEADERS + payload} {way}"
            " --total-num-mbufs=16384 --no-numa --no-mlockall --auto-start"
        )
        return ends.at_source("sh", "-c", f"sleep {seconds + START_S} | {words}")

    return Peer(f"testpmd {driver.removeprefix('net_').removesuffix('0')}", send)


WITH_SINK = (
    _driver(IPERF3),
    Peer("iperf2", _iperf2, lambda ends: ends.at_sink("iperf", "-s", "-u"), _iperf2_counted),
    _driver(NUTTCP),
)
TESTPMD = (_testpmd("net_af_packet0"), _testpmd("net_af_xdp0"))
SENDERS = (Peer("trafgen", _trafgen), Peer("tcpreplay", _tcpreplay), *TESTPMD)
PROGRAM = {"iperf2": "iperf"} | {peer.name: "dpdk-testpmd" for peer in TESTPMD}


def missing() -> list[str]:
    """Peers that are not installed."""
    return [p.name for p in (*WITH_SINK, *SENDERS) if not shutil.which(PROGRAM.get(p.name, p.name))]
