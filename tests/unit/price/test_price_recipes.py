# SPDX-License-Identifier: Apache-2.0
"""The recipes of a verdict for CI: their steps are run, with a program in gatemark's place."""

import os
import re
import subprocess
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
COMMENT = "**REGRESSION: it takes 8 more**"
# Stands for python3 -m venv, pip and gatemark: it says what it was asked.
PROGRAM = """#!/bin/sh
case "$*" in
  *venv*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/gatemark" ;;
  *pip*) echo "pip $*" >> "$ASKED" ;;
  *) echo "$*" >> "$ASKED"; echo '{comment}'; exit {code} ;;
esac
"""


def steps(file: str, command: str) -> list[str]:
    """The shell of each step of a recipe, in order."""
    blocks = re.findall(command, (ROOT / file).read_text(), re.MULTILINE)
    return [textwrap.dedent(block) for block in blocks]


ACTION = steps("verdict/action.yml", r"^ +run: \|\n((?:(?: {8}.*)?\n)+)")
COMPONENT = steps("templates/verdict.yml", r"^    - ((?:python3|\.gatemark).*)")


def taken(shell: Sequence[str], folder: Path, code: int, rules: str) -> tuple[int, str]:
    """Run the steps; the last one's exit code, and what the programs were asked."""
    (folder / "python3").write_text(PROGRAM.format(comment=COMMENT, code=code))
    (folder / "python3").chmod(0o755)
    asked = {"OLD": "old.nft", "NEW": "new one.nft", "STATION": "qemu-x86", "ALLOW": "1%"}
    runner = {
        "RUNNER_TEMP": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "PATH": f"{folder}:{os.environ['PATH']}",
        "ASKED": str(folder / "asked"),
        "PACKAGE": "gatemark==1",
        "RULES": rules,
    }
    last = 0
    for step in shell:
        done = subprocess.run(
            ["bash", "-e", "-c", step], cwd=folder, env=asked | runner, check=False
        )
        last = done.returncode
    return last, (folder / "asked").read_text()


@pytest.mark.parametrize("shell", [ACTION, COMPONENT], ids=["GitHub", "GitLab"])
@pytest.mark.parametrize("code", [0, 3])
def test_a_recipe_keeps_the_comment_and_the_exit_code(
    shell: Sequence[str], code: int, tmp_path: Path
) -> None:
    last, asked = taken(shell, tmp_path, code, "")
    assert last == code
    assert (tmp_path / "verdict.md").read_text() == f"{COMMENT}\n"
    assert "verdict old.nft new one.nft --station qemu-x86 --allow 1%" in asked
    assert "gatemark==1" in asked


@pytest.mark.parametrize("shell", [ACTION, COMPONENT], ids=["GitHub", "GitLab"])
def test_a_recipe_hands_the_rules_of_both_on(shell: Sequence[str], tmp_path: Path) -> None:
    _, asked = taken(shell, tmp_path, 0, "both.nft")
    assert "--rules both.nft" in asked


def test_the_action_writes_the_summary_and_where_the_comment_is(tmp_path: Path) -> None:
    taken(ACTION, tmp_path, 3, "")
    assert (tmp_path / "summary").read_text() == f"{COMMENT}\n"
    assert (tmp_path / "output").read_text() == f"comment={tmp_path}/verdict.md\n"
