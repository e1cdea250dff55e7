# SPDX-License-Identifier: Apache-2.0
"""Files that are compared with what is made, and made anew by `--update-golden`."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def check(request: pytest.FixtureRequest, name: str, text: str, *, folder: str) -> None:
    """Compare a text with a file beside these tests."""
    same(request, HERE / folder / name, text)


def same(request: pytest.FixtureRequest, path: Path, text: str) -> None:
    """Compare a text with a file; with --update-golden the file becomes it."""
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), "make it anew: pytest --update-golden"


def between(request: pytest.FixtureRequest, path: Path, mark: str, text: str) -> None:
    """Compare a text with the part of a file from a comment to the next `<!-- made -->`."""
    before, begin, rest = path.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition("<!-- made -->\n")
    assert begin, f"{path}: no {mark}"
    assert end, f"{path}: {mark} has no end"
    same(request, path, f"{before}{begin}{text}{end}{after}")
