# SPDX-License-Identifier: Apache-2.0
"""The windows of a capture's flows, by gm-classifier: what a gateway runs computes them here too.

The program takes one address of the LAN at a time, since captures were made at many places.
"""

import csv
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from gatemark.classifier import shipped
from gatemark.classifier.manifest import Flow
from gatemark.classifier.recipe import Recipe
from gatemark.classifier.track import Track, Window
from gatemark.error import GatemarkError, UsageError
from gatemark.node.binary import classifier_path
from gatemark.printable import one_line

UPLINK: Final = "fwd.sum.plen"
HINT: Final = "hint.header"
COLUMNS: Final = ("flow", "packet", "time_us", "direction")
ANY_MODEL: Final = "real-time"  # how many packets a flow has is the same with each
LONGEST_S: Final = 600

Advance = Callable[[int, int], None]  # captures that are read, of how many


def tracks(flows: Sequence[Flow], recipe: Recipe, advance: Advance) -> list[Track]:
    """Each flow with its windows, in the order of the flows. Raises GatemarkError."""
    hosts: dict[Path, dict[str, list[Flow]]] = {}
    for flow in flows:
        hosts.setdefault(flow.capture, {}).setdefault(flow.lan, []).append(flow)
    windows: dict[Flow, list[Window]] = {}
    packets: dict[Flow, int] = {}
    for at, (capture, groups) in enumerate(hosts.items()):
        advance(at, len(hosts))
        for lan, group in groups.items():
            rows = list(rows_of(_windows(capture, lan, recipe), recipe))
            counts = counts_of(run(capture, lan, "run", shipped.path(ANY_MODEL), capture))
            windows |= {flow: [w for key, w in rows if key == flow.key] for flow in group}
            packets |= {flow: counts.get(flow.key, 0) for flow in group}
    advance(len(hosts), len(hosts))
    return [Track(flow, recipe.label(flow), tuple(windows[flow]), packets[flow]) for flow in flows]


def _windows(capture: Path, lan: str, recipe: Recipe) -> str:
    names = dict.fromkeys((*recipe.attributes, UPLINK, HINT))
    options = ("--attributes", " ".join(names), "--window", str(recipe.window))
    return run(capture, lan, "features", capture, *options)


def run(capture: Path, lan: str, *words: str | Path) -> str:
    """Return the program's output for a capture and a LAN address. Raises GatemarkError."""
    try:
        done = subprocess.run(
            [classifier_path(), *words, "--lan", f"{lan}/{128 if ':' in lan else 32}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        raise GatemarkError(f"{capture}: not read in {LONGEST_S} s") from None
    if done.returncode:
        fault = UsageError if done.returncode == UsageError.exit_code else GatemarkError
        raise fault(f"{capture}: {one_line(done.stderr.strip())}")
    return done.stdout


def counts_of(printed: str) -> Mapping[str, int]:
    """The packets of each flow, by its name."""
    return {row["flow"]: int(row["packets"]) for row in csv.DictReader(printed.splitlines())}


def rows_of(printed: str, recipe: Recipe) -> Iterator[tuple[str, Window]]:
    """Each full window with its flow's name. Raises GatemarkError where it is no such table."""
    rows = csv.reader(printed.splitlines())
    header = next(rows, [])
    try:
        columns = [header.index(name) for name in (*COLUMNS[:3], *recipe.attributes, UPLINK, HINT)]
    except ValueError as error:
        raise GatemarkError(f"gm-classifier features: {error}: build it again") from None
    for row in rows:
        flow, packet, time_us, *values, uplink, hint = (row[at] for at in columns)
        numbers = tuple(map(int, values))
        window = Window(int(packet), int(time_us), numbers, int(uplink), int(hint))
        yield flow, window
