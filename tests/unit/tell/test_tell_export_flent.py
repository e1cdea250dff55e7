# SPDX-License-Identifier: Apache-2.0
"""The data file of flent: what its ResultSet asks of one, and the numbers that are in it."""

import gzip
import json
import shutil
import subprocess
from dataclasses import replace as swap
from pathlib import Path
from statistics import fmean
from typing import Any

import builder
import pytest
import queued
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.store import series
from gatemark.store.folder import Folder
from gatemark.tell.export import form
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

BIN_NS, BINS, DELAY_NS = 10_000_000, 100, 1_500_000.0
NAME = "quick/plain, nat, ↑ up, 64 B"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A run whose trials of one point were kept over time: 50 packets and 1.5 ms in each bin."""
    folder = tmp_path_factory.mktemp("run")
    times = range(10**12, 10**12 + BINS * BIN_NS, BIN_NS)
    kept = {
        "sink.up.packets": (times, [50.0] * BINS),
        "sink.up.delay_mean_ns": (times, [DELAY_NS] * BINS),
        "sink.up.delay_max_ns": (times, [2 * DELAY_NS] * BINS),
    }
    (folder / "series").mkdir()
    series.write(Folder(folder / "series"), "x.jsonl.gz", kept)
    wanted = ("quick/plain", "nat", {"direction": "up"})
    records = [
        replace(r, series="x.jsonl.gz") if (r.plan, r.arm, r.point) == wanted else r
        for r in builder.trials()
    ]
    run = builder.run()
    return Source(run=run, records=records, judgement=answered(run, records), folder=folder)


@pytest.fixture(scope="module")
def document(source: Source) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(gzip.decompress(form.export("flent", [source])))
    return made


def test_it_has_what_flent_asks_for(document: dict[str, Any]) -> None:
    assert document.keys() == {"version", "metadata", "x_values", "results", "raw_values"}
    assert document["version"] == 3
    assert document["metadata"].keys() >= {"NAME", "TITLE", "TIME", "T0", "TOTAL_LENGTH"}
    assert document["metadata"]["TIME"] == "2026-11-21T16:15:00.000000Z"


def test_every_series_is_as_long_as_the_axis(document: dict[str, Any]) -> None:
    times = document["x_values"]
    assert times == sorted(times)
    assert {len(values) for values in document["results"].values()} == {len(times)}
    assert document["results"].keys() == document["metadata"]["SERIES_META"].keys()


@pytest.mark.parametrize(
    ("word", "value", "unit"),
    [
        ("delay", 1.5, "ms"),
        ("longest delay", 3.0, "ms"),
        ("received rate", 5000.0, "packets/s"),
    ],
)
def test_a_series_has_its_unit(
    document: dict[str, Any], word: str, value: float, unit: str
) -> None:
    name = f"{word}: {NAME}"
    assert {round(v, 6) for v in document["results"][name]} == {value}
    assert document["metadata"]["SERIES_META"][name]["UNITS"] == unit


@pytest.mark.parametrize("factor", ["rate_pps", "rate_bps", "line.rate_bps", "uploads.streams"])
def test_each_point_of_a_sweep_has_series_of_its_own(source: Source, factor: str) -> None:
    kept = [record for record in source.records if record.series]
    records = [
        replace(record, trial=f"{record.trial}/{level}", point={**record.point, factor: level})
        for level in (1000, 2000, 3000)
        for record in kept
    ]
    run = source.run
    swept = swap(source, records=records, judgement=answered(run, records))
    made = json.loads(gzip.decompress(form.export("flent", [swept])))
    assert len({name for name in made["results"] if name.startswith("delay: ")}) == 3


def test_a_run_without_series_is_refused(tmp_path: Path) -> None:
    bare = builder.source(folder=tmp_path)
    with pytest.raises(UsageError, match="no delay or rate over time in there"):
        form.export("flent", [bare])


def test_a_files_name_asks_for_it() -> None:
    assert form.of_name(Path("x.flent.gz")) == "flent"


def mixed(streams: int) -> Source:
    """A made-up run with one point: so many uploads beside a game."""
    source = queued.source()
    kept = [q for q in source.judgement.queues if q.point["uploads.streams"] == streams]
    judged = replace(source.judgement, queues=tuple(kept[:1]))
    return swap(source, judgement=judged)


def of(source: Source) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(gzip.decompress(form.export("flent", [source])))
    return made


def numbers(made: dict[str, Any], name: str) -> list[float]:
    return [value for value in made["results"][name] if value is not None]


def test_a_point_under_load_is_flents_own_test_of_uploads() -> None:
    made = of(mixed(4))
    names = {f"TCP upload::{place}" for place in range(1, 5)}
    assert made["results"].keys() == names | {"TCP upload sum", "Ping (ms) ICMP"}
    assert made["metadata"]["NAME"] == "tcp_nup"
    assert made["metadata"]["TEST_PARAMETERS"] == {"upload_streams": "4"}
    assert made["metadata"]["STEP_SIZE"] == pytest.approx(0.2)


def test_streams_add_up_to_what_the_line_carries() -> None:
    made = of(mixed(4))
    assert fmean(numbers(made, "TCP upload sum")) == pytest.approx(0.94, rel=0.03)


def test_the_delay_is_that_of_the_flow_beside_them() -> None:
    pings = numbers(of(mixed(1)), "Ping (ms) ICMP")
    assert min(pings) == pytest.approx(0.696, rel=0.01)  # before the load
    assert 450 < max(pings) < 620


def test_several_points_are_told_apart() -> None:
    names = of(queued.source())["results"].keys()
    pings = [name for name in names if name.startswith("Ping (ms) ")]
    assert len(pings) == len(queued.judgement().queues)
    assert any("drop-tail, uploads: 4 streams" in name for name in pings)


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("flent"), reason="no flent here: pip install flent")
def test_flent_reads_what_we_wrote(tmp_path: Path) -> None:
    path = tmp_path / "load.flent.gz"
    path.write_bytes(form.export("flent", [mixed(4)]))
    command = ["flent", "--format", "summary", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    lines = {line.split(":  ")[0].strip(): line for line in done.stdout.splitlines()}
    assert "tcp_nup" in done.stdout
    # Fairness is flent's own sum over the streams that it found in the file.
    assert {"Ping (ms) ICMP", "TCP upload fairness", "TCP upload::4"} <= lines.keys()
    assert "No data" not in done.stdout
