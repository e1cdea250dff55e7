# SPDX-License-Identifier: Apache-2.0
"""A host's processor by a program's header: the five that the agent is built for, and others."""

from pathlib import Path

import pytest

import gatemark
from gatemark.error import UnavailableError
from gatemark.node.elf import ARCHS, HEADER_BYTES, arch

BUILT = sorted(Path(gatemark.__file__).parent.glob("agents/*/gm-agent"))

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


@pytest.mark.parametrize(("name", "header"), HEADERS.items())
def test_a_processor_is_known_by_its_header(name: str, header: str) -> None:
    assert arch(bytes.fromhex(header)) == name


def test_the_headers_are_those_that_the_agent_is_built_for() -> None:
    assert HEADERS.keys() == set(ARCHS.values())


@pytest.mark.skipif(not BUILT, reason="no agent built: make agent")
def test_our_own_agents_are_where_their_headers_say() -> None:
    def header(path: Path) -> bytes:
        with path.open("rb") as file:
            return file.read(HEADER_BYTES)

    assert {arch(header(path)) for path in BUILT} == {path.parent.name for path in BUILT}


@pytest.mark.parametrize(("name", "header"), OTHERS.items())
def test_another_processor_is_told_with_those_there_are(name: str, header: str) -> None:
    with pytest.raises(UnavailableError) as error:
        arch(bytes.fromhex(header))
    assert str(error.value) == (
        f"its processor is {name}: gm-agent is built for x86_64, aarch64, armv7, mips, mipsel"
    )


@pytest.mark.parametrize("header", [b"", b"\x7fELF", b"#!/bin/sh\necho a script\n"])
def test_what_is_no_program_is_told(header: bytes) -> None:
    with pytest.raises(UnavailableError, match="its programs are no ELF files: gm-agent is built"):
        arch(header)
