# SPDX-License-Identifier: Apache-2.0
"""Time series and histograms of a trial: gzipped JSON Lines, a series a line with its `x` and `y`.

`x` are times in ns (CLOCK_MONOTONIC) or the lower bounds of a histogram's buckets; `y` the values
or the counts. The name of a series carries its unit: `sink.up.delay_ns`,
`gateway.napi/gw0.run_ns`.
"""

import gzip
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from io import BytesIO
from operator import itemgetter
from typing import Final

import msgspec

from gatemark.store.folder import Folder, ForeignError
from gatemark.store.schema import DAY_S, Number

Series = Mapping[str, tuple[Sequence[int], Sequence[float]]]

SUFFIX: Final = ".jsonl.gz"
S_NS: Final = 1_000_000_000
MOST_BYTES: Final = 256 << 20  # of a file, unpacked
MOST_POINTS: Final = 10_000_000  # of all series of a file: a day in bins of 10 ms
DAMAGED: Final = (
    *(OSError, EOFError, zlib.error, ValueError, RecursionError, MemoryError),
    ForeignError,
)


class Line(msgspec.Struct):
    """One series. JSON has no infinity, so a `y` without a number is null."""

    series: str
    x: list[int]
    y: list[Number | None]

    def points(self) -> tuple[list[int], list[float]]:
        """Return the points with a number, by `x`. Raises ValueError if `x`, `y` do not pair."""
        pairs = [(x, y) for x, y in zip(self.x, self.y, strict=True) if y is not None]
        pairs.sort(key=itemgetter(0))
        return [x for x, _ in pairs], [y for _, y in pairs]


@dataclass(frozen=True, slots=True)
class Reading:
    """The series that were read, of each file by its name, and the files that could not be."""

    series: Mapping[str, Series] = field(default_factory=dict)
    lost: tuple[str, ...] = ()  # missing or damaged


def write(folder: Folder, name: str, series: Series) -> None:
    """Write all series of a trial into a file of this name. Raises OSError or ForeignError."""
    lines = [Line(key, list(x), list(map(float, y))) for key, (x, y) in series.items() if x]
    # Without the time of day: the same series are the same file.
    folder.write(name, gzip.compress(msgspec.json.Encoder().encode_lines(lines), 6, mtime=0))


def read(folder: Folder, names: Iterable[str], like: Sequence[str]) -> Reading:
    """The series `like` one of these patterns (`sink.*.bytes`) in these files of a folder.

    Ordered by `x`. A file that is missing or damaged is named and gives nothing; no error.
    """
    series: dict[str, Series] = {}
    lost = []
    for name in dict.fromkeys(names):
        try:
            series[name] = _read(folder, name, like)
        except DAMAGED:
            lost.append(name)
    return Reading(series, tuple(lost))


def _unpacked(packed: bytes) -> bytes:
    """Raises ValueError where it is longer than any series of ours: the run may be a stranger's.

    A zero takes a thousand times more memory as a point than it takes in the file.
    """
    with gzip.open(BytesIO(packed)) as file:
        data: bytes = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ValueError(f"more than {MOST_BYTES >> 20} MiB, unpacked")
    if data.count(b",") > 2 * MOST_POINTS:
        raise ValueError(f"more than {MOST_POINTS} points")
    return data


def _read(folder: Folder, name: str, like: Sequence[str]) -> Series:
    """One file. Raises one of DAMAGED."""
    packed = folder.read(name)
    if not packed:  # which gzip takes for a whole file
        raise EOFError
    lines = msgspec.json.Decoder(Line).decode_lines(_unpacked(packed))
    named = {
        line.series: line.points()
        for line in lines
        if any(fnmatchcase(line.series, pattern) for pattern in like)
    }
    series = {key: points for key, points in named.items() if points[0]}
    if odd := [key for key, (x, _) in series.items() if x[-1] - x[0] > DAY_S * S_NS]:
        raise ValueError(f"{odd[0]} is longer than a day")
    return series
