# SPDX-License-Identifier: Apache-2.0
"""A disk as OpenWrt's builders publish it: booted by its own GRUB, entered by its console."""

import shutil
from collections.abc import Iterator

import pytest

from gatemark.station.image.openwrt.official import unpacked
from vm.conftest import Booted, Stand
from vm.openwrt import official, require, stand

# A boot, and a boot again, emulated: beside the boxes, which wait as much.
pytestmark = [pytest.mark.long, pytest.mark.box, pytest.mark.timeout(1200)]
KINDS = ("squashfs",)  # "ext4" boots as well, and takes five minutes more
STATION = """
schema = "gatemark.station/1"
[gateway]
kind = "qemu"
arch = "x86_64"
image = "{image}"
set = "openwrt"
boot_s = 600
"""


@pytest.fixture(scope="module", params=KINDS)
def disk_stand(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stand]:
    if not shutil.which("mkfs.ext4"):
        pytest.skip("no mkfs.ext4 here: apt-get install e2fsprogs")
    require("x86_64")
    folder = tmp_path_factory.mktemp("disk")
    image, file = official.disk(folder, request.param), folder / "official.toml"
    file.write_text(STATION.format(image=image.name))
    try:
        yield from stand(str(file), "x86_64")
    finally:
        place = unpacked(image).parent  # each disk that is made is another one: none is kept
        shutil.rmtree(place)
        place.with_name(f"{place.name}.lock").unlink()


@pytest.fixture
def disk(disk_stand: Stand) -> Booted:
    return disk_stand.booted()


def test_it_is_booted_from_its_own_partitions(disk: Booted) -> None:
    assert "root=PARTUUID=6f777274-02" in disk.said("cat /proc/cmdline")
    assert disk.said("mount").splitlines()[0].split()[4] in ("ext4", "overlay")
    assert disk.said("readlink /proc/1/exe") == "/sbin/procd"


def test_a_path_is_measured_on_it(disk: Booted) -> None:
    record = disk.measure("nat")
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > 0.5 * record.accounting.tried


def test_after_a_restart_it_is_as_it_was_set(disk: Booted) -> None:
    before = disk.said("uci export network; uci export firewall")
    disk.run(disk.lab.restart())
    assert disk.said("uci export network; uci export firewall") == before
