# SPDX-License-Identifier: Apache-2.0
"""Responsiveness compared with mach (crate cf-mach), which asks our own server.

Rounds of both tools, interleaved, through a slowed gateway in the lab, up and down. Both have
intervals of 1 s. What differs: mach sends one probe after the other, adds a connection each second
interval, and writes as much ahead as its sockets take, so its upload measures its own send queue
too. The side `mach, bounded` has at most 16 KiB unsent in a socket (tcp_notsent_lowat of the LAN
host), which tells how much of the difference is that queue.
`cargo install cf-mach --version 0.4.0` builds it (cmake, libclang; some minutes).
"""

import argparse
import asyncio
import json
import shutil
import subprocess
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.compare import Comparison, compare, progress, show
from gatemark.node.agent import FIRST
from gatemark.node.shell import here
from gatemark.plan.model import Arm, Direction, Gateway, TrialSpec, Workload
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.wiring import wires
from gatemark.workload.responsiveness.pair import Pair, Program
from gatemark.workload.responsiveness.tls import certificate

SLOW_TO_PPS = 5_000
INTERVAL_S = 1.0
LONGEST_S = 60.0  # of one of mach's two tests
ARM = Arm(path="route", name="route")
WAYS: tuple[Direction, Direction] = ("up", "down")
THEIRS = {"up": "upload", "down": "download"}
UNSENT = {"mach": 0xFFFFFFFF, "mach, bounded": 16384}  # bytes; the first is the kernel's default


def main() -> None:
    """Measure in rounds, each with both tools in both directions; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.responsiveness", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--mach", default="mach", help="the program (default: mach)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    if not (program := shutil.which(options.mach)):
        raise SystemExit(f"no {options.mach} here: cargo install cf-mach --version 0.4.0")
    recover()
    rows = asyncio.run(_measure(options.rounds, program))
    progress("")
    show(rows, json_=options.json)


async def _measure(rounds: int, program: str) -> list[Comparison]:
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    tools = ("ours", *UNSENT)
    async with Bench(Lab()) as bench:
        for number in range(1, rounds + 1):
            for tool in tools if number % 2 else tools[::-1]:
                progress(f"round {number} of {rounds}: {tool}")
                with lock.machine(progress):
                    rpm = await (_ours(bench) if tool == "ours" else _mach(bench, program, tool))
                for way in WAYS:
                    scores[tool, way].append(rpm[way])
    return [
        compare(f"RPM, {way}", scores["ours", way], peer, scores[peer, way], "1/min")
        for way in WAYS
        for peer in UNSENT
    ]


async def _ours(bench: Bench) -> dict[str, float]:
    scores: dict[str, float] = {}
    for way in WAYS:
        spec = TrialSpec(
            trial=way,
            plan="benchmark",
            arm=ARM,
            gateway=Gateway(slow_to_pps=SLOW_TO_PPS),
            workload=_load(way),
            point={},
            repeat=1,
            pass_="outside",  # noqa: S106 - not a password
        )
        record, _ = await trial.run(bench, spec, lambda *_: None)
        if record.status != "ok":
            raise SystemExit(f"{way}: {record.reason}")
        scores[way] = record.values["rpm"]
    return scores


def _load(way: Direction) -> Workload:
    return Workload(kind="responsiveness", direction=way, interval_s=INTERVAL_S)


async def _mach(bench: Bench, program: str, side: str) -> dict[str, float]:
    await bench.prepare(ARM, _load("up"), SLOW_TO_PPS)
    (wire,) = wires(bench.station.ports, ARM.path, "up")
    await wire.near.node.run("sysctl", "-qw", f"net.ipv4.tcp_notsent_lowat={UNSENT[side]}")
    async with _serving(bench) as (url, prefix):
        command = [*prefix, program, "rpm", "-c", f"{url}/.well-known/nq", "--insecure"]
        command += ["--disable-aim-scores"]  # else it reports to its maker
        command += ["--interval-duration", f"{INTERVAL_S * 1000:.0f}"]
        command += ["--test-duration", f"{LONGEST_S * 1000:.0f}"]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=4 * LONGEST_S
        )
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise SystemExit(f"mach printed no report: {done.stderr.strip()[:300]}") from None
    return {way: float(report[name]["rpm"]) for way, name in THEIRS.items()}


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


if __name__ == "__main__":
    main()
