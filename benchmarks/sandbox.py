# SPDX-License-Identifier: Apache-2.0
"""What the agent's sandbox costs: its fastest rate, compared with an agent without one.

The other agent is a binary of a build before the sandbox, or of any other. Both send and receive
from host to host on the same lab, round by round in turn, and the first of a round alternates.
`raw` and `ring` make a system call for each burst, so a filter costs them most; `udp` makes one for
each packet at its sink. The goal: no change, with a minimum detectable effect (MDE) of 2 % at most.
The change is that of the logarithms, round by round, with Student's 95 % interval.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from math import log, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

from benchmarks.bare_lab import OurAgent, Report, ends, lab
from benchmarks.compare import compare, progress, show
from benchmarks.peers import Ends
from gatemark.node.binary import agent_path
from gatemark.station.netns import Lab
from gatemark.stats.math.student import quantile

WAYS: Final = (("raw", "ring"), ("udp", "udp"), ("auto", "auto"))
FRAME_BYTES: Final = 64
SECONDS: Final = 1.0
AGENTS: Final = ("with", "without")


def main() -> None:
    """Measure in rounds; print the ratio of each way."""
    parser = argparse.ArgumentParser(prog="benchmarks.sandbox", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="rounds (default: 20)")
    parser.add_argument("--without", type=Path, required=True, help="an agent without a sandbox")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    agents = dict(zip(AGENTS, (agent_path(), options.without), strict=True))
    sent: dict[tuple[str, str], list[float]] = defaultdict(list)
    came: dict[tuple[str, str], list[float]] = defaultdict(list)
    with lab() as made:
        at = ends(made, "direct")
        for number, way in product(range(options.rounds), WAYS):
            progress(f"round {number + 1} of {options.rounds}: {way[0]} to {way[1]}")
            for name in AGENTS if number % 2 else AGENTS[::-1]:
                rates = _rates(made, at, agents[name], way)
                sent[way[0], name].append(rates[0])
                came[way[1], name].append(rates[1])
    progress("")
    rows = [
        compare(f"{what} {port}", values[port, "with"], "without", values[port, "without"], UNIT)
        for what, values in (("sender", sent), ("sink", came))
        for port in dict.fromkeys(port for port, _ in values)
    ]
    show(rows, json_=options.json)
    for what, values in (("sender", sent), ("sink", came)):
        for port in dict.fromkeys(port for port, _ in values):
            print(f"{what} {port}: {change(values[port, 'with'], values[port, 'without'])}")


def change(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """The mean change in percent, its 95 % interval, and the MDE at a power of 80 %."""
    logs = [log(a / b) for a, b in zip(ours, theirs, strict=True)]
    error = stdev(logs) / sqrt(len(logs))
    wide, more = (quantile(p, len(logs) - 1) for p in (0.05, 0.4))
    middle = fmean(logs)
    low, high, mde = middle - wide * error, middle + wide * error, (wide + more) * error
    return f"{middle:+.1%} ({low:+.1%} to {high:+.1%}), MDE {mde:.1%}"


UNIT: Final = "packets/s"


def _rates(made: Lab, at: Ends, agent: Path, way: Sequence[str]) -> tuple[float, float]:
    """Packets/s that were sent, and that arrived, as fast as it goes."""
    sink_request = {"port": way[1], "device": made.ports["wan9"].device, **_COMMON}
    sink = OurAgent(at.at_sink(str(agent), "sink"), sink_request | {"dst_port": 9})
    sink.start()
    request: Report = {"port": way[0], "device": at.device, "src": at.src, "dst": at.dst, **_COMMON}
    request |= {"src_port": 20000, "dst_port": 9, "frame_bytes": FRAME_BYTES}
    request |= {"duration_ms": round(SECONDS * 1000)}
    request |= {} if way[0] == "udp" else {"dst_mac": at.dst_mac}
    sender = OurAgent(at.at_source(str(agent), "send"), request)
    sender.start()
    report = sender.event("done")
    sender.process.wait()
    lasts_s = (report["t1_ns"] - report["t0_ns"]) / 1e9
    return report["sent"] / lasts_s, sink.close()["unique"] / lasts_s


_COMMON: Final[Report] = {"family": 4, "run": 1}


if __name__ == "__main__":
    main()
