# SPDX-License-Identifier: Apache-2.0
"""The reader of the plugin's file knows it as the plugin's own header lays it out."""

import re
import struct
from functools import cache
from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.station.counter import (
    CPU_MOST,
    EVENTS,
    HEAD,
    HEAD_BYTES,
    MOST_PAIRS,
    REGION,
    Counter,
)
from gatemark.station.load import load


@cache
def header() -> str:
    """Of the plugin, where it lays its file out."""
    return (Path(__file__).parents[3] / "counter" / "table.h").read_text()


def fields(name: str) -> list[str]:
    """Of a C structure, in order."""
    body = header().partition(f"struct {name} {{")[2].partition("\n};")[0]
    return re.findall(r"^\t(?:uint64_t|struct \w+) (\w+)", body, re.MULTILINE)


def written(path: Path, **words: int) -> Path:
    """A file of one slot and one place of the path."""
    head = dict.fromkeys(fields("head")[1:-3], 0) | {"slots": 1, "paths": 1} | words
    events = range(100, 100 + MOST_PAIRS * len(EVENTS))
    region = range(200, 206)
    numbers = (*head.values(), *events, *region, 300, 301)
    page = b"GMCOUNT1" + struct.pack(f"{len(numbers)}Q", *numbers)
    path.write_bytes(page.ljust(HEAD_BYTES, b"\0") + bytes(4 * 8))
    return path


def test_the_head_is_that_of_the_header() -> None:
    assert ["magic", *HEAD, "events", "region", "cpu"] == fields("head")
    assert list(EVENTS) == fields("events")
    assert [*REGION[:-2], "misses"] == fields("region")
    assert f"#define MOST_PAIRS {MOST_PAIRS} " in header()
    assert f"#define MOST_CPUS {CPU_MOST} " in header()
    assert "#define REGION_LEVELS 2\n" in header()


def test_a_region_is_behind_all_pairs(tmp_path: Path) -> None:
    counter = Counter(written(tmp_path / "counts"))
    assert list(counter.region().values()) == [200, 201, 202, 203, 204, 205]
    counter.close()


def test_processors_are_behind_the_region(tmp_path: Path) -> None:
    counter = Counter(written(tmp_path / "counts"))
    assert counter.of_cpus(2) == (300, 301)
    counter.close()


def test_marks_that_were_left_open_are_closed_and_nothing_else(tmp_path: Path) -> None:
    path = written(tmp_path / "counts")
    before = path.read_bytes()
    counter = Counter(path)
    counter.unmark()
    assert list(counter.region().values()) == [0, 201, 202, 203, 204, 205]
    assert sum(was != now for was, now in zip(before, path.read_bytes(), strict=True)) == 1
    counter.close()


def test_events_are_those_of_their_pair(tmp_path: Path) -> None:
    counter = Counter(written(tmp_path / "counts", loads=7))
    assert counter.events["loads"] == 7
    assert list(counter.misses(0).values()) == [100, 101, 102, 103]
    assert list(counter.misses(1).values()) == [104, 105, 106, 107]
    counter.close()


def test_caches_work_while_the_reader_wants_them_to(tmp_path: Path) -> None:
    path = written(tmp_path / "counts")
    at = 8 * (1 + HEAD.index("modelling"))
    counter = Counter(path)
    with counter.model():
        assert path.read_bytes()[at] == 1
    assert path.read_bytes()[at] == 0
    counter.close()


def test_caches_of_another_processor_are_refused() -> None:
    for name in ("qemu-x86", "qemu-aarch64"):
        with pytest.raises(UsageError, match="--station qemu-mips"):
            load(name).count(["65536/4/32:32768/4/32"])
