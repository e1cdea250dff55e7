# SPDX-License-Identifier: Apache-2.0
"""TCP goodput and UDP rate against iperf3, on one lab, in turn: plain and braked, by path.

Both get the same setup, the same CPUs, congestion control and block size, and the same time. With
the brake the gateway is the limit and the two should agree; without it the faster tester wins.
"""

import argparse
import asyncio
import json
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.compare import Comparison, compare, progress, show
from gatemark.gateway import flowtable
from gatemark.node.agent import FIRST
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.awake import awake
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.wiring import Port, wires

SECONDS = 3.0
BRAKE_PPS = 30_000
OFFERED_PPS = 45_000  # UDP: half as much again as the brake lets through
PAYLOAD_BYTES = 1450


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that both measure."""

    what: str
    arm: Arm
    load: Workload
    brake_pps: int


def cases() -> Iterator[Case]:
    """TCP on each path, plain and braked; UDP at overload, braked."""
    for brake in (0, BRAKE_PPS):
        word = "braked" if brake else "plain"
        for path in ("switch", "route", "nat"):
            for streams in (1, 4):
                load = Workload(kind="tcp", duration_s=SECONDS, streams=streams)
                yield Case(f"TCP {streams} x, {path}, {word}", _arm(path), load, brake)
        for way in ("send", "receive"):
            load = Workload(kind="tcp", duration_s=SECONDS, direction=way)
            yield Case(f"TCP 1 x, gateway {way}s, {word}", _arm("endpoint"), load, brake)
    for path in ("route", "nat"):
        load = Workload(
            frame_bytes=PAYLOAD_BYTES + 46, rate_pps=OFFERED_PPS, duration_s=SECONDS, flows=1
        )
        yield Case(f"UDP at overload, {path}, braked", _arm(path), load, BRAKE_PPS)


def _arm(path: str) -> Arm:
    return Arm(path=path, name=path)  # type: ignore[arg-type]


def main() -> None:
    """Measure, in rounds that hold every case with both tools; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.goodput", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object a comparison")
    options = parser.parse_args()
    recover()
    rows = asyncio.run(_measure(options.rounds))
    progress("")
    show(rows, json_=options.json)


async def _measure(rounds: int) -> list[Comparison]:
    ours: dict[str, list[float]] = defaultdict(list)
    theirs: dict[str, list[float]] = defaultdict(list)
    units: dict[str, str] = {}
    async with Bench(Lab()) as bench:
        for number in range(1, rounds + 1):
            for at, case in enumerate(cases()):
                progress(f"round {number} of {rounds}: {case.what}")
                units[case.what] = "bit/s" if case.load.kind == "tcp" else "packets/s"
                with lock.machine(progress):
                    turns = [(_ours, ours), (_iperf3, theirs)]
                    for measure, found in turns if (number + at) % 2 else turns[::-1]:
                        found[case.what].append(await measure(bench, case))
    return [compare(what, ours[what], "iperf3", theirs[what], units[what]) for what in ours]


async def _ours(bench: Bench, case: Case) -> float:
    spec = TrialSpec(
        trial=case.what,
        plan="benchmark",
        arm=case.arm,
        gateway=Gateway(brake_pps=case.brake_pps),
        workload=case.load,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
    )
    record, _ = await trial.run(bench, spec, lambda *_: None)
    if record.status != "ok":
        raise SystemExit(f"{case.what}: {record.reason}")
    return record.values[record.definition.headline]


async def _iperf3(bench: Bench, case: Case) -> float:
    load = case.load
    await bench.prepare(case.arm, load, case.brake_pps)
    if case.arm.path == "nat":
        await asyncio.to_thread(flowtable.flush, bench.station.gateway)
    (wire,) = wires(bench.station.ports, case.arm.path, load.direction)
    place = bench.station.placement
    far_cpu = place.gateway if wire.own else place.sink
    words = f"iperf3 -c {wire.far.address('ipv4')} -t {SECONDS:.0f} --json"
    if load.kind == "tcp":
        words += f" -C {load.congestion} -l {load.write_bytes} -P {load.streams}"
    else:
        words += f" -u -l {PAYLOAD_BYTES} -b {OFFERED_PPS * PAYLOAD_BYTES * 8}"
    words += "" if wire.away else " -R"
    server = _start(wire.far, far_cpu, "iperf3 -s -1")
    await asyncio.sleep(0.3)
    with awake():
        client = _start(wire.near, place.sender, words)
        said, _ = await asyncio.to_thread(client.communicate, timeout=SECONDS + 20)
    await asyncio.to_thread(server.wait, 10)
    return _counted(json.loads(said)["end"], load.kind)


def _counted(end: dict[str, dict[str, float]], kind: str) -> float:
    if kind == "tcp":
        return float(end["sum_received"]["bits_per_second"])
    total = end["sum"]
    return (total["packets"] - total["lost_packets"]) / total["seconds"]


def _start(port: Port, cpu: int, words: str) -> subprocess.Popen[str]:
    # What our agent gets: its CPU, and to go before whatever else runs there.
    command = port.node.argv("taskset", "-c", str(cpu), *FIRST, *words.split())
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=null, stdout=pipe, stderr=null, text=True, start_new_session=True
    )


if __name__ == "__main__":
    main()
