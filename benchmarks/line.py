# SPDX-License-Identifier: Apache-2.0
"""How exactly does the agent's line keep its schedule? By number, each frame's stamp behind it.

    gmline-PID-a  u0 ------ line0  gmline-PID-l  line1 ------ u1  gmline-PID-b
      sender               tcpdump, agent                tcpdump

Four loads at 1, 15 and 100 Mbit/s, a buffer of 50 packets: lone frames each 3 S; Poisson at 0.9 R
of 60, 590 and 1514 bytes in 7:4:1; bursts of 20; 1.2 R. The error of a frame is its kernel stamp at
u1 less f of the schedule, reckoned here from its kernel stamp at line0. The rate is that of the
busy period at 1.2 R. Passes of all cells are interleaved, unpinned and pinned to the last CPU.

A witness in the normal class spins meanwhile and notes when it did not run for 200 us. `clear` is
the share within 50 us of the frames that no such stall covers: it is the line's own as far as the
machine can be told from it. (The line itself stalls a witness on its CPU, so `clear` is no proof.)
"""

import argparse
import json
import math
import os
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from benchmarks.arrivals import PCAP_NS_MAGIC
from benchmarks.bare_lab import OurAgent, Report
from benchmarks.compare import progress
from gatemark.node.binary import agent_path
from gatemark.station import lock

A, L, B = (f"gmline-{os.getpid()}-{end}" for end in "alb")
RATES_MBIT: Final = (1, 15, 100)
LOADS: Final = ("lone", "poisson", "bursts", "over")
FULL_BYTES, BUFFER_PACKETS, BURST = 1514, 50, 20
MIX: Final = [60] * 7 + [590] * 4 + [1514]
NEAR_NS = 50_000
ETHERTYPE = "88b5"  # local experimental
FLUSH_S = 1.2  # tcpdump reads what came once a second
PUNCTUAL_LEAST = 20  # fewer such frames of a busy period say nothing of its rate

# Sends numbered frames of given bytes, each so many ns after the start.
SEND = """
import json, socket, sys, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.setsockopt(263, 20, 1)  # SOL_PACKET: PACKET_QDISC_BYPASS
s.bind((sys.argv[1], 0))
head, frames = bytes.fromhex("02000000000202000000000188b5"), json.load(sys.stdin)
made = lambda n, size: head + n.to_bytes(4, "big") + bytes(size - 18)
frames = [(made(n, size), at) for n, (size, at) in enumerate(frames)]
now = time.monotonic_ns
start = now() + 10**7
for frame, at in frames:
    left = start + at - now()
    if left > 300_000: time.sleep((left - 200_000) / 1e9)
    while now() < start + at: pass
    s.send(frame)
"""

# Spins until its stdin is closed; prints each stretch of 200 us in which it did not run.
WITNESS = """
import json, select, sys, time
now, stalls = time.time_ns, []
last = now()
tick = last
while True:
    at = now()
    if at - last > 200_000: stalls.append((last, at))
    last = at
    if at - tick > 20_000_000:
        if select.select([sys.stdin], [], [], 0)[0]: break
        last = tick = now()
print(json.dumps(stalls))
"""

Frames = list[tuple[int, int]]  # bytes, ns after the start
Seen = list[tuple[int, int, int]]  # stamp, number, bytes
Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Cell:
    """One load at one rate."""

    rate_bps: int
    load: str
    cpu: int  # -1: not pinned


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass of a cell gave."""

    frames: int
    p50_us: float
    p99_us: float
    most_us: float
    near: float  # share within 50 us
    clear: float  # the same of those that no stall of the witness covers
    early: int  # left before its time: a fault of the line
    rate_error: float  # of a busy period; 0 where none is long enough
    cpu: float
    witness_stalled: float


def main() -> None:
    """Measure each cell in interleaved passes; print a table, or a line of JSON for each cell."""
    parser = argparse.ArgumentParser(prog="benchmarks.line", description=__doc__)
    parser.add_argument("--passes", type=int, default=5, help="of all cells (default: 5)")
    parser.add_argument("--seconds", type=float, default=4.0, help="of load a cell (default: 4)")
    parser.add_argument(
        "--mbit", type=float, nargs="+", default=RATES_MBIT, help="rates (default: 1 15 100)"
    )
    parser.add_argument("--load", nargs="+", choices=LOADS, default=LOADS, help="(default: all)")
    parser.add_argument("--json", action="store_true", help="one JSON object for each cell")
    options = parser.parse_args()
    cells = [
        Cell(round(rate * 1e6), load, cpu)
        for cpu in (-1, max(os.sched_getaffinity(0)))
        for rate in options.mbit
        for load in options.load
    ]
    results: dict[Cell, list[Pass]] = defaultdict(list)
    draw = random.Random(1)  # noqa: S311 - the same order each time
    with lock.machine(progress), wired(), tempfile.TemporaryDirectory() as folder:
        for number in range(options.passes):
            for cell in draw.sample(cells, len(cells)):
                progress(f"pass {number + 1} of {options.passes}: {cell}")
                results[cell].append(measure(cell, options.seconds, Path(folder), draw))
    progress("")
    show(cells, results, json_=options.json)


def sh(*words: str) -> None:
    """Runs a command that has to succeed."""
    subprocess.run(words, check=True)


def inside(space: str, *words: str) -> list[str]:
    """A command in a namespace."""
    return ["ip", "netns", "exec", space, *words]


@contextmanager
def wired() -> Iterator[None]:
    """Both cables, with nobody who says anything."""
    made = []
    try:
        for space in (A, L, B):
            sh("ip", "netns", "add", space)
            made.append(space)
        for host, own, at in ((A, "u0", "line0"), (B, "u1", "line1")):
            sh("ip", "-n", host, "link", "add", own, "type", "veth", "peer", "name", at, "netns", L)
            for space, device in ((host, own), (L, at)):
                sh("ip", "-n", space, "link", "set", device, "addrgenmode", "none", "up")
        yield
    finally:
        for space in made:
            sh("ip", "netns", "del", space)


def load(cell: Cell, seconds: float, draw: random.Random) -> Frames:
    """The frames of a cell."""
    full_ns = FULL_BYTES * 8e9 / cell.rate_bps
    frames, at, end = [], 0.0, seconds * 1e9
    while at < end:
        size = draw.choice(MIX) if cell.load == "poisson" else FULL_BYTES
        frames.append((size, round(at)))
        match cell.load:
            case "lone":
                at += 3 * full_ns
            case "poisson":
                at += draw.expovariate(0.9 / (statistics.mean(MIX) * 8e9 / cell.rate_bps))
            case "bursts":
                at += 0 if len(frames) % BURST else 1.5 * BURST * full_ns
            case _:
                at += full_ns / 1.2
    return frames


def dump(space: str, device: str, file: Path) -> subprocess.Popen[bytes]:
    """A tcpdump of what comes to a device, with the kernel's stamps."""
    words = f"tcpdump -i {device} -Q in -s 64 -B 32768 --time-stamp-precision=nano -w {file}"
    argv = inside(space, *words.split(), "ether", "proto", f"0x{ETHERTYPE}")
    process = subprocess.Popen(argv, stderr=subprocess.PIPE, start_new_session=True)
    assert process.stderr
    while b"listening" not in process.stderr.readline():
        assert process.poll() is None, f"tcpdump does not listen to {device}"
    return process


def seen(pcap: bytes) -> Seen:
    """Stamps, numbers and lengths."""
    (magic,) = struct.unpack_from("<I", pcap)
    assert magic == PCAP_NS_MAGIC
    rows, at = [], 24
    while at + 16 <= len(pcap):
        seconds, nanoseconds, kept, length = struct.unpack_from("<IIII", pcap, at)
        (number,) = struct.unpack_from(">I", pcap, at + 16 + 14)
        rows.append((seconds * 10**9 + nanoseconds, number, length))
        at += 16 + kept
    return rows


def measure(cell: Cell, seconds: float, folder: Path, draw: random.Random) -> Pass:
    """One pass of a cell."""
    came, left = folder / "came.pcap", folder / "left.pcap"
    way = {"rate_bps": cell.rate_bps, "buffer_packets": BUFFER_PACKETS}
    keys = {"gateway_device": "line0", "wan_device": "line1", "up": way, "down": way}
    agent = OurAgent(tuple(inside(L, str(agent_path()), "line")), keys | {"cpu": cell.cpu})
    dumps = [dump(L, "line0", came), dump(B, "u1", left)]
    pipe = subprocess.PIPE
    witness = subprocess.Popen([sys.executable, "-c", WITNESS], stdin=pipe, stdout=pipe, text=True)
    time.sleep(0.5)
    agent.send({"cmd": "begin"})
    began = time.monotonic()
    text = json.dumps(load(cell, seconds, draw))
    subprocess.run(inside(A, sys.executable, "-c", SEND, "u0"), input=text, text=True, check=True)
    time.sleep(1.5 * BUFFER_PACKETS * FULL_BYTES * 8 / cell.rate_bps + 0.1)
    lasted = time.monotonic() - began
    report = agent.close()
    stalls: Spans = [(first, last) for first, last in json.loads(witness.communicate("\n")[0])]
    time.sleep(FLUSH_S)
    for process in dumps:
        process.terminate()
        process.wait()
    return judge(cell, seen(came.read_bytes()), seen(left.read_bytes()), stalls, report, lasted)


def departures(cell: Cell, came: Seen) -> tuple[dict[int, int], list[list[int]]]:
    """When each frame's last bit has left; the busy periods, each by its frames' numbers."""
    starts: list[int] = []
    due: dict[int, int] = {}
    periods: list[list[int]] = []
    free = rest = 0
    for stamp, number, size in came:
        if len(starts) - bisect_left(starts, stamp + 1) >= BUFFER_PACKETS:
            continue
        if stamp > free:
            free, rest = stamp, 0
            periods.append([])
        starts.append(free)
        took, rest = divmod(size * 8 * 10**9 + rest, cell.rate_bps)
        free += took
        due[number] = free
        periods[-1].append(number)
    return due, periods


def covered(stalls: Spans, begin: int, end: int) -> bool:
    """Whether a stall overlaps a stretch of time."""
    at = bisect_left(stalls, (begin, 0))
    near = stalls[max(0, at - 1) : at + 1]
    return any(first < end and last > begin for first, last in near)


def judge(cell: Cell, came: Seen, left: Seen, stalls: Spans, report: Report, lasted: float) -> Pass:
    """The errors of all frames that left; raises where others left than the schedule says."""
    due, periods = departures(cell, came)
    stamps = {number: (stamp, size) for stamp, number, size in left}
    if missing := report["up"]["in"] - len(came):
        progress(f"{cell}: tcpdump has {missing} frames less than came to the line")
    if missing := report["up"]["sent"] - len(left):
        progress(f"{cell}: tcpdump has {missing} frames less than the line sent")
    kept, dropped = len(set(stamps) - set(due)), len(set(due) - set(stamps)) - max(0, missing)
    if kept or dropped > 0:
        progress(f"{cell}: {kept} frames kept and {dropped} dropped against the schedule")
    errors = {n: stamps[n][0] - due[n] for n in due if n in stamps}
    ordered = sorted(errors.values())
    own = [
        error for n, error in errors.items() if not covered(stalls, due[n] - NEAR_NS, stamps[n][0])
    ]
    return Pass(
        frames=len(ordered),
        p50_us=ordered[len(ordered) // 2] / 1e3,
        p99_us=ordered[len(ordered) * 99 // 100] / 1e3,
        most_us=ordered[-1] / 1e3,
        near=sum(error <= NEAR_NS for error in ordered) / len(ordered),
        clear=sum(error <= NEAR_NS for error in own) / len(own) if own else math.nan,
        early=sum(error < 0 for error in ordered),
        rate_error=rate_error(cell, max(periods, key=len), stamps, errors),
        cpu=report["cpu_ns"] / 1e9 / lasted,
        witness_stalled=sum(end - begin for begin, end in stalls) / 1e9 / lasted,
    )


def rate_error(
    cell: Cell,
    period: Sequence[int],
    stamps: dict[int, tuple[int, int]],
    errors: dict[int, int],
) -> float:
    """Of a busy period, from one punctual frame near its begin to one near its end."""
    there = [number for number in period if number in stamps]
    punctual = [number for number in there if errors[number] <= NEAR_NS]
    if cell.load != "over" or len(punctual) < PUNCTUAL_LEAST:  # a short period is all edges
        return 0.0
    first, last = punctual[0], punctual[-1]
    begin, end = there.index(first), there.index(last)
    sent = sum(stamps[number][1] for number in there[begin + 1 : end + 1])
    return sent * 8e9 / (stamps[last][0] - stamps[first][0]) / cell.rate_bps - 1


def show(cells: Sequence[Cell], results: dict[Cell, list[Pass]], *, json_: bool) -> None:
    """Medians over the passes, and the least and greatest share within 50 us."""
    if not json_:
        print("   Mbit/s  load      CPU     frames   p50 us    p99 us  within 50 us (range)"
              "      clear  rate error  busy")  # fmt: skip
    for cell in cells:
        passes = results[cell]
        if json_:
            rows = [asdict(each) for each in passes]
            print(json.dumps(asdict(cell) | {"passes": rows}))
            continue

        def middle(name: str, passes: Sequence[Pass] = passes) -> float:
            return float(statistics.median(getattr(each, name) for each in passes))

        near = [each.near for each in passes]
        pin = "any" if cell.cpu < 0 else str(cell.cpu)
        print(
            f"{cell.rate_bps / 1e6:9g}  {cell.load:8}  {pin:>3}  {middle('frames'):9.0f}"
            f"{middle('p50_us'):9.1f}{middle('p99_us'):10.1f}"
            f"{middle('near'):9.2%} ({min(near):.1%} to {max(near):.1%})"
            f"{middle('clear'):9.2%}{middle('rate_error'):12.4%}{middle('cpu'):6.0%}"
        )


if __name__ == "__main__":
    main()
