# SPDX-License-Identifier: Apache-2.0
"""Responsiveness compared with mach (crate cf-mach), which asks our own server.

    LAN host ---- gateway ---- line ---- WAN host

Rounds of both tools, interleaved, up and down, over a line of 20 Mbit/s each way with a buffer of
200 packets, 121 ms. Both have intervals of 1 s and reno. On a gateway that is slowed instead, the
queue follows from how many connections a tool has when it stops, and the two differ in that: mach
adds one each second interval, and stops by other rules.

What differs besides: mach sends one probe after the other, and its connections have unsent data of
their own before a probe: what its sockets take, and a frame of 16 KiB in its program. The side
`mach, bounded` has few bytes unsent in a socket (tcp_notsent_lowat of the LAN host), which tells
how much is the socket's. irtt measures the path's own round trip meanwhile, so `beyond the path`
is what a tool's probes beside its load wait for in the tool and not in the network.
`cargo install cf-mach --version 0.4.0` builds it (cmake, libclang; some minutes).
"""

import argparse
import asyncio
import json
import re
import shutil
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.compare import Comparison, compare, compare_less, progress, show
from gatemark.kind.responsiveness.draft import MAD
from gatemark.kind.responsiveness.load import Pair, Program
from gatemark.kind.responsiveness.tls import certificate
from gatemark.node.shell import FIRST, here
from gatemark.plan.model import Arm, Direction, Line, LineWay, Workload
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.wiring import Wire, wires

LINK: Final = LineWay(rate_bps=20_000_000, buffer_packets=200)
LINE: Final = Line(up=LINK, down=LINK)
INTERVAL_S: Final = 1.0
LONGEST_S: Final = 20.0  # of one of mach's two tests
CONGESTION: Final = "reno"  # a namespace may choose no other than the default and reno
ARM: Final = Arm(path="route", name="route")
WAYS: tuple[Direction, Direction] = ("up", "down")
THEIRS: Final = {"up": "upload", "down": "download"}
UNSENT: Final = {"mach": 0xFFFFFFFF, "mach, bounded": 4096}  # bytes; the kernel's default first
PINGS_MS: Final = 20  # of irtt
PAYLOAD: Final = 92  # of irtt, bytes
# A line of mach's log that begins a test, and one that ends an interval.
STAMP: Final = r"^(\S+)Z +INFO "
BEGUN: Final = re.compile(STAMP + r".*running (download|upload) test", re.MULTILINE)
INTERVAL: Final = re.compile(STAMP + r".*interval finished.* loads=(\d+)", re.MULTILINE)
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")

Trips = list[tuple[float, float]]  # time of day in s, round trip in ms


@dataclass(frozen=True, slots=True)
class Test:
    """What a tool says of one direction, and when its load ended."""

    rpm: float
    loaded_ms: float  # median of its probes beside a load
    connections: int
    ended_s: float


def main() -> None:
    """Measure in rounds, each with both tools in both directions; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.responsiveness", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--mach", default="mach", help="the program (default: mach)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    if not (program := shutil.which(options.mach)):
        raise SystemExit(f"no {options.mach} here: cargo install cf-mach --version 0.4.0")
    if not shutil.which("irtt"):
        raise SystemExit("not installed: irtt; `make bench` installs it")
    recover()
    with TemporaryDirectory() as folder:
        values = asyncio.run(_measure(options.rounds, program, Path(folder) / "irtt.json"))
    progress("")
    show(list(_compared(values)), json_=options.json)


Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value a round


async def _measure(rounds: int, program: str, into: Path) -> Values:
    values: Values = defaultdict(list)
    tools = ("ours", *UNSENT)
    async with Bench(Lab()) as bench:
        for number in range(1, rounds + 1):
            for tool in tools if number % 2 else tools[::-1]:
                progress(f"round {number} of {rounds}: {tool}")
                with lock.machine(progress):
                    await bench.prepare(ARM, _load("up"), 0, LINE)
                    (wire,) = wires(bench.station.ports, ARM.path, "up")
                    with _path(wire, into):
                        tests = await (
                            _ours(bench) if tool == "ours" else _mach(bench, wire, program, tool)
                        )
                _note(tests, _trips(into), tool, values)
    return values


def _note(tests: dict[Direction, Test], trips: Trips, tool: str, values: Values) -> None:
    for way, test in tests.items():
        begin_s = test.ended_s - MAD * INTERVAL_S
        path_ms = median(trip for at, trip in trips if begin_s <= at <= test.ended_s)
        progress(f"{tool}, {way}: {test}, path {path_ms:.1f} ms")
        values[f"RPM, {way}", tool].append(test.rpm)
        values[f"beside a load, {way}", tool].append(test.loaded_ms)
        values[f"path meanwhile, {way}", tool].append(path_ms)
        values[f"beyond the path, {way}", tool].append(test.loaded_ms - path_ms)
        values[f"load connections, {way}", tool].append(test.connections)


def _compared(values: Values) -> Iterator[Comparison]:
    for (what, tool), theirs in values.items():
        if tool == "ours":
            continue
        ours = values[what, "ours"]
        if what.startswith("RPM"):
            yield compare(what, ours, tool, theirs, "1/min")
        else:
            yield compare_less(what, ours, tool, theirs, "" if "connections" in what else "ms")


async def _ours(bench: Bench) -> dict[Direction, Test]:
    return {way: await _our(bench, way) for way in WAYS}


async def _our(bench: Bench, way: Direction) -> Test:
    """Our test alone: a trial would hold irtt's packets against the line's books."""
    station = bench.station
    pair = Pair(wires(station.ports, ARM.path, way), _load(way), station.placement, line=LINE)
    try:
        await pair.ready()
        tested = await pair.go(_nothing)
    finally:
        await pair.abort()
    client = next(end for end in (tested.sender, tested.sink) if end["end"] == "client")
    offset_s = time.time() - time.monotonic()
    probes = client["loaded"]["self"]
    rows = zip(probes["t_ns"], probes["http_ns"], strict=True)
    loaded_ms = median(took / 1e6 for at, took in rows if at >= client["window_ns"])
    intervals = client["intervals"]
    ended_s = client["t1_ns"] / 1e9 + offset_s
    return Test(intervals["rpm"][-1], loaded_ms, intervals["connections"][-1], ended_s)


async def _nothing(wire: Wire | None = None, sent: int | None = None) -> None:
    """What a trial does between the load and the server's report."""


def _load(way: Direction) -> Workload:
    return Workload(
        kind="responsiveness", direction=way, interval_s=INTERVAL_S, congestion=CONGESTION
    )


async def _mach(bench: Bench, wire: Wire, program: str, side: str) -> dict[Direction, Test]:
    for name, word in (
        ("tcp_notsent_lowat", str(UNSENT[side])),
        ("tcp_congestion_control", CONGESTION),
    ):
        await wire.near.node.run("sysctl", "-qw", f"net.ipv4.{name}={word}")
    async with _serving(bench) as (url, prefix):
        command = [*prefix, program, "rpm", "-vv", "-c", f"{url}/.well-known/nq", "--insecure"]
        command += ["--disable-aim-scores"]  # else it reports to its maker
        command += ["--interval-duration", f"{INTERVAL_S * 1000:.0f}"]
        command += ["--test-duration", f"{LONGEST_S * 1000:.0f}"]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=4 * LONGEST_S
        )
    return _tests(done.stdout, done.stderr)


def _tests(out: str, log: str) -> dict[Direction, Test]:
    """What mach reports, and what its log has of the times."""
    lines = COLOUR.sub("", out + log)
    begin, end = out.find("{\n"), out.rfind("}")
    try:
        report = json.loads(out[begin : end + 1])
    except json.JSONDecodeError:
        raise SystemExit(f"mach printed no report: {log.strip()[:300]}") from None
    begun = {name: _day_s(at) for at, name in BEGUN.findall(lines)}
    intervals = [(_day_s(at), int(loads)) for at, loads in INTERVAL.findall(lines)]
    tests = {}
    for way, name in THEIRS.items():
        later = [at for at in begun.values() if at > begun[name]]
        own = [row for row in intervals if begun[name] < row[0] < min(later, default=row[0] + 1)]
        seen = report[name]
        tests[way] = Test(seen["rpm"], seen["loaded_latency_ms"], own[-1][1], own[-1][0])
    return {way: tests[way] for way in WAYS}


def _day_s(stamp: str) -> float:
    return datetime.fromisoformat(f"{stamp}+00:00").timestamp()


@asynccontextmanager
async def _serving(bench: Bench) -> AsyncIterator[tuple[str, tuple[str, ...]]]:
    """Our server on the WAN host: its URL, and what runs a program on the LAN host."""
    (wire,) = wires(bench.station.ports, ARM.path, "up")
    place = bench.station.placement
    pem, key = certificate([wire.far.address("ipv4")])
    asked = Pair([wire], _load("up"), place).request(pem)
    server = await Program.launch(
        wire.far.node, "server", asked | {"key": key, "peers": [], "cpu": place.sink}
    )
    try:
        await server.start()
        prefix = (*FIRST, "taskset", "-c", str(place.sender))
        yield f"https://{asked['address']}:{asked['port']}", here(wire.near.node).argv(*prefix)
    finally:
        await server.close()


@contextmanager
def _path(wire: Wire, into: Path) -> Iterator[None]:
    """Have irtt measure the path's round trip; its file is whole afterwards."""
    address = wire.far.address("ipv4")
    client = f"irtt client -4 -i {PINGS_MS}ms -d 10m -l {PAYLOAD} -Q -o {into} {address}"
    server = f"irtt server -b {address} -i 0 -l 0 -d 0"
    with _running(here(wire.far.node).argv(*server.split())):
        time.sleep(0.3)
        with _running(here(wire.near.node).argv(*client.split())):
            yield


@contextmanager
def _running(command: Sequence[str]) -> Iterator[None]:
    null = subprocess.DEVNULL
    started = subprocess.Popen(command, stdout=null, stderr=null, start_new_session=True)
    try:
        yield
    finally:
        started.send_signal(signal.SIGINT)
        try:
            started.wait(10)
        except subprocess.TimeoutExpired:
            started.kill()
            started.wait()


def _trips(file: Path) -> Trips:
    """Those that irtt saw, by the time of sending."""
    trips = json.loads(file.read_text())["round_trips"]
    return [
        (trip["timestamps"]["client"]["send"]["wall"] / 1e9, trip["delay"]["rtt"] / 1e6)
        for trip in trips
        if "rtt" in trip["delay"]
    ]


if __name__ == "__main__":
    main()
