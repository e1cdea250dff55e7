# SPDX-License-Identifier: Apache-2.0
"""What the probes on the gateway give as evidence."""

from gatemark.plan.expand import PROBES
from gatemark.probe.registry import READERS, SENSED, WATCHED, sampling
from gatemark.probe.window import Window
from gatemark.store.record import Evidence

WHOLE = Window(0, 2, 1.0)


def test_every_probe_of_a_plan_is_read_by_something() -> None:
    assert {*WATCHED, *SENSED, "shaper", "soak", "instructions"} == set(PROBES)


def test_the_longest_fill_is_sampled_as_the_agent_takes_it() -> None:
    """An entry lasts an hour at most, and a fill ends before."""
    asked = sampling(3600)
    assert 50 <= asked["interval_ms"] <= asked["longest_ms"] <= 60_000
    assert 2 <= asked["samples"] <= 100_000


def test_evidence_has_a_field_for_each_reader() -> None:
    assert set(READERS) <= set(Evidence.__struct_fields__)


def test_a_flow_table_shows_its_fullest_and_what_it_refused() -> None:
    columns = {
        "entries": [1, 9, 4],
        "drop": [5, 5, 8],
        "early_drop": [0, 0, 0],
        "insert_failed": [1, 2, 2],
        "chainlength": [0, 1, 1],
    }
    found = READERS["conntrack"](columns, WHOLE)
    risen = {"drop": 3, "early_drop": 0, "insert_failed": 1, "chainlength": 1}
    assert found == {"entries": 9, **risen}


def test_memory_shows_the_least_that_was_free() -> None:
    columns = {"total_bytes": [9, 9, 9], "available_bytes": [9, 2, 8], "slab_bytes": [1, 7, 3]}
    assert READERS["memory"](columns, WHOLE) == {
        "total_bytes": 9,
        "available_bytes": 2,
        "slab_bytes": 7,
    }


def test_softnet_is_summed_over_processors() -> None:
    columns = {
        "0": {"dropped": [0, 1, 2], "squeezed": [5, 5, 5]},
        "1": {"dropped": [3, 3, 4], "squeezed": [0, 0, 6]},
    }
    assert READERS["softnet"](columns, WHOLE) == {"dropped": 3, "squeezed": 6}
