# SPDX-License-Identifier: Apache-2.0
"""The BPF objects that are kept with their sources are what zig makes of them."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ziglang", reason="no zig: make test")

ROOT = Path(__file__).resolve().parents[3]


def test_the_objects_that_are_kept_are_those_of_the_sources(tmp_path: Path) -> None:
    zig = f"ZIG={shlex.quote(sys.executable)} -m ziglang"
    command = ("make", "-s", "-C", ROOT / "agent", "objects", f"KEPT={tmp_path}", zig)
    subprocess.run((*command, f"PYTHON={sys.executable}"), check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in (ROOT / "bpf/object").iterdir()}
    differ = [name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name)]
    assert sorted(differ) == [], "make them anew: make counters"
