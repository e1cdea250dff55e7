# SPDX-License-Identifier: Apache-2.0
"""Makes `tests/` importable (`import builder`) and adds the golden files' switch."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
