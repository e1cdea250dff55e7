# SPDX-License-Identifier: Apache-2.0
"""A process of ours imports nothing from the folder that it is started in."""

import subprocess
import sys
from pathlib import Path

import pytest

import gatemark
from gatemark.node import isolated
from gatemark.run import keep
from gatemark.station.ssh import loan

PLANTED = ("gatemark/__init__.py", "json.py", "msgspec.py", "pyroute2.py", "runpy.py", "site.py")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with modules of somebody else's, each of which tells that it ran."""
    for name in PLANTED:
        path = tmp_path / "here" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)\n")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "here"))
    return tmp_path / "ran"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def test_what_is_planted_would_run(here: Path) -> None:
    run(sys.executable, "-m", "gatemark")
    assert here.exists()


def test_a_module_of_ours_runs_nothing_of_it(here: Path) -> None:
    done = run(*isolated.python("gatemark.error"))
    assert (done.returncode, done.stderr) == (0, "")
    assert not here.exists()


@pytest.mark.long  # as the next one
def test_the_guard_of_a_loan_runs_nothing_of_it(here: Path) -> None:
    guard = loan._start_guard("no-such-lab")
    assert guard.stdin is not None
    guard.stdin.close()
    assert guard.wait(20) == 0
    assert not here.exists()


@pytest.mark.long  # it starts all that a run needs
def test_the_holder_of_a_lab_runs_nothing_of_it(here: Path) -> None:
    done = run(*isolated.python("gatemark.run.keep", "nat", "as fast as it goes"))
    assert "invalid literal for int() with base 10: 'as fast as it goes'" in done.stderr
    assert str(Path(keep.__file__)) in done.stderr
    assert not here.exists()


def test_no_other_python_is_started() -> None:
    sources = Path(gatemark.__file__).parent.rglob("*.py")
    naming = [path.name for path in sources if "sys.executable" in path.read_text()]
    assert naming == ["isolated.py"]
