# SPDX-License-Identifier: Apache-2.0
"""`gatemark ab` refuses in one line what cannot be compared, before anything is built."""

from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree as ET

import builder
import counted
import pytest
from command import gatemark
from typer import Exit

from gatemark.campaign.file import SHARE
from gatemark.commands import ab
from gatemark.store.directory import RunDirectory


@pytest.mark.parametrize(
    ("words", "said"),
    [
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
        ("ab nat nat --allow 100%", f"--allow 100%: {SHARE}"),
        ("ab nat nat --allow 1", f"--allow 1: {SHARE}"),
        ("ab nat nat --allow 0.2", f"--allow 0.2: {SHARE}"),
        ("ab nat nat --plan quick", "--plan quick: name one of its plans: quick/speed"),
        ("ab lab lab --plan rfc/ceiling", "--plan rfc/ceiling: it measures no gateway"),
        ("ab endpoint nat", "--plan cost/ab: `direction` = up: on the path endpoint write send"),
        ("ab --exact nat lab", "NEW is a station and OLD a setup: name two of a kind"),
        ("ab --exact nat nat --allow 2", f"--allow 2: {SHARE}"),
        ("ab --exact nat nat --plan cost/flows", "--exact: cost/flows is not of packets through"),
        ("ab --resume RUN nat nat", "--resume goes on with a test as it was planned"),
        ("ab --resume RUN --exact", "--resume goes on with a test as it was planned"),
        ("ab --resume RUN --allow 1%", "--resume goes on with a test as it was planned: leave out"),
        ("ab --resume RUN --seed 0", "--resume goes on with a test as it was planned: leave out"),
        ("ab --resume RUN --boots 0", "--resume goes on with a test as it was planned: leave out"),
        ("ab --resume RUN", "RUN is no test of `gatemark ab`: try `gatemark run --resume"),
    ],
)
def test_what_cannot_be_compared_is_told_in_one_line(words: str, said: str, tmp_path: Path) -> None:
    run = builder.keep(tmp_path / "run", builder.trials()[:20]).path
    done = gatemark(*words.replace("RUN", str(run)).split(), cwd=tmp_path)
    assert done.err.startswith(f"gatemark: {said.replace('RUN', str(run))}")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "gatemark-runs").exists()


@pytest.mark.parametrize(("rules", "outcomes"), [(101, []), (200, ["failure"])])
def test_a_test_in_instructions_is_a_case(rules: int, outcomes: list[str], tmp_path: Path) -> None:
    made = counted.compared(rules)
    directory = RunDirectory.create(tmp_path / "run", made.run)
    for record in made.records:
        directory.append(record)
    path = tmp_path / "ab.xml"
    with suppress(Exit):
        ab._tell(directory, json_=True, junit=path)
    (case,) = ET.parse(path).getroot().iter("testcase")  # noqa: S314  it is our own
    assert [child.tag for child in case if child.tag != "system-out"] == outcomes
