# SPDX-License-Identifier: Apache-2.0
"""Delay under load compared with irtt and with iperf2's bounceback, on one path.

    LAN host ---- gateway ---- line ---- WAN host

An upload by iperf3 (one stream, reno) keeps the line's buffer full. Beside it run at the same time
our replay `isochronous`, irtt with packets of the same size as often, and the bounceback. One after
the other they would see other parts of the sawtooth, which is far wider than what they differ by.

Ours and irtt give each packet's delay in each direction, on the clock of this machine. What both
sent in the same time is compared. The
bounceback gives the mean time there and back of a hundred bytes over TCP.
"""

import argparse
import asyncio
import json
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.bare_lab import ends, lab
from benchmarks.compare import Comparison, compare_less, progress, show
from benchmarks.peers import Ends
from gatemark.plan.model import Among, LineWay, Workload
from gatemark.plan.model import Line as Asked
from gatemark.station.demand import Demand
from gatemark.station.line.line import Line
from gatemark.station.netns import Lab
from gatemark.station.wiring import wires
from gatemark.stats.change.paired import compare_pairs
from gatemark.workload.replay import Pair

MBITS: Final = (1, 15)
BUFFER_PACKETS: Final = 50
SECONDS: Final = 20.0
SETTLE_S: Final = 4.0  # from the upload's begin: slow start and its first losses
PAYLOAD: Final = 92  # of irtt, so that its packet has the size of ours: 120 bytes with IP and UDP
GAP_MS: Final = 10  # of the source `isochronous`
WAYS: Final = ("up", "down")
SHARES: Final = {"50 %": 0.5, "99 %": 0.99}
NEAR_US: Final = 200.0  # goal: ours and irtt's median differ by no more
BOUNCES: Final = re.compile(r"(\d+)=([\d.]+)/[\d.]+/[\d.]+/[\d.]+ ms")

Sent = list[tuple[int, int]]  # time of sending, CLOCK_REALTIME, and delay; ns
Delays = dict[str, list[int]]  # way -> ns, sorted
Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round


@dataclass(frozen=True, slots=True)
class Round:
    """What the tools saw of the same time."""

    ours: Delays
    irtt: Delays
    bounce_us: float | None  # mean, there and back; None: it hung


def main() -> None:
    """Measure in rounds, each at every rate of the line; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.loaded", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument(
        "--mbit", type=int, nargs="+", default=MBITS, help="the line, Mbit/s (default: 1 15)"
    )
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
            print(_apart(f"{mbit} Mbit/s, {way}, 50 %", values))


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
            _note(await _round(made, at, folder / "irtt.json"), f"{mbit} Mbit/s", values)
    finally:
        await line.release()


async def _round(made: Lab, at: Ends, into: Path) -> Round:
    near, far = wires(made.ports, "route", "both")
    load = Workload(kind="replay", trace="isochronous", direction="both", duration_s=SECONDS)
    pair = Pair(near, far, None, load, made.placement, Among(at=0, of=2))
    irtt = f"irtt client -4 -i {GAP_MS}ms -d {SECONDS:.0f}s -l {PAYLOAD} -Q -o {into} {at.dst}"
    # It has hung under load for minutes, and heeds no SIGTERM then.
    bounce = (
        f"timeout -s KILL {SECONDS + 5:.0f} iperf -c {at.dst} --bounceback -t {SECONDS:.0f} -i 1"
    )
    upload = f"iperf3 -c {at.dst} -C reno -t {SETTLE_S + SECONDS + 2:.0f}"
    try:
        await pair.ready()
        with _served(at), _running(at.at_source(*upload.split())):
            await asyncio.sleep(SETTLE_S)
            with (
                _running(at.at_source(*irtt.split())) as measuring,
                _running(at.at_source(*bounce.split())) as bouncing,
            ):
                await pair.sent(None)
                text, _ = await asyncio.to_thread(bouncing.communicate, timeout=SECONDS)
                await asyncio.to_thread(measuring.communicate, timeout=SECONDS)
            reports = await pair.reports()
    finally:
        await pair.abort()
    ours, theirs = _ours(reports), _irtt(json.loads(into.read_text()))
    together = {way: _of_the_same_time(ours[way], theirs[way]) for way in WAYS}
    return Round(
        {way: pair[0] for way, pair in together.items()},
        {way: pair[1] for way, pair in together.items()},
        _bounce_us(text),
    )


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


def _bounce_us(text: str) -> float | None:
    """Mean of all bounces: `10=0.340/0.206/0.852/0.224 ms` is their number and mean, first."""
    totals = BOUNCES.findall(text)
    return float(totals[-1][1]) * 1e3 if len(totals) > SECONDS else None


def _note(seen: Round, line: str, values: Values) -> None:
    for way, (name, share) in product(WAYS, SHARES.items()):
        what = f"{line}, {way}, {name}"
        ours, theirs = (_at(tool[way], share) / 1e3 for tool in (seen.ours, seen.irtt))
        values[what, "ours"].append(ours)
        values[what, "irtt"].append(theirs)
    for tool, delays in (("ours", seen.ours), ("irtt", seen.irtt)):
        values[f"{line}, there and back, mean", tool].append(
            sum(fmean(delays[way]) for way in WAYS) / 1e3
        )
    if seen.bounce_us is not None:
        values[f"{line}, there and back, mean", "bounceback"].append(seen.bounce_us)


def _apart(what: str, values: Values) -> str:
    """How much longer irtt's median is: packets of the two never meet the same, so over rounds."""
    ours, irtt = values[what, "ours"], values[what, "irtt"]
    change = compare_pairs(ours, irtt).change
    low, value, high = (end * median(ours) for end in (change.lo, change.value, change.hi))
    apart = f"irtt's is {value:+.0f} us longer ({low:+.0f} to {high:+.0f}; goal {NEAR_US:.0f})"
    return f"{what}: {apart}, {len(ours)} rounds"


def _at(ordered: Sequence[int], share: float) -> int:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def _compared(values: Values) -> Iterator[Comparison]:
    """Ratios near 1 say that both see the same; above 1 the peer's delay is longer."""
    for (what, tool), theirs in values.items():
        if tool != "ours":
            yield compare_less(what, values[what, "ours"], tool, theirs, "us")


if __name__ == "__main__":
    main()
