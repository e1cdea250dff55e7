# SPDX-License-Identifier: Apache-2.0
"""docs/data.md: its tables have the fields of the structures, and no others."""

import re
from pathlib import Path

import pytest

from gatemark.commands.campaign import console
from gatemark.run import switch
from gatemark.store.record import Record
from gatemark.store.run import Run

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "data.md"


def fields(title: str) -> set[str]:
    """The names in the first column of the table below a heading."""
    section = (
        DOCUMENT.read_text(encoding="utf-8").partition(f"### {title}\n")[2].partition("\n#")[0]
    )
    cells = re.findall(r"^\| (`.*?`) \|", section, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize(("title", "struct"), [("run.json", Run), ("trials.jsonl", Record)])
def test_a_table_has_the_fields_of_its_structure(title: str, struct: type) -> None:
    assert fields(title) == set(struct.__struct_encode_fields__)  # type: ignore[attr-defined]


def test_the_logs_of_a_run_are_listed() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    logs = (switch.LOG, console.LOG)
    assert [n for n in logs if not re.search(rf"^  {re.escape(n)} ", text, re.MULTILINE)] == []
