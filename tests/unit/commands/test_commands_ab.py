# SPDX-License-Identifier: Apache-2.0
"""`gatemark ab` refuses in one line what cannot be compared, before anything is built."""

from pathlib import Path
from xml.etree import ElementTree as ET

import builder
import counted
import needs
import pytest
from inside import accepted
from msgspec.json import encode
from typer import Exit

from gatemark.commands import ab
from gatemark.commands.diff import REGRESSION
from gatemark.commands.option.sides import Sides
from gatemark.fleet.file import SHARE
from gatemark.store.directory import RunDirectory

REFUSALS = (
    ("ab", "name what is compared: gatemark ab OLD NEW"),
    ("ab nat", "name what is compared: gatemark ab OLD NEW"),
    ("ab nat nta", "'nta': no path 'nta'; did you mean 'nat'?"),
    ("ab nat nat+filter", "'nat+filter': `features`: 'filter': write filter:N"),
    ("ab nat none.toml", "NEW is a station and OLD a setup: name two of a kind"),
    ("ab none.toml other.toml", "none.toml: No such file or directory"),
    ("ab lab lab --station lab", "OLD and NEW are stations themselves: leave out --station"),
    ("ab nat nat --setup nat", "--setup is what two stations are set to"),
    ("ab nat nat --switch flash.sh", "--switch 'flash.sh': say where the arm's name goes"),
    ("ab nat nat --boots 0", "--boots 0: 1 to 100; six give a 95 % interval"),
    ("ab nat nat --allow much", f"--allow much: {SHARE}"),
    ("ab nat nat --plan quick", "--plan quick: name one of its plans: quick/speed"),
    ("ab lab lab --plan rfc/ceiling", "--plan rfc/ceiling: it measures no gateway"),
    ("ab endpoint nat", "--plan cost/ab: `direction` = up: on the path endpoint write send"),
    ("ab --exact nat lab", "NEW is a station and OLD a setup: name two of a kind"),
    ("ab --exact nat nat --allow 2", f"--allow 2: {SHARE}"),
    ("ab --exact nat nat --plan cost/flows", "--exact: cost/flows is not of packets through"),
    ("ab --resume run nat nat", "--resume goes on with a test as it was planned"),
    ("ab --resume run --exact", "--resume goes on with a test as it was planned"),
    ("ab --resume run --allow 1%", "--resume goes on with a test as it was planned: leave out"),
    ("ab --resume run --seed 0", "--resume goes on with a test as it was planned: leave out"),
    ("ab --resume run", "run is no test of `gatemark ab`: try `gatemark run --resume"),
)


def test_what_cannot_be_compared_is_told_in_one_line(tmp_path: Path) -> None:
    needs.two_cpus()
    builder.keep(tmp_path / "run", builder.trials()[:20])
    assert accepted(REFUSALS, cwd=tmp_path) == {}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_test_in_instructions_is_a_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gatemark.tell.page.render", lambda _: "")
    for rules, outcomes, code in ((101, [], 0), (200, ["failure"], REGRESSION)):
        made = counted.compared(rules)
        directory = RunDirectory.create(tmp_path / str(rules), made.run)
        directory.trials_file.write_bytes(b"".join(encode(one) + b"\n" for one in made.records))
        path = tmp_path / f"{rules}.xml"
        assert ended(directory, path) == code
        (case,) = ET.parse(path).getroot().iter("testcase")  # noqa: S314  it is our own
        assert [child.tag for child in case if child.tag != "system-out"] == outcomes


@pytest.mark.parametrize(
    ("boots", "least"), [(1, "1"), (3, "0.25"), (5, "0.062"), (6, ""), (None, "")]
)
def test_too_few_boots_are_told_before_they_are_made(boots: int | None, least: str) -> None:
    notes = list(Sides("nat", "route", None, "", "", boots, "1%").notes)
    assert [f"the least p of so many pairs is {least}." in note for note in notes] == [True] * bool(
        least
    )


def ended(directory: RunDirectory, path: Path) -> int:
    """The exit code of a test that was measured."""
    try:
        ab._tell(directory, json_=True, junit=path)
    except Exit as end:
        return end.exit_code
    return 0
