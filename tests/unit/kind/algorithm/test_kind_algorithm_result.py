# SPDX-License-Identifier: Apache-2.0
"""What a kernel's records come to, and which of them computed something else."""

from typing import Any

import pytest
from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.kind.algorithm.result import outcome
from gatemark.run.raw import Raw
from gatemark.run.result.digest import agreeing, question
from gatemark.store.record import Definition, Evidence, Record

TBM4 = "lpm mix=zipf queries=9 structure=tbm4 table=t.txt"
DXR = "lpm impl=avx2 mix=zipf queries=9 structure=dxr18 table=t.txt"
KNOWN = "lpm mix=uniform next_hops=256 queries=65536 structure=tbm4 table=fit-like-1009.txt"


class Way:
    def __init__(self, *records: dict[str, Any]) -> None:
        self.sender = {"records": list(records)}


def values(*records: dict[str, Any]) -> dict[str, float]:
    """What timed records come to: each list of times has its number of operations, as printed."""
    for record in records:
        record |= {
            name[: -len("ns")] + "operations": 100 for name in list(record) if name.endswith("ns")
        }
    return outcome(None, Raw([Way(*records)]))[0]  # type: ignore[arg-type, list-item]


def record(kernel: str, *digests: str, trial: str = "t") -> Record:
    return Record(
        trial=trial,
        plan="p",
        arm="endpoint",
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="",
        definition=Definition(path="endpoint", quantity="kernel rate", kernel=kernel),
        evidence=Evidence(kernels=tuple({"digest": digest, "ns": [1.0]} for digest in digests)),
    )


def test_the_median_repeat_counts() -> None:
    got = values({"ns": [4.0, 2.0, 5.0], "bytes": 12, "build_s": 0.5})
    assert got["ns"] == 4.0
    assert got["ops_s"] == 2.5e8
    assert got["repeats_spread_ratio"] == 0.75
    assert (got["bytes"], got["build_s"]) == (12.0, 0.5)


def test_counted_instructions_stand_beside_the_times() -> None:
    counted = {"instructions": 71.5, "accesses": 9.0, "l1_misses": 0.25, "l2_misses": 0.0}
    got = values({"ns": [4.0]} | counted)
    assert (got["instructions_each"], got["accesses_each"]) == (71.5, 9.0)
    assert (got["l1_misses_each"], got["l2_misses_each"]) == (0.25, 0.0)


def test_what_was_counted_of_a_phase_is_called_by_it() -> None:
    counted = {"insert_instructions": 30.0, "query_instructions": 20.0}
    got = values({"insert_ns": [10.0], "query_ns": [5.0]} | counted)
    assert (got["insert.instructions_each"], got["instructions_each"]) == (30.0, 20.0)


def test_a_yes_to_an_absent_key_is_a_false_positive() -> None:
    asked = {"query_ns": [5.0], "queries": 1000, "absent": 800, "positives": 208}
    assert values(asked)["false_positive_ratio"] == 0.01
    assert "false_positive_ratio" not in values(asked | {"absent": 0, "positives": 1000})


def test_instances_add_up() -> None:
    assert values({"ns": [4.0]}, {"ns": [2.0]})["ops_s"] == 7.5e8


def test_each_phase_has_its_values_and_queries_are_the_rate() -> None:
    got = values({"insert_ns": [10.0], "query_ns": [5.0]})
    assert (got["insert.ns"], got["insert.ops_s"]) == (10.0, 1e8)
    assert got["ns"] == got["query.ns"] == 5.0


def test_dependent_look_ups_are_told_apart() -> None:
    got = values({"ns": [2.0], "dependent_ns": [30.0]})
    assert (got["ns"], got["dependent_ns"]) == (2.0, 30.0)


def test_times_by_size_are_no_repeats() -> None:
    got = outcome(
        None,  # type: ignore[arg-type]
        Raw([Way({"measure": "latency", "ns": [1.0, 80.0], "bytes": [1024.0, 4096.0]})]),  # type: ignore[list-item]
    )[0]
    assert got == {"cache_latency_ns": 1.0, "memory_latency_ns": 80.0}


def test_of_several_rounds_the_best_bandwidth_counts() -> None:
    assert values({"copy_mb_s": [10.0, 12.0, 11.0]})["copy_bytes_per_s"] == 12e6


def test_what_timed_nothing_is_no_trial() -> None:
    with pytest.raises(InvalidTrialError, match="no times"):
        values({"digest": "00"})


def test_the_same_look_ups_have_one_digest_by_every_structure() -> None:
    assert question(TBM4) == question(DXR)
    assert agreeing(record(DXR, "aa"), [record(TBM4, "aa")]).status == "ok"
    wrong = agreeing(record(DXR, "ab"), [record(TBM4, "aa", trial="first")])
    assert wrong.status == "invalid"
    assert wrong.reason == "wrong result: digest ab, which is aa in first"


def test_other_words_may_have_another_digest() -> None:
    other = TBM4.replace("queries=9", "queries=8")
    assert agreeing(record(other, "ab"), [record(TBM4, "aa")]).status == "ok"


def test_instances_agree() -> None:
    assert agreeing(record(TBM4, "aa", "ab"), []).status == "invalid"


def test_an_invalid_trial_tells_no_digest() -> None:
    before = replace(record(TBM4, "aa"), status="invalid")
    assert agreeing(record(TBM4, "ab"), [before]).status == "ok"


def test_a_known_digest_is_held() -> None:
    assert agreeing(record(KNOWN, "4a13b4b5c64fa5ab"), []).status == "ok"
    assert (
        "which is 4a13b4b5c64fa5ab as known"
        in agreeing(record(KNOWN, "4a13b4b5c64fa5ac"), []).reason
    )
