# SPDX-License-Identifier: Apache-2.0
"""`gatemark ab` on the lab: chance is not told, a planted cost is, a command switches the arms."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import Done, gatemark

# What is measured elsewhere on this machine is waited for.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]
SHORT = ("--set=workload.duration_s=0.1", "--set=repeat.times=1", "--seed=7")


@dataclass(frozen=True)
class Compared:
    """An A/B test that has ended, well or not."""

    done: Done
    folder: Path

    @property
    def rows(self) -> list[Any]:
        """What was compared; a busy machine may have a fault besides."""
        rows = [json.loads(line) for line in self.done.out.splitlines()]
        return [row for row in rows if row.get("row") != "shape"]

    @property
    def run(self) -> Any:
        return json.loads((self.folder / "run.json").read_text())

    @property
    def records(self) -> list[Any]:
        lines = (self.folder / "trials.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    @property
    def booted(self) -> list[tuple[str, int]]:
        """The boots in their order."""
        boots = [(r["arm"], r["boot"]) for r in self.records if r["arm"] in ("old", "new")]
        return list(dict.fromkeys(boots))


def ab_of(folder: Path, *words: str) -> Compared:
    return Compared(gatemark("ab", *words, *SHORT, "--json", f"--out={folder}"), folder)


@pytest.fixture(scope="module")
def costly(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    return ab_of(tmp_path_factory.mktemp("ab") / "costly", "route", "route+filter:1000")


def test_every_boot_of_either_arm_is_measured_in_turn_and_is_a_sample(costly: Compared) -> None:
    blocks = [set(costly.booted[at : at + 2]) for at in range(0, 12, 2)]
    assert blocks == [{("old", boot), ("new", boot)} for boot in range(1, 7)]
    assert {record["status"] for record in costly.records} == {"ok"}
    (row,) = costly.rows
    assert (row["old_n"], row["new_n"]) == (6, 6)
    assert {record["definition"]["turn_ms"] for record in costly.records} == {20.0}
    sides = costly.run["ab"]
    assert all(sides[arm]["inventory"]["gateway"]["kernel"] for arm in ("old", "new"))


def test_a_costly_setup_is_a_regression(costly: Compared) -> None:
    (row,) = costly.rows
    if any(row["at_least"]):
        pytest.skip("other work left the tester too little of a CPU")
    assert (costly.done.code, row["verdict"]) == (3, "slower"), costly.done.err
    assert row["change_hi"] < -0.3
    assert (costly.folder / "report.html").exists()


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Compared:
    """Switched by a command that fails at the third boot until a file is there."""
    place = tmp_path_factory.mktemp("switch")
    script = place / "flash.sh"
    script.write_text(
        f"echo $1 >> {place}/switched\n"
        f"[ $(wc -l < {place}/switched) != 3 ] || {{ echo no such image; exit 7; }}\n"
    )
    words = ("route", "route", "--boots=2", f"--switch=sh {script} {{arm}}")
    return ab_of(place / "cut", *words)


def test_boots_that_can_never_tell_a_difference_are_told_before_the_first(cut: Compared) -> None:
    at = cut.done.err.find("2 boots of each can never tell a difference")
    assert 0 <= at < cut.done.err.index("boot 1 of ")


def test_the_command_is_run_before_each_boot_with_the_arms_name(cut: Compared) -> None:
    switched = (cut.folder.parent / "switched").read_text().split()
    assert switched[:2] == [arm for arm, _ in cut.booted]


def test_a_command_that_fails_ends_it_in_one_line_and_what_was_measured_stays(
    cut: Compared,
) -> None:
    last = cut.done.err.splitlines()[-1]
    assert last.startswith("gatemark: --switch 'sh ")
    assert "ended with 7 (no such image); what was measured is kept" in last
    assert (cut.done.code, cut.done.out, len(cut.booted)) == (1, "", 2)


def test_it_goes_on_where_it_was_cut(cut: Compared) -> None:
    before = cut.records
    done = gatemark("ab", "--resume", cut.folder, "--json")
    assert done.code == 0, done.err  # chance alone is no regression
    assert cut.records[: len(before)] == before
    assert sorted(cut.booted) == [("new", 1), ("new", 2), ("old", 1), ("old", 2)]
