# SPDX-License-Identifier: Apache-2.0
"""Two kinds of search on one gateway in one run: how far they spread, how long they take.

python -m benchmarks.search [--out FOLDER] [--searches 6] [--trial-s 60] [--width 0.005] [--nat]

Six searches of profile `csit` (NDR and PDR together) and a binary search of profile `rfc2544` are
interleaved on the slowed lab at 64 bytes. It prints the spread of the six, the time of either at
the same width, and their ratio. It takes about 20 minutes with trials of 60 s, of which the binary
search takes 12.
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
from gatemark.run.engine import execute
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.tell.live import Live

AIM = 0.03  # spread of six searches of a slowed gateway


def main() -> None:
    """Measure and print. A ratio above 1 means that ours spreads less, or takes less time."""
    options = _options()
    path = "nat" if options.nat else "route"
    plans = [_plan("csit", path, options), _plan("rfc2544", path, options)]
    with tempfile.TemporaryDirectory() as folder:
        records = _measure(plans, Path(options.out or folder) / "search")
    by_plan = {plan.name: _of(records, plan.name) for plan in plans}
    show(list(_compared(*by_plan.values())), json_=options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", help="keep the run in this folder")
    parser.add_argument("--searches", type=int, default=6, help="of profile csit")
    parser.add_argument("--binary", type=int, default=1, help="of profile rfc2544")
    parser.add_argument("--trial-s", type=float, default=60.0, help="of the binary search")
    parser.add_argument("--width", type=float, default=0.005, help="of both, relative")
    parser.add_argument("--slow-to-pps", type=int, default=30_000, help="0: not slowed")
    parser.add_argument("--frame-bytes", type=int, default=64)
    parser.add_argument("--json", action="store_true", help="one object a line")
    parser.add_argument("--nat", action="store_true", help="instead of routing")
    return parser.parse_args()


def _plan(profile: str, path: str, options: argparse.Namespace) -> Plan:
    binary = profile == "rfc2544"
    search = Search(
        profile=profile,  # type: ignore[arg-type]  # one of two words above
        trial_s=options.trial_s if binary else 0.0,
        width=options.width,
    )
    return Plan(
        schema=PLAN_SCHEMA,
        title=profile,
        why="",
        reading="",
        name=f"benchmark/{profile}",
        arm=(Arm(path=path, name=path),),  # type: ignore[arg-type]  # likewise
        gateway=Gateway(slow_to_pps=options.slow_to_pps),
        workload=Workload(flows=64, frame_bytes=options.frame_bytes),
        search=search,
        repeat=Repeat(times=options.binary if binary else options.searches),
    )


def _measure(plans: Sequence[Plan], path: Path) -> list[Record]:
    """Both profiles on one lab. The binary search is in the middle of the others."""
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
        # One plan by name only: the engine runs plan by plan, but here they are interleaved.
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
    """Spread of our searches and the aim; rate and time compared with binary search.

    A search of csit finds NDR and PDR in its time, a binary search only NDR.
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
    kept = [r for r in records if r.status == "ok" and r.point["goal"] == goal]
    return [record.values[quantity] for record in kept]


if __name__ == "__main__":
    main()
