# SPDX-License-Identifier: Apache-2.0
"""Station files of kind `qemu`: what each key means, and what is refused with its line."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.toml import read_toml
from gatemark.station.mode import Mode
from gatemark.station.qemu.guest import Model, model
from gatemark.station.qemu.lab import beside
from gatemark.station.qemu.machine import kvm_refused, options

HEAD = 'schema = "gatemark.station/1"\n[gateway]\nkind = "qemu"\n'


def made(folder: Path, *lines: str) -> Model:
    path = folder / "my.toml"
    path.write_text(HEAD + "\n".join(lines))
    return model(read_toml(path)["gateway"], path)


def test_openwrts_image_is_set_by_its_own_means_and_waited_for(tmp_path: Path) -> None:
    lines = 'arch = "x86_64"', 'image = "openwrt"', 'set = "openwrt"', "boot_s = 300"
    found = made(tmp_path, *lines)
    assert (found.image, found.set, found.boot_s) == ("openwrt", Mode.OPENWRT, 300)
    assert (found.package, found.memory_mib) == ("linux-image-cloud-amd64", 192)


def test_an_official_image_is_taken_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "openwrt-combined.img.gz").touch()
    found = made(tmp_path, 'arch = "x86_64"', 'image = "openwrt-combined.img.gz"')
    assert (found.image, found.package) == ("openwrt", "")
    assert found.official == tmp_path / "openwrt-combined.img.gz"


def test_an_official_disk_of_another_board_is_refused(tmp_path: Path) -> None:
    (tmp_path / "openwrt-combined.img.gz").touch()
    with pytest.raises(UsageError, match=r'my\.toml:5: .* booted with arch = "x86_64"'):
        made(tmp_path, 'arch = "mipsel"', 'image = "openwrt-combined.img.gz"')


def test_a_file_that_names_no_kernel_gets_the_distributions(tmp_path: Path) -> None:
    found = made(tmp_path, 'arch = "mipsel"')
    assert (found.package, found.memory_mib, found.nic) == ("linux-image-4kc-malta", 64, "virtio")


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        (['arch = "x86_64"'], 192),
        (['arch = "x86_64"', 'kernel = "linux-image-6.12-cloud-amd64"'], 192),
        (['arch = "x86_64"', 'kernel = "linux-image-amd64"'], 256),
        (['arch = "x86_64"', 'kernel = "linux-image-amd64"', "memory_mib = 512"], 512),
    ],
)
def test_a_full_kernel_gets_more_memory(tmp_path: Path, lines: list[str], wanted: int) -> None:
    assert made(tmp_path, *lines).memory_mib == wanted


def test_an_image_of_ones_own_is_sought_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "openwrt.img").touch()
    lines = 'arch = "x86_64"', 'disk = "openwrt.img"', 'address = "root@192.168.1.1"'
    found = made(tmp_path, *lines)
    assert (found.disk, found.package) == (tmp_path / "openwrt.img", "")
    assert found.login is not None
    assert "-snapshot" in options(found, "tcg")


X86 = 'arch = "x86_64"'
FAULTS = [
    (['arch = "sparc"'], 4, "no arch 'sparc'"),
    ([X86, "memory = 64"], 5, "did you mean 'memory_mib'"),
    ([X86, 'nic = "pcnet"'], 5, "no nic 'pcnet'"),
    ([X86, 'nic = "e1000"'], 5, "has no driver for e1000"),
    ([X86, "memory_mib = 1"], 5, "a number from 16"),
    ([X86, "icount = true"], 5, "icount is a number"),
    ([X86, "boot_s = 0"], 5, "boot_s is a number from 1 to 3600"),
    ([X86, 'set = "observe"'], 5, "is set by us: apply, or openwrt"),
    ([X86, 'set = "opnwrt"'], 5, "did you mean 'openwrt'"),
    ([X86, 'image = "opewrt"'], 5, "did you mean 'openwrt'"),
    ([X86, 'image = "none.img.gz"'], 5, "image: no file"),
    (
        ['image = "openwrt"', X86, 'kernel = "linux-image-amd64"'],
        4,
        "openwrt has a kernel and a file system",
    ),
    ([X86, 'kernel = "-oDir::Bin=x"'], 5, "'-oDir::Bin=x' is no package's name"),
    ([X86, 'kernel = "./bzImage"'], 5, "needs an `initramfs` or a `disk`"),
    ([X86, 'disk = "none.img"'], 5, "no file"),
    ([X86, 'address = "root@192.0.2.9"'], 5, "for a `disk` or `initramfs`"),
]


def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path) -> None:
    def refusal(lines: list[str]) -> str:
        with pytest.raises(UsageError) as refused:
            made(tmp_path, *lines)
        return str(refused.value)

    texts = [(refusal(lines), f"my.toml:{line}: ", told) for lines, line, told in FAULTS]
    assert [row for row in texts if row[1] not in row[0] or row[2] not in row[0]] == []


def test_a_disk_without_a_way_in_is_refused(tmp_path: Path) -> None:
    (tmp_path / "openwrt.img").touch()
    with pytest.raises(UsageError, match="say how to get into it"):
        made(tmp_path, 'arch = "x86_64"', 'disk = "openwrt.img"')


def test_counted_instructions_keep_pace_with_the_clock_and_are_emulated(tmp_path: Path) -> None:
    slow = made(tmp_path, 'arch = "x86_64"', "icount = 5")
    assert "shift=5,align=on,sleep=on" in options(slow, "tcg")
    assert "emulation" in kvm_refused(slow)


@pytest.mark.parametrize(
    ("guest", "ours"), [("192.0.2.2", "192.0.2.1"), ("192.168.1.1", "192.168.1.2")]
)
def test_our_end_of_the_control_port_is_beside_the_guests(guest: str, ours: str) -> None:
    assert beside(guest) == ours


@pytest.mark.parametrize(
    ("lines", "accel", "counted", "wanted"),
    [
        ([], "tcg", False, "1,maxcpus=2"),
        ([], "tcg", True, "1"),
        ([], "kvm", False, "1"),
        (["cpus = 2"], "tcg", False, "2"),
        (["icount = 5"], "tcg", False, "1"),
    ],
)
def test_one_emulated_processor_has_a_place_beside_it_so_that_barriers_are_kept(
    tmp_path: Path, lines: list[str], accel: str, *, counted: bool, wanted: str
) -> None:
    words = options(made(tmp_path, 'arch = "x86_64"', *lines), accel, counted=counted)
    assert words[words.index("-smp") + 1] == wanted


def test_cards_that_are_no_virtio_need_no_barriers(tmp_path: Path) -> None:
    words = options(made(tmp_path, 'arch = "mipsel"', 'nic = "pcnet"'), "tcg")
    assert words[words.index("-smp") + 1] == "1"
