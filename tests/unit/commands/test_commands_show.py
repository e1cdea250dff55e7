# SPDX-License-Identifier: Apache-2.0
"""`gatemark show`: what it prints beside the answer, and which options go together."""

import json
from pathlib import Path

import builder
import msgspec
import pytest
from inside import gatemark

from gatemark.plan.expect import expectations
from gatemark.store.record import Definition, Record


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept(tmp_path_factory.mktemp("kept") / "run", builder.trials())


@pytest.fixture(scope="module")
def nated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with TCP through NAT, as the blog of 2007 measured it."""
    definition = Definition(
        path="nat", l4="tcp", quantity="goodput", write_bytes=8192, streams=1, duration_s=2
    )
    first = builder.trials()[0]
    records = [
        msgspec.structs.replace(
            first,
            trial=f"t{repeat}",
            repeat=repeat,
            plan="quick/plain",
            arm="nat",
            point={"direction": "up"},
            definition=definition,
            values={"goodput_bps": 50e6 + repeat, "cpu_busy": 0.9},
        )
        for repeat in range(1, 7)
    ]
    return kept(tmp_path_factory.mktemp("nated") / "run", records)


def kept(path: Path, records: list[Record]) -> Path:
    return builder.keep(path, records).path


def test_the_published_values_beside_ours_are_shown(nated: Path) -> None:
    done = gatemark("show", nated, "--reference")
    assert (done.code, done.err) == (0, "")
    assert "WRTSL54GS v1.1" in done.out
    assert "47.5 Mbit/s" in done.out


def test_the_answer_has_them_too(nated: Path) -> None:
    assert "47.5 Mbit/s" in gatemark("show", nated, "--all").out


def test_they_are_data_where_asked(nated: Path) -> None:
    rows = [
        json.loads(line)
        for line in gatemark("show", nated, "--reference", "--json").out.splitlines()
    ]
    assert {row["published"]["value"] for row in rows} >= {47.5e6, 34.2e6}


def test_an_arm_that_was_skipped_is_data_too(tmp_path: Path) -> None:
    *others, last = builder.trials()
    why = "not available here: no IPv6 on the gateway"
    skipped = msgspec.structs.replace(last, arm="cake", status="skipped", reason=why, values={})
    path = kept(tmp_path / "run", [*others, skipped])
    *_, row = map(json.loads, gatemark("show", path, "--json").out.splitlines())
    reason = "no IPv6 on the gateway"
    assert row == {"plan": last.plan, "arm": "cake", "reason": reason, "trials": 1, "of": 1}


def test_nothing_alike_is_told_beside_the_data(run: Path) -> None:
    done = gatemark("show", run, "--reference")
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("no published value")
    assert "these suites have some: capture, diffuse, kofler, procbench, wrt54 " in done.err


def test_the_header_stands_above_the_row(run: Path) -> None:
    lines = gatemark("show", run, "--row", "--header").out.splitlines()
    (row,) = gatemark("show", run, "--row").out.splitlines()
    assert lines[2:] == [row]
    assert lines[0].startswith("| device |")


def test_options_that_do_not_go_together_are_refused(run: Path) -> None:
    for words in ("--header", "--row --json", "--row --reference"):
        done = gatemark("show", run, *words.split())
        assert (done.code, done.out) == (2, ""), words


@pytest.mark.parametrize(("wanted", "code"), [("> 1", 0), ("> 1e9", 3)])
def test_an_expectation_that_is_missed_has_an_exit_code(
    wanted: str, code: int, tmp_path: Path
) -> None:
    expected = expectations({"received_pps": wanted})
    plans = [msgspec.structs.replace(plan, expect=expected) for plan in builder.run().plans]
    path = builder.keep(tmp_path / "run", builder.trials()[:30], plans=tuple(plans)).path
    for option in ((), ("--json",), ("--row",)):
        assert gatemark("show", path, *option).code == code, option
