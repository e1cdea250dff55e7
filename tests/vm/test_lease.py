# SPDX-License-Identifier: Apache-2.0
"""The lease of a box with a kernel of its own: runs that are struck, stopped, refused, released."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from vm.box import PLAN, Box
from vm.kills import GRACE_S, Played, blow, records, undisturbed, wait_for

LEASE_S = 10
USUAL_S = 120
PATIENCE_S = 400.0  # a run under emulation on a busy machine
pytestmark = [pytest.mark.long, pytest.mark.box, pytest.mark.timeout(1200)]


@pytest.fixture(scope="module")
def bench(desk_box: Box) -> Played:
    return Played(desk_box, LEASE_S, cut=False)


@pytest.fixture(scope="module")
def whole(bench: Played, tmp_path_factory: pytest.TempPathFactory) -> tuple[float, set[object]]:
    """How long a run takes that nothing disturbs, s, and the names of its trials."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        return undisturbed(bench, folder / "whole")


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tester's copies of journals are of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@contextmanager
def running(bench: Played, folder: Path, times: int) -> Iterator["subprocess.Popen[str]"]:
    """A run that has kept its first record."""
    folder.mkdir()
    (folder / "plan.toml").write_text(PLAN.format(times=times))
    out = folder / "run"
    with bench.start("run", folder / "plan.toml", *bench.station(), "--out", out) as run:
        try:
            until = time.monotonic() + PATIENCE_S
            while not records(out):
                assert time.monotonic() < until
                assert run.poll() is None, run.communicate()
                time.sleep(0.1)
            yield run
        finally:
            run.kill()


def end_of(run: "subprocess.Popen[str]") -> tuple[int, str]:
    """Its exit code and last line."""
    _, errors = run.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in errors
    return run.returncode, (errors.strip().splitlines() or [""])[-1]


def measured(folder: Path) -> set[object]:
    return {record["status"] for record in records(folder / "run")}


@pytest.mark.parametrize("cut", [False, True], ids=["killed", "cable cut"])
def test_a_run_that_is_struck_is_given_back_and_resumed(
    bench: Played, whole: tuple[float, set[object]], tmp_path: Path, cut: bool
) -> None:
    whole_s, names = whole
    struck = Played(bench.box, LEASE_S, cut=cut)
    (tmp_path / "struck").mkdir()
    _, wrong = blow(struck, tmp_path / "struck" / "run", 0.6 * whole_s, names)
    assert wrong == ""


def test_a_laboratory_that_was_stopped_ends_in_one_line(bench: Played, tmp_path: Path) -> None:
    before, nics = bench.gateway(), bench.settings()
    with running(bench, tmp_path / "run", times=20) as run:
        run.send_signal(signal.SIGSTOP)
        try:
            _, left = wait_for(bench.gateway, before, LEASE_S + GRACE_S)
        finally:
            run.send_signal(signal.SIGCONT)
        code, line = end_of(run)
    assert left == ""
    assert code == 1
    assert f"gateway: lost (it was not renewed for its lease of {LEASE_S} s" in line
    assert measured(tmp_path / "run") == {"ok"}
    assert bench.settings() == nics


def test_a_second_laboratory_is_refused_and_harms_nobody(
    bench: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, before = replace(bench, lease_s=USUAL_S), bench.settings()
    with running(bench, tmp_path / "run", times=3) as run:
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
        words = ("run", tmp_path / "run" / "plan.toml", *bench.station())
        code, line = end_of(bench.start(*words, "--out", tmp_path / "second"))
        assert code == 1
        assert "gateway: in use by " in line
        assert "wait, or `gatemark station release FILE`" in line
        assert end_of(run)[0] == 0
    assert measured(tmp_path / "run") == {"ok"}
    assert bench.settings() == before


def test_a_run_is_released_by_force_alone(bench: Played, tmp_path: Path) -> None:
    bench, before = replace(bench, lease_s=USUAL_S), bench.settings()
    file = bench.station()[1]
    with running(bench, tmp_path / "run", times=40) as run:
        code, line = end_of(bench.start("station", "release", file))
        assert (code, "gateway: in use by " in line) == (1, True)
        assert end_of(bench.start("station", "release", file, "--force")) == (0, "")
        code, line = end_of(run)
    assert (code, "`gatemark station release` gave it back" in line) == (1, True)
    assert bench.settings() == before


def test_a_clock_that_is_set_ends_no_lease(bench: Played, tmp_path: Path) -> None:
    bench = replace(bench, lease_s=USUAL_S)
    with running(bench, tmp_path / "run", times=2) as run:
        for step in ("+ 3600", "- 7200", "+ 3600"):
            bench.box.said(f"date -s @$(($(date +%s) {step}))")
        assert end_of(run)[0] == 0
    assert measured(tmp_path / "run") == {"ok"}
