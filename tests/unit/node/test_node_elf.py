# SPDX-License-Identifier: Apache-2.0
"""A host's processor by a program's header: the five that the agent is built for, and others."""

from pathlib import Path

import pytest

import gatemark
from gatemark.error import UnavailableError
from gatemark.node.elf import ARCHS, HEADER_BYTES, arch

# e_ident's class and byte order, e_type, e_machine: as readelf -h tells of programs of each.
HEADERS = {
    "x86_64": "7f454c46 020101 000000000000000000 0200 3e00",
    "aarch64": "7f454c46 020101 000000000000000000 0200 b700",
    "armv7": "7f454c46 010101 000000000000000000 0200 2800",
    "mips": "7f454c46 010201 000000000000000000 0002 0008",
    "mipsel": "7f454c46 010101 000000000000000000 0200 0800",
}
OTHERS = {
    "x86, 32 bit, little endian": "7f454c46 010101 000000000000000000 0200 0300",
    "ARM, 32 bit, big endian": "7f454c46 010201 000000000000000000 0002 0028",
    "MIPS, 64 bit, big endian": "7f454c46 020201 000000000000000000 0002 0008",
    "PowerPC, 32 bit, big endian": "7f454c46 010201 000000000000000000 0002 0014",
    "RISC-V, 64 bit, little endian": "7f454c46 020101 000000000000000000 0200 f300",
    "ELF machine 4660, 64 bit, little endian": "7f454c46 020101 000000000000000000 0200 3412",
}


def test_a_processor_is_known_by_its_header() -> None:
    assert {name: arch(bytes.fromhex(header)) for name, header in HEADERS.items()} == {
        name: name for name in HEADERS
    }


def test_the_headers_are_those_that_the_agent_is_built_for() -> None:
    assert HEADERS.keys() == set(ARCHS.values())


def test_our_own_agents_are_where_their_headers_say() -> None:
    def header(path: Path) -> bytes:
        with path.open("rb") as file:
            return file.read(HEADER_BYTES)

    built = sorted(Path(gatemark.__file__).parent.glob("agents/*/gm-agent"))
    if not built:
        pytest.skip("no agent built: make agent")
    assert {arch(header(path)) for path in built} == {path.parent.name for path in built}


def test_another_processor_is_told_with_those_there_are() -> None:
    def refusal(header: bytes) -> str:
        with pytest.raises(UnavailableError) as error:
            arch(header)
        return str(error.value)

    built = "gm-agent is built for x86_64, aarch64, armv7, mips, mipsel"
    assert [refusal(bytes.fromhex(header)) for header in OTHERS.values()] == [
        f"its processor is {name}: {built}" for name in OTHERS
    ]


def test_what_is_no_program_is_told() -> None:
    for header in (b"", b"\x7fELF", b"#!/bin/sh\necho a script\n"):
        with pytest.raises(UnavailableError, match="its programs are no ELF files: gm-agent is"):
            arch(header)
