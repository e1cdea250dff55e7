# SPDX-License-Identifier: Apache-2.0
"""Nothing that a device, a file or a user says steers the terminal that shows it."""

import io
import json
import re
from pathlib import Path

import builder
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inside import gatemark, on_terminal
from msgspec.structs import replace
from rich.console import Console

from gatemark.printable import STEERING, json_safe, one_line, printable
from gatemark.store.directory import RunDirectory
from gatemark.tell.live import Live

ROOT = Path(__file__).resolve().parents[2]
# Sets a terminal's title; the same by C1; turns the direction of what follows; deletes.
EVIL = "\x1b]0;x\x07 \x9d0;x\x9c \u202egnp.exe \u2066 \x7f"
SHOWN = r"\x1b]0;x\x07 \x9d0;x\x9c \u202egnp.exe \u2066 \x7f"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def steers(text: str) -> bool:
    """Whether anything in it but our own colours, and a terminal's line ends, steers."""
    return bool(STEERING.search(COLOUR.sub("", text).replace("\r\n", "\n")))


def test_what_steers_is_shown_as_it_is_written() -> None:
    assert printable(EVIL) == SHOWN


@given(st.text())
def test_all_else_stays(text: str) -> None:
    assert not STEERING.search(printable(text))
    if not STEERING.search(text):
        assert printable(text) == text


@given(st.dictionaries(st.text(), st.text()))
def test_json_says_the_same(value: dict[str, str]) -> None:
    encoded = json_safe(json.dumps(value, ensure_ascii=False))
    assert json.loads(encoded) == value
    assert not STEERING.search(encoded)


def test_an_error_is_one_line() -> None:
    assert one_line("nft: \x1b[2J\nno\trule") == r"nft: \x1b[2J no rule"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a gateway that names itself, its kernel and its errors like that."""
    records = builder.trials()
    records[0] = replace(records[0], status="invalid", reason=f"gateway: {EVIL}")
    directory = builder.keep(tmp_path_factory.mktemp("kept") / "run", records)
    path = RunDirectory(directory.path)
    kept = path.load()
    gateway = {"model": EVIL, "kernel": EVIL, "interfaces": EVIL}
    station = replace(kept.station, name=EVIL, missing=(EVIL,))
    path.save(replace(kept, station=station, notes=(EVIL,), before={"gateway": gateway}))
    return path.path


def test_a_kept_run_steers_no_terminal(run: Path) -> None:
    for words in ("show", "show --all", "show --json", "show --row", "export"):
        verb, *options = words.split()
        assert not steers(on_terminal(verb, run, *options)), words


def test_a_failure_steers_no_terminal(tmp_path: Path) -> None:
    done = gatemark("show", f"\x1b]0;x\x07{tmp_path}/no", cwd=tmp_path)
    assert done.code
    assert not steers(done.err)


def test_what_is_shown_while_it_runs_steers_no_terminal() -> None:
    shown = io.StringIO()
    live = Live(console=Console(file=shown, force_terminal=False))
    live.warn(EVIL)
    live.end()
    assert SHOWN in shown.getvalue().replace("\n", "")


def test_verbs_print_by_one_function() -> None:
    own = {"commands/console/output.py", "commands/app.py", "__main__.py", "run/keep.py"}
    printing = re.compile(r"typer\.s?echo|\bprint\(|std(?:out|err)\.write\((?!f\"\{printable)")
    package = ROOT / "src/gatemark"
    others = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if printing.search(path.read_text().replace("console.print(", ""))
    }
    # The first has a console of what is printable; the others talk with programs, not a terminal.
    talking = {"commands/extcap.py", "kind/tool/snappi_steps.py"}
    assert others <= own | {"tell/live.py"} | talking
