# SPDX-License-Identifier: Apache-2.0
"""Searches against each other, on one gateway in one run: how far they spread, how long they take.

python -m benchmarks.search [--out FOLDER] [--searches 6] [--trial-s 60] [--width 0.005] [--nat]

Six searches of profile `csit` (NDR and PDR together) and a binary search of profile `rfc2544` take
turns on the slowed lab at 64 bytes. Printed: the spread of the six, the time of either at the same
width, and their ratio. About 20 minutes with trials of 60 s, of which the binary search is 12.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from benchmarks.compare import Comparison, compare, compare_less, show
from gatemark.plan.model import PLAN_SCHEMA, Arm, Gateway, Plan, Repeat, Search, Workload
from gatemark.plan.order import order
from gatemark.report.live import Live
from gatemark.run.engine import execute
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run

AIM = 0.03  # six searches of a slowed gateway


def main() -> None:
    """Measure and print: a ratio above 1 says that ours spreads less, or takes less."""
    asked = _asked()
    path = "nat" if asked.nat else "route"
    plans = [_plan("csit", path, asked), _plan("rfc2544", path, asked)]
    with tempfile.TemporaryDirectory() as folder:
        records = _measure(plans, Path(asked.out or folder) / "search")
    found = {plan.name: _of(records, plan.name) for plan in plans}
    show(list(_compared(*found.values())), json_=asked.json)


def _asked() -> argparse.Namespace:
    told = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    told.add_argument("--out", help="keep the run in this folder")
    told.add_argument("--searches", type=int, default=6, help="of profile csit")
    told.add_argument("--binary", type=int, default=1, help="of profile rfc2544")
    told.add_argument("--trial-s", type=float, default=60.0, help="of the binary search")
    told.add_argument("--width", type=float, default=0.005, help="of both, relative")
    told.add_argument("--slow-to-pps", type=int, default=30_000, help="0: not slowed")
    told.add_argument("--frame-bytes", type=int, default=64)
    told.add_argument("--json", action="store_true", help="one object a line")
    told.add_argument("--nat", action="store_true", help="instead of routing")
    return told.parse_args()


def _plan(profile: str, path: str, asked: argparse.Namespace) -> Plan:
    binary = profile == "rfc2544"
    search = Search(
        profile=profile,  # type: ignore[arg-type]  # one of two words above
        trial_s=asked.trial_s if binary else 0.0,
        width=asked.width,
    )
    return Plan(
        schema=PLAN_SCHEMA,
        title=profile,
        why="",
        reading="",
        name=f"benchmark/{profile}",
        arm=(Arm(path=path, name=path),),  # type: ignore[arg-type]  # likewise
        gateway=Gateway(slow_to_pps=asked.slow_to_pps),
        workload=Workload(flows=64, frame_bytes=asked.frame_bytes),
        search=search,
        repeat=Repeat(times=asked.binary if binary else asked.searches),
    )


def _measure(plans: Sequence[Plan], path: Path) -> list[Record]:
    """Both profiles on one lab. The binary search stands in the middle of the others."""
    recover()
    lab = Lab()
    trials = order(plans, seed=1)
    csit = [spec for spec in trials if spec.plan == plans[0].name]
    half = len(csit) // 2 // 2 * 2
    mixed = [*csit[:half], *(s for s in trials if s.plan == plans[1].name), *csit[half:]]
    run = Run(
        run="",
        suite="benchmark",
        title="searches",
        command=(),
        started="",
        seed=1,
        station=lab.info,
        # One plan by name only: the engine runs plan by plan, and here they take turns.
        plans=(plans[0],),
        trials=tuple(
            replace(spec, sequence=at, plan=plans[0].name) for at, spec in enumerate(mixed)
        ),
    )
    directory = RunDirectory.create(path, run)
    execute(directory, lab, Live())
    return directory.records()


def _of(records: Sequence[Record], name: str) -> list[Record]:
    return [r for r in records if r.trial.startswith(f"{name}/") and "goal" in r.point]


def _compared(csit: Sequence[Record], binary: Sequence[Record]) -> Iterator[Comparison]:
    """Spread of our searches against the aim; rate and time against binary search.

    A search of csit finds NDR and PDR in its time, a binary one NDR alone.
    """
    for goal in ("ndr", "pdr"):
        values = _values(csit, goal, "throughput_pps")
        if len(values) > 1:
            wide = (max(values) - min(values)) / median(values)
            yield compare_less(f"{goal}, spread of {len(values)}", [wide], "target", [AIM], "ratio")
    for what, unit, quantity in (
        ("ndr", "packets/s", "throughput_pps"),
        ("time of a search", "s", "search_s"),
        ("trials of a search", "trials", "search_trials"),
    ):
        ours, theirs = (_values(side, "ndr", quantity) for side in (csit, binary))
        if ours and theirs:
            better = compare if unit == "packets/s" else compare_less
            yield better(what, [median(ours)], "rfc2544", [median(theirs)], unit)


def _values(records: Sequence[Record], goal: str, quantity: str) -> list[float]:
    mine = [r for r in records if r.status == "ok" and r.point["goal"] == goal]
    return [record.values[quantity] for record in mine]


if __name__ == "__main__":
    main()
