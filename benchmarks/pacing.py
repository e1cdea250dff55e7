# SPDX-License-Identifier: Apache-2.0
"""How evenly senders space their packets: every gap, by tcpdump's kernel time stamps.

Our sender, iperf3, iperf2, nuttcp, trafgen and tcpreplay take turns in short passes, at each rate.
The error of a gap is its difference from the schedule's. What counts is the error that 99 % of a
pass's gaps stay within. In each round a witness (benchmarks/witness.py) spins on the sender's CPU
and tells what error the machine alone makes.

A neighbour of this machine only makes a pass worse. So the best quarter of each tool's passes is
compared: what the tool does where the machine leaves it alone. The rows `all passes`, and those of
holes and rates, have all. A tool that cannot keep such a rate has no row.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.arrivals import KEPT, arrivals
from benchmarks.bare_lab import lab, our_sender, our_sink, received_at_once
from benchmarks.compare import Comparison, compare_less, progress, show
from benchmarks.peers import PROGRAM, SENDERS, WITH_SINK, Ends, Peer
from gatemark.station.netns import Lab

RATES = (50, 1_000, 10_000, 50_000, 100_000)
FAST_PPS = 500_000  # our sender and sink only: tcpdump would lose packets at this rate
FAST_GOAL_US = 2.0
PAYLOAD = 64
GAPS = 200  # of a pass at least
LEAST_S = 1.0  # of a pass
QUARTER = 4
HOLE_US = 1000
PEERS = (*WITH_SINK, *SENDERS)
WITNESS = "witness"
TARGET = "target"
OFF = 0.1  # in share of the rate: a tool that is further off cannot pace it

# Measure -> unit, resolution, goal.
MEASURES: dict[str, tuple[str, float, float | None]] = {
    "gap error": ("us", 0.01, 5.0),
    "gap holes": ("gaps", 1, None),
    "rate error": ("ratio", 1e-6, 0.001),
}

Values = dict[tuple[str, str], list[float]]  # (what, tool) -> one value per round
Errors = Sequence[float]  # us


def main() -> None:
    """Measure in rounds, each with every rate and tool once; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.pacing", description=__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="rounds (default: 8)")
    parser.add_argument(
        "--rate", type=int, nargs="+", default=RATES, help="packets/s (default: 50 to 100 000)"
    )
    parser.add_argument(
        "--peer", nargs="*", default=[peer.name for peer in PEERS], help="tools (default: all)"
    )
    parser.add_argument("--before", type=Path, help="another build of the agent, as a peer")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    peers = [peer for peer in PEERS if peer.name in options.peer]
    wanted = ["tcpdump", *(PROGRAM.get(peer.name, peer.name) for peer in peers)]
    if absent := [program for program in wanted if not shutil.which(program)]:
        parser.exit(1, f"not installed: {', '.join(absent)}; `make bench` installs them\n")
    with lab() as made, TemporaryDirectory() as folder:
        values = _measured(made, Path(folder), options, peers)
    progress("")
    show(list(_compared(values)), json_=options.json)


def _measured(
    made: Lab, folder: Path, options: argparse.Namespace, peers: Sequence[Peer]
) -> Values:
    values: Values = defaultdict(list)
    senders: list[Peer | Path | None] = [None, *peers]
    if options.before:
        senders.append(options.before)
    for number in range(1, options.rounds + 1):
        for rate in options.rate:
            progress(f"round {number} of {options.rounds}: {rate} packets/s")
            with received_at_once(made) as at:
                values[_what("gap error", rate), WITNESS].append(_stalls_us(at, rate))
                # The first of a round alternates.
                for sender in senders if number % 2 else senders[::-1]:
                    _measure(at, sender, rate, folder, values)
        what = f"gap error, 99 %, {FAST_PPS} packets/s, by our sink"
        with received_at_once(made) as at:
            values[what, "ours"].append(_fast_error_us(at))
        values[what, TARGET].append(FAST_GOAL_US)
    return values


def _what(measure: str, rate: int) -> str:
    share = ", 99 %" if measure == "gap error" else ""
    return f"{measure}{share}, {rate} packets/s"


def _compared(values: Values) -> Iterator[Comparison]:
    for (what, tool), theirs in values.items():
        unit, least, _ = MEASURES[what.split(",")[0]]
        ours = values.get((what, "ours"), [])
        if tool == "ours" or not ours:
            continue
        if unit == "us":
            yield compare_less(what, _best(ours), tool, _best(theirs), unit, least)
        yield compare_less(f"{what}, all passes", ours, tool, theirs, unit, least)


def _best(values: Sequence[float]) -> list[float]:
    """The best quarter, from the best on."""
    return sorted(values)[: -(-len(values) // QUARTER)]


def _seconds(rate: int) -> float:
    return max(LEAST_S, GAPS / rate)


def _stalls_us(at: Ends, rate: int) -> float:
    """99 % of the gaps can be within this value, for the machine."""
    seconds = _seconds(rate)
    words = ("-m", "benchmarks.witness", str(rate), str(seconds))
    command = at.at_source(sys.executable, *words)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    late = [int(word) / 1e3 for word in done.stdout.split()]
    on_time = [0.0] * (round(rate * seconds) - len(late))
    return _within(sorted(on_time + late))


def _within(errors: Errors) -> float:
    return errors[len(errors) * 99 // 100]


def _fast_error_us(at: Ends) -> float:
    """99 % of the gap errors are within this value; the sink's buckets are 3 % wide."""
    sink, sender = our_sink(at, "wan9"), our_sender(at, PAYLOAD, FAST_PPS, LEAST_S)
    sink.start()
    sender.start()
    sender.event("done")
    time.sleep(0.1)
    gap = sink.close()["gap_ns"]
    nominal, left = 1e9 / FAST_PPS, 0.99 * sum(gap["count"])
    errors = sorted(
        (abs(low - nominal), count) for low, count in zip(gap["low"], gap["count"], strict=True)
    )
    for error, count in errors:
        left -= count
        if left <= 0:
            return float(error) / 1e3
    return 0.0


def _measure(at: Ends, sender: Peer | Path | None, rate: int, folder: Path, values: Values) -> None:
    tool = sender.name if sender else "ours"
    seconds = _seconds(rate)
    times = arrivals(at, sender, PAYLOAD, rate, seconds, folder)
    if len(times) < (1 - OFF) * KEPT * rate * seconds:
        return
    span_s = (times[-1] - times[0]) / 1e9
    rate_error = abs((len(times) - 1) / span_s / rate - 1)
    if rate_error > OFF:
        return
    errors = sorted(abs(later - earlier - 1e9 / rate) / 1e3 for earlier, later in pairwise(times))
    holes = sum(error > HOLE_US for error in errors)
    measured = {"gap error": _within(errors), "gap holes": holes, "rate error": rate_error}
    for measure, value in measured.items():
        values[_what(measure, rate), tool].append(value)
        goal = MEASURES[measure][2]
        if tool == "ours" and goal is not None:
            values[_what(measure, rate), TARGET].append(goal)


if __name__ == "__main__":
    main()
