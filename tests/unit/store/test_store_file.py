# SPDX-License-Identifier: Apache-2.0
"""A file is written whole or not at all, as its owner would have made it."""

import os
import threading
from pathlib import Path

from gatemark.store import file


def test_a_new_file_is_written(tmp_path: Path) -> None:
    file.write(tmp_path / "new", b"all of it")
    assert (tmp_path / "new").read_bytes() == b"all of it"


def test_who_reads_goes_on_reading_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    with (tmp_path / "old").open("rb") as reader:
        file.write(tmp_path / "old", b"new")
        assert (reader.read(), (tmp_path / "old").read_bytes()) == (b"old", b"new")


def test_nothing_else_is_left(tmp_path: Path) -> None:
    file.write(tmp_path / "new", b"x")
    assert list(tmp_path.iterdir()) == [tmp_path / "new"]


def test_who_may_read_it_is_as_usual(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    file.write(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "far")
    file.write(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far").read_bytes() == b"x"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    file.write(tmp_path / "pipe", b"through")
    reader.join()
    assert found == [b"through"]
    assert (tmp_path / "pipe").is_fifo()
