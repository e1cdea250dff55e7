# SPDX-License-Identifier: Apache-2.0
"""`make release` refuses what is not whole before it changes anything."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NOTES = "# Changes\n\n## 2.0.0 (not released yet)\n\n### New\n### Changed\n### Fixed\n### Numbers\n"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository of version 2.0.0 whose tests succeed."""
    texts = {
        ".venv/bin/python": '#!/bin/sh\n[ "$1" != -c ] || echo 2.0.0\n',
        ".gitignore": "/.venv\n",
        "CHANGELOG.md": NOTES,
        "pyproject.toml": 'url = ""\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / ".venv/bin/python").chmod(0o755)
    (tmp_path / "setup").mkdir()
    shutil.copy2(ROOT / "setup/release", tmp_path / "setup/release")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def git(place: Path, *words: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = ("git", *who, *words)
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout


def commit(place: Path) -> None:
    git(place, "add", "-A")
    git(place, "commit", "-qm", "all")


def refused(place: Path, *words: str) -> tuple[int, str]:
    before = git(place, "rev-parse", "HEAD")
    command = [str(place / "setup/release"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert git(place, "rev-parse", "HEAD") == before
    return done.returncode, done.stderr


@pytest.mark.parametrize("url", ["git.example/gatemark", "https://git.example", "https://a/b c"])
def test_what_is_no_address_is_a_usage_error(url: str, clone: Path) -> None:
    status, text = refused(clone, url)
    assert status == 2
    assert f"URL={url}: the address of the repository" in text


def test_what_is_not_committed_is_refused(clone: Path) -> None:
    (clone / "CHANGELOG.md").write_text(NOTES + "more\n")
    status, text = refused(clone)
    assert (status, "what is not committed" in text) == (1, True)


def test_a_version_that_has_its_tag_is_refused(clone: Path) -> None:
    git(clone, "tag", "v2.0.0")
    status, text = refused(clone)
    assert (status, "v2.0.0 is there: raise __version__" in text) == (1, True)


@pytest.mark.parametrize(
    ("notes", "lacks"),
    [
        (NOTES.replace("2.0.0", "1.9.0"), "no '## 2.0.0 (...)'"),
        (NOTES.replace("### Fixed\n", ""), "version 2.0.0 has no '### Fixed'"),
        (NOTES.replace("### Fixed\n", "## 1.0.0 (1999)\n### Fixed\n"), "has no '### Fixed'"),
    ],
)
def test_notes_that_lack_a_part_are_refused(notes: str, lacks: str, clone: Path) -> None:
    (clone / "CHANGELOG.md").write_text(notes)
    commit(clone)
    status, text = refused(clone)
    assert (status, lacks in text) == (1, True)
