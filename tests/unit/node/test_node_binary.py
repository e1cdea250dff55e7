# SPDX-License-Identifier: Apache-2.0
"""A run keeps which agents it used, and how they were built."""

import hashlib
from pathlib import Path

import pytest

from gatemark.node import binary


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


def test_where_none_is_built_there_is_none(folder: Path) -> None:
    assert not [*folder.iterdir()]
    assert [*binary.builds()] == []
