# SPDX-License-Identifier: Apache-2.0
"""Rows of the studies with what shows them: each row has an entry, and each entry a row."""

from pathlib import Path

import pytest

from gatemark.error import GatemarkError, UnavailableError
from gatemark.store.study.requirement import read, requirements

CSV = """id,seed,kind,what,parameters,published,locator,gatemark_mapping,priority
K01,Kofler,scope,asked,-,-,l.1,-,must
"""
HEAD = 'schema = "gatemark.rows/1"\n'
NEED = '[row.K01]\nyields = ["goodput_bps"]\n'


def folder(path: Path, rows: str) -> Path:
    (path / "requirements.csv").write_text(CSV)
    (path / "rows.toml").write_text(rows)
    return path


def test_all_that_ship_are_read_with_their_study() -> None:
    rows = requirements()
    assert len(rows) == 145
    assert {row.study for row in rows} == {"kofler", "procbench", "wrt54", "diffuse", "capture"}


def test_a_row_has_its_need(tmp_path: Path) -> None:
    assert read(folder(tmp_path, HEAD + NEED))[0].need.yields == ("goodput_bps",)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (HEAD + "[row]\n", r"K01: add \[row.K01\] to rows.toml"),
        (HEAD + NEED + '[row.K02]\nmissing = "all"\n', r"\[row.K02\]: no such row"),
        (HEAD + NEED + 'missing = "all"\n', "one of yields, not_here, missing"),
        (HEAD + NEED + "kind = 1\n", "rows.toml: .*kind"),
        ('schema = "x"\n' + NEED, 'write "gatemark.rows/1"'),
    ],
)
def test_what_does_not_match_is_refused(tmp_path: Path, rows: str, text: str) -> None:
    with pytest.raises(GatemarkError, match=text):
        read(folder(tmp_path, rows))


def test_an_installed_package_is_without_rows_and_says_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="in a checkout of the repository"):
        read(tmp_path)
