# SPDX-License-Identifier: Apache-2.0
"""The history that Otava reads: a row for each run, in the order of time."""

import csv
from datetime import datetime

import builder
from msgspec.structs import replace

from gatemark.tell.export import history
from gatemark.tell.group.source import Source


def begun(label: str, started: str) -> Source:
    return builder.source(replace(builder.run(), started=started), label=label)


def rows(*sources: Source) -> list[dict[str, str]]:
    return list(csv.DictReader(history.export(sources).decode().splitlines()))


def test_runs_stand_in_the_order_of_time_and_those_without_one_are_left_out() -> None:
    made = rows(
        begun("new", "2026-02-01T00:00:00+00:00"),
        begun("odd", "yesterday"),
        begun("old", "2026-01-31T23:00:00-02:00"),
        begun("oldest", "2026-01-01T00:00:00+00:00"),
    )
    assert [row["run"] for row in made] == ["oldest", "new", "old"]
    assert datetime.fromisoformat(made[2]["time"]).isoformat() == "2026-02-01T01:00:00+00:00"


def test_a_column_is_the_headline_of_a_point_or_a_knee() -> None:
    source = begun("first", "2026-01-01T00:00:00+00:00")
    (row,) = rows(source)
    names = list(row)[len(history.HEAD) :]
    judgement = source.judgement
    assert len(names) == len(judgement.points) + len(judgement.knees)
    assert {name.rpartition(":")[2] for name in names} == {
        *(point.definition.headline for point in judgement.points),
        *("knee_pps" for _ in judgement.knees),
    }
