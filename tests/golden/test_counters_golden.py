# SPDX-License-Identifier: Apache-2.0
"""What C, Python and PROTOCOL.md have of the counters is that of agent/counters.toml."""

import importlib.util
from pathlib import Path

import pytest

LIST = Path(__file__).resolve().parents[2] / "agent/counters.py"
SPEC = importlib.util.spec_from_file_location("counters", LIST)
assert SPEC
assert SPEC.loader
counters = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(counters)


@pytest.mark.parametrize("path", counters.made(), ids=lambda path: path.name)
def test_what_is_made_of_the_list_is_up_to_date(path: Path) -> None:
    assert path.read_text() == counters.made()[path], "make it anew: make counters"
