# SPDX-License-Identifier: Apache-2.0
"""A folder for the moment is held while it is used; a killed owner's is removed by the next."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gatemark import scratch

BUILD = """
import sys
from pathlib import Path
from gatemark import scratch
scratch.PLACE = Path(sys.argv[1])
with scratch.folder() as folder:
    (folder / "part").touch()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(scratch, "PLACE", tmp_path)
    return tmp_path


def aged(path: Path) -> Path:
    """A folder that is as old as one that a build holds by now."""
    then = time.time() - 2 * scratch.YOUNG_S
    os.utime(path, (then, then))
    return path


def test_what_a_killed_build_left_is_removed_and_what_one_holds_stays(place: Path) -> None:
    command = [sys.executable, "-c", BUILD, str(place)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as build:
        assert build.stdout
        folder = aged(Path(build.stdout.readline().strip()))
        scratch.sweep()
        assert (folder / "part").exists()
        build.send_signal(signal.SIGKILL)
        build.wait()
    scratch.sweep()
    assert not folder.exists()


def test_a_link_is_not_followed(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = aged(tmp_path_factory.mktemp("other"))
    (place / f"{scratch.NAME}link").symlink_to(other)
    scratch.sweep()
    assert other.exists()


def test_a_new_folder_stays(place: Path) -> None:
    (place / f"{scratch.NAME}new").mkdir()
    scratch.sweep()
    assert (place / f"{scratch.NAME}new").exists()
