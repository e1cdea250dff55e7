# SPDX-License-Identifier: Apache-2.0
"""What the documents say is so: command blocks run, files and links exist, verbs are verbs.

A comment above a block says more about it:
    <!-- not run: why -->   only its make targets and verbs are looked up
    <!-- needs root -->     skipped without root
    <!-- long, needs root -->  it measures
    <!-- file: PATH -->     the block is that file, word for word
A block finds a run's directory `first`, made up, unless it makes one of that name itself, and where
it speaks of `gatemark-runs/` two more in there. To run them takes long; `make test` looks up their
verbs, options and targets.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from typed import unknown

from gatemark.node.binary import agent_path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("docs", "src/**", "agent", "bpf", "counter", "benchmarks", "tests", "setup")
HOMES = ("*.md", *(f"{folder}/*.md" for folder in FOLDERS))
LONGEST_S = 120

FENCE = re.compile(r"^```(\w*)$")
MARK = re.compile(r"^<!-- (not run|needs root|long, needs root|file)(?:: (.*))? -->$")
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it begins, its language, what the comment above says, its text."""

    place: str
    language: str
    mark: str
    note: str
    text: str

    @property
    def script(self) -> str:
        """Its commands: of a console those after the prompt, without what they print."""
        if self.language == "sh":
            return self.text
        if self.language == "python":
            return f"python - <<'PYTHON'\n{self.text}PYTHON\n"
        return "".join(f"{line[2:]}\n" for line in self.text.splitlines() if line[:2] == "$ ")


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a document."""
    lines = path.read_text(encoding="utf-8").splitlines()
    above, start, language = "", 0, ""
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and not start:
            start, language = number, fence[1]
        elif fence:
            mark = MARK.match(above)
            kind, note = (mark[1], mark[2] or "") if mark else ("", "")
            place = f"{path.relative_to(ROOT)}:{start}"
            yield Block(
                place, language, kind, note, "".join(f"{x}\n" for x in lines[start : number - 1])
            )
            start, above = 0, ""
        elif not start and line:
            above = line


def prose(path: Path) -> str:
    """A document without its blocks."""
    return re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)


@cache
def documents() -> list[Path]:
    return sorted({path for home in HOMES for path in ROOT.glob(home)})


def test_no_kept_page_names_a_folder_of_the_machine_that_made_it() -> None:
    place = re.compile(
        r"(?<![\w.])/(?:root|work|home/(?!anna\b)\w+|tmp/(?!gatemark-|image\b))[\w/.-]*"
    )
    golden = (path for path in ROOT.glob("tests/golden/*/*") if path.suffix != ".pyc")
    kept = [*documents(), *ROOT.glob("docs/sample/*.txt"), *golden]
    named = [(path.name, place.findall(path.read_text(encoding="utf-8"))) for path in kept]
    assert [pair for pair in named if pair[1]] == []


@cache
def every_block() -> list[Block]:
    return [block for path in documents() for block in blocks(path)]


def commands() -> list[Block]:
    """The blocks of commands."""
    return [block for block in every_block() if block.language in ("console", "sh", "python")]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `gatemark` and `python` are those under test."""
    command = tmp_path / "bin" / "gatemark"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m gatemark "$@"\n')
    command.chmod(0o755)
    folders = (command.parent, Path(sys.executable).parent, agent_path().parent)
    path = [*map(str, folders), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(path), "PYTHONPATH": str(ROOT / "src")}


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("needs_root", [False, True], ids=["anybody's", "root's"])
def test_command_blocks_run(needs_root: bool, tmp_path: Path, shell: dict[str, str]) -> None:
    if needs_root and os.geteuid() != 0:
        pytest.skip("needs root")
    make_run(tmp_path / "made")
    failed = []
    for number, block in enumerate(commands()):
        if block.mark != "not run" and ("needs root" in block.mark) is needs_root:
            failed += fault(block, tmp_path / str(number), tmp_path / "made", shell)
    assert failed == []


def fault(block: Block, folder: Path, made: Path, shell: dict[str, str]) -> list[str]:
    """What it prints where it fails."""
    folder.mkdir()
    if "--out first" not in block.script:
        shutil.copytree(made, folder / "first")
    if "gatemark-runs/" in block.script:
        for day in ("20261121", "20261122"):
            shutil.copytree(made, folder / "gatemark-runs" / f"{day}-161500-quick")
    code, output = call(block.script, folder, shell)
    if code and "is up:" in output:
        call("gatemark lab down", folder, shell)
    return [f"{block.place}\n{output}"] if code else []


def make_run(path: Path) -> None:
    """A run made up; its first trial has a series."""
    import builder
    from msgspec.structs import replace

    from gatemark.store import series

    first, *others = builder.trials()
    directory = builder.keep(path, [replace(first, series="00000.jsonl.gz"), *others])
    packets = (range(0, 10**9, 10**7), [4000.0] * 100)
    kept = {"sink.up.packets": packets, "sink.up.gap_ns": ([2048, 4096], [300.0, 7.0])}
    series.write(directory.series, "00000.jsonl.gz", kept)


def call(script: str, folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run a script to its first failure: exit code and all that it printed."""
    done = subprocess.run(
        ["timeout", str(LONGEST_S), "bash", "-euxo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_verbs_options_and_targets_of_every_block_exist() -> None:
    wrong = [
        f"{block.place}: {line}: no {what}"
        for block in commands()
        if block.language != "python"
        for line in block.script.splitlines()
        if (what := unknown(line))
    ]
    assert wrong == []


def test_a_block_that_is_not_run_says_why() -> None:
    silent = [b.place for b in commands() if b.mark == "not run" and not (b.note and b.script)]
    assert silent == []


def test_commands_in_the_text_exist() -> None:
    wrong = [
        (str(path.relative_to(ROOT)), code, what)
        for path in documents()
        for code in INLINE.findall(prose(path))
        if (what := unknown(code))
    ]
    assert wrong == []


def test_root_is_given_our_path() -> None:
    """The PATH of sudo is its own (secure_path), and .venv/bin is not in it."""
    assert [p for p in documents() if "sudo gatemark" in p.read_text(encoding="utf-8")] == []


def test_links_lead_somewhere() -> None:
    dead = [
        (str(path.relative_to(ROOT)), to)
        for path in documents()
        for to in LINK.findall(prose(path))
        if not (path.parent / to).exists()
    ]
    assert dead == []


def test_a_file_that_is_shown_is_the_file() -> None:
    shown = [block for block in every_block() if block.mark == "file"]
    assert shown
    for block in shown:
        assert block.text == (ROOT / block.note).read_text(encoding="utf-8"), block.place


SEEN = {  # of each command, what does not exist
    "make run": None,
    "make walk": "walk",
    "make test STAGE=unit": None,
    "gatemark run quick --set repeat.times=1": None,
    "gatemark rum quick": "rum",
    "gatemark run --sed 7": "--sed",
    "gatemark lab shell gateway -- ip -br link": None,
    "gatemark lab open": "open",
    "sudo .venv/bin/gatemark runs": "runs",
    "gatemark": None,
    "ls --nonsense": None,
}


def test_what_does_not_exist_is_seen() -> None:
    assert {command: unknown(command) for command in SEEN} == SEEN


def test_blocks_are_found_with_their_marks() -> None:
    in_readme = list(blocks(ROOT / "README.md"))
    begun = [*in_readme, *blocks(ROOT / "docs" / "start.md")]
    assert {"not run", "needs root", "file", ""} <= {block.mark for block in begun}
    assert next(b.script for b in in_readme if b.mark == "not run") == "make run\nmake test\n"
