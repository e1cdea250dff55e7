# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for mutants: tests of the changed module first, so that most end at once."""

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """mutmut names the mutant `package.module.function`; test_module.py is the module's own."""
    module = os.environ.get("MUTANT_UNDER_TEST", "").rpartition(".")[0].rpartition(".")[2]
    items.sort(key=lambda item: not item.path.stem.endswith(f"_{module}"))
