# SPDX-License-Identifier: Apache-2.0
"""The words of a kernel: swept, set, varied and refused."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.expand import applies, override, points, workload_at
from gatemark.plan.load import read_plan
from gatemark.plan.model import Plan

HEAD = """schema = "gatemark.plan/1"
title = "kernels"
why = "w"
reading = "r"
[setup]
path = "endpoint"
[workload]
kind = "algorithm"
command = "lpm"
[workload.words]
table = "routes.txt"
queries = 1024
"""


def plan(tmp_path: Path, more: str = "", variant: str = "") -> Plan:
    file = tmp_path / "kernels.toml"
    file.write_text(HEAD + more)
    return read_plan(file, "kernels", variant)


def test_words_are_factors(tmp_path: Path) -> None:
    read = plan(tmp_path, '[sweep]\nwords.structure = ["tbm4", "dxr18"]\nlevel = ["O0", "O3"]\n')
    loads = [workload_at(read, point) for point in points(read)]
    assert [(load.words["structure"], load.level) for load in loads] == [
        *(("tbm4", "O0"), ("tbm4", "O3")),
        *(("dxr18", "O0"), ("dxr18", "O3")),
    ]
    assert all(load.words["queries"] == 1024 for load in loads)


def test_words_are_factors_of_a_case(tmp_path: Path) -> None:
    read = plan(tmp_path, '[[sweep.case]]\ncommand = "filter"\nwords.structure = "bf"\n')
    (load,) = (workload_at(read, point) for point in points(read))
    assert (load.command, load.words["structure"]) == ("filter", "bf")


def test_a_file_is_as_seen_from_the_plan(tmp_path: Path) -> None:
    (tmp_path / "routes.txt").write_text("10.0.0.0/8\n")
    read = plan(tmp_path, '[sweep]\nwords.payload = ["routes.txt", "generated:9"]\n')
    assert read.workload.words["table"] == str(tmp_path / "routes.txt")
    assert read.sweep["words.payload"] == (str(tmp_path / "routes.txt"), "generated:9")


def test_a_variant_changes_a_word_and_leaves_the_others(tmp_path: Path) -> None:
    read = plan(tmp_path, "[variant.short.workload.words]\nqueries = 16\n", "short")
    assert read.workload.words == {"table": "routes.txt", "queries": 16}


def test_a_word_is_set(tmp_path: Path) -> None:
    read = plan(tmp_path)
    assert applies(read, "workload.words.queries")
    made = override(read, {"workload.words.queries": 7})
    assert made.workload.words == {"table": "routes.txt", "queries": 7}


def test_a_swept_word_is_not_set(tmp_path: Path) -> None:
    read = plan(tmp_path, "[sweep]\nwords.queries = [1, 2]\n")
    assert not applies(read, "workload.words.queries")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('structure = "a b"\n', "without spaces"),
        ("instances = 2\n", r"a key of \[workload\] itself"),
        ("Queries = 2\n", "a key is of small letters"),
        (
            '[repeat]\ntimes = 2\n[beside.load]\nrate_pps = 10\ndirection = "send"\n',
            "would take its processor",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(tmp_path: Path, more: str, why: str) -> None:
    with pytest.raises(UsageError, match=rf"kernels\.toml:\d+: .*{why}"):
        plan(tmp_path, more)


def test_it_is_of_the_gateway_itself(tmp_path: Path) -> None:
    file = tmp_path / "kernels.toml"
    file.write_text(HEAD.replace("endpoint", "route"))
    with pytest.raises(UsageError, match=r"write path endpoint"):
        read_plan(file, "kernels")


def test_the_levels_of_a_word_are_set(tmp_path: Path) -> None:
    read = plan(tmp_path, "[sweep]\nwords.queries = [1, 2]\n")
    assert override(read, {"sweep.words.queries": 7}).sweep == {"words.queries": (7,)}
