# SPDX-License-Identifier: Apache-2.0
"""Images of OpenWrt as its builders publish them: unpacked, and refused where they cannot be."""

import gzip
from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.station.image.openwrt.official import is_disk, unpacked

DISK = bytes(range(256)) * 4096
NAME = "openwrt-x86-64-generic-ext4-combined.img.gz"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_a_disk_is_known_by_its_name() -> None:
    assert is_disk(Path(NAME))
    assert is_disk(Path("own.img"))
    assert not is_disk(Path("openwrt-malta-le-vmlinux-initramfs.elf"))


def test_what_is_signed_behind_the_archive_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(gzip.compress(DISK) + b"FWx0 a signature")
    assert unpacked(path).read_bytes() == DISK


def test_one_that_is_not_compressed_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "own.img"
    assert unpacked(path) == path


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (gzip.compress(DISK)[:-100], "ends too early: download it again"),
        (b"<html>404</html>", "cannot be unpacked"),
        (b"", "ends too early"),
    ],
)
def test_what_is_no_whole_archive_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / NAME
    path.write_bytes(data)
    with pytest.raises(UsageError, match=why):
        unpacked(path)
