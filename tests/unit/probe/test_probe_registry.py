# SPDX-License-Identifier: Apache-2.0
"""What the probes on the gateway give as evidence."""

from pathlib import Path
from typing import Any

import pytest

from gatemark.plan.probe import PROBES
from gatemark.probe import kind, registry
from gatemark.probe.probe import Seen, Sent
from gatemark.probe.reader import sampling
from gatemark.quantity import UNITS

MS = 1_000_000
SENT = Sent(0, 1_000 * MS, 1000.0)


def evidence(what: str, columns: dict[str, Any]) -> Any:
    """What a record gets of three samples of one kind of columns."""
    seen = Seen({"t_ns": [0, 500 * MS, 1_000 * MS], what: columns})
    return registry.outcomes(seen, SENT).evidence[what]


def test_every_probe_of_a_plan_is_a_module_and_every_module_a_probe_of_a_plan() -> None:
    modules = {path.stem for path in Path(kind.__path__[0]).glob("*.py")} - {"__init__"}
    assert modules == set(PROBES)


def test_every_probe_of_a_plan_is_read_by_something() -> None:
    assert all(p.column or p.sensors or p.watcher for p in registry.PROBES.values())


@pytest.mark.parametrize(("quantity", "unit"), [("a.b_share", "ratio"), ("a.b_ns", "ns")])
def test_a_probes_own_quantity_ends_with_its_unit(quantity: str, unit: str) -> None:
    assert UNITS[quantity] == unit


@pytest.mark.parametrize("quantity", ["b_share", "a.b"])
def test_a_quantity_without_a_unit_is_none(quantity: str) -> None:
    with pytest.raises(KeyError, match=quantity):
        UNITS[quantity]


def test_the_longest_fill_is_sampled_as_the_agent_takes_it() -> None:
    """An entry lasts an hour at most, and a fill ends before."""
    asked = sampling(3600)
    assert 50 <= asked["interval_ms"] <= asked["longest_ms"] <= 60_000
    assert 2 <= asked["samples"] <= 100_000


def test_a_flow_table_shows_its_fullest_and_what_it_refused() -> None:
    columns = {
        "entries": [1, 9, 4],
        "drop": [5, 5, 8],
        "early_drop": [0, 0, 0],
        "insert_failed": [1, 2, 2],
        "chainlength": [0, 1, 1],
    }
    risen = {"drop": 3, "early_drop": 0, "insert_failed": 1, "chainlength": 1}
    assert evidence("conntrack", columns) == {"entries": 9, **risen}


def test_memory_shows_the_least_that_was_free() -> None:
    columns = {"total_bytes": [9, 9, 9], "available_bytes": [9, 2, 8], "slab_bytes": [1, 7, 3]}
    assert evidence("memory", columns) == {
        "total_bytes": 9,
        "available_bytes": 2,
        "slab_bytes": 7,
    }


def test_softnet_is_summed_over_processors() -> None:
    columns = {
        "0": {"dropped": [0, 1, 2], "squeezed": [5, 5, 5]},
        "1": {"dropped": [3, 3, 4], "squeezed": [0, 0, 6]},
    }
    assert evidence("softnet", columns) == {"dropped": 3, "squeezed": 6}
