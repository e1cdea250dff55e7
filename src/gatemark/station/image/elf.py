# SPDX-License-Identifier: Apache-2.0
"""The facts in an ELF file: the libraries that it needs, a kernel module's own words.

Read by us, since the files are of other processors, whose loader does not run here (elf(5)).
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"\x7fELF"
WIDE: Final = 2  # ELFCLASS64
BIG: Final = 2  # ELFDATA2MSB
DT_NEEDED: Final = 1


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a class of ELF keeps what we read: offsets, and formats of struct."""

    header: str  # e_shoff, at `at`
    at: int
    counts_at: int  # e_shentsize, e_shnum, e_shstrndx
    section: str  # sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size
    dynamic: str  # d_tag, d_val


NARROW_LAYOUT: Final = _Layout("I", 32, 46, "IIIIII", "iI")
WIDE_LAYOUT: Final = _Layout("Q", 40, 58, "IIQQQQ", "qQ")


def needed(data: bytes) -> tuple[str, ...]:
    """File names of the libraries that a program or library is linked to; none if static."""
    datas = sections(data)
    if ".dynamic" not in datas:
        return ()
    order, layout = _kind(data)
    tags = list(struct.iter_unpack(order + layout.dynamic, datas[".dynamic"]))
    names = datas[".dynstr"]
    return tuple(_text(names, value) for tag, value in tags if tag == DT_NEEDED)


def interpreter(data: bytes) -> str:
    """The path of the loader that a program asks for; empty if it is static or a library."""
    return sections(data).get(".interp", b"").rstrip(b"\0").decode()


def modinfo(data: bytes) -> Iterator[tuple[str, str]]:
    """A kernel module's `.modinfo`, as `depends` and `nf_conntrack,nf_tables`."""
    for line in sections(data).get(".modinfo", b"").split(b"\0"):
        key, equals, value = line.decode(errors="replace").partition("=")
        if equals:
            yield key, value


def sections(data: bytes) -> Mapping[str, bytes]:
    """Every section by name. Raises ValueError for what is no ELF file."""
    if data[:4] != MAGIC:
        raise ValueError("not an ELF file")
    order, layout = _kind(data)
    (start,) = struct.unpack_from(order + layout.header, data, layout.at)
    size, count, strings = struct.unpack_from(order + "HHH", data, layout.counts_at)
    form = order + layout.section
    rows = [struct.unpack_from(form, data, start + at * size) for at in range(count)]
    names = _bytes(data, rows[strings]) if rows else b""
    return {_text(names, row[0]): _bytes(data, row) for row in rows}


def _kind(data: bytes) -> tuple[str, _Layout]:
    return (">" if data[5] == BIG else "<"), (WIDE_LAYOUT if data[4] == WIDE else NARROW_LAYOUT)


def _bytes(data: bytes, row: tuple[int, ...]) -> bytes:
    offset, size = row[4], row[5]
    return data[offset : offset + size]


def _text(strings: bytes, at: int) -> str:
    return strings[at : strings.index(b"\0", at)].decode()
