# SPDX-License-Identifier: Apache-2.0
"""A build that is a kernel of a virtual model: its station is made, and refused if it is faulty."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from inside import gatemark

from gatemark.commands.campaign import coordinate, image

if TYPE_CHECKING:
    from gatemark.station.qemu.lab import VirtualLab

STATION = """schema = "gatemark.station/1"
gateway = { kind = "qemu", arch = "x86_64", disk = "own.img", address = "root@192.168.1.1" }
"""
CAMPAIGN = """schema = "gatemark.campaign/1"
title = "Two kernels"
[[model]]
name = "vm"
stations = ["bench/own.toml"]
exact = true
[[build]]
name = "field"
image = { vm = "old/bzImage" }
[[build]]
name = "next"
image = { vm = "new/bzImage" }
[[suite]]
plan = "cost/ab"
[[gate]]
build = "next"
against = "field"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a campaign's files."""
    for name, text in (
        ("bench/own.toml", STATION),
        ("bench/own.img", "disk"),
        ("old/bzImage", "old"),
        ("new/bzImage", "new"),
        ("c.toml", CAMPAIGN),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_made_station_finds_the_files_of_its_model_and_the_kernel(home: Path) -> None:
    from gatemark.station.load import load

    coordinate.begin(home / "c.toml", home / "begun")
    layout, ledger = coordinate.opened(home / "begun")
    attempt = ledger.claim("bench/own.toml", "vm", "{id}-{model}-{repeat}", lambda _: 60.0)
    assert attempt
    arms = layout.task(attempt, ledger.blocks()[0]).arms
    models = [cast("VirtualLab", load(arm.station)).model for arm in arms]
    assert [model.disk for model in models] == [home / "bench" / "own.img"] * 2
    assert [model.kernel for model in models] == [home / "old/bzImage", home / "new/bzImage"]


def test_a_disk_that_changed_under_its_name_is_another_image(home: Path) -> None:
    """Of a build that is a station file, and the file is as it was."""
    text = CAMPAIGN.replace("new/bzImage", "new/own.toml")
    (home / "c.toml").write_text(text)
    (home / "new/own.toml").write_text(STATION)
    (home / "new/own.img").write_text("disk")
    coordinate.begin(home / "c.toml", home / "begun")
    (home / "new/own.img").write_text("another")
    done = gatemark("campaign", "resume", "--trust", home / "begun")
    assert (done.code, done.err) == (
        2,
        "gatemark: the image of next for vm changed since the campaign began: "
        "begin another campaign\n",
    )


def test_a_kernel_of_the_users_home_is_compared_too(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    (home / "c.toml").write_text(CAMPAIGN.replace("new/bzImage", "~/new/bzImage"))
    coordinate.begin(home / "c.toml", home / "begun")
    (home / "new/bzImage").write_text("newer")
    done = gatemark("campaign", "resume", "--trust", home / "begun")
    assert (done.code, "the image of next for vm changed" in done.err) == (2, True)


def test_a_made_station_with_a_fault_is_refused_by_plan(home: Path) -> None:
    for station, printed in (
        ("bench/own.toml", "kernel: no file"),
        ("qemu-x86", "a kernel's file needs an `initramfs` or a `disk` beside it"),
        ("openwrt-x86", "openwrt has a kernel and a file system: leave those out"),
    ):
        text = CAMPAIGN.replace("bench/own.toml", station)
        (home / "c.toml").write_text(text.replace("new/bzImage", "none/bzImage"))
        done = gatemark("campaign", "plan", "c.toml", cwd=home)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), station
        assert printed in done.err
        assert done.err.startswith("gatemark: c.toml:")


def test_a_hash_is_shortened_and_a_setup_is_not() -> None:
    assert image.in_short("ab" * 32) == "ab" * 8
    assert image.in_short("route+filter:1000") == "route+filter:1000"
