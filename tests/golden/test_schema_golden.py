# SPDX-License-Identifier: Apache-2.0
"""The published schemas are those of the code; `pytest --update-golden` writes them anew."""

from pathlib import Path

import pytest

from gatemark.tell.export.schema import KINDS, schema

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schema"


@pytest.mark.parametrize("kind", KINDS)
def test_a_published_schema_is_not_stale(request: pytest.FixtureRequest, kind: str) -> None:
    path, made = PUBLISHED / f"{kind}.json", schema(kind)
    if request.config.getoption("--update-golden"):
        path.write_text(made, encoding="utf-8")
    stale = f"{path} is stale: pytest tests/golden/test_schema_golden.py --update-golden"
    assert path.read_text(encoding="utf-8") == made, stale
