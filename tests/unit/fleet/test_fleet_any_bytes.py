# SPDX-License-Identifier: Apache-2.0
"""Whatever stands in a file that a user or a stranger gives, it is read or told in one line.

TOML that is hurt at random is refused by its parser. So these are whole files in which one part is
another value, of any kind, and files in which some bytes are others.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_fleet_foreign import STATION, TEXT

from gatemark.commands.campaign.layout import Layout
from gatemark.error import GatemarkError
from gatemark.fleet import file as campaign
from gatemark.fleet.ledger import NAME, Block, Ledger
from gatemark.plan import load as plan
from gatemark.plan.toml import read_toml
from gatemark.station import load as station
from gatemark.store.study import device
from gatemark.tell.export.device import _key, _text

few = settings(max_examples=60)
SCALARS = (
    st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([-1, 0, 1 << 70, 10**400, 1e308, float("nan"), float("inf"), -0.0])
    | st.sampled_from(["", "\x00", "é", "a" * 300, "~nobody-here/x", "../..", "/", ".", "x.toml"])
    | st.sampled_from(["64", "1%", "1000%", "100Mbit", "{image}", "{", "netns", "lab", "nat+"])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
)
VALUES: st.SearchStrategy[Any] = (
    SCALARS
    | st.lists(SCALARS, max_size=2)
    | st.dictionaries(st.text("ab.\n\"'", max_size=3), SCALARS | st.just([[]]), max_size=2)
)
DEVICE = """schema = "gatemark.device-values/1"
[device]
name = "box"
virtual = false
facts = { model = "box" }
[run]
run = "a"
started = "2026-11-21"
command = "gatemark run quick"
gatemark = "0.1.0"
records = "abc"
[[value]]
quantity = "received_pps"
value = 2.0
lo = 1.0
hi = 3.0
n = 6
level = 0.95
unit = "packets/s"
limit = "cpu"
at_least = false
plan = "quick/speed"
arm = "nat"
point = { frame_bytes = 64 }
definition = { path = "nat", features = ["conntrack"], frame_bytes = 64, duration_s = 1.0 }
"""
VIRTUAL = """schema = "gatemark.station/1"
[gateway]
kind = "qemu"
arch = "x86_64"
kernel = "image"
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all examples, with the files that those name."""
    folder = tmp_path_factory.mktemp("place")
    (folder / "rack.toml").write_text(STATION)
    (folder / "image").write_text("image")
    return folder


@cache
def parsed(text: str) -> dict[str, Any]:
    import tomllib

    return tomllib.loads(text)


def parts(made: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Each way from the top of a document to a part of it."""
    inner = made.items() if isinstance(made, Mapping) else enumerate(made)
    for key, value in inner:
        yield (*above, key)
        if isinstance(value, dict | list):
            yield from parts(value, (*above, key))


@st.composite
def changed(draw: Callable[..., Any], text: str) -> bytes:
    """The document with a part or two that are others, or are gone."""
    made = copy.deepcopy(parsed(text))
    for _ in range(draw(st.integers(1, 2))):
        *above, key = draw(st.sampled_from(list(parts(made)) or [("x",)]))
        within: Any = made
        for step in above:
            within = within[step]
        if draw(st.integers(0, 4)):
            within[key] = draw(VALUES)
        elif isinstance(within, dict):
            within.pop(key, None)
    return "".join(f"{_key(k)} = {_text(v)}\n" for k, v in made.items()).encode(errors="replace")


def hurt(text: str) -> st.SearchStrategy[bytes]:
    """The text with some bytes in the place of others."""
    spots = st.integers(0, len(text.encode()))
    edits = st.tuples(spots, st.integers(0, 4), st.binary(max_size=4))

    def edited(edit: tuple[int, int, bytes]) -> bytes:
        data, (at, gone, new) = text.encode(), edit
        return data[:at] + new + data[at + gone :]

    return edits.map(edited)


def check_words(error: GatemarkError, path: Path) -> None:
    """One line that names the file."""
    assert str(path) in str(error)
    assert "\n" not in str(error).strip()
    assert error.exit_code == 2


def put(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@few
@example(b"x = " + b"[" * 2000)
@given(st.binary() | changed(DEVICE) | hurt(DEVICE))
def test_any_toml_is_read_or_told(place: Path, data: bytes) -> None:
    path = put(place / "x.toml", data)
    try:
        read_toml(path)
    except GatemarkError as error:
        check_words(error, path)


@few
@given(changed(DEVICE) | hurt(DEVICE))
def test_any_device_file_is_read_or_told(place: Path, data: bytes) -> None:
    path = put(place / "device.toml", data)
    try:
        kept = device.read(path)
    except GatemarkError as error:
        check_words(error, path)
        return
    list(device.published(kept))


def test_an_image_whose_name_no_file_can_have_is_told(place: Path) -> None:
    text = TEXT.format(evil="evil").replace('box = "image"', 'box = "\\u0000"')
    path = put(place / "nul.toml", text.encode())
    with pytest.raises(GatemarkError, match="its image for box has a NUL"):
        campaign.read(path)


@few
@given(changed(TEXT.format(evil="evil")) | hurt(TEXT.format(evil="evil")))
def test_any_campaign_file_is_read_or_told(place: Path, data: bytes) -> None:
    path = put(place / "campaign.toml", data)
    try:
        layout = Layout(campaign.read(path), path, place)
    except GatemarkError as error:
        check_words(error, path)
        return
    with suppress(GatemarkError):
        list(layout.hashes())
        layout.blocks()


@few
@given(changed(STATION) | changed(VIRTUAL) | hurt(STATION))
def test_any_station_file_is_read_or_told(place: Path, data: bytes) -> None:
    path = put(place / "station.toml", data)
    with suppress(GatemarkError):
        station.load(str(path))


@few
@given(st.data())
def test_any_plan_is_read_or_told(place: Path, data: st.DataObject) -> None:
    text = plan_text()
    path = put(place / "plan.toml", data.draw(changed(text) | hurt(text)))
    with suppress(GatemarkError):
        plan.load(str(path))


@cache
def plan_text() -> str:
    return (plan.plans_folder() / "quick" / "sweep.toml").read_text()


@cache
def ledger_bytes() -> bytes:
    """A ledger with a block of each state."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        made = Ledger(Path(folder) / NAME, lambda: 0.0)
        blocks = [Block(at, "m", "cost/ab", at, at, 20, 60.0) for at in (1, 2)]
        made.create([("id", "a")], [("s", "m")], [("m", "old", 0, "")], blocks)
        if attempt := made.claim("s", "m", "{id:05d}-{model}-{repeat}", lambda _: 60.0):
            made.started(attempt.id)
        made.close()
        return (Path(folder) / NAME).read_bytes()


@few
@example([(3467, b"\0\0\0\x80")])  # SQLite's words are no UTF-8 then
@given(st.lists(st.tuples(st.integers(0, 1 << 17), st.binary(min_size=1, max_size=8)), max_size=4))
def test_any_ledger_is_read_or_told(place: Path, edits: list[tuple[int, bytes]]) -> None:
    folder = place / "campaign"
    folder.mkdir(exist_ok=True)
    data = bytearray(ledger_bytes())
    for at, new in edits:
        spot = at % len(data)
        data[spot : spot + len(new)] = new
    for name in (f"{NAME}-wal", f"{NAME}-shm"):
        (folder / name).unlink(missing_ok=True)
    put(folder / NAME, bytes(data))
    with suppress(GatemarkError), closing(Ledger.open(folder, lambda: 0.0)) as made:
        made.blocks()
        made.attempts()
        made.places()
        made.builds()
        made.counts()
        made.events()
        made.faults()
        made.claim("s", "m", "{id:05d}-{model}-{repeat}", lambda _: 60.0)


@few
@given(st.binary(max_size=600), st.binary(max_size=64))
def test_any_journal_beside_a_ledger_is_read_or_told(
    place: Path, journal: bytes, log: bytes
) -> None:
    folder = place / "interrupted"
    folder.mkdir(exist_ok=True)
    put(folder / NAME, ledger_bytes())
    put(folder / f"{NAME}-journal", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + journal)
    put(folder / f"{NAME}-wal", b"\x37\x7f\x06\x82" + log)
    (folder / f"{NAME}-shm").unlink(missing_ok=True)
    with suppress(GatemarkError), closing(Ledger.open(folder, lambda: 0.0)) as made:
        made.blocks()
