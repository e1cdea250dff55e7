# SPDX-License-Identifier: Apache-2.0
"""Agents: for which processors there are some, and how each was built."""

import hashlib
import platform
import re
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.node import binary


@pytest.mark.parametrize(("machine", "arch"), [("armv7l", "armv7"), ("riscv64", "riscv64")])
def test_the_kernels_name_of_a_processor_becomes_ours(
    machine: str, arch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert binary.own_arch() == arch


def test_a_processor_that_no_agent_is_for_is_told_so() -> None:
    with pytest.raises(UnavailableError, match="no agent for riscv64; there are agents for x86_64"):
        binary.agent_path("riscv64")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(binary, "_folder", lambda: tmp_path)
    return tmp_path


def put(folder: Path, arch: str, content: bytes) -> Path:
    path = folder / arch / "gm-agent"
    path.parent.mkdir()
    path.write_bytes(content)
    return path


def test_an_agent_is_known_by_its_hash_compiler_and_flags(folder: Path) -> None:
    put(folder, "mips", b"agent").with_name("build.txt").write_text("zig 0.17.1: -Os\n")
    sum_ = hashlib.sha256(b"agent").hexdigest()
    assert dict(binary.builds()) == {"mips": f"sha256 {sum_}, zig 0.17.1: -Os"}


def test_one_that_was_put_there_by_hand_is_told(folder: Path) -> None:
    put(folder, "mips", b"agent")
    assert dict(binary.builds())["mips"].endswith(", built by an unknown compiler")


def test_parts_are_those_of_the_agent() -> None:
    """Each verb is in the part that agent/src/main.c has it in."""
    text = (Path(__file__).parents[3] / "agent/src/main.c").read_text()
    built = {
        part.lower(): re.findall(r"&verb_(\w+)", verbs)
        for part, verbs in re.findall(r"#if PART & (\w+)\n(.*?)#endif", text, re.DOTALL)
    }
    assert {part: sorted(verbs) for part, verbs in built.items()} == {
        part: sorted(verbs) for part, verbs in binary.PARTS.items()
    }
