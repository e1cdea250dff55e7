# SPDX-License-Identifier: Apache-2.0
"""The load of real applications, and their worth beside an upload, without and with a shaper.

First `delay/shaper` is run: what shapers this gateway has, and the rate that each holds. Then each
application is played with nothing beside, beside an upload, and with the first of SHAPERS, at 95 %
of the line or at what it holds. The table says it all, a line an application.

Each station's run is kept in FOLDER: what was cut goes on with the same words. Repeats are judged
singly too: how many cells have several words, and how many contradict. `--runs` does that, and
nothing else, for runs of one plan that are there.
"""

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from gatemark.error import GatemarkError
from gatemark.judge.judge import judge
from gatemark.judge.math.interval import median_interval
from gatemark.kind.application.answer import cell
from gatemark.kind.application.grade import UNJUDGED, WORDS, Grade, Place, grades
from gatemark.kind.application.programs import APPLICATIONS, missing, played
from gatemark.store.contents import Contents
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.tell.words import number
from gatemark.tell.words.number import Scale
from gatemark.tell.words.table import NONE

GATEMARK: Final = (sys.executable, "-m", "gatemark", "run")
SHAPERS: Final = ("cake", "fq_codel", "htb2")  # the first two part flows by themselves
UP_BPS: Final = 3e6
START_S: Final = 2.0  # of the upload alone: it has filled the buffer long before
LEAST_S: Final = 6.0
OF_LINE: Final = 0.95
ARMS: Final = ("alone", "beside an upload", "with the shaper")
HEAD: Final = ("application", "packages", "packets/s up, down", "kbit/s up, down", "CPU", *ARMS)
PLAN: Final = """schema  = "gatemark.plan/1"
title   = "What an application takes, and what it is worth beside an upload"
why     = "A call, a page, a download take different shares of a gateway and of a line."
reading = "Good, fair and bad are by the figure behind the word."
figure  = "bars"
compare = false

[[arm]]
name   = "alone"
path   = "nat"
beside = false

[[arm]]
name = "beside an upload"
path = "nat"

[[arm]]
name     = "with the shaper"
path     = "nat"
features = ["{feature}"]

[line.up]
rate_bps     = {up:.0f}
buffer_bytes = 150_000

[line.down]
rate_bps       = 20_000_000
buffer_packets = 400

[workload]
kind       = "application"
start_s    = {start_s:g}
duration_s = {seconds:g}

[beside.upload]
kind       = "tcp"
direction  = "up"
congestion = "cubic"
duration_s = {beside_s:g}

[sweep]
application = {names}

[repeat]
times = {repeats}
"""


def main() -> None:
    """Measure what is not yet in the folder; print the table of what is there."""
    parser = argparse.ArgumentParser(prog="benchmarks.applications", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the runs are kept")
    parser.add_argument("--runs", type=Path, nargs="+", help="compare the words of these runs")
    parser.add_argument("--station", default="lab", help="lab (default), qemu-x86, ...")
    parser.add_argument("--only", nargs="+", choices=APPLICATIONS, help="applications (all)")
    parser.add_argument("--repeats", type=int, default=5, help="of each arm (default: 5)")
    parser.add_argument("--print", action="store_true", help="measure nothing")
    options = parser.parse_args()
    if options.runs:
        folders = dict.fromkeys(run.resolve() for run in options.runs)
        try:
            print(flips([RunDirectory.open(run).contents() for run in folders]))
        except GatemarkError as error:
            parser.error(str(error))
        return
    if options.folder is None:
        parser.error("name a FOLDER, or --runs")
    run: Path = options.folder / f"{options.station}-played"
    if not options.print:
        measure(options, run)
    contents = RunDirectory.open(run).contents()
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for name in played(contents.run.plans):
        print(f"| {' | '.join(row(name, contents))} |")
    print(flips([contents]))


def measure(options: argparse.Namespace, run: Path) -> None:
    """Make the runs that are not whole."""
    place: Path = options.folder
    place.mkdir(parents=True, exist_ok=True)
    shaper = place / f"{options.station}-shaper"
    _run(shaper, options.station, "delay/shaper", "--variant", "short")
    names = [name for name in options.only or APPLICATIONS if not missing([name])]
    seconds = max(LEAST_S, *(APPLICATIONS[name].least_s for name in names))
    text = PLAN.format(
        names=str(names).replace("'", '"'),
        feature=best(held(shaper)),
        up=UP_BPS,
        start_s=START_S,
        seconds=seconds,
        beside_s=START_S + seconds + 1,
        repeats=options.repeats,
    )
    plan = place / "played.toml"
    plan.write_text(text, encoding="utf-8")
    _run(run, options.station, str(plan))


def _run(kept: Path, station: str, *words: str) -> None:
    """Make a run, or go on with it; one that missed something counts too."""
    if not kept.exists():
        subprocess.run([*GATEMARK, *words, "--station", station, "--out", str(kept)], check=False)
    elif len(RunDirectory.open(kept).records()) < len(RunDirectory.open(kept).load().trials):
        subprocess.run([*GATEMARK, "--resume", str(kept)], check=False)


def held(run: Path) -> dict[str, float]:
    """Return the rate in bit/s that each shaper of a run of delay/shaper holds."""
    contents = RunDirectory.open(run).contents()
    points = judge(contents.run, contents.records).points
    return {
        feature.split(":")[1]: point.values["held_bps"].value
        for point in points
        for feature in point.definition.features
        if "held_bps" in point.values
    }


def best(rates: dict[str, float]) -> str:
    """Return the feature of the first shaper that is there, at 95 % of the line or what it holds.

    Raises SystemExit where there is none.
    """
    for by in SHAPERS:
        if by in rates:
            return f"shape:{by}:{min(OF_LINE * UP_BPS, rates[by]) / 1e6:.2f}:wan"
    sys.exit("delay/shaper found no shaper on this gateway")


def row(name: str, contents: Contents) -> Iterator[str]:
    """Yield the cells of an application's line."""
    every = [r for r in contents.records if r.definition.application == name]
    graded = {g.point.arm: g for g in grades(judge(contents.run, every).points)}
    alone = [r for r in every if r.status == "ok" and r.arm == ARMS[0]]
    yield f"`{name}`"
    yield ", ".join(versions(name))
    for unit, to in (("pps", Scale(1.0, "")), ("bps", Scale(1e3, ""))):
        yield ", ".join(_middle(alone, f"lan_{way}_{unit}", to) for way in ("tx", "rx"))
    yield ", ".join(_cpu(alone, host) for host in ("lan", "wan"))
    for arm in ARMS:
        yield _cell(graded.get(arm))


def flips(runs: Iterable[Contents]) -> str:
    """Judge each repeat of each run alone; say what words each cell had.

    Two words differ, or contradict each other: no word is in both their spans.
    """
    cells: dict[tuple[str, str, Place], list[Grade]] = {}
    every: list[Record] = []
    for contents in runs:
        every += contents.records
        for repeat in sorted({r.repeat for r in contents.records}):
            records = [r for r in contents.records if r.repeat == repeat]
            for grade in grades(judge(contents.run, records).points):
                if grade.word != UNJUDGED:
                    name = (grade.application.name, grade.point.arm, grade.place)
                    cells.setdefault(name, []).append(grade)
    if not cells:
        return "no application was judged"
    ok = sum(r.status == "ok" for r in every)
    lines = [f"{ok} of {sum(r.status != 'skipped' for r in every)} trials are valid"]
    differ = {name: g for name, g in cells.items() if len({grade.text for grade in g}) > 1}
    for name, each in differ.items():
        count = Counter(grade.text for grade in each)
        words = ", ".join(f"{word} {times}" for word, times in count.items())
        mark = " (CONTRADICT)" if contradict(each) else ""
        lines.append(f"{name[0]}, {name[1]}: {words}{mark}")
    against = sum(map(contradict, cells.values()))
    lines.append(f"of {len(cells)} cells {len(differ)} have several words, {against} contradict")
    return "\n".join(lines)


def contradict(each: Sequence[Grade]) -> bool:
    """Return True where one grade's best word is worse than another's worst."""
    best = max(WORDS.index(grade.span[0]) for grade in each)
    return best > min(WORDS.index(grade.span[1]) for grade in each)


def _cell(grade: Grade | None) -> str:
    return f"{cell(grade)} ({grade.why})" if grade and grade.why else cell(grade)


def _middle(records: Sequence[Record], name: str, to: Scale) -> str:
    """The median with its interval: `50.1 ± 0.2`."""
    values = [float(r.evidence.application[name]) for r in records]
    return number.interval(median_interval(values), to) if values else NONE


def _cpu(records: Sequence[Record], host: str) -> str:
    values = [float(r.evidence.application[f"{host}_cpu_ns"]) / _ns(r) for r in records]
    return f"{median_interval(values).value:.2f}" if values else NONE


def _ns(record: Record) -> int:
    first, last = record.window_ns
    return last - first


def versions(name: str) -> Iterator[str]:
    """Yield the packages that an application needs, with their versions here."""
    for package in sorted(set(APPLICATIONS[name].needs.values())):
        words = ("dpkg-query", "-W", "-f", "${Version}", package)
        got = subprocess.run(words, capture_output=True, text=True, check=False)
        yield f"{package} {got.stdout.partition(':')[2] or got.stdout or '?'}"


if __name__ == "__main__":
    main()
