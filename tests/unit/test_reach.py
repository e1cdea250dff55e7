# SPDX-License-Identifier: Apache-2.0
"""A change picks the tests that it can break, and CI's part rotates."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from runner import quarter, reach
from runner.chosen import All, Changed, Part
from runner.imports import imported
from runner.process import ROOT

TREE = {
    "src/gatemark/error.py": "",
    "src/gatemark/plan/load.py": "from gatemark import error\nfolder = 'plans'\n",
    "src/gatemark/store/file.py": "from ..error import (\n    UsageError,  # why\n    OSError)\n",
    "src/gatemark/gateway/feature/__init__.py": "one = import_module(name)\n",
    "src/gatemark/gateway/feature/vlan.py": "",
    "src/gatemark/gateway/attached.py": "from gatemark.gateway import feature\n",
    "src/gatemark/gateway/detach.sh": "",
    "src/gatemark/__main__.py": "def main():\n    from gatemark.store import file\n",
    "src/gatemark/plans/quick/sweep.toml": "",
    "tests/unit/test_plan.py": "import gatemark.plan.load as load\n",
    "tests/unit/test_store.py": "from gatemark.store.file import write\n",
    "tests/lab/conftest.py": "from gatemark.gateway.attached import script\n",
    "tests/lab/test_lab.py": "",
    "tests/lab/test_sweep.py": 'PLAN = "quick/sweep"\n',
    "tests/unit/test_command.py": 'run(["-m", "gatemark"])\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("change", "tests"),
    [
        ("src/gatemark/error.py", ["test_plan", "test_store", "test_command"]),
        ("src/gatemark/store/file.py", ["test_store", "test_command"]),
        ("src/gatemark/gateway/feature/vlan.py", ["test_lab", "test_sweep"]),
        ("src/gatemark/gateway/detach.sh", ["test_lab", "test_sweep"]),
        ("src/gatemark/plans/quick/sweep.toml", ["test_sweep"]),
        ("tests/unit/test_plan.py", ["test_plan"]),
        ("agent/src/main.c", []),
        ("tests/unit/README.md", []),
    ],
)
def test_a_change_reaches_the_tests_that_import_it(
    root: Path, change: str, tests: Sequence[str]
) -> None:
    reached = reach.reached(root / "tests", [root / change], root)
    assert sorted(path.stem for path in reached) == sorted(tests)


def test_the_nearest_test_is_first(root: Path) -> None:
    reached = reach.reached(root / "tests", [root / "src/gatemark/store/file.py"], root)
    assert [path.stem for path in reached] == ["test_store", "test_command"]


def test_an_import_has_its_line(root: Path) -> None:
    names = [*imported(root / "src/gatemark/store/file.py", root)]
    assert names == [(1, "gatemark.error.UsageError"), (1, "gatemark.error.OSError")]


def test_what_is_outside_the_package_reaches_whole_stages(root: Path) -> None:
    changes = [root / "agent/src/main.c", root / "README.md"]
    assert reach.stages(changes, root) == {*reach.TRAFFIC, "docs"}


def test_an_unknown_commit_is_named(root: Path) -> None:
    with pytest.raises(ValueError, match="0123abc"):
        reach.changed("0123abc", root)


def test_what_is_not_committed_has_changed(root: Path) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)
    (root / "new.py").write_text("")
    (root / "src/gatemark/error.py").write_text("changed = 1\n")
    assert reach.changed("HEAD", root) == {root / "new.py", root / "src/gatemark/error.py"}


def test_nothing_is_left_out_where_all_is_asked_for() -> None:
    assert (All().has("fuzz"), All().files("lab", "tests/lab")) == (True, ["tests/lab"])


def test_a_change_runs_its_stages_and_files_alone() -> None:
    change = Changed([ROOT / "src/gatemark/judge/math/interval.py"])
    files = change.files("unit", "tests/unit")
    assert "tests/unit/judge/math/test_interval.py" in files
    assert "tests/unit/node/test_node_quoted.py" not in files
    assert (change.has("lint"), change.has("algorithms")) == (True, False)


def test_four_quarters_are_all_of_it() -> None:
    parts = [set(Part([], number).files("lab", "tests/lab")) for number in range(quarter.QUARTERS)]
    everything = {str(path.relative_to(ROOT)) for path in (ROOT / "tests/lab").rglob("test_*.py")}
    assert set.union(*parts) == everything
    assert sum(len(part) for part in parts) == len(everything)


def test_a_part_holds_what_the_change_can_break() -> None:
    changes = [ROOT / "src/gatemark/judge/math/interval.py"]
    part, change = Part(changes, 0), Changed(changes)
    assert set(change.files("unit", "tests/unit")) < set(part.files("unit", "tests/unit"))


def git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def now() -> quarter.Quarter:
    kept = quarter.read()
    try:
        git("cat-file", "-e", kept.base)
    except subprocess.CalledProcessError:
        pytest.skip("no history here")
    return kept


def test_the_quarter_followed_the_one_of_its_base(now: quarter.Quarter) -> None:
    git("merge-base", "--is-ancestor", now.base, "HEAD")
    if before := git("ls-tree", "--name-only", now.base, str(quarter.FILE)).strip():
        then = quarter.read(git("show", f"{now.base}:{before}"))
        assert now.number == (then.number + 1) % quarter.QUARTERS
