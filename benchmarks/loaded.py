# SPDX-License-Identifier: Apache-2.0
"""Delay under load compared with irtt and with iperf2's bounceback, on one path.

    LAN host ---- gateway ---- line ---- WAN host

An upload by iperf3 (one stream, reno) keeps the line's buffer full. Beside it run at the same time
our replay `isochronous`, irtt with packets of the same size as often, and the bounceback. One after
the other they would see other parts of the sawtooth, which is far wider than what they differ by.

Ours and irtt give each packet's delay in each direction, on the clock of this machine. What both
sent in the same time is compared. irtt stamps in its program. Its packets have kernel stamps too,
by tcpdump at both hosts: `irtt's packets`. So what is the path's is told from what is irtt's.

A packet that comes just behind another tool's waits for it, 1 ms at 1 Mbit/s. Of two tools with one
period the same is always behind. So irtt's period is one in a hundred longer: within a second each
packet of ours has been before and behind irtt's.

The bounceback gives the mean time there and back of a hundred bytes over TCP.
"""

import argparse
import asyncio
import json
import re
import shutil
import struct
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.arrivals import PCAP_NS_MAGIC
from benchmarks.bare_lab import ends, lab
from benchmarks.compare import Comparison, compare_less, progress, show
from benchmarks.peers import Ends
from gatemark.judge.change.paired import compare_pairs
from gatemark.kind.replay.load import Pair
from gatemark.plan.model import Among, LineWay, Workload
from gatemark.plan.model import Line as Asked
from gatemark.station.demand import Demand
from gatemark.station.line.line import Line
from gatemark.station.netns import Lab
from gatemark.station.wiring import wires

MBITS: Final = (1, 15)
BUFFER_PACKETS: Final = 50
SECONDS: Final = 20.0  # of a round, by default
SETTLE_S: Final = 4.0  # from the upload's begin: slow start and its first losses
PAYLOAD: Final = 92  # of irtt, so that its packet has the size of ours: 120 bytes with IP and UDP
GAP_MS: Final = 10.1  # that of the source `isochronous` is 10
SEQUENCE_AT: Final = 14 + 20 + 8 + 12  # irtt's number of a packet, behind magic, flags and token
PORT: Final = 2112  # irtt's
WAYS: Final = ("up", "down")
ENDS: Final = ("in", "out")
FLUSH_S: Final = 1.2  # tcpdump reads what came once a second
SHARES: Final = {"50 %": 0.5, "99 %": 0.99}
NEAR_US: Final = 200.0  # goal: ours and irtt's median differ by no more
BOUNCES: Final = re.compile(r"(\d+)=([\d.]+)/[\d.]+/[\d.]+/[\d.]+ ms")

STAMPED: Final = "irtt's packets"

Sent = list[tuple[int, int]]  # time of sending, CLOCK_REALTIME, and delay; ns
Delays = dict[str, list[int]]  # way -> ns, sorted
Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round


@dataclass(frozen=True, slots=True)
class Round:
    """What the tools saw of the same time."""

    ours: Delays
    irtt: Delays
    stamped: Delays  # irtt's packets by kernel stamps
    bounce_us: float | None  # mean, there and back; None: it hung


def main() -> None:
    """Measure in rounds, each at every rate of the line; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.loaded", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument(
        "--mbit", type=int, nargs="+", default=MBITS, help="the line, Mbit/s (default: 1 15)"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of a round (default: 20)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    if absent := [tool for tool in ("irtt", "iperf", "iperf3") if not shutil.which(tool)]:
        parser.exit(1, f"not installed: {', '.join(absent)}; `make bench` installs them\n")
    values: Values = defaultdict(list)
    with lab() as made, TemporaryDirectory() as folder:
        at = ends(made, "route")
        asyncio.run(_measure(made, at, Path(folder), options, values))
    progress("")
    show(list(_compared(values)), json_=options.json)
    if not options.json:
        for mbit, way in product(options.mbit, WAYS):
            for tool in ("irtt", STAMPED):
                print(_apart(f"{mbit} Mbit/s, {way}, 50 %", tool, values))


async def _measure(
    made: Lab, at: Ends, folder: Path, options: argparse.Namespace, values: Values
) -> None:
    line = Line(made)
    try:
        for number, mbit in product(range(1, options.rounds + 1), options.mbit):
            progress(f"round {number} of {options.rounds}: {mbit} Mbit/s")
            way = LineWay(rate_bps=mbit * 1e6, buffer_packets=BUFFER_PACKETS)
            await line.set(Asked(up=way, down=way), "route")
            await made.meet(Demand(steered=True, finished=True))
            _note(await _round(made, at, folder, options.seconds), f"{mbit} Mbit/s", values)
    finally:
        await line.release()


async def _round(made: Lab, at: Ends, folder: Path, seconds: float) -> Round:
    into = folder / "irtt.json"
    near, far = wires(made.ports, "route", "both")
    load = Workload(kind="replay", trace="isochronous", direction="both", duration_s=seconds)
    pair = Pair(near, far, None, load, made.placement, Among(at=0, of=2))
    irtt = f"irtt client -4 -i {GAP_MS}ms -d {seconds:.0f}s -l {PAYLOAD} -Q -o {into} {at.dst}"
    # It has hung under load for minutes, and heeds no SIGTERM then.
    bounce = (
        f"timeout -s KILL {seconds + 5:.0f} iperf -c {at.dst} --bounceback -t {seconds:.0f} -i 1"
    )
    upload = f"iperf3 -c {at.dst} -C reno -t {SETTLE_S + seconds + 2:.0f}"
    try:
        await pair.ready()
        with (
            _stamped(made, at, folder) as seen,
            _served(at),
            _running(at.at_source(*upload.split())),
        ):
            await asyncio.sleep(SETTLE_S)
            with (
                _running(at.at_source(*irtt.split())) as measuring,
                _running(at.at_source(*bounce.split())) as bouncing,
            ):
                await pair.sent(None)
                text, _ = await asyncio.to_thread(bouncing.communicate, timeout=seconds)
                await asyncio.to_thread(measuring.communicate, timeout=seconds)
            reports = await pair.reports()
    finally:
        await pair.abort()
    tools = _ours(reports), _irtt(json.loads(into.read_text())), _kernel(seen)
    together = {way: _of_the_same_time(*(tool[way] for tool in tools)) for way in WAYS}
    ours, theirs, stamped = (
        {way: delays[tool] for way, delays in together.items()} for tool in range(len(tools))
    )
    return Round(ours, theirs, stamped, _bounce_us(text, seconds))


@contextmanager
def _stamped(made: Lab, at: Ends, folder: Path) -> Iterator[dict[str, Path]]:
    """tcpdump of irtt's packets at both hosts, in and out; the files are whole afterwards."""
    ports = {"lan": at.device, "wan": "wan0"}
    files = {f"{host} {end}": folder / f"{host}-{end}.pcap" for host in ports for end in ENDS}
    with ExitStack() as stack:
        for name, file in files.items():
            host, end = name.split()
            words = f"tcpdump -i {ports[host]} -Q {end} -s 64 --time-stamp-precision=nano -U"
            command = f"{words} -w {file} udp port {PORT}"
            stack.enter_context(_dumping(made.hosts[host].argv(*command.split())))
        time.sleep(0.5)
        yield files
        time.sleep(FLUSH_S)


@contextmanager
def _dumping(command: Sequence[str]) -> Iterator[None]:
    null = subprocess.DEVNULL
    started = subprocess.Popen(command, stdout=null, stderr=null, start_new_session=True)
    try:
        yield
    finally:
        started.terminate()
        started.wait()


def _kernel(files: dict[str, Path]) -> dict[str, Sent]:
    """irtt's packets from host to host."""
    seen = {name: _numbered(file.read_bytes()) for name, file in files.items()}
    ends = {"up": ("lan out", "wan in"), "down": ("wan out", "lan in")}
    return {
        way: [
            (sent, seen[into][number] - sent)
            for number, sent in seen[out].items()
            if number in seen[into]
        ]
        for way, (out, into) in ends.items()
    }


def _numbered(pcap: bytes) -> dict[int, int]:
    """irtt's number of a packet -> its stamp, ns."""
    (magic,) = struct.unpack_from("<I", pcap)
    assert magic == PCAP_NS_MAGIC
    stamps, at = {}, 24
    while at + 16 <= len(pcap):
        seconds, nanoseconds, kept, size = struct.unpack_from("<IIII", pcap, at)
        if size == 14 + 28 + PAYLOAD:  # those that open and close its session are shorter
            (number,) = struct.unpack_from("<I", pcap, at + 16 + SEQUENCE_AT)
            stamps[number] = seconds * 10**9 + nanoseconds
        at += 16 + kept
    return stamps


@contextmanager
def _served(at: Ends) -> Iterator[None]:
    """The tools' own receivers at the WAN host."""
    with (
        _running(at.at_sink(*f"irtt server -b {at.dst} -i 0 -l 0".split())),
        _running(at.at_sink("iperf3", "-s")),
        _running(at.at_sink("iperf", "-s")),
    ):
        time.sleep(0.5)
        yield


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    started = subprocess.Popen(
        command, stdin=null, stdout=pipe, stderr=null, text=True, start_new_session=True
    )
    try:
        yield started
    finally:
        if started.poll() is None:
            started.kill()
        started.communicate()


def _ours(reports: Sequence[dict[str, Any]]) -> dict[str, Sent]:
    """Each packet, by the reports of LAN and WAN side."""
    lan, wan = reports
    return {"up": _packets(lan, wan), "down": _packets(wan, lan)}


def _packets(sender: dict[str, Any], receiver: dict[str, Any]) -> Sent:
    sent, came = sender["sender"]["packet"]["sent_ns"], receiver["sink"]["packet"]
    pairs = zip(came["number"], came["arrival_ns"], strict=True)
    offset_ns = time.time_ns() - time.monotonic_ns()
    return [(sent[number] + offset_ns, arrival - sent[number]) for number, arrival in pairs]


def _irtt(report: dict[str, Any]) -> dict[str, Sent]:
    trips = [trip for trip in report["round_trips"] if "rtt" in trip["delay"]]
    ends = {"up": ("client", "send"), "down": ("server", "receive")}
    return {
        way: [(trip["timestamps"][end]["send"]["wall"], trip["delay"][name]) for trip in trips]
        for way, (end, name) in ends.items()
    }


def _of_the_same_time(*tools: Sent) -> list[list[int]]:
    """Delays, sorted, of what was sent while all tools sent."""
    begin = max(min(packets)[0] for packets in tools)
    end = min(max(packets)[0] for packets in tools)
    return [sorted(delay for sent, delay in packets if begin <= sent <= end) for packets in tools]


def _bounce_us(text: str, seconds: float) -> float | None:
    """Mean of all bounces: `10=0.340/0.206/0.852/0.224 ms` is their number and mean, first."""
    totals = BOUNCES.findall(text)
    return float(totals[-1][1]) * 1e3 if len(totals) > seconds else None


def _note(seen: Round, line: str, values: Values) -> None:
    for way, (name, share) in product(WAYS, SHARES.items()):
        what = f"{line}, {way}, {name}"
        tools = {"ours": seen.ours, "irtt": seen.irtt, STAMPED: seen.stamped}
        for tool, delays in tools.items():
            values[what, tool].append(_at(delays[way], share) / 1e3)
    for tool, delays in (("ours", seen.ours), ("irtt", seen.irtt)):
        values[f"{line}, there and back, mean", tool].append(
            sum(fmean(delays[way]) for way in WAYS) / 1e3
        )
    if seen.bounce_us is not None:
        values[f"{line}, there and back, mean", "bounceback"].append(seen.bounce_us)


def _apart(what: str, tool: str, values: Values) -> str:
    """How much longer a tool's median is: packets of two never meet the same, so over rounds."""
    ours = values[what, "ours"]
    change = compare_pairs(ours, values[what, tool]).change
    low, value, high = (end * median(ours) for end in (change.lo, change.value, change.hi))
    apart = f"{value:+.0f} us longer than ours ({low:+.0f} to {high:+.0f}; goal {NEAR_US:.0f})"
    return f"{what}, {tool}: {apart}, {len(ours)} rounds"


def _at(ordered: Sequence[int], share: float) -> int:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def _compared(values: Values) -> Iterator[Comparison]:
    """Ratios near 1 say that both see the same; above 1 the peer's delay is longer."""
    for (what, tool), theirs in values.items():
        if tool != "ours":
            yield compare_less(what, values[what, "ours"], tool, theirs, "us")


if __name__ == "__main__":
    main()
