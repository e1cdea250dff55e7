# SPDX-License-Identifier: Apache-2.0
"""The page of usual prices is made of kept counts, and its ruleset has each of its names."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def prices() -> ModuleType:
    """The program that makes the page."""
    spec = importlib.util.spec_from_file_location("prices", DOCS / "prices.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_kept_counts_make(prices: ModuleType) -> None:
    assert prices.PAGE.read_text() == prices.page(prices.kept_lines())


def test_the_ruleset_has_each_usual_rule_by_its_name(prices: ModuleType) -> None:
    text = prices.ruleset()
    assert all(f'{rule} comment "{name}"' in text for name, rule in prices.USUAL.items())
    assert max(map(len, text.splitlines())) < 10_000


def test_counts_are_kept_by_name_and_packet(prices: ModuleType) -> None:
    packet = prices.ESTABLISHED
    rows = [
        {
            "gateway": "x86_64, Linux 6.1",
            "packet": packet,
            "instructions": 5000,
            "bare": 3000,
            "rules": 500,
        },
        {"chain": "c", "rules": ['counter comment "a counter"'], "instructions": {packet: 20}},
        {"instead": "a set", "saves": {}},
    ]
    line = prices.kept("qemu-x86", rows)
    assert line["hooks"] == {packet: 1500}
    assert line["prices"] == {"a counter": {packet: 20}}
    assert "| a counter | +20 |" in prices.page([line])
