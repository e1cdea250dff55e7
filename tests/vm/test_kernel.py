# SPDX-License-Identifier: Apache-2.0
"""What is counted of a kernel's operation, on a gateway whose instructions are counted."""

import pytest

from gatemark.plan.model import Arm, Factor, Workload
from gatemark.store.record import Record
from vm.conftest import Booted, on, require_built

pytestmark = [pytest.mark.long, pytest.mark.counted]
ENDPOINT = Arm(path="endpoint")
WORDS: dict[str, Factor] = {
    "table": "generated:300:1",
    "mix": "uniform",
    "queries": 4096,
    "repeats": 1,
    "pass_ms": 0,
}


def looked_up(booted: Booted, structure: str, probes: tuple[str, ...] = ()) -> Record:
    load = Workload(kind="algorithm", command="lpm", words=WORDS | {"structure": structure})
    return counted_in(booted, load, probes)


def counted_in(booted: Booted, load: Workload, probes: tuple[str, ...]) -> Record:
    record = booted.measure(ENDPOINT, load, probes)
    require_built(record)
    assert (record.status, record.reason) == ("ok", "")
    return record


@on("qemu-mips", "qemu-x86", fixture="counted_stand")
def test_instructions_of_a_look_up_are_the_same_again(counted: Booted) -> None:
    each = [looked_up(counted, "tbm4", ("instructions",)).values for _ in range(2)]
    assert each[0]["instructions_each"] == pytest.approx(each[1]["instructions_each"], rel=0.01)


def test_a_table_larger_than_the_cache_is_missed_and_a_small_one_is_not(counted: Booted) -> None:
    """256 KiB are asked at random places, or some KiB; keys and results are a miss in four."""
    large, small = (
        looked_up(counted, structure, ("instructions",)).values["l1_misses_each"]
        for structure in ("poptrie16", "tbm4")
    )
    assert small < 0.5
    assert large > 0.7


def test_a_blocked_filter_is_read_at_one_place_and_a_plain_one_at_eight(counted: Booted) -> None:
    """Of members, for each of which all places are read; the key and the answer are two more."""
    accesses = []
    for structure in ("bbf", "bf8"):
        words: dict[str, Factor] = {"structure": structure, "n": 2000, "hit_pct": 100}
        load = Workload(kind="algorithm", command="filter", words=words | {"repeats": 1})
        accesses.append(counted_in(counted, load, ("instructions",)).values["accesses_each"])
    assert 3 <= accesses[0] < accesses[1] < 40


def test_each_phase_of_a_filter_is_counted_by_itself(counted: Booted) -> None:
    words: dict[str, Factor] = {
        "structure": "bbf",
        "n": 2000,
        "hit_pct": 50,
        "repeats": 1,
        "pass_ms": 0,
    }
    load = Workload(kind="algorithm", command="filter", words=words)
    record = counted_in(counted, load, ("instructions",))
    phases = {name for name in record.values if name.endswith("instructions_each")}
    assert phases == {"insert.instructions_each", "instructions_each"}
