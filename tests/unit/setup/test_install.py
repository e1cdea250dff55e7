# SPDX-License-Identifier: Apache-2.0
"""`setup/install` and `make`: an unknown role is refused, a clone's path may have a space."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# In the place of each folder that builds, and of the Python with the compiler in it.
BUILD = "install install-cross install-levels:\n\t$(ZIG) version\n"
PYTHON = '#!/bin/sh\n[ "$1" = -c ] || echo "$*" >>"$(dirname "$0")/asked"\n'


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a space in its path, in which nothing is missing and whose builds are stubs."""
    place = tmp_path / "a b"
    for name in ("setup/install", "Makefile"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name)
    texts = {
        "setup/packages.txt": "",
        "setup/lock/run.txt": "",
        "pyproject.toml": "",
        ".venv/pyvenv.cfg": f"command = python3 -m venv {place}/.venv\n",
        ".venv/.ready-run": f"{hashlib.sha256(b'').hexdigest()}  -\n",
        ".venv/bin/python": PYTHON,
        **{f"{name}/Makefile": BUILD for name in ("agent", "algorithms", "classifier")},
        "counter/Makefile": "install:\n\t@true\n",
    }
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    (place / ".venv/bin/python").chmod(0o755)
    return place


def asked(place: Path) -> list[str]:
    """What its Python was asked for."""
    return (place / ".venv/bin/asked").read_text().splitlines()


@pytest.mark.parametrize("words", [[], ["dev"], ["run test"]], ids=str)
def test_an_unknown_role_is_refused_with_the_list(words: list[str], clone: Path) -> None:
    command = [str(clone / "setup/install"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    role = words[0] if words else ""
    assert (done.returncode, done.stderr) == (
        2,
        f"set-up: no role '{role}'; roles are: run, test, long, lint, bench, fuzz, mutate\n",
    )


def test_what_is_built_is_built_in_a_path_with_a_space(clone: Path) -> None:
    command = [str(clone / "setup/install"), "run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert asked(clone) == ["-m ziglang version"] * 3


@pytest.mark.parametrize("target", ["agent", "algorithms", "classifier"])
def test_make_builds_for_every_processor_in_a_path_with_a_space(target: str, clone: Path) -> None:
    (clone / "setup/install").write_text("#!/bin/sh\n")  # its own builds are another test's
    done = subprocess.run(
        ["make", "-C", clone, target], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert asked(clone) == ["-m ziglang version"]
