# SPDX-License-Identifier: Apache-2.0
"""What is kept beside these tests, to compare what is made with."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def check(request: pytest.FixtureRequest, name: str, text: str, *, folder: str) -> None:
    """`text` is that of the file; with --update-golden it becomes it."""
    path = HERE / folder / name
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
