# SPDX-License-Identifier: Apache-2.0
"""The stage runner counts what it should, above all where nothing was tested."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
import run
from runner import lint, process, stages
from runner.chosen import All, Chosen
from runner.outcome import Case, Outcome, Stage, read_junit, read_tap, write_junit
from runner.process import Ended


def test_tap_is_counted_with_the_reasons_of_skips() -> None:
    text = "1..4\nok 1 - lpm\nnot ok 2 - pacing\nok 3 - ring # SKIP old kernel\n# ok that was it\n"
    assert (
        read_tap(Ended(1, text, 0), "agent").line()
        == "1 passed, 1 failed, 1 skipped (1: old kernel)"
    )


def test_tap_tells_how_long_a_test_took() -> None:
    assert read_tap(Ended(0, "ok 1 - lpm # 2.5 s\n", 0), "agent").cases == [
        Case("agent: lpm", seconds=2.5)
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [("", 0), ("no rule to make target\n", 2), ("ok 1 - lpm\nSegmentation fault\n", 139)],
)
def test_silence_and_crashes_are_failures(text: str, code: int) -> None:
    assert read_tap(Ended(code, text, 0), "agent").failed == 1


def test_junit_tells_every_end_of_a_test(tmp_path: Path) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(
        "<testsuites><testsuite><testcase classname='a' name='b' time='1.5'/>"
        "<testcase classname='a' name='c'><failure message='no'/></testcase>"
        "<testcase classname='a' name='d'><skipped message='no nft'/></testcase>"
        "<testcase classname='a' name='e'><error/></testcase></testsuite></testsuites>"
    )
    assert read_junit(report) == [
        Case("a.b", seconds=1.5),
        Case("a.c", "failure", "no"),
        Case("a.d", "skipped", "no nft"),
        Case("a.e", "error"),
    ]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    cases = [Case("lpm", seconds=1.5), Case("ring", "skipped", "old <kernel>")]
    write_junit(tmp_path / "new" / "agent.xml", "agent", cases)
    read = read_junit(tmp_path / "new" / "agent.xml")
    assert [(case.tag, case.reason, case.seconds) for case in read] == [
        ("", "", 1.5),
        ("skipped", "old <kernel>", 0),
    ]


def test_the_slowest_are_told_first() -> None:
    cases = [Case("quick", seconds=0.1), Case("slow", seconds=3), Case("slower", seconds=4)]
    assert Outcome(cases).slowest() == ["     4.0 s  slower", "     3.0 s  slow"]


TRIED = """
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


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository of its own for the runner."""
    for module in (process, lint):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(lint, "KEPT", tmp_path / ".tests")
    monkeypatch.setattr(run, "REPORTS", tmp_path / ".tests")
    return tmp_path


@pytest.mark.parametrize(
    ("retry", "line"),
    [
        (False, "1 passed, 2 failed, 0 skipped"),
        (
            True,
            "2 passed, 1 failed, 0 skipped (1 at the second try: "
            "tests.tried.test_tried.test_of_a_busy_machine)",
        ),
    ],
)
def test_what_failed_is_tried_again_where_that_is_asked(
    *, retry: bool, line: str, root: Path
) -> None:
    folder = root / "tests" / "tried"
    folder.mkdir(parents=True)
    (folder / "test_tried.py").write_text(TRIED)
    stage = stages.pytest("tried", "tried", 0)
    outcome = run.run_one("tried", stage, root / "tried.xml", All(), retry=retry)
    assert outcome.line() == line


def test_what_judges_files_is_tried_once(root: Path) -> None:
    tries = []

    def stage(_: Path, chosen: Chosen) -> Outcome:
        tries.append(chosen)
        return Outcome([Case("ruff", "failure"), Case("ruff")])

    assert run.run_one("lint", stage, root / "lint.xml", All(), retry=True).failed == 1
    assert len(tries) == 1


def test_a_stage_without_tests_fails(root: Path) -> None:
    (root / "tests" / "empty").mkdir(parents=True)
    outcome = stages.pytest("empty", "empty", 0)(root, All())
    assert outcome is not None
    assert outcome.failed == 1


def test_the_output_of_what_failed_is_kept_and_of_the_rest_not() -> None:
    total = Outcome()
    total.add(Outcome([Case("lpm")], output="fine"))
    total.add(Outcome([Case("ring", "failure")], output="broken"))
    assert (total.counts(), total.output) == ("1 passed, 1 failed, 0 skipped", "broken")


def test_an_unknown_stage_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["units"]) == 2
    assert "no stage 'units'; there are: agent, docs, lint" in capsys.readouterr().err


def test_every_stage_is_in_one_track() -> None:
    tracked = sorted(name for track in stages.TRACKS for name in track)
    assert tracked == sorted({*stages.STAGES, *stages.LONG_STAGES, *stages.GUEST_STAGES})


@pytest.mark.usefixtures("root")
def test_what_must_not_be_beside_another_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []

    def stage(name: str) -> Stage:
        def ended(_: Path, chosen: Chosen) -> Outcome:  # noqa: ARG001
            time.sleep(0.2 if name == "alone" else 0)
            order.append(name)
            return Outcome([Case(name)])

        return ended

    for name in ("alone", "vm"):
        monkeypatch.setitem(stages.STAGES, name, stage(name))
    assert run.main(["alone", "vm"]) == 0
    assert order == ["alone", "vm"]


@pytest.mark.usefixtures("root")
def test_what_only_computes_yields_to_what_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    computed = threading.Event()

    def compute(_: Path, chosen: Chosen) -> Outcome:  # noqa: ARG001
        seen.append(nice())
        computed.set()
        return Outcome([Case("computes")])

    def measure(_: Path, chosen: Chosen) -> Outcome:  # noqa: ARG001
        return Outcome([Case("measures", "" if computed.wait(30) else "failure")])

    monkeypatch.setitem(stages.STAGES, "vm", measure)
    monkeypatch.setitem(stages.STAGES, "unit", compute)
    assert (run.main(["vm", "unit"]), run.main(["unit"])) == (0, 0)
    assert seen == [max(nice(), run.NICE), nice()]


def nice() -> int:
    return int(process.call(["nice"])[1].splitlines()[-1])


# --- lint


CLEAN = "print('fine')\n"


RUFF: Final = ("ruff", "check", "--isolated")


@pytest.fixture
def sources(root: Path) -> Path:
    """Two sources for ruff alone."""
    for name in ("first.py", "second.py"):
        (root / name).write_text(CLEAN)
    return root


def looked_at(sources: Path, depends: Sequence[str] = ()) -> list[str]:
    """What a stage with ruff alone did."""
    stage = lint.lint("lint", (lint.Check(RUFF, ("*.py",), depends),))
    outcome = stage(sources, All())
    assert outcome is not None
    return [case.name for case in outcome.cases]


def test_what_passed_is_not_looked_at_again(sources: Path) -> None:
    assert looked_at(sources) == ["ruff check --isolated"] * 2
    assert looked_at(sources) == ["ruff: nothing changed"]


def test_of_two_files_that_which_changed_is_looked_at(sources: Path) -> None:
    looked_at(sources)
    (sources / "second.py").write_text(CLEAN * 2)
    assert looked_at(sources) == ["ruff check --isolated"]


def test_what_failed_is_looked_at_again(sources: Path) -> None:
    (sources / "second.py").write_text("import os\n")
    assert looked_at(sources) == ["ruff check --isolated"] * 2
    assert looked_at(sources) == ["ruff check --isolated"]


def test_a_file_is_looked_at_again_where_what_it_depends_on_changed(sources: Path) -> None:
    (sources / "ruff.h").write_text("1")
    looked_at(sources, ["*.h"])
    (sources / "ruff.h").write_text("2")
    assert looked_at(sources, ["*.h"]) == ["ruff check --isolated"] * 2
