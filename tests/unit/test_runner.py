# SPDX-License-Identifier: Apache-2.0
"""The stage runner counts what it should, above all where nothing was tested."""

import sys
from pathlib import Path

import pytest
import run


def test_tap_is_counted_with_the_reasons_of_skips() -> None:
    text = "1..4\nok 1 - lpm\nnot ok 2 - pacing\nok 3 - ring # SKIP old kernel\n# ok that was it\n"
    outcome = run.read_tap(text, 1)
    assert outcome.line() == "1 passed, 1 failed, 1 skipped (1: old kernel)"


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("no rule to make target\n", 2), ("ok 1 - lpm\nSegmentation fault\n", 139)],
)
def test_silence_and_crashes_are_failures(text: str, code: int) -> None:
    assert run.read_tap(text, code).failed == 1


def test_junit_tells_every_end_of_a_test(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(
        "<testsuites><testsuite><testcase classname='a' name='b'/>"
        "<testcase classname='a' name='c'><failure message='no'/></testcase>"
        "<testcase classname='a' name='d'><skipped message='no nft'/></testcase>"
        "<testcase classname='a' name='e'><error/></testcase></testsuite></testsuites>"
    )
    assert dict(run.read_junit(report)) == {
        "a.b": ("passed", ""),
        "a.c": ("failure", "no"),
        "a.d": ("skipped", "no nft"),
        "a.e": ("error", ""),
    }


TWICE = """
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def host():
    with Path(__file__).with_name("tries").open("a+") as tries:
        tries.write("x")
        tries.seek(0)
        return len(tries.read())


def test_of_a_busy_machine(host):
    assert host == 2


def test_of_a_fault(host):
    assert host == 0


def test_that_passes(host):
    assert host == 1
"""


def test_what_failed_is_tried_twice_where_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("twice", "once"):
        folder = tmp_path / "tests" / name
        folder.mkdir(parents=True)
        (folder / f"test_{name}.py").write_text(TWICE)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    said = run.pytest("twice", workers=0, twice=True)().line()
    assert said == (
        "2 passed, 1 failed, 0 skipped (1 at the second try: "
        "tests.twice.test_twice.test_of_a_busy_machine)"
    )
    assert run.pytest("once", workers=0)().line() == "1 passed, 2 failed, 0 skipped"


def test_a_stage_without_tests_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests" / "empty").mkdir(parents=True)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    assert run.pytest("empty", workers=0)().failed == 1


def test_the_output_of_what_failed_is_kept_and_of_the_rest_not() -> None:
    total = run.Outcome()
    total.add(run.check([sys.executable, "-c", "print('fine')"]))
    total.add(run.check([sys.executable, "-c", "raise SystemExit('broken')"]))
    assert (total.passed, total.failed) == (1, 1)
    assert "broken" in total.output
    assert "'fine'" not in total.output


def test_an_unknown_stage_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["units"]) == 2
    assert "no stage 'units'; there are: agent, counter, docs, lint" in capsys.readouterr().err


def test_every_stage_is_in_one_round() -> None:
    listed = [name for tracks in run.ROUNDS for track in tracks for name in track]
    assert sorted(listed) == sorted(run.STAGES)


def test_what_runs_beside_has_the_lowest_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run.STAGES, "counter", lambda: run.check(["true"]))
    seen: list[int] = []

    def stage() -> run.Outcome:
        seen.append(int(run.call(["nice"])[1].splitlines()[-1]))
        return run.check(["true"])

    monkeypatch.setitem(run.STAGES, "lint", stage)
    assert (run.main(["counter", "lint"]), run.main(["lint"])) == (0, 0)
    assert seen == [19, int(run.call(["nice"])[1].splitlines()[-1])]
