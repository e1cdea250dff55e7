# SPDX-License-Identifier: Apache-2.0
"""`setup/ready`: an installed Gatemark's programs serve a clone of the same sources, no other."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FILE = "src/gatemark/agents/mips/gm-agent"
SOURCES = (
    *(f"agent/{name}" for name in ("Makefile", "discard.ld", "src/main.c")),
    *(f"algorithms/{name}" for name in ("Makefile", "include/a.h", "src/a.c")),
    *(f"classifier/{name}" for name in ("Makefile", "bpf/a.c", "core/a.h", "src/a.c")),
    *("bpf/a.h", "setup/compiler.mk"),
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a space in its path, whose sources are a line each."""
    place = tmp_path / "a b"
    for name in SOURCES:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(f"{name}\n")
    shutil.copy2(ROOT / "setup/ready", place / "setup/ready")
    return place


@pytest.fixture
def installed(clone: Path) -> Path:
    """The package of an installation in the path, made of the clone's sources."""
    venv = clone.parent / "venv"
    package = venv / "lib/python3.11/site-packages/gatemark"
    for name, text in (("agents/mips/gm-agent", "made"), ("agents/mips/build.txt", "how")):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    (package / "agents/sources.sha256").write_text(ready(clone, "sum").stdout)
    (venv / "bin").mkdir()
    (venv / "bin/gatemark").write_text("#!/bin/sh\n")
    (venv / "bin/gatemark").chmod(0o755)
    (clone.parent / "path").mkdir()
    (clone.parent / "path/gatemark").symlink_to(venv / "bin/gatemark")  # as pipx and uv do
    return package


def ready(clone: Path, word: str) -> subprocess.CompletedProcess[str]:
    path = f"{clone.parent / 'path'}:/usr/bin:/bin"
    command = [str(clone / "setup/ready"), word]
    env = {**os.environ, "PATH": path}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("installed")
def test_a_program_of_the_same_sources_is_taken_with_how_it_was_built(clone: Path) -> None:
    assert ready(clone, FILE).returncode == 0
    folder = (clone / FILE).parent
    assert ((clone / FILE).read_text(), (folder / "build.txt").read_text()) == ("made", "how")


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.usefixtures("installed")
def test_one_of_other_sources_is_not(name: str, clone: Path) -> None:
    (clone / name).write_text("changed")
    assert ready(clone, FILE).returncode == 1
    assert not (clone / FILE).exists()


@pytest.mark.parametrize("name", ["agent/src/main.c", FILE])
def test_what_was_taken_serves_no_more_once_it_or_its_sources_changed(
    name: str, clone: Path, installed: Path
) -> None:
    ready(clone, FILE)
    shutil.rmtree(installed)
    assert ready(clone, FILE).returncode == 0
    (clone / name).write_text("changed")
    assert ready(clone, FILE).returncode == 1


def test_without_an_installation_there_is_none(clone: Path) -> None:
    (clone.parent / "path").mkdir()
    done = ready(clone, FILE)
    assert (done.returncode, done.stderr) == (1, "")


def test_what_is_no_program_of_ours_is_refused(clone: Path) -> None:
    done = ready(clone, "agent/src/main.c")
    assert done.returncode == 2
    assert "'agent/src/main.c' is no program of ours" in done.stderr
