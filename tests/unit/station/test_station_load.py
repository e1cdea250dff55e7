# SPDX-License-Identifier: Apache-2.0
"""Station files: a typo is told with file, line and the fix."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatemark.error import UnavailableError, UsageError
from gatemark.station.load import KINDS, load, stations

STATIONS = (
    *("netns", "qemu-x86", "qemu-mips", "qemu-mips-pcnet", "qemu-aarch64"),
    *("openwrt-x86", "openwrt-mips", "openwrt-aarch64"),
)
HEAD = 'schema = "gatemark.station/1"\n'


def test_every_shipped_station_is_read() -> None:
    assert {*STATIONS} <= {*stations()}
    read = {name: load(name) for name in stations()}
    assert [name for name, station in read.items() if station.name != name] == []
    assert {station.info.kind for station in read.values()} <= {*KINDS}


def test_a_station_from_a_file_has_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(HEAD + '[gateway]\nkind = "netns"\n')
    assert load(str(path)).name == "bench"


@pytest.mark.parametrize("name", ["netns", "qemu-x86"])
def test_on_a_single_cpu_a_station_is_read_and_not_built(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    station = load(name)
    with pytest.raises(UnavailableError, match="one CPU only"):
        asyncio.run(station.up())


FAULTS = [
    ("", '1: write schema = "gatemark.station/1"'),
    ('[gateway]\nkind = "netns"\n', '1: write schema = "gatemark.station/1"'),
    ('\nschema = "gatemark.plan/1"\n', '2: write schema = "gatemark.station/1"'),
    (HEAD, "1: a station needs [gateway] with a kind"),
    (HEAD + "gateway = 3\n", "2: a station needs [gateway] with a kind"),
    (HEAD + "[[gateway]]\n", "2: a station needs [gateway] with a kind"),
    (HEAD + "[gateway]\n", "2: a station needs [gateway] with a kind"),
    (HEAD + "[gatway]\n", "2: unknown key 'gatway'; did you mean 'gateway'?"),
    (
        HEAD + '[gateway]\nkind = "netns"\nkid = 1\n',
        "4: unknown key 'kid' in [gateway]; did you mean 'kind'?",
    ),
    (HEAD + '[gateway]\nkind = "nets"\n', "3: no kind 'nets'; known: netns"),
    (HEAD + "[gateway]\nkind = [3]\n", "3: no kind [3]; known: netns"),
    (HEAD + "[gateway\n", "2: not TOML: "),
]


def test_what_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"

    def refusal(text: str) -> str:
        path.write_text(text)
        with pytest.raises(UsageError) as error:
            load(str(path))
        return str(error.value)

    texts = [(text, refusal(text), f"{path}:{told}") for text, told in FAULTS]
    assert [row for row in texts if not row[1].startswith(row[2])] == []


def test_the_nearest_name_is_offered() -> None:
    with pytest.raises(UsageError, match=r"no station 'labb'; did you mean 'lab'\? \(a file"):
        load("labb")


def test_a_missing_file_is_told_with_the_mend() -> None:
    with pytest.raises(
        UsageError, match=r"none\.toml: No such file or directory: give the path of"
    ):
        load("none.toml")


def test_a_run_in_the_lab_does_not_wait_for_the_ssh_library() -> None:
    code = (
        "import sys, gatemark.run.engine; from gatemark.station.load import load; load('lab'); "
        "sys.exit('asyncssh' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
