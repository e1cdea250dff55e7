# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's sources as a user gives them: what is missing is named, before anything is built."""

from pathlib import Path

import pytest

from gatemark.error import UnavailableError, UsageError
from gatemark.station.image import build
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.cache import SUMS, kept
from gatemark.station.image.openwrt import image, sources, userland


def put(folder: Path, *names: str) -> None:
    for name in names:
        (folder / f"{name}-0123456789ab{sources.SUFFIX}").write_bytes(b"")


def test_each_part_is_taken_by_its_name(tmp_path: Path) -> None:
    put(tmp_path, *sources.WANTED, "rpcd")
    assert sources.archives(tmp_path).keys() == {*sources.WANTED}


def test_sqm_is_taken_where_it_is_there(tmp_path: Path) -> None:
    put(tmp_path, *sources.WANTED, sources.SQM)
    assert sources.archives(tmp_path).keys() == {*sources.WANTED, sources.SQM}


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


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Sources of which an image was made, but nothing is compiled or fetched for it."""

    def fill(place: Path) -> None:
        for name in ("kernel", "initramfs"):
            (place / name).touch()

    (tmp_path / SUMS).touch()
    put(tmp_path, *sources.WANTED, "userland")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(image, "packages", lambda *_: tmp_path)
    monkeypatch.setattr(userland, "compiled", lambda *_: tmp_path / SUMS)
    monkeypatch.setattr(image, "kept", lambda place, _: kept(place, fill))
    image.make(ARCHES["x86_64"], tmp_path, print)
    return tmp_path


def test_an_image_that_another_version_built_is_refused_and_built_again(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = image.image(ARCHES["x86_64"])
    monkeypatch.setattr(build, "MODULES", (*build.MODULES, "sch_new"))
    with pytest.raises(UnavailableError, match="built by another version of Gatemark"):
        image.image(ARCHES["x86_64"])
    image.make(ARCHES["x86_64"], built, print)
    assert image.image(ARCHES["x86_64"]) != before


def test_another_revision_of_the_same_bytes_is_another_image(built: Path) -> None:
    """Its name is in the files of the image."""
    before = image.image(ARCHES["x86_64"])
    archive = next(built.glob(f"{sources.FOLDERS}-*"))
    archive.rename(built / f"{sources.FOLDERS}-ba9876543210{sources.SUFFIX}")
    image.make(ARCHES["x86_64"], built, print)
    assert image.image(ARCHES["x86_64"]) != before
