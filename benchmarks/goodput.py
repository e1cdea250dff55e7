# SPDX-License-Identifier: Apache-2.0
"""TCP goodput and UDP rate compared with iperf3, interleaved on one lab, by path.

Both tools get the same setup, the same CPUs, congestion control and block size, and the same time.
With the gateway slowed, the gateway is the bottleneck and the two tools should agree. At full speed
the faster tester reaches more.
"""

import argparse
import asyncio
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from benchmarks.compare import Comparison, compare, progress, show
from gatemark.plan.model import Arm, Driver, Gateway, TrialSpec, Workload
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover

SECONDS = 3.0
SLOW_TO_PPS = 30_000
OFFERED_PPS = 45_000  # UDP: 1.5 times what the slowed gateway forwards
PAYLOAD_BYTES = 1450

Values = dict[str, list[float]]  # what -> one value per round


@dataclass(frozen=True, slots=True)
class Case:
    """A point that both tools measure."""

    what: str
    arm: Arm
    load: Workload
    slow_to_pps: int


def cases() -> Iterator[Case]:
    """TCP on each path, at full speed and slowed; UDP at overload, slowed."""
    for slow_to_pps in (0, SLOW_TO_PPS):
        speed = "slowed" if slow_to_pps else "plain"
        for path in ("switch", "route", "nat"):
            for streams in (1, 4):
                load = Workload(kind="tcp", duration_s=SECONDS, streams=streams)
                yield Case(f"TCP {streams} x, {path}, {speed}", _arm(path), load, slow_to_pps)
        for way in ("send", "receive"):
            load = Workload(kind="tcp", duration_s=SECONDS, direction=way)
            yield Case(f"TCP 1 x, gateway {way}s, {speed}", _arm("endpoint"), load, slow_to_pps)
    for path in ("route", "nat"):
        load = Workload(
            frame_bytes=PAYLOAD_BYTES + 46, rate_pps=OFFERED_PPS, duration_s=SECONDS, flows=1
        )
        yield Case(f"UDP at overload, {path}, slowed", _arm(path), load, SLOW_TO_PPS)


def _arm(path: str) -> Arm:
    return Arm(path=path, name=path)  # type: ignore[arg-type]


def main() -> None:
    """Measure in rounds, each with every case and both tools; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.goodput", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    recover()
    rows = asyncio.run(_measure(options.rounds))
    progress("")
    show(rows, json_=options.json)


async def _measure(rounds: int) -> list[Comparison]:
    ours: Values = defaultdict(list)
    theirs: Values = defaultdict(list)
    units: dict[str, str] = {}
    async with Bench(Lab()) as bench:
        for number in range(1, rounds + 1):
            for at, case in enumerate(cases()):
                progress(f"round {number} of {rounds}: {case.what}")
                units[case.what] = "bit/s" if case.load.kind == "tcp" else "packets/s"
                with lock.machine(progress):
                    order: list[tuple[Driver, Values]] = [("gatemark", ours), ("iperf3", theirs)]
                    for driver, values in order if (number + at) % 2 else order[::-1]:
                        values[case.what].append(await _measured(bench, case, driver))
    return [compare(what, ours[what], "iperf3", theirs[what], units[what]) for what in ours]


async def _measured(bench: Bench, case: Case, driver: Driver) -> float:
    spec = TrialSpec(
        trial=case.what,
        plan="benchmark",
        arm=case.arm,
        gateway=Gateway(slow_to_pps=case.slow_to_pps),
        workload=replace(case.load, driver=driver),
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
    )
    record, _ = await trial.run(bench, spec, lambda *_: None)
    if record.status != "ok":
        raise SystemExit(f"{case.what}, {driver}: {record.reason}")
    return record.values[record.definition.headline]


if __name__ == "__main__":
    main()
