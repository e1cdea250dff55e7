# SPDX-License-Identifier: Apache-2.0
"""python strip.py OBJECT: takes the debugging sections out of a BPF object, in place.

BTF is only made together with DWARF, which is two thirds of the object and of no use on a device.
The strip of the system's binutils does not know BPF. Sections keep their numbers, so symbols and
relocations stay right: a section that goes becomes an empty one.
"""

import struct
import sys
from pathlib import Path

DEBUG = (b".debug_", b".rel.debug_")
EMPTY = 0  # SHT_NULL
HEADER = "HHIQQQIHHHHHH"  # struct Elf64_Ehdr after e_ident
SECTION = "IIQQQQIIQQ"  # struct Elf64_Shdr


def stripped(data: bytes) -> bytes:
    """The object without them. Raises struct.error if it is no ELF64 file."""
    order = "<" if data[5] == 1 else ">"
    header = list(struct.unpack_from(order + HEADER, data, 16))
    table, size, count, names_at = header[5], header[10], header[11], header[12]
    sections = [
        list(struct.unpack_from(order + SECTION, data, table + at * size)) for at in range(count)
    ]
    names = data[sections[names_at][4] :]
    out = bytearray(data[:64])
    for section in sections:
        if names[section[0] :].startswith(DEBUG):
            section[1:6] = [EMPTY, 0, 0, 0, 0]
        elif section[1] != EMPTY:
            out += bytes(-len(out) % max(8, section[8]))
            content = data[section[4] : section[4] + section[5]]
            section[4] = len(out)
            out += content
    out += bytes(-len(out) % 8)
    header[5] = len(out)
    struct.pack_into(order + HEADER, out, 16, *header)
    return bytes(out) + b"".join(struct.pack(order + SECTION, *one) for one in sections)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_bytes(stripped(path.read_bytes()))
