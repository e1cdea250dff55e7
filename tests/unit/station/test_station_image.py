# SPDX-License-Identifier: Apache-2.0
"""The image of a virtual gateway: the same bytes always, sound in its cache, modules in order."""

import lzma
import stat
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gatemark.station.image import cpio, elf, module
from gatemark.station.image.build import Parts, tree
from gatemark.station.image.cache import HALF, SUMS, kept
from gatemark.station.image.key import dropbear, instance
from gatemark.station.image.module import Module

TREE = {
    "init": cpio.link("bin/busybox"),
    "bin/busybox": cpio.program(b"program"),
    "dev/console": cpio.node(5, 1),
    "etc/passwd": cpio.file(b"root"),
}


def members(archive: bytes) -> Iterator[tuple[str, int, int, bytes]]:
    """Name, mode, time and content of each (buffer-format.rst), read without our writer."""
    at = 0
    while at < len(archive):
        fields = [int(archive[at + 6 + 8 * n : at + 14 + 8 * n], 16) for n in range(13)]
        size, length = fields[6], fields[11]
        name = archive[at + 110 : at + 110 + length - 1].decode()
        start = at + (110 + length + 3) // 4 * 4
        yield name, fields[1], fields[5], archive[start : start + size]
        at = start + (size + 3) // 4 * 4


def test_an_archive_holds_its_tree_with_folders_before_what_is_in_them() -> None:
    found = {name: (mode, data) for name, mode, _, data in members(cpio.archive(TREE))}
    assert list(found) == sorted(found, key=lambda name: (name == cpio.LAST, name))
    assert {"bin", "dev", "etc", *TREE, cpio.LAST} == set(found)
    assert found["bin/busybox"] == (stat.S_IFREG | 0o755, b"program")
    assert found["init"] == (stat.S_IFLNK | 0o777, b"bin/busybox")


def test_the_same_tree_is_the_same_archive_whenever_and_in_whatever_order() -> None:
    assert cpio.archive(TREE) == cpio.archive(dict(reversed(TREE.items())))
    assert {time for _, _, time, _ in members(cpio.archive(TREE))} == {0}


def test_a_folder_is_made_once_and_kept(tmp_path: Path) -> None:
    made = []

    def make(place: Path) -> None:
        made.append(place.name)
        (place / "kernel").write_bytes(b"kernel")

    for _ in range(2):
        assert (kept(tmp_path / "image", make) / "kernel").read_bytes() == b"kernel"
    assert made == [f"image{HALF}"]


@pytest.mark.parametrize("harm", ["changed", "lost", "more", "without sums"])
def test_a_folder_that_is_not_as_it_was_made_is_made_again(tmp_path: Path, harm: str) -> None:
    def make(place: Path) -> None:
        (place / "kernel").write_bytes(b"kernel")

    place = kept(tmp_path / "image", make)
    match harm:
        case "changed":
            (place / "kernel").write_bytes(b"kernex")
        case "lost":
            (place / "kernel").unlink()
        case "more":
            (place / "other").touch()
        case _:
            (place / SUMS).unlink()
    kept(place, make)
    assert sorted(path.name for path in place.iterdir()) == [SUMS, "kernel"]
    assert (place / "kernel").read_bytes() == b"kernel"


def test_what_a_crash_left_half_made_is_removed(tmp_path: Path) -> None:
    (tmp_path / f"image{HALF}").mkdir()
    (tmp_path / f"image{HALF}" / "junk").touch()
    place = kept(tmp_path / "image", lambda place: (place / "kernel").touch())
    assert not (place / "junk").exists()


def test_a_module_comes_after_all_that_it_depends_on() -> None:
    there = {"nft_masq": ("nf_nat", "nf_tables"), "nf_nat": ("nf_conntrack",), "nf_tables": ()}
    there["nf_conntrack"] = ("libcrc32c",)  # which is built in
    assert module.ordered(there, ["nft_masq"]) == [
        "nf_conntrack",
        "nf_nat",
        "nf_tables",
        "nft_masq",
    ]


def test_modules_that_depend_on_each_other_come_to_an_end() -> None:
    assert module.ordered({"one": ("two",), "two": ("one",)}, ["one"]) == ["two", "one"]


def test_an_algorithm_is_taken_from_its_generic_module() -> None:
    there = {name: Module("", b"", (), ("crc32c",)) for name in ("crc32c_intel", "crc32c_generic")}
    there["libcrc32c"] = Module("", b"", ("crc32c",), ())
    assert module.depends(there)["libcrc32c"] == ("crc32c_generic",)


def test_modprobe_is_told_the_order_and_the_other_names() -> None:
    folder = "lib/modules/6.1"
    lan = Module(f"{folder}/kernel/8021q.ko", b"", ("garp",), ("rtnl-link-vlan",))
    garp = Module(f"{folder}/kernel/garp.ko", b"", (), ())
    texts = module.indexes({"8021q": lan, "garp": garp}, folder)
    assert texts["modules.dep"] == "kernel/8021q.ko: kernel/garp.ko\nkernel/garp.ko:\n"
    assert texts["modules.alias"] == "alias rtnl-link-vlan 8021q\n"


def test_a_compressed_module_goes_into_an_image_whole() -> None:
    plain = Path("/bin/true").read_bytes()
    found = module.read("lib/modules/6.12/kernel/nft-masq.ko.xz", lzma.compress(plain))
    assert (found.path, found.data) == ("lib/modules/6.12/kernel/nft-masq.ko", plain)
    assert module.name_of("kernel/nft-masq.ko.xz") == module.name_of(found.path) == "nft_masq"


def test_a_module_that_is_not_what_it_is_called_is_told() -> None:
    with pytest.raises(ValueError, match="not compressed by xz"):
        module.read("nft-masq.ko.xz", b"ELF")


def test_an_elf_file_says_what_it_needs() -> None:
    program = Path(sys.executable).resolve().read_bytes()
    assert any(name.startswith("libc.so") for name in elf.needed(program))
    assert "/ld-" in elf.interpreter(program)


def test_what_is_no_elf_file_is_told() -> None:
    with pytest.raises(ValueError, match="ELF"):
        elf.sections(b"#!/bin/sh\n")


def test_a_library_is_found_by_whatever_links_lead_to_it() -> None:
    parts = Parts()
    parts.take("lib/libmnl.so.0", "libmnl.so.0.2.0")
    parts.take("lib/libmnl.so.0.2.0", b"library")
    assert parts.library("libmnl.so.0") == b"library"


def test_the_tools_go_before_busyboxs_own() -> None:
    static = b"\x7fELF" + bytes([1, 1]) + bytes(58)
    parts = Parts(files={"bin/busybox": static, "sbin/ip": static})
    assert {"usr/sbin/ip", "bin/busybox"} <= set(tree(parts))
    assert "bin/ip" not in tree(parts)


def test_a_host_key_is_as_dropbear_writes_it() -> None:
    key = Ed25519PrivateKey.generate()
    said = dropbear(key)
    kind, size = said[4:15], struct.unpack(">I", said[15:19])[0]
    assert (kind, size, len(said)) == (b"ssh-ed25519", 64, 83)
    assert said[19:51] == key.private_bytes_raw()


def test_an_instance_is_the_image_with_keys_of_its_own(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(cpio.archive(TREE))
    names = ("one", "two")
    for name in names:
        (tmp_path / name).mkdir()
        instance(image, "192.0.2.2", tmp_path / name)
    one, two = ((tmp_path / name / "initramfs").read_bytes() for name in names)
    assert one.startswith(image.read_bytes())
    assert one != two
    assert stat.S_IMODE((tmp_path / "one" / "key").stat().st_mode) == 0o600
