# SPDX-License-Identifier: Apache-2.0
"""Runs of schema 1: what was renamed since is read by today's names, anything else refused."""

from pathlib import Path
from typing import Any

import builder
import msgspec
import pytest

from gatemark.error import GatemarkError
from gatemark.store import former, trials
from gatemark.store.catalog import outcomes
from gatemark.store.directory import RunDirectory

BRAKE = {"brake_pps": 30_000}
PROGRAM: dict[str, Any] = {
    "program": "capture:tcpdump:68",
    "command": "tcpdump",
    "said": "4 packets captured",
}
PROGRAM |= {"cpu": 0.2, "cpu_user": 0.1, "cpu_system": 0.1, "memory_bytes": 4096}
PROGRAM |= {"processes": 1, "ended": "term", "exit_code": 143}


def as_of_schema_1(**changed: Any) -> dict[str, Any]:
    """A record as it was written then."""
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(builder.trials()[0]))
    del document["definition"]["slow_to_pps"]
    document["definition"] |= BRAKE
    document["evidence"] = {"filling": {"asked": 9}, "fill": []}
    document["evidence"]["programs"] = [PROGRAM]
    return document | {"schema": former.RECORD, "pass": "probed", "trial": "a/b/1/probed"} | changed


def test_a_record_is_read_by_todays_names() -> None:
    record = former.record(as_of_schema_1())
    assert (record.pass_, record.trial) == ("instrumented", "a/b/1/instrumented")
    assert record.definition.slow_to_pps == 30_000
    assert (record.evidence.fill, record.evidence.fill_steps) == ({"asked": 9}, ())
    assert record.evidence.programs[0].last_words == "4 packets captured"


def test_a_line_of_schema_1_is_a_record() -> None:
    found = trials.read(msgspec.json.encode(as_of_schema_1()) + b"\n")
    assert [record.definition.slow_to_pps for record in found.records] == [30_000]
    assert found.unread == []


def test_a_key_that_the_table_does_not_know_is_refused_in_one_line() -> None:
    found = trials.read(msgspec.json.encode(as_of_schema_1(weather="fair")) + b"\n")
    assert found.records == []
    assert found.unread == [
        "line 1 of trials.jsonl cannot be read "
        "(its key 'weather' is of a version that is no longer read)"
    ]


def test_the_values_of_a_trial_of_schema_1_have_todays_names(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_bytes(msgspec.json.encode(as_of_schema_1()) + b"\n")
    (outcome,) = outcomes(tmp_path)
    assert (outcome.pass_, outcome.trial) == ("instrumented", "a/b/1/instrumented")
    assert outcome.values == builder.trials()[0].values


def old_run() -> dict[str, Any]:
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(builder.run()))
    for part in (*document["plans"], *document["trials"]):
        part["gateway"].pop("slow_to_pps", None)
        part["gateway"] |= BRAKE
    document["trials"][0] |= {"pass": "probed", "trial": "a/b/1/probed"}
    document["plans"][0] |= {"variants": ["unbraked"], "variant": "unbraked"}
    words = ["gatemark", "run", "quick", "--variant", "unbraked", "--set", "gateway.brake_pps=5000"]
    return document | {"schema": former.RUN, "command": words}


def test_a_run_is_read_by_todays_names(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(old_run()))
    run = RunDirectory.open(tmp_path).load()
    assert {plan.gateway.slow_to_pps for plan in run.plans} == {30_000}
    assert (run.trials[0].pass_, run.trials[0].trial) == ("instrumented", "a/b/1/instrumented")
    assert (run.plans[0].variant, run.plans[0].variants) == ("full-speed", ("full-speed",))
    assert run.command[3:] == ("--variant", "full-speed", "--set", "gateway.slow_to_pps=5000")


def test_the_sides_of_an_old_a_b_run_have_their_names(tmp_path: Path) -> None:
    old = old_run()
    side = {"station_file": "lab", "station": old["station"]}
    sides = {arm: side | {"said": f"the {arm} one"} for arm in ("old", "new")}
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(old | {"ab": sides}))
    ab = RunDirectory.open(tmp_path).load().ab
    assert ab
    assert (ab.old.name, ab.new.name) == ("the old one", "the new one")


def test_a_run_with_an_unknown_key_is_refused_in_one_line(tmp_path: Path) -> None:
    document = old_run()
    document["plans"][0]["weather"] = "fair"
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(document))
    with pytest.raises(GatemarkError, match="its key 'weather' is of a version") as raised:
        RunDirectory.open(tmp_path).load()
    assert "\n" not in str(raised.value)
