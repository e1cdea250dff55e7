# SPDX-License-Identifier: Apache-2.0
"""Is a packet's number of instructions always the same: on a busy machine, and in new boots?

Packets of 64 bytes are routed in three boots. In each boot, three trials with busy loops on the
machine are interleaved with three without. Goals: one number in all trials of a boot, and within
1 % over the boots. The first boot then measures several setups, and the first setup again at the
end. The difference of these two must be 0.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, cast

from benchmarks.compare import progress
from gatemark.plan.model import Arm, Plan, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from gatemark.station.recover import recover
from gatemark.store.record import Record

STATIONS: Final = ("qemu-mips", "qemu-mips-pcnet", "qemu-x86", "qemu-aarch64")
TRIALS: Final = 3
LOOPS: Final = 2  # as many as this machine has processors
SETUPS: Final = (
    Arm(path="route", name="route"),
    Arm(path="route", features=("conntrack",), name="conntrack"),
    Arm(path="nat", features=("conntrack",), name="masquerade"),
    Arm(path="route", features=("filter:10",), name="10 rules"),
    Arm(path="route", features=("filter:100",), name="100 rules"),
    Arm(path="route", features=("filter:101",), name="101 rules"),
    Arm(path="route", features=("filter:1000:set",), name="set of 1000"),
    Arm(path="route", name="route again"),
)


def main() -> None:
    """Count on each chosen station; print the numbers as Markdown."""
    parser = argparse.ArgumentParser(prog="benchmarks.exact", description=__doc__)
    parser.add_argument("--station", choices=STATIONS, help="only this one (default: all)")
    parser.add_argument("--boots", type=int, default=3, help="boots of each station (default: 3)")
    parser.add_argument("--walks", type=int, default=200, help="packets of a trial (default: 200)")
    parser.add_argument("--loops", type=int, default=LOOPS, help=f"busy ones (default: {LOOPS})")
    options = parser.parse_args()
    recover()
    for station in [options.station] if options.station else STATIONS:
        for boot in range(1, options.boots + 1):
            asyncio.run(_boot(station, boot, options.walks, options.loops))


async def _boot(station: str, boot: int, walks: int, loops: int) -> None:
    progress(f"{station}: boot {boot}")
    lab = cast(VirtualLab, load(station))
    lab.count()
    async with Bench(lab) as bench:
        for busy in (False, True) * TRIALS:
            with _busy(loops if busy else 0):
                record = await _walk(bench, SETUPS[0], walks)
            _show(station, boot, "route, busy" if busy else "route", record)
        for arm in SETUPS if boot == 1 else ():
            _show(station, boot, arm.name, await _walk(bench, arm, walks))
    progress("")


async def _walk(bench: Bench, arm: Arm, walks: int) -> Record:
    with lock.machine(print):
        record, _ = await trial.run(bench, _spec(arm, walks), lambda *_: None)
    return record


def _spec(arm: Arm, walks: int) -> TrialSpec:
    load = Workload(kind="walk", walks=walks)
    plan = Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name="exact",
        arm=(arm,),
        workload=load,
    )
    return order([plan], seed=1)[0]


def _show(station: str, boot: int, what: str, record: Record) -> None:
    values = record.values
    cells = record.reason
    if values and (counted := record.evidence.counted):
        kept = f"{counted.walks - counted.disturbed} of {counted.walks}"
        cells = f"{values['instructions']:.0f} | {values['mode_share']:.2f} | {kept}"
    print(f"| {station} | {boot} | {what} | {cells} |", flush=True)


@contextmanager
def _busy(loops: int) -> Iterator[None]:
    """Run this number of busy loops, as other tenants of a machine do."""
    spin = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(spin) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
