# SPDX-License-Identifier: Apache-2.0
"""Several workloads in one trial: names, factors with a dot, variants, `--set`, and refusals."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.expand import applies, loads_at, override, points
from gatemark.plan.lasting import trial_s
from gatemark.plan.load import read_plan
from gatemark.plan.model import Plan
from gatemark.plan.order import order
from gatemark.plan.workloads import MAIN, parts

HEAD = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
setup.path = "route"
"""
GAME = """
[workload]
kind = "replay"
direction = "both"
duration_s = 9
[beside.uploads]
kind = "tcp"
start_s = 4
duration_s = 7
"""


def written(tmp_path: Path, text: str, variant: str = "") -> Plan:
    path = tmp_path / "plan.toml"
    path.write_text(HEAD + text)
    return read_plan(path, "s/plan", variant)


def test_each_workload_has_the_levels_of_its_own_factors(tmp_path: Path) -> None:
    plan = written(tmp_path, GAME + "[sweep]\nspeed = [1, 2]\nuploads.streams = [1, 8]\n")
    levels = [
        (loads[MAIN].speed, loads["uploads"].streams)
        for loads in (loads_at(plan, point) for point in points(plan))
    ]
    assert levels == [(1, 1), (1, 8), (2, 1), (2, 8)]


def test_a_case_varies_workloads_together(tmp_path: Path) -> None:
    case = '[[sweep.case]]\ntrace = "voip"\nuploads.streams = 3\nuploads.congestion = "reno"\n'
    plan = written(tmp_path, GAME + case)
    assert points(plan) == [{"trace": "voip", "uploads.streams": 3, "uploads.congestion": "reno"}]
    assert loads_at(plan, points(plan)[0])["uploads"].congestion == "reno"


def test_a_trial_lasts_until_its_last_workload_ends(tmp_path: Path) -> None:
    (spec, *_) = order((written(tmp_path, GAME),), seed=1)
    assert trial_s(spec) == 4 + 7


def test_each_workload_sees_itself_alone_and_its_place(tmp_path: Path) -> None:
    (spec, *_) = order((written(tmp_path, GAME),), seed=1)
    seen = {name: (part.workload.kind, part.among.at) for name, part in parts(spec).items()}
    assert seen == {MAIN: ("replay", 0), "uploads": ("tcp", 1)}
    assert all(part.among.is_mixed and not part.beside for part in parts(spec).values())


def test_a_workload_alone_is_not_among_others(tmp_path: Path) -> None:
    (spec, *_) = order((written(tmp_path, "[workload]\nflows = 2\n"),), seed=1)
    assert not parts(spec)[MAIN].among.is_mixed


def test_a_variant_changes_one_key_of_another_workload(tmp_path: Path) -> None:
    plan = written(tmp_path, GAME + "[variant.short.beside.uploads]\nduration_s = 1\n", "short")
    assert (plan.beside["uploads"].duration_s, plan.beside["uploads"].start_s) == (1, 4)


def test_set_changes_another_workload_by_its_name(tmp_path: Path) -> None:
    plan = written(tmp_path, GAME)
    assert applies(plan, "uploads.streams")
    assert override(plan, {"uploads.streams": 5}).beside["uploads"].streams == 5


def test_set_changes_the_levels_of_a_factor_with_a_dot(tmp_path: Path) -> None:
    plan = written(tmp_path, GAME + "[sweep]\nuploads.streams = [1, 8]\n")
    assert not applies(plan, "uploads.streams"), "it would have no effect"
    assert points(override(plan, {"sweep.uploads.streams": [2]})) == [{"uploads.streams": 2}]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GAME.replace("uploads", "up"), ("plan.toml:11", "meaning of its own")),
        (GAME.replace("uploads", "Uploads"), ("small letters",)),
        (GAME + "flows = 3\n", ("plan.toml:15", "`flows` means nothing for kind tcp")),
        (GAME + "streems = 3\n", ("plan.toml:15", "did you mean 'streams'?")),
        (GAME + "streams = 0\n", ("`uploads.streams` = 0",)),
        (GAME + "[sweep]\nuploads.streems = [1]\n", ("did you mean 'uploads.streams'?",)),
        (GAME + "[sweep]\ndownloads.streams = [1]\n", ("unknown key 'downloads'",)),
        ("[beside]\nuploads = 3\n", ("[beside.NAME]",)),
        ("[workload]\n[beside.one-by-one]\nkind = 'walk'\n", ("walk of [beside.one-by-one]",)),
        ("[workload]\nrate_pps = 9\nrestart_s = 0.5\n[beside.more]\n", ("restart_s", "cut off")),
        ("[workload]\n[beside.more]\n[repeat]\nturn_ms = 2\n", ("turn_ms",)),
        (
            "[workload]\n" + "".join(f"[beside.n{at}]\n" for at in range(16)),
            ("has 16 workloads; 15 at most",),
        ),
        (GAME + "start_s = -1\n".replace("start_s", "dscp"), ("`uploads.dscp` = -1: 0 to 63",)),
    ],
)
def test_what_cannot_be_sent_together_is_refused(
    tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError) as error:
        written(tmp_path, text)
    assert all(word in str(error.value) for word in words), str(error.value)
