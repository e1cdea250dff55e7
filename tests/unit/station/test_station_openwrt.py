# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's sources as a user gives them: what is missing is named, before anything is built."""

from pathlib import Path

import pytest

from gatemark.error import UnavailableError, UsageError
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.openwrt import image, sources, userland


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / f"{name}-0123456789ab{sources.SUFFIX}").write_bytes(b"")


def test_each_part_is_taken_by_its_name(tmp_path: Path) -> None:
    put(tmp_path, *sources.WANTED, "rpcd")
    assert sources.archives(tmp_path).keys() == {*sources.WANTED}


def test_missing_parts_are_named(tmp_path: Path) -> None:
    put(tmp_path, *(name for name in sources.WANTED if name not in ("uci", "libnl-tiny")))
    with pytest.raises(UsageError, match=r"libnl-tiny-REVISION\.tar\.gz, uci-REVISION\.tar\.gz"):
        sources.archives(tmp_path)


def test_two_revisions_of_a_part_are_refused(tmp_path: Path) -> None:
    put(tmp_path, *sources.WANTED)
    (tmp_path / f"uci-ba9876543210{sources.SUFFIX}").write_bytes(b"")
    with pytest.raises(UsageError, match="a second archive of uci: keep one of them"):
        sources.archives(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        sources.archives(tmp_path / "none")


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    put(tmp_path, "uci")
    with pytest.raises(UsageError, match=r"uci-0123456789ab\.tar\.gz: cannot be unpacked"):
        sources.unpack(tmp_path / f"uci-0123456789ab{sources.SUFFIX}", tmp_path / "source")


def test_tools_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="apt-get install cmake make gcc pkg-config"):
        userland.require()


def test_a_station_without_an_image_names_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(
        UnavailableError, match="gatemark station image openwrt --arch mipsel --sources DIR"
    ):
        image.image(ARCHES["mipsel"])
