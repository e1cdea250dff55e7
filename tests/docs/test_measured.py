# SPDX-License-Identifier: Apache-2.0
"""docs/measured.md is one table of at most 300 lines: a row a claim, with all its columns."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "measured.md"
LONGEST = 300
COLUMNS = ["about", "claim", "value", "machine", "command", "date", "record"]
NONE = "\N{EN DASH}"
FORMS = {
    "machine": rf"{NONE}|([XE]|busy)(, ([XE]|busy))*",
    "command": rf"{NONE}|`.+`",
    "date": rf"{NONE}|[0-3]\d",
    "record": rf"{NONE}|\[.+\]\(.+\)",
}


def test_each_claim_has_its_columns() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [[c.strip() for c in x.strip("|").split(" | ")] for x in lines if x.startswith("| ")]
    assert len(lines) <= LONGEST
    assert rows[0] == COLUMNS
    wrong = [row for row in rows[1:] if len(row) != len(COLUMNS) or not all(row)]
    assert wrong == []
    wrong = [
        row
        for row in rows[1:]
        for name, cell in zip(COLUMNS, row, strict=True)
        if name in FORMS and not re.fullmatch(FORMS[name], cell)
    ]
    assert wrong == []
