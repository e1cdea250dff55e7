# SPDX-License-Identifier: Apache-2.0
"""python strip.py OBJECT: removes from a BPF object what no kernel needs, in place.

The compiler makes BTF only together with DWARF and line numbers, which are most of the object and
of no use on a device. The strip of the system's binutils does not know BPF. Sections keep their
numbers, so symbols and relocations stay right: a removed section becomes an empty one.
"""

import struct
import sys
from pathlib import Path

# Relocations of .BTF.ext only repeat what it holds: a section's own symbol is 0.
UNUSED = (b".debug_", b".rel.debug_", b".rel.BTF.ext", b".eh_frame", b".rel.eh_frame", b".llvm_")
LINES = b".BTF.ext\0"  # what functions are, then which line each instruction is from
EMPTY = 0  # SHT_NULL
HEADER = "HHIQQQIHHHHHH"  # struct Elf64_Ehdr after e_ident
SECTION = "IIQQQQIIQQ"  # struct Elf64_Shdr
LINES_HEADER = "HBBIIIII"  # of .BTF.ext; Linux, Documentation/bpf/btf.rst section 4.2


def without_lines(content: bytes, order: str) -> bytes:
    """A .BTF.ext section of version 1 that ends with its functions."""
    magic, version, flags, header, at, functions, *_ = struct.unpack_from(
        order + LINES_HEADER, content
    )
    end = at + functions
    kept = struct.pack(order + LINES_HEADER, magic, version, flags, header, at, functions, end, 0)
    zeros = bytes(header - len(kept))  # of relocations for other kernels, which we have none of
    return kept + zeros + content[header : header + end]


def stripped(data: bytes) -> bytes:
    """The object without unused sections. Raises struct.error if it is no ELF64 file."""
    order = "<" if data[5] == 1 else ">"
    header = list(struct.unpack_from(order + HEADER, data, 16))
    table, size, count, names_at = header[5], header[10], header[11], header[12]
    sections = [
        list(struct.unpack_from(order + SECTION, data, table + at * size)) for at in range(count)
    ]
    names = data[sections[names_at][4] :]
    out = bytearray(data[:64])
    for section in sections:
        if names[section[0] :].startswith(UNUSED):
            section[1:6] = [EMPTY, 0, 0, 0, 0]
        elif section[1] != EMPTY:
            out += bytes(-len(out) % max(8, section[8]))
            content = data[section[4] : section[4] + section[5]]
            if names[section[0] :].startswith(LINES):
                content = without_lines(content, order)
            section[4:6] = [len(out), len(content)]
            out += content
    out += bytes(-len(out) % 8)
    header[5] = len(out)
    struct.pack_into(order + HEADER, out, 16, *header)
    return bytes(out) + b"".join(struct.pack(order + SECTION, *section) for section in sections)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_bytes(stripped(path.read_bytes()))
