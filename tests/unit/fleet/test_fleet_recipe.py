# SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/campaign.md for GitHub and GitLab: their commands run, and the gate fails.

They run as in a container, with process ids and mounts of its own.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command import environment

from gatemark.commands.diff import REGRESSION

ROOT = Path(__file__).resolve().parents[3]
CONTAINER = ("unshare", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child")
DOCUMENT = ROOT / "docs" / "campaign.md"
# What a repository would have beside its recipe: one rule more than is allowed.
CAMPAIGN = """schema = "gatemark.campaign/1"
title = "A hundred rules"
[[model]]
name = "x86"
stations = ["qemu-x86"]
exact = true
[[build]]
name = "field"
setup = "nat"
[[build]]
name = "next"
setup = "nat+filter:100"
[[suite]]
plan = "cost/ab"
set = ["repeat.times=1"]
[[gate]]
build = "next"
against = "field"
"""


def recipes() -> dict[str, list[str]]:
    """By the first line of each YAML block: its lines with our command, in order."""
    text = DOCUMENT.read_text()
    made = {}
    for block in re.findall(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        name = block.splitlines()[0].strip("# :\n")
        made[name] = re.findall(r"(?:- run: |run: |- )(\.venv/bin/gatemark .*)", block)
    return made


def test_both_recipes_run_and_then_report() -> None:
    made = recipes()
    assert list(made) == ["GitHub", "GitLab"]
    for commands in made.values():
        verbs = [shlex.split(command)[1:3] for command in commands]
        assert verbs == [["campaign", "run"], ["campaign", "report"]]
    assert made["GitHub"] == made["GitLab"]


@pytest.mark.long
@pytest.mark.counted
@pytest.mark.timeout(1200)
def test_the_commands_fail_by_the_gate_and_write_junit(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: the recipe is in a container")
    (tmp_path / "campaign.toml").write_text(CAMPAIGN)
    codes = []
    for command in recipes()["GitLab"]:
        words = shlex.split(command)
        done = subprocess.run(
            [*CONTAINER, sys.executable, "-m", "gatemark", *words[1:]],
            cwd=tmp_path,
            env=environment(),
            check=False,
        )
        codes.append(done.returncode)
    assert codes == [REGRESSION, REGRESSION]
    cases = ElementTree.parse(tmp_path / "result.xml").getroot().findall(".//testcase")  # noqa: S314
    assert [len(case.findall("failure")) for case in cases] == [1]
