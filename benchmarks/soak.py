# SPDX-License-Identifier: Apache-2.0
"""Is a leak found, and is a gateway without one left in peace? A soak beside a program on the lab.

The program looks at each packet of the gateway's LAN port and knows its flows. Of each new flow it
keeps `--bytes` (0: it forgets the oldest). The run is an ordinary one: `gatemark show FOLDER`.
"""

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from gatemark.plan.load import load
from gatemark.plan.model import Gateway, Plan, Repeat
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.directory import RunDirectory
from gatemark.store.run import Run

FLOWS: Final = """
import socket, sys
keep, known, held = int(sys.argv[1]), {}, []
port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
port.bind(("gw0", 0))
while True:
    frame = port.recv(64)
    flow = frame[26:38]
    if flow in known:
        continue
    known[flow] = bytes(keep)
    if keep:
        held.append(bytearray(keep))
        known[flow] = b""
    elif len(known) > 1000:
        del known[next(iter(known))]
"""


def main() -> None:
    """Make the run."""
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__)
    parser.add_argument("folder", type=Path, help="of the run, which is made")
    parser.add_argument("--bytes", type=int, default=0, help="kept of each flow (default: 0)")
    parser.add_argument("--samples", type=int, default=60, help="of the soak (default: 60)")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a sample (default: 10)")
    parser.add_argument("--flows", type=int, default=500, help="of a sample (default: 500)")
    parser.add_argument("--rate", type=float, default=500.0, help="packets/s (default: 500)")
    options = parser.parse_args()
    recover()
    asyncio.run(_soak(options))


async def _soak(options: argparse.Namespace) -> None:
    planned, lab = _plan(options), Lab()
    trials = order((planned,), seed=1)
    async with Bench(lab) as bench:
        run = Run(
            run=options.folder.name,
            suite=planned.name,
            title=planned.title,
            command=tuple(sys.argv),
            started=datetime.now(UTC).isoformat(timespec="milliseconds"),
            seed=1,
            station=lab.info,
            plans=(planned,),
            trials=trials,
        )
        directory = RunDirectory.create(options.folder, run)
        with _program(lab, options.bytes):
            for spec in trials:
                with lock.machine(print):
                    record, series = await trial.run(bench, spec, lambda *_: None)
                directory.keep(record, series)


def _plan(options: argparse.Namespace) -> Plan:
    """The plan of minutes, as long and as fast as asked."""
    _, (shipped,) = load("soak/minutes")
    return replace(
        shipped,
        gateway=Gateway(),
        repeat=Repeat(times=options.samples),
        workload=replace(
            shipped.workload,
            duration_s=options.seconds,
            rate_pps=options.rate,
            flows=options.flows,
        ),
    )


@contextmanager
def _program(lab: Lab, kept: int) -> Iterator[None]:
    """Run the program on the gateway."""
    words = ["ip", "netns", "exec", lab.hosts["gw"].netns, sys.executable, "-c", FLOWS, str(kept)]
    with subprocess.Popen(words) as process:
        try:
            yield
        finally:
            process.kill()


if __name__ == "__main__":
    main()
