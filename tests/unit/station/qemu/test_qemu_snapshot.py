# SPDX-License-Identifier: Apache-2.0
"""Snapshots on disk: found by content, refused where they were changed, bounded in size."""

import os
from pathlib import Path

import pytest

from gatemark.station.image.arch import ARCHES
from gatemark.station.image.build import Image
from gatemark.station.image.cache import SUMS
from gatemark.station.qemu import snapshot as module
from gatemark.station.qemu.snapshot import Snapshot
from gatemark.store import xdg

WORDS = ("-m", "128")


@pytest.fixture
def image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Image:
    """An image in a cache of the test's own."""
    monkeypatch.setenv(xdg.CACHE, str(tmp_path))
    folder = tmp_path / "image"
    folder.mkdir()
    (folder / SUMS).write_text("0123  kernel\n")
    return Image(folder / "kernel", folder / "initramfs")


def found(image: Image, *words: str) -> Snapshot:
    return Snapshot.of(ARCHES["x86_64"], image, words or WORDS)


def kept(image: Image, *words: str, state: bytes = b"state") -> Snapshot:
    snapshot = found(image, *words)
    half = snapshot.half("a1b2c3", "as set")
    (half / module.STATE).write_bytes(state)
    snapshot.keep(half)
    return snapshot


def test_a_snapshot_is_found_again_with_the_keys_of_its_guest(image: Image) -> None:
    before = kept(image)
    again = found(image)
    assert again == before
    assert again.state.read_bytes() == b"state"


def test_another_command_line_another_image_another_emulator_is_another_guest(
    image: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = {found(image).place, found(image, "-m", "64").place}
    monkeypatch.setattr(module, "_emulator", lambda _: ["of another size"])
    places.add(found(image).place)
    (image.kernel.parent / SUMS).write_text("4567  kernel\n")
    places.add(found(image).place)
    assert len(places) == 4


def test_one_that_was_changed_is_removed_and_its_keys_are_not_used_again(image: Image) -> None:
    before = kept(image)
    before.state.write_bytes(b"other")
    after = found(image)
    assert "was changed" in after.damage
    assert after.secret != before.secret
    assert not after.place.exists()


def test_one_that_others_can_read_or_write_is_not_ours(image: Image) -> None:
    kept(image).place.chmod(0o755)
    assert "was changed" in found(image).damage


def test_only_its_user_can_read_what_is_kept(image: Image) -> None:
    assert kept(image).place.stat().st_mode & 0o077 == 0


def test_who_comes_second_leaves_the_first_ones(image: Image) -> None:
    first = kept(image)
    second = Snapshot(first.place, b"other")
    half = second.half("d4e5f6", "")
    (half / module.STATE).write_bytes(b"other")
    second.keep(half)
    assert first.state.read_bytes() == b"state"
    assert not half.exists()


def test_those_not_used_for_longest_make_room(
    image: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, used = kept(image, "old"), kept(image, "used")
    for snapshot, seconds in (old, 1), (used, 2):
        os.utime(snapshot.place, (seconds, seconds))
    found(image, "old")  # it was used just now
    monkeypatch.setattr(module, "MOST_BYTES", 900)
    new = kept(image, "new", state=b"s" * 200)
    assert [snapshot.place.exists() for snapshot in (old, used, new)] == [True, False, True]
