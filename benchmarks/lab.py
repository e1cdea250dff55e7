# SPDX-License-Identifier: Apache-2.0
"""Is the slowed lab gateway a steady slow box? Judges its CPU load, its knee and its capacity.

Goals: the thread's CPU load over the offered rate is a straight line (R² at least 0.995). Loss
begins where the thread reaches 100 %. The capacity of six repeats spreads by less than 2 %. The
gateway at full speed is printed for comparison. There each single packet costs a wake-up, so the
load at low rates does not extrapolate.
"""

import argparse
import asyncio
from collections.abc import Iterator, Sequence
from statistics import median

from benchmarks.compare import Comparison, compare, compare_less, progress, show
from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement, Knee
from gatemark.plan.model import Arm, Gateway, Plan, Repeat, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.record import Record
from gatemark.store.run import Run

SLOW_TO_PPS = (10_000, 30_000, 80_000)
SHARES = (0.2, 0.4, 0.6, 0.8, 0.9, 1.1, 1.2, 1.5, 2.0)  # of the nominal rate
PLAIN_PPS = (10_000, 25_000, 50_000, 100_000, 200_000, 300_000)

STRAIGHT_R2 = 0.995
CAPACITY_SPREAD = 0.02
FULL = 0.98  # share that counts as 100 % of a thread: schedstat is read every 50 ms
LOSSY = 0.005  # a loss below this is the lab's own hiccups, see docs/architecture.md


def main() -> None:
    """Measure each slowdown in blocks of shuffled rates; print the comparisons with the goals."""
    parser = argparse.ArgumentParser(prog="benchmarks.lab", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="repeats of each rate (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    recover()
    rows: list[Comparison] = []
    curves: list[tuple[str, list[Record]]] = []
    for slow_to_pps in (*SLOW_TO_PPS, 0):
        rates = [round(slow_to_pps * share) for share in SHARES] if slow_to_pps else list(PLAIN_PPS)
        plan = _plan(slow_to_pps, rates, options.rounds)
        judgement, records = asyncio.run(_measure(plan))
        curves.append((f"slowed at {slow_to_pps} packets/s" if slow_to_pps else "plain", records))
        rows += (
            _slowed(slow_to_pps, judgement.knees[0], records) if slow_to_pps else _plain(records)
        )
    progress("")
    show(rows, json_=options.json)
    if not options.json:
        for title, records in curves:
            _draw(title, records)


def _plan(slow_to_pps: int, rates: Sequence[float], rounds: int) -> Plan:
    return Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name=f"lab/{slow_to_pps}",
        arm=(Arm(path="route", name="route"),),
        gateway=Gateway(slow_to_pps=slow_to_pps),
        workload=Workload(flows=64, duration_s=1.0),
        sweep={"rate_pps": tuple(rates)},
        repeat=Repeat(times=rounds),
    )


async def _measure(plan: Plan) -> tuple[Judgement, list[Record]]:
    lab, trials = Lab(), order([plan], seed=1)
    records: list[Record] = []
    async with Bench(lab) as bench:
        for spec in trials:
            progress(f"{spec.trial} ({len(records) + 1} of {len(trials)})")
            with lock.machine(progress):
                record, _ = await trial.run(bench, spec, lambda *_: None)
            records.append(record)
    run = Run(
        run="lab",
        suite="lab",
        title="",
        command=(),
        started="",
        seed=1,
        station=lab.info,
        plans=(plan,),
        trials=trials,
    )
    return judge(run, records), records


def _slowed(slow_to_pps: int, knee: Knee, records: Sequence[Record]) -> Iterator[Comparison]:
    name = f"slowed at {slow_to_pps // 1000} k"
    peak = knee.peak_pps
    r2 = knee.cpu_r2 or 0.0
    yield compare(f"{name}: CPU line, R²", [r2], "target", [STRAIGHT_R2], "R²")
    yield compare_less(
        f"{name}: spread of the capacity, range over median",
        [(peak.hi - peak.lo) / peak.value],
        "target",
        [CAPACITY_SPREAD],
        "ratio",
    )
    begins = next(busy for _, busy, loss in _curve(records) if loss > LOSSY)
    yield compare(f"{name}: CPU where loss begins", [begins], "target", [FULL], "ratio")
    yield compare(
        f"{name}: knee", [knee.knee_pps.value], "target", [float(slow_to_pps)], "packets/s"
    )


def _curve(records: Sequence[Record]) -> list[tuple[float, float, float]]:
    """Median CPU share and loss at each offered rate, in rising order."""
    rates: dict[float, list[Record]] = {}
    for record in records:
        if record.status == "ok":
            rates.setdefault(float(record.point["rate_pps"]), []).append(record)
    return [
        (rate, _middle(trials, "cpu_busy"), _middle(trials, "loss_ratio"))
        for rate, trials in sorted(rates.items())
    ]


def _middle(records: Sequence[Record], quantity: str) -> float:
    return median(record.values[quantity] for record in records)


def _draw(title: str, records: Sequence[Record]) -> None:
    """Print the curve for a reader."""
    print(f"\n{title}\n  offered, packets/s   CPU, %   a packet, ns   loss, %")
    for rate, busy, loss in _curve(records):
        print(f"  {rate:18,.0f} {busy:8.1%} {busy / rate * 1e9:14,.0f} {loss:9.2%}")


def _plain(records: Sequence[Record]) -> Iterator[Comparison]:
    """Without a goal: a packet's cost at each rate, compared with that at the highest rate."""
    costs: dict[float, list[float]] = {}
    for record in records:
        cost = next((c.ns_per_packet for c in record.evidence.cpu if c.busy > 0), None)
        if record.status == "ok" and cost:
            costs.setdefault(float(record.point["rate_pps"]), []).append(cost)
    highest = costs[max(costs)]
    for rate, costs_ns in sorted(costs.items()):
        rounds = min(len(costs_ns), len(highest))
        what = f"plain at {rate / 1000:.0f} k: CPU a packet, against {max(costs) / 1000:.0f} k"
        yield compare_less(what, costs_ns[:rounds], "itself", highest[:rounds], "ns")


if __name__ == "__main__":
    main()
