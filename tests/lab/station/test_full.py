# SPDX-License-Identifier: Apache-2.0
"""A disk that gets full in the middle of a run: what was measured stays, and the run goes on."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from command import gatemark

pytestmark = [pytest.mark.alone, pytest.mark.long]

SMALL = (
    *("--set", "repeat.times=2", "--set", "sweep.rate_pps=[2000, 20000]"),
    *("--set", "workload.duration_s=0.1"),
)
BEGIN_KIB, MORE_KIB, MOST = 64, 16, 36  # free at first, and more each time; attempts


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MiB; a page takes two."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=16m", "gatemark-test", str(tmp_path)]
    subprocess.run(mount, check=True)
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


def fill(disk: Path, left_kib: int) -> None:
    """Fill it, but for so much."""
    with (disk / "filler").open("wb", 0) as file:
        with suppress(OSError):
            while True:
                file.write(bytes(1 << 12))
        file.truncate(max(0, file.tell() - (left_kib << 10)))


def kept(folder: Path) -> list[dict[str, Any]]:
    file = folder / "trials.jsonl"
    return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def test_a_run_on_a_disk_that_fills_again_and_again_measures_each_trial_once(disk: Path) -> None:
    folder = disk / "runs" / "one"
    before: list[dict[str, Any]] = []
    stops = 0
    for attempt in count():
        fill(disk, BEGIN_KIB + attempt * MORE_KIB)
        is_begun = (folder / "run.json").exists()
        words = ("--resume",) if is_begun else ("quick/sweep", *SMALL, "--out")
        done = gatemark("run", *words, folder)
        (disk / "filler").unlink()
        records = kept(folder)
        assert "Traceback" not in done.err
        assert "No space left on device: free space" in done.err.splitlines()[-1]
        assert records[: len(before)] == before
        stops += len(records) > len(before)
        before = records
        planned = json.loads((folder / "run.json").read_bytes())["trials"] if is_begun else []
        if planned and len(records) == len(planned):
            break
        assert attempt < MOST
    assert stops > 1
    done = gatemark("run", "--resume", folder)
    assert (done.code, kept(folder)) == (0, before), done.err
    assert sorted(r["trial"] for r in before) == sorted(spec["trial"] for spec in planned)
    lost = [record for record in before if "could not be kept" in str(record.get("notes"))]
    named = {record["series"] for record in before} - {""}
    assert named == {path.name for path in (folder / "series").iterdir()}
    assert len(named) + len(lost) == len(before)
