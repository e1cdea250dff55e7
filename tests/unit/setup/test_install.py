# SPDX-License-Identifier: Apache-2.0
"""`setup/install`, `setup/build`, `make`: what each installs and builds, in a path with a space."""

import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# In the place of each folder that builds, and of each tool in .venv.
BUILD = """
install install-cross install-levels $(FILE):
\t$(ZIG) version
own:
\t@test -e own
"""
TOOL = '#!/bin/sh\n[ "$1" = -c ] || echo "$*" >>"$(dirname "$0")/asked"\n'
READY = f"{hashlib.sha256(b'').hexdigest()}  -\n"
TOOLS = [
    "bash",
    "cat",
    "cp",
    "cut",
    "date",
    "dirname",
    "find",
    "flock",
    "grep",
    "head",
    "make",
    "mktemp",
    "nproc",
    "readlink",
    "rm",
    "sha256sum",
    "sort",
    "tail",
    "uname",
    "xargs",
]
BUILT = "-m ziglang version"
ZIG = "pip install -q --python .venv/bin/python --require-hashes -r setup/lock/zig.txt"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone with a space in its path, which lacks zig alone and whose builds are stubs."""
    place = tmp_path / "a b"
    for name in ("setup/install", "setup/build", "setup/ready", "Makefile"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, place / name)
    texts = {
        "setup/packages.txt": "",
        "pyproject.toml": "",
        ".venv/pyvenv.cfg": f"command = python3 -m venv {place}/.venv\n",
        ".venv/bin/python": TOOL,
        ".venv/bin/uv": TOOL,
        **{f"setup/lock/{name}.txt": "" for name in ("run", "dev", "zig")},
        **{f".venv/.ready-{name}": READY for name in ("run", "dev")},
        **{f"{name}/Makefile": BUILD for name in ("agent", "algorithms", "classifier")},
        "counter/Makefile": "install:\n\t@true\n",
    }
    for name, text in texts.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    for name in ("python", "uv"):
        (place / ".venv/bin" / name).chmod(0o755)
    return place


def asked(place: Path) -> list[str]:
    """What its tools were asked for, in order."""
    file = place / ".venv/bin/asked"
    return file.read_text().splitlines() if file.exists() else []


def call(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("words", [[], ["dev"], ["run test"]], ids=str)
def test_an_unknown_role_is_refused_with_the_list(words: list[str], clone: Path) -> None:
    command = [str(clone / "setup/install"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    role = words[0] if words else ""
    assert (done.returncode, done.stderr) == (
        2,
        f"set-up: no role '{role}'; roles are: run, test, long, lint, bench, fuzz, mutate, zig\n",
    )


def test_a_run_needs_no_zig_where_the_machine_has_a_compiler(clone: Path) -> None:
    (clone / "agent/own").touch()
    (clone / "agent/Makefile").write_text(BUILD.replace("$(ZIG)", "@: $(ZIG)"))
    call(clone / "setup/install", "run")
    assert asked(clone) == []


@pytest.mark.parametrize("lock", ["run", "zig"])
def test_an_installation_that_fails_is_not_taken_for_done(lock: str, clone: Path) -> None:
    ready = clone / f".venv/.ready-{lock}"
    ready.unlink(missing_ok=True)
    (clone / ".venv/bin/uv").write_text("#!/bin/sh\necho no network; exit 1\n")
    command = [str(clone / "setup/install"), "run"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no network" in done.stderr
    assert not ready.exists()


def test_a_run_gets_zig_for_its_agent_elsewhere(clone: Path) -> None:
    call(clone / "setup/install", "run")
    assert asked(clone) == [ZIG, BUILT]


@pytest.mark.parametrize(("role", "builds"), [("test", 2), ("long", 3), ("lint", 0)])
def test_the_rest_is_built_for_those_who_test_it(role: str, builds: int, clone: Path) -> None:
    call(clone / "setup/install", role)
    assert asked(clone) == [BUILT] * builds


@pytest.mark.parametrize(
    ("file", "folder"),
    [
        ("agents/mips/gm-agent", "agent"),
        ("algorithms/mips/gm-algorithms-O3", "algorithms"),
        ("classifiers/mips/gm-classifier", "classifier"),
    ],
)
def test_a_file_is_built_by_a_zig_that_is_installed_first(
    file: str, folder: str, clone: Path
) -> None:
    (clone / "agent/own").touch()
    makefile = clone / folder / "Makefile"
    makefile.write_text(f"FILE := ../src/gatemark/{file}\n{makefile.read_text()}")
    call(clone / "setup/build", f"src/gatemark/{file}")
    assert asked(clone)[0] == ZIG
    assert asked(clone)[-1] == BUILT


def test_a_file_that_nothing_builds_is_refused(clone: Path) -> None:
    command = [str(clone / "setup/build"), "src/gatemark/tell"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'src/gatemark/tell' is built by nobody" in done.stderr


@pytest.mark.parametrize(
    ("installer", "line"),
    [
        ("dnf", "sudo dnf install iproute irtt"),
        ("pacman", "sudo pacman -S --needed iproute2-arch irtt"),
    ],
)
def test_what_is_missing_has_the_distribution_s_own_name(
    installer: str, line: str, clone: Path
) -> None:
    (clone / "agent/own").touch()
    rows = ("iproute2 iproute iproute2-arch", "irtt - -")
    table = "".join(f"run {names} none-such enters namespaces\n" for names in rows)
    (clone / "setup/packages.txt").write_text(table)
    path = clone.parent / "path"
    path.mkdir()
    (path / installer).write_text("#!/bin/sh\nexit 1\n")
    (path / installer).chmod(0o755)
    for name in TOOLS:
        (path / name).symlink_to(str(shutil.which(name)))
    env = {"PATH": str(path), "HOME": str(clone)}
    command = ["/bin/bash", str(clone / "setup/install"), "run"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert line in done.stderr


@pytest.mark.parametrize("target", ["agent", "algorithms", "classifier"])
def test_make_builds_for_every_processor_in_a_path_with_a_space(target: str, clone: Path) -> None:
    (clone / "setup/install").write_text("#!/bin/sh\n")  # its own builds are another test's
    call("make", "-C", clone, target)
    assert asked(clone) == [BUILT]
