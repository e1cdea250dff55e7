# SPDX-License-Identifier: Apache-2.0
"""The flows of a capture and their windows, by gm-classifier, as training reads them."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.captures.others import inspected, marked
from benchmarks.captures.program import Program
from benchmarks.captures.wire import FAR, NEAR
from gatemark.classifier import shipped
from gatemark.classifier.choose import ALL
from gatemark.classifier.features import ANY_MODEL, HINT, UPLINK, counts_of, rows_of, run
from gatemark.classifier.recipe import WINDOW, Recipe

MOST_WINDOWS: Final = 200  # of a flow at an end: 2 000 packets
COLUMNS: Final = ("end", "flow", "packet", "time_us", *ALL, UPLINK, HINT)

Row = tuple[str, str, int, int, tuple[int, ...], int, int]


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow of a program: its name, and what it is for."""

    key: str  # as gm-classifier has it
    application: str
    kind: str
    role: str
    packets: int
    ndpi: str = ""  # what ndpiReader calls it
    dscp: int = 0  # that most of its packets up have


def flows(capture: Path, program: Program) -> list[Flow]:
    """Return each flow between the two hosts that fills a window, with its label."""
    printed = run(capture, NEAR, "run", shipped.path(ANY_MODEL), capture)
    names, codes = inspected(capture), marked(capture)
    known = []
    for key, packets in counts_of(printed).items():
        proto, near, near_port, far, far_port = key.split("-")
        if packets >= WINDOW and (near, far) == (NEAR, FAR):
            role = program.flow_role(proto, int(near_port), int(far_port))
            others = (names.get(key, ""), codes.get(key, 0))
            known.append(Flow(key, program.name, program.kind, role, packets, *others))
    return known


def windows(files: Mapping[str, Path], known: Sequence[Flow]) -> list[Row]:
    """Return the windows of these flows at each end, at most so many a flow and end."""
    recipe = Recipe(attributes=ALL)
    names = {flow.key for flow in known}
    options = ("--attributes", " ".join((*ALL, UPLINK, HINT)), "--window", str(WINDOW))
    rows: list[Row] = []
    for end, file in files.items():
        counts = dict.fromkeys(names, 0)
        for key, window in rows_of(run(file, NEAR, "features", file, *options), recipe):
            if key in names and counts[key] < MOST_WINDOWS:
                counts[key] += 1
                row = (window.packet, window.time_us, window.values, window.uplink_bytes)
                rows.append((end, key, *row, window.hint))
    return rows


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write the windows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows((*row[:4], *row[4], *row[5:]) for row in rows)
