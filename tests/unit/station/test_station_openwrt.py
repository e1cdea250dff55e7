# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's sources as a user gives them: what is missing is named, before anything is built."""

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from gatemark.error import UnavailableError, UsageError
from gatemark.scratch import PLACE
from gatemark.station.image import build, sandbox
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.cache import SUMS, kept
from gatemark.station.image.openwrt import image, sources, userland

EMPTY = hashlib.sha256(b"").hexdigest()


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


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def nowhere(path: Path) -> None:
    path.symlink_to("none")


def long(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(20 << 30)


@pytest.mark.parametrize(
    ("plant", "told"),
    [
        *((plant, "is no file: put the archive of uci in") for plant in (pipe, endless, nowhere)),
        (long, "more than 1 GiB"),
        (Path.mkdir, "is no file"),
    ],
)
def test_what_is_no_file_of_an_archives_length_is_not_read(
    plant: Callable[[Path], None], told: str, tmp_path: Path
) -> None:
    put(tmp_path, *(name for name in sources.WANTED if name != "uci"))
    plant(tmp_path / f"uci-0{sources.SUFFIX}")
    with pytest.raises(UsageError, match=rf"uci-0\.tar\.gz: {told}"):
        sources.archives(tmp_path)


def test_what_is_no_archive_is_named(tmp_path: Path) -> None:
    put(tmp_path, "uci")
    with TemporaryDirectory(dir=PLACE) as folder:
        sandbox.give(Path(folder))
        with pytest.raises(UsageError, match=r"uci-0123456789ab\.tar\.gz: cannot be unpacked"):
            sources.unpack(tmp_path / f"uci-0123456789ab{sources.SUFFIX}", Path(folder))


def test_an_archive_that_is_not_known_is_asked_for(tmp_path: Path) -> None:
    put(tmp_path, *sources.WANTED)
    (tmp_path / "own").mkdir()
    with pytest.raises(UsageError, match=f"{EMPTY} is none that Gatemark knows, or look into it"):
        sources.taken(tmp_path, tmp_path / "own", ())
    assert sources.taken(tmp_path, tmp_path / "own", (EMPTY,)).keys() == {*sources.WANTED}


def test_an_archive_that_is_another_by_its_name_is_refused(tmp_path: Path) -> None:
    for name in sources.sums():
        (tmp_path / name).write_bytes(b"changed")
    (tmp_path / "own").mkdir()
    with pytest.raises(UsageError, match=r"its SHA-256 [0-9a-f]{64} is not [0-9a-f]{64}: get it"):
        sources.taken(tmp_path, tmp_path / "own", ())


def test_what_was_looked_at_is_what_is_built(tmp_path: Path) -> None:
    put(tmp_path, *sources.WANTED)
    (tmp_path / "own").mkdir()
    taken = sources.taken(tmp_path, tmp_path / "own", (EMPTY,))
    assert {path.parent for path in taken.values()} == {tmp_path / "own"}


def test_every_part_is_known_by_its_sum() -> None:
    names = {name.removesuffix(sources.SUFFIX).rpartition("-")[0] for name in sources.sums()}
    assert names == {*sources.WANTED, sources.SQM}
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in sources.sums().values())


def built_by(script: str) -> tuple[str, Path]:
    """What a build says that does this."""
    with TemporaryDirectory(dir=PLACE) as folder:
        sandbox.give(Path(folder))
        done = sandbox.run(Path(folder), ("sh", "-c", script), {})
        return done.stdout + done.stderr, Path(folder)


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("id -u; id -G", "65534\n65534\n" if os.geteuid() == 0 else f"{os.geteuid()}\n"),
        ("grep -c : /proc/net/dev", "1\n"),  # the loopback, which is down
        ("echo $$", "1\n"),
        ("grep CapEff /proc/self/status", "CapEff:\t0000000000000000\n"),
        ("grep NoNewPrivs /proc/self/status", "NoNewPrivs:\t1\n"),
        ("echo $GATEMARK_PASSWORD", "\n"),
        ("kill -0 1 && echo mine", "mine\n"),
        ("touch mine && ls mine", "mine\n"),
        ("mount -t tmpfs evil . 2>&- || echo no", "no\n"),
        ("mknod evil b 8 0 2>&- || echo no", "no\n"),
        ("chown 0 . 2>&- || echo no", "no\n"),
        ("ip link add evil type dummy 2>&- || echo no", "no\n"),
        ("setpriv --reuid 0 id 2>&- || echo no", "no\n"),
        ("chroot / id 2>&- || echo no", "no\n"),
        ("test -w /etc/hosts || echo no", "no\n"),
        ("sysctl -w kernel.hostname=evil 2>&- || echo no", "no\n"),
    ],
)
def test_a_build_is_alone(script: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEMARK_PASSWORD", "secret")
    assert shown in built_by(script)[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="who is no root builds as himself")
@pytest.mark.parametrize("path", ["/etc/shadow", "/root/.ssh/id_ed25519", "/root"])
def test_a_build_reads_nothing_of_roots(path: str) -> None:
    assert "Permission denied" in built_by(f"cat {path} || ls {path}")[0]


def test_a_build_writes_nothing_outside_its_folder(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        built_by(f"touch {tmp_path}/evil")
        assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "target",
    [
        *("/etc/passwd", "../../../../../../etc/passwd", "/", "..", "../root2", "../../root/.."),
        *("/proc/self/root/etc/passwd", "./../../x", "nowhere/../../../x"),
    ],
)
def test_a_link_out_of_an_archive_is_not_followed(target: str, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "x").symlink_to(target)
    with pytest.raises(UsageError, match="x: leads out of its archive"):
        sources.inside(tmp_path / "root", tmp_path / "root" / "x")


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
    image.make(ARCHES["x86_64"], tmp_path, print, (EMPTY,))
    return tmp_path


def test_an_image_that_another_version_built_is_refused_and_built_again(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = image.image(ARCHES["x86_64"])
    monkeypatch.setattr(build, "MODULES", (*build.MODULES, "sch_new"))
    with pytest.raises(UnavailableError, match="built by another version of Gatemark"):
        image.image(ARCHES["x86_64"])
    image.make(ARCHES["x86_64"], built, print, (EMPTY,))
    assert image.image(ARCHES["x86_64"]) != before


def test_another_revision_of_the_same_bytes_is_another_image(built: Path) -> None:
    """Its name is in the files of the image."""
    before = image.image(ARCHES["x86_64"])
    archive = next(built.glob(f"{sources.FOLDERS}-*"))
    archive.rename(built / f"{sources.FOLDERS}-ba9876543210{sources.SUFFIX}")
    image.make(ARCHES["x86_64"], built, print, (EMPTY,))
    assert image.image(ARCHES["x86_64"]) != before
