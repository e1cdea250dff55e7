# SPDX-License-Identifier: Apache-2.0
"""Whatever bytes a file of the store has, they are a value or an error in one line.

A file that is hurt at random is refused by its first check. So most of these are whole files in
which one part is another value, of any kind.
"""

import copy
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import builder
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from test_store_mapping import ENTRY, HEAD
from test_store_naming import HEAD as SUBSYSTEMS
from test_store_naming import ONE
from test_store_tool import FLENT, TCP, UDP

from gatemark.error import GatemarkError
from gatemark.store import catalog, naming, reference, series, tool
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import Folder
from gatemark.store.mapping import MAP, read_map
from gatemark.store.record import Record
from gatemark.store.run import Run

few = settings(max_examples=40)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(
        [-1, 1 << 70, 10**400, 1e308, float("nan"), float("inf"), "", "\x00", "é\ud800"]
    )
    | st.text(max_size=5)
)
JSON = (
    SCALARS
    | st.lists(SCALARS, max_size=2)
    | st.dictionaries(st.text(max_size=5), SCALARS | st.just({}) | st.just([[]]), max_size=2)
)


@cache
def run() -> Run:
    """A run of one plan and two trials."""
    made = builder.run()
    return replace(made, plans=made.plans[:1], trials=made.trials[:2])


@cache
def record() -> Record:
    return replace(builder.trials()[30], series="0.jsonl.gz")


def places(document: object, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every part of a document, by the keys that lead to it."""
    yield at
    match document:
        case dict():
            for key, value in document.items():
                yield from places(value, (*at, key))
        case list():
            for key, value in enumerate(document):
                yield from places(value, (*at, key))


def spoiled(document: object) -> st.SearchStrategy[object]:
    """The document with one part of it gone, or another value."""
    every = list(places(document))

    def spoil(place: tuple[Any, ...], value: object, gone: bool) -> object:
        if not place:
            return value
        made = copy.deepcopy(document)
        inner: Any = made
        for key in place[:-1]:
            inner = inner[key]
        if gone:
            del inner[place[-1]]
        else:
            inner[place[-1]] = value
        return made

    return st.builds(spoil, st.sampled_from(every), JSON, st.booleans())


def text_of(document: object) -> bytes:
    """As Python's JSON writes it: NaN, infinite and lone halves of a pair too."""
    return json.dumps(document).encode()


def of(make: Callable[[], object], schema: str = "") -> st.SearchStrategy[bytes]:
    """Bytes of a file that holds a value, hurt. It is made where it is first drawn from."""

    def bytes_of() -> st.SearchStrategy[bytes]:
        document: Any = msgspec.to_builtins(make())
        if schema:
            document["schema"] = schema
        return spoiled(document).map(text_of)

    return st.deferred(bytes_of)


def flipped(make: Callable[[], object]) -> st.SearchStrategy[bytes]:
    """Bytes of a file that holds a value, one of them another."""

    def flip(at: int, by: int) -> bytes:
        data = bytearray(msgspec.json.encode(make()))
        data[at % len(data)] ^= by
        return bytes(data)

    return st.builds(flip, st.integers(0), st.integers(1, 255))


def check_words(error: GatemarkError) -> None:
    assert str(error)
    assert "\n" not in str(error)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples: making one takes longer than reading what is in it."""
    return tmp_path_factory.mktemp("place")


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> RunDirectory:
    return RunDirectory.create(tmp_path_factory.mktemp("any") / "run", run())


@few
@example(b'{"schema":"gatemark.run/1"}')
@given(st.binary() | flipped(run) | of(run) | of(run, "gatemark.run/1"))
def test_any_run_file_is_a_run_or_told(directory: RunDirectory, data: bytes) -> None:
    directory.run_file.write_bytes(data)
    try:
        directory.load()
    except GatemarkError as error:
        check_words(error)
    catalog.entries(directory.path.parent)


@few
@example(b'{"schema":"gatemark.record/1"}')
@given(st.binary() | of(record) | of(record, "gatemark.record/1"))
def test_any_line_is_a_record_or_told(directory: RunDirectory, data: bytes) -> None:
    directory.save(run())
    whole = msgspec.json.encode(record()) + b"\n"
    directory.trials_file.write_bytes(whole + data + b"\n" + whole.replace(b"nat/", b"NAT/"))
    contents = directory.contents()
    assert record() in contents.records
    assert all("\n" not in fault for fault in contents.faults)


LINE = {"series": "a", "x": [1, 2], "y": [1.0, None]}


@few
@given(st.binary() | st.binary().map(gzip.compress) | spoiled(LINE).map(text_of).map(gzip.compress))
def test_any_series_are_read_or_told(place: Path, data: bytes) -> None:
    (place / "0.jsonl.gz").write_bytes(data)
    found = series.read(Folder(place), ["0.jsonl.gz"], ["*"])
    assert len(found.series) + len(found.lost) == 1


@few
@given(st.binary() | of(lambda: FLENT) | of(lambda: TCP) | of(lambda: UDP))
def test_any_file_of_a_tool_is_read_or_told(place: Path, data: bytes) -> None:
    path = place / "x.json"
    path.write_bytes(data)
    try:
        tool.read(path)
    except GatemarkError as error:
        check_words(error)


def edited(text: str) -> st.SearchStrategy[str]:
    """A text with a piece of it replaced by another."""

    def edit(at: int, length: int, piece: str) -> str:
        return text[: at % len(text)] + piece + text[at % len(text) + length :]

    pieces = st.text(max_size=8) | st.sampled_from(["=", "[", "]", "{", '"', "\n", "1", "[[a]]"])
    return st.builds(edit, st.integers(0), st.integers(0, 12), pieces)


@few
@given(edited(HEAD + ENTRY))
def test_any_map_of_published_values_is_read_or_told(text: str) -> None:
    with suppress(GatemarkError):
        read_map(text)


@few
@given(edited(SUBSYSTEMS + ONE))
def test_any_names_of_subsystems_are_read_or_told(place: Path, text: str) -> None:
    path = place / "x.toml"
    path.write_bytes(text.encode(errors="surrogatepass"))
    with suppress(GatemarkError):
        naming.read(path)


VALUES = "seed,device,experiment,parameter,value,unit,note\nB,box,nat,rate,47.5,Mbit/s,\n"


@few
@given(edited(VALUES))
def test_any_published_values_are_read_or_told(place: Path, text: str) -> None:
    (place / MAP).write_text(HEAD + ENTRY, encoding="utf-8")
    (place / reference.VALUES).write_bytes(text.encode(errors="surrogatepass"))
    with suppress(GatemarkError):
        reference.read(place)
