# SPDX-License-Identifier: Apache-2.0
"""Which rows of the five studies do runs show? `python -m benchmarks.coverage FOLDER`.

Each run is kept in FOLDER: what is finished there is not measured again, what was cut goes on. At
the end docs/coverage.md is written, with the minutes that each run took.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from gatemark.store.directory import RunDirectory

PAGE: Final = Path(__file__).parents[1] / "docs" / "coverage.md"
GATEMARK: Final = (sys.executable, "-m", "gatemark")
MISSED: Final = 3  # exit code: measured, and an expectation was missed or an arm is slower
# Suites and plans, with the variant that shows their rows in the fewest minutes.
LAB: Final = (
    *(f"{suite} --variant short" for suite in ("kofler", "capture", "diffuse", "algorithms")),
    *(f"algorithms/{name} --variant study" for name in ("lpm", "filter", "match")),
    *(f"delay/{name} --variant short" for name in ("home", "queues")),
    *("quick --variant short", "rfc/cross-check --variant short", "rfc/replay"),
    *(f"cost/{name} --variant short" for name in ("flows-rate", "ladder-filters", "cpu-load")),
    *("kofler/block-size --variant study", "procbench/endpoint --variant study"),
    *("procbench --variant short", "counting/kernel-path-own"),
    # What a suite that is cut comes to last, in minutes of its own.
    *(f"diffuse/{name} --variant short" for name in ("connections", "flows", "throughput")),
    "rfc/replay --variant short",
)
# What a namespace cannot tell: its own CPU and memory as its kernel sees them, the functions that a
# packet runs through, its hash buckets, ciphers that this machine's kernel may lack.
GUEST: Final = "qemu-x86"
GUESTS: Final = (
    "counting/kernel-path-own",
    *(f"{name} --variant short" for name in ("wrt54/paths", "capture/feasibility")),
    *("diffuse/priority --variant short", "algorithms/today --variant short"),
    *(f"delay/{name} --variant short" for name in ("home", "queues")),
    *(f"cost/{name} --variant short" for name in ("flows-limit", "cpu-flows", "cpu-rules")),
)
# An image that lets nobody in but at its serial line, where its first boot is set.
SERIAL: Final = """schema = "gatemark.station/1"
[gateway]
kind   = "qemu"
arch   = "x86_64"
image  = "{image}"
set    = "openwrt"
boot_s = 600
"""
# Two kernels of the distribution stand for two firmwares.
OTHER: Final = """schema = "gatemark.station/1"
[gateway]
kind   = "qemu"
arch   = "x86_64"
kernel = "linux-image-amd64"
"""
FIRMWARES: Final = {"cost/ab": "--boots 2", "cost/ab-ndr": "--plan cost/ab-ndr --variant short"}


class Wanted(NamedTuple):
    """A run that is to be made."""

    name: str
    words: Sequence[str]


def main() -> None:
    """Measure what is not there yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the runs are kept")
    parser.add_argument("--coremark", type=Path, help="your own copy of CoreMark")
    parser.add_argument("--openwrt", type=Path, help="an official image, ...-combined.img.gz")
    parser.add_argument("--only", default="", help="measure runs with this word in their name")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for run in wanted(given.folder, given.coremark, given.openwrt):
        if given.only in run.name:
            measure(given.folder / run.name, run.words)
    runs = sorted(str(path.parent) for path in given.folder.glob("*/run.json"))
    subprocess.run([*GATEMARK, "coverage", *runs, "--out", str(PAGE)], check=True)


def wanted(folder: Path, coremark: Path | None, openwrt: Path | None) -> Iterator[Wanted]:
    """Each run with its name and the command's words."""
    for text in LAB:
        words = ["run", *text.split()]
        if coremark and words[1] == "algorithms":
            words += ["--coremark", str(coremark)]
        yield Wanted(named(text), words)
    for text in GUESTS:
        yield Wanted(named(f"{text} {GUEST}"), ["run", *text.split(), "--station", GUEST])
    if openwrt:
        station = folder / "serial.toml"
        station.write_text(SERIAL.format(image=openwrt.resolve()))
        words = ["run", "rfc/reset", "--variant", "short", "--station", str(station)]
        yield Wanted("rfc-reset-short-serial", words)
    other = folder / "full.toml"
    other.write_text(OTHER)
    for plan, how in FIRMWARES.items():
        yield Wanted(named(plan), ["ab", GUEST, str(other), *how.split()])


def named(text: str) -> str:
    """The name of a run's folder: `delay/home --variant short` is delay-home-short."""
    return "-".join(text.replace("--variant ", "").replace("/", " ").split())


def measure(folder: Path, words: Sequence[str]) -> None:
    """Make a run, or go on with it; nothing where it is finished."""
    if (folder / "run.json").exists():
        if RunDirectory.open(folder).contents().run.finished:
            return
        words = [words[0], "--resume", str(folder)]
    else:
        words = [*words, "--out", str(folder)]
    code = subprocess.run([*GATEMARK, *words], check=False).returncode
    if code not in (0, MISSED):
        sys.exit(code)


if __name__ == "__main__":
    main()
