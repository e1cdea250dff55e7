# SPDX-License-Identifier: Apache-2.0
"""A run that comes from a worker: its files and folders, and nothing beside them."""

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gatemark.campaign import kept
from gatemark.error import GatemarkError


def tar(place: Path, name: str, change: Callable[[tarfile.TarInfo], None]) -> Path:
    (file := place / "file").write_text("of a run")
    with tarfile.open(place / "run.tar", "w") as made:
        member = made.gettarinfo(file, name)
        change(member)
        with file.open("rb") as content:
            made.addfile(member, content if member.isreg() else None)
    return place / "run.tar"


def linked(member: tarfile.TarInfo) -> None:
    member.type, member.linkname, member.size = tarfile.SYMTYPE, "/etc/passwd", 0


def test_what_was_packed_is_there_again(tmp_path: Path) -> None:
    kept.unpack(tar(tmp_path, "run/trials.jsonl", lambda _: None), tmp_path)
    assert (tmp_path / "run" / "trials.jsonl").read_text() == "of a run"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("../outside", lambda _: None),
        ("run/../../outside", lambda _: None),
        ("run/link", linked),
    ],
)
def test_what_would_lie_elsewhere_is_refused(
    name: str, change: Callable[[tarfile.TarInfo], None], tmp_path: Path
) -> None:
    (inner := tmp_path / "inner").mkdir()
    with pytest.raises(GatemarkError, match="is no file of a run"):
        kept.unpack(tar(inner, name, change), inner)
    assert not (tmp_path / "outside").exists()
