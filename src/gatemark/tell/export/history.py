# SPDX-License-Identifier: Apache-2.0
"""A history: a row for each run, a column for each headline, as Otava reads CSV.

Otava looks for the runs at which a column changed. The columns are `plan/arm/point:quantity`; a run
that lacks one leaves its cell empty. Rows are in the order of time, whatever the order of the runs.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Final

from gatemark.judge.judgement import Knee, PointResult
from gatemark.judge.values import of_knee, of_point
from gatemark.tell.export.moment import moment
from gatemark.tell.group.source import Source

HEAD: Final = ("time", "run", "station", "version")


def export(sources: Sequence[Source]) -> bytes:
    """All runs whose time of begin is known."""
    rows = sorted((row for source in sources if (row := _row(source))), key=lambda row: row["time"])
    names = dict.fromkeys(name for row in rows for name in row if name not in HEAD)
    text = io.StringIO()
    writer = csv.DictWriter(text, [*HEAD, *names], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _row(source: Source) -> dict[str, str]:
    """One run; empty where its begin cannot be read."""
    run = source.run
    began = moment(run.started)
    if not began:
        return {}
    head = {"time": began.isoformat(), "run": source.label, "station": run.station.name}
    return head | {"version": run.versions.get("gatemark", ""), **dict(_cells(source))}


def _cells(source: Source) -> Iterator[tuple[str, str]]:
    """Each headline by its column."""
    for point in source.judgement.points:
        headline = point.definition.headline
        for value in of_point(point):
            if value.quantity == headline:
                yield f"{_place(point)}:{headline}", repr(value.value)
    for knee in source.judgement.knees:
        for value in of_knee(knee):
            if value.quantity == "knee_pps":
                yield f"{_place(knee)}:{value.quantity}", repr(value.value)


def _place(judged: PointResult | Knee) -> str:
    levels = (f"{name}={level}" for name, level in judged.point.items())
    return "/".join((judged.plan, judged.arm, *levels))
