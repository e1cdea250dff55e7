# SPDX-License-Identifier: Apache-2.0
"""Labels by role: corrections, each with its reason, and flows that stand apart."""

import csv
from pathlib import Path

import pytest

from benchmarks import classifier as benchmark
from gatemark.classifier import manifest
from gatemark.classifier.manifest import Flow
from gatemark.classifier.recipe import OTHER, PRIORITY, Recipe
from gatemark.classifier.score import Apart, scores
from gatemark.classifier.track import Track, Window
from gatemark.classifier.verdict import Verdict

CORRECTED = benchmark.corrections()


@pytest.mark.parametrize("named", CORRECTED, ids="-".join)
def test_each_correction_gives_its_flow_a_role_and_has_a_reason(
    tmp_path: Path, named: tuple[str, ...]
) -> None:
    columns = (*benchmark.FLOW_COLUMNS, "dpi_label", "class")
    with (tmp_path / "flows.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows((columns, (*named, "wrong", "wrong")))
    row = CORRECTED[named]
    given = (row["application"], row["class"], row["role"])
    assert [tuple(made[-3:]) for made in benchmark.rows(tmp_path)] == [given]
    assert row["role"] in manifest.ROLES
    assert len(row["reason"].split()) > 2


def flow(role: str, class_: str = "bulk", name: str = "x") -> Flow:
    return Flow(
        Path(f"{name}.pcap"), "udp", "192.0.2.1", 1, "198.51.100.1", 2, name, class_, 1, role
    )


@pytest.mark.parametrize(
    ("role", "class_", "label"),
    [
        ("media", "chat", PRIORITY),
        ("other", "voip", OTHER),
        ("setup", "voip", OTHER),
        ("tunnel", "otherudp", OTHER),
        ("", "voip", PRIORITY),
        ("", "bulk", OTHER),
    ],
)
def test_a_role_goes_before_the_class(role: str, class_: str, label: str) -> None:
    assert Recipe().label(flow(role, class_)) == label


def test_set_up_and_tunnels_are_in_no_score_and_in_a_table_of_their_own() -> None:
    flows = (flow("media"), flow("setup"), flow("setup", name="y"), flow("tunnel"))
    verdicts = [
        Verdict(Track(f, Recipe().label(f), (Window(10, 1, (1,)),), 10), (PRIORITY,)) for f in flows
    ]
    result = scores(verdicts)
    assert sum(result.beside[2].tree.counts.values()) == 1
    assert result.apart == (Apart("setup", 2, 2, 2), Apart("tunnel", 1, 1, 1))
