# SPDX-License-Identifier: Apache-2.0
"""What it costs to tell a stranger's packets: bounds of their numbers, and tags of their headers.

Sender and sink go as fast as they can on the path `direct`, without anything, with bounds, and with
bounds and tags. `--before` adds another build of the agent, which knows of neither. All sides are
interleaved in a random order, round by round, and compared in pairs with the first.

`both`: packets for each second of CPU time of both ends, where one CPU sends and receives. `sink`:
packets for each second of CPU time of the thread that receives them on a CPU of its own, and of the
sink. What others use of the CPUs is in neither.
"""

import argparse
import json
import random
import secrets
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.bare_lab import ends, lab, our_sender, our_sink, received_at_once
from benchmarks.compare import progress
from benchmarks.peers import Ends
from gatemark.judge.change.paired import compare_pairs

PAYLOAD = 18  # frames of 64 bytes
PORTS = (("live", "xdp"), ("raw", "ring"))
BOUNDS: dict[str, object] = {"most_packets": 1_000_000_000, "most_pps": 30_000_000}
SINK = "wan9"

Keys = Mapping[str, object]
Values = dict[tuple[str, str], list[float]]  # (what, side) -> one value per round


@dataclass(frozen=True, slots=True)
class Side:
    """A way to run both ends."""

    name: str
    agent: Path | None = None
    sender: Keys = field(default_factory=dict)
    sink: Keys = field(default_factory=dict)


def main() -> None:
    """Measure in rounds, each with every side once; print the changes."""
    parser = argparse.ArgumentParser(prog="benchmarks.strangers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=12, help="rounds (default: 12)")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each trial (default: 0.5)")
    parser.add_argument("--before", type=Path, help="another build of gm-agent")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    values: Values = defaultdict(list)
    with lab() as made:
        for number in range(1, options.rounds + 1):
            progress(f"round {number} of {options.rounds}")
            with received_at_once(made) as at:
                _round(at, "both", options.before, options.seconds, values)
            _round(ends(made, "direct"), "sink", options.before, options.seconds, values)
    progress("")
    for row in rows(values):
        print(json.dumps(row) if options.json else text(row))


def sides(before: Path | None) -> list[Side]:
    """The first is what the others are compared with."""
    key: dict[str, object] = {"key": secrets.token_hex(16)}
    own = [
        Side("nothing"),
        Side("bounds", sink=BOUNDS),
        Side("bounds, tags", sender=key, sink=BOUNDS | key),
    ]
    return [Side("before", before), *own] if before else own


def _round(at: Ends, end: str, before: Path | None, seconds: float, values: Values) -> None:
    asked = [(ports, side) for ports in PORTS for side in sides(before)]
    for ports, side in random.sample(asked, len(asked)):
        what = f"{end}, {' to '.join(ports)}"
        values[what, side.name].append(_measure(at, end, ports, side, seconds))


def _measure(at: Ends, end: str, ports: tuple[str, str], side: Side, seconds: float) -> float:
    sink = our_sink(at, SINK, ports[1], side.agent, **side.sink)
    sender = our_sender(at, PAYLOAD, 0, seconds, ports[0], side.agent, **side.sender)
    sink.start()
    before_ns = _thread_ns()
    sender.start()
    sent = sender.event("done")
    sender.process.wait()
    time.sleep(0.1)
    got = sink.close()
    # A sink that is slower than its sender loses packets; it may not take one for a stranger's.
    if strange := int(got["stale"]) + int(got.get("beyond", 0)) + int(got["corrupt"]):
        raise RuntimeError(f"{side.name}: {strange} of {sent['sent']} packets taken for others'")
    others_ns = sent["cpu_ns"] if end == "both" else _thread_ns() - before_ns
    return float(got["unique"] * 1e9 / (got["cpu_ns"] + others_ns))


def _thread_ns() -> int:
    """CPU time of the kernel's thread that serves the sink's port; 0: it has none."""
    threads = subprocess.run(
        ("pgrep", f"^napi/{SINK}"), capture_output=True, text=True, check=False
    )
    pids = threads.stdout.split()
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids)


def rows(values: Values) -> Iterator[dict[str, object]]:
    """Each side's change from the first, with its interval and what would have been seen."""
    first: dict[str, Sequence[float]] = {}
    order = [side.name for side in sides(Path())]
    for (what, side), rates in sorted(
        values.items(), key=lambda item: (item[0][0], order.index(item[0][1]))
    ):
        old = first.setdefault(what, rates)
        row: dict[str, object] = {"what": what, "side": side, "pps": median(rates), "n": len(rates)}
        if old is not rates:
            change = compare_pairs(old, rates)
            interval = change.change
            row |= {"change": interval.value, "lo": interval.lo, "hi": interval.hi}
            row |= {"mde": change.mde, "verdict": change.verdict}
        yield row


def text(row: Mapping[str, object]) -> str:
    """A row for a reader."""
    line = f"{row['what']:26} {row['side']:14} {row['pps']:12,.0f} /s"
    if "change" not in row:
        return line
    shares = [f"{100 * float(str(row[name])):+.1f}" for name in ("change", "lo", "hi")]
    mde = f"{100 * float(str(row['mde'])):.1f}"
    return f"{line} {shares[0]} % ({shares[1]} to {shares[2]}), MDE {mde} %, {row['verdict']}"


if __name__ == "__main__":
    main()
