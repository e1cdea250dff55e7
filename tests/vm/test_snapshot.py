# SPDX-License-Identifier: Apache-2.0
"""A virtual gateway that goes on from a snapshot is as one that was booted, and routes.

One boot for all: of a gateway whose snapshot QEMU refuses. It keeps another, and the next goes on.
"""

import asyncio
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import pytest

from gatemark.run.bench import Bench
from gatemark.station.image.cache import seal
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from gatemark.station.qemu.snapshot import STATE, Snapshot
from gatemark.station.recover import recover
from gatemark.store import xdg
from vm.box import WANDERS
from vm.conftest import Booted, on
from vm.cpu import placement, quick
from vm.test_qemu import require_crossed

pytestmark = pytest.mark.long
# The neighbours' cards are the tester's, and new for each lab.
SETTINGS = f"""
(ip -o addr; ip route; ip -6 route; ip neigh show nud permanent; ip -o link; tc qdisc show) |
sed -e 's/ lladdr [0-9a-f:]*//' -e 's/ tentative//' -e 's/ state [A-Z]*//' | sort
nft list ruleset; cut -d' ' -f1 /proc/modules | sort; ps -o args | grep -v '^[[{{]' | sort -u
sysctl -a 2> /dev/null | grep -vE '{"|".join(WANDERS)}|fastopen_key' | sort
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """What was seen of one that was booted, and one that went on from its snapshot."""

    settings: str
    began: float  # the time of day when the other one came up
    boot_id: str
    err: str
    resumed: Booted


def fresh(station: str) -> VirtualLab:
    lab = cast(VirtualLab, load(station))
    lab.model = quick(lab.model)
    lab.cpus = placement()
    lab.cable.cpu = lab.cpus.gateway
    return lab


def plant(lab: VirtualLab) -> Snapshot:
    """Put what is sound by its sums, and no state of a machine, where its snapshot is sought."""
    lab._image()
    assert lab._snapshot
    half = lab._snapshot.half("planted", "")
    (half / STATE).write_bytes(b"QEVM" + bytes(4096))
    seal(half, lab._snapshot.place)
    return lab._snapshot


@pytest.fixture(scope="module", params=["qemu-x86"])
def pair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pair]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    cache = tmp_path_factory.mktemp("cache")
    (cache / "gatemark").mkdir()
    for known in xdg.cache().glob("*"):
        if known.name != "snapshot":
            (cache / "gatemark" / known.name).symlink_to(known)
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setenv(xdg.CACHE, str(cache))
        lines: list[str] = []
        patch.setattr("gatemark.station.qemu.lab.tell", lines.append)
        recover()
        planted = fresh(request.param)
        place = plant(planted)
        runner.run(planted.down())
        first = fresh(request.param)
        runner.run(first.up())
        try:
            assert "boot" not in first.words
            seen = Booted(first, Bench(first), runner)
            settings, boot_id = seen.said(SETTINGS), seen.said(BOOT_ID)
        finally:
            runner.run(first.down())
        assert place.state.stat().st_size > 1 << 20
        began = time.time()
        second = fresh(request.param)
        runner.run(second.up())
        try:
            booted = Booted(second, Bench(second), runner)
            yield Pair(settings, began, boot_id, "\n".join(lines), booted)
        finally:
            runner.run(second.down())


BOOT_ID = "cat /proc/sys/kernel/random/boot_id"


def test_what_qemu_refuses_is_told_in_a_line_and_booted(pair: Pair) -> None:
    (line,) = pair.err.splitlines()
    assert "is not used: " in line
    assert line.endswith("boots")


@on("qemu-x86", "qemu-mips", "qemu-aarch64", fixture="pair")
def test_it_goes_on_in_the_boot_that_was_kept(pair: Pair) -> None:
    assert pair.resumed.said(BOOT_ID) == pair.boot_id
    assert pair.resumed.lab.words["boot"].startswith("snapshot ")


@on("qemu-x86", "qemu-mips", "qemu-aarch64", fixture="pair")
def test_its_settings_are_those_after_a_boot(pair: Pair) -> None:
    assert pair.resumed.said(SETTINGS) == pair.settings


@on("qemu-x86", "qemu-mips", "qemu-aarch64", fixture="pair")
def test_packets_cross_it(pair: Pair) -> None:
    require_crossed(pair.resumed.measure("nat"))


def test_its_time_of_day_is_ours(pair: Pair) -> None:
    said = int(pair.resumed.said("date +%s"))
    assert pair.began - 1 <= said <= time.time() + 1


def test_it_restarts_as_one_that_was_booted(pair: Pair) -> None:
    pair.resumed.run(pair.resumed.lab.restart())
    assert pair.resumed.said(BOOT_ID) != pair.boot_id
    assert pair.resumed.said(SETTINGS) == pair.settings
