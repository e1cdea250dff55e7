# SPDX-License-Identifier: Apache-2.0
"""Makes `tests/` importable (`import builder`) and adds the golden files' switch."""

import pytest
from hypothesis import settings

# A test checks what a function says, not how fast a shared machine lets it.
settings.register_profile("gatemark", deadline=None)
settings.load_profile("gatemark")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
