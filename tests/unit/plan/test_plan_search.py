# SPDX-License-Identifier: Apache-2.0
"""Plans with a search: what is refused and where, the order of what comes of one, deviations."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.deviate import deviations
from gatemark.plan.expand import applies, override
from gatemark.plan.load import load, read_plan
from gatemark.plan.model import Arm, Plan, Probe, Repeat, Search, TrialSpec, Workload
from gatemark.plan.order import further, order
from gatemark.plan.search import PROFILES, terms

HEAD = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[setup]
path = "route"
"""

PLAN = Plan(
    schema="gatemark.plan/1",
    title="",
    why="",
    reading="",
    name="s/p",
    arm=(Arm(path="route", name="route"), Arm(path="nat", name="nat")),
    sweep={"frame_bytes": (64, 1518)},
    search=Search(shares=(0.5,)),
    repeat=Repeat(times=2),
    probe=Probe(use=("cpu",)),
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[search]\n[sweep]\nrate_pps = [1, 2]", ":9: `rate_pps` of [sweep]: [search] finds it"),
        ("[search]\n[[sweep.case]]\nrate_pps = 9", ":9: `rate_pps` of a [[sweep.case]]: [search]"),
        ("[search]\n[workload]\nrate_bps = 9", ":9: `rate_bps` of [workload]: [search]"),
        ("[search]\n[workload]\npackets = 9", ":9: `packets` of [workload]: [search]"),
        (
            "[search]\n[workload]\nduration_s = 9",
            ":9: `duration_s` of [workload]: [search] has",
        ),
        ('[search]\n[workload]\nkind = "tcp"', ":9: `kind` = 'tcp': a [search] varies"),
        ('[search]\n[workload]\ndriver = "iperf3"', ":9: `driver` = 'iperf3': a [search]"),
        ('[search]\nprofile = "cist"', ":8: search.profile: 'cist' is none of its words; did you"),
        ('[search]\ngoals = ["ndr", "mdr"]', ":8: search.goals[1]: 'mdr' is none of its words"),
        ("[search]\nwidht = 0.1", ":8: unknown key 'widht' in [search]; did you mean 'width'?"),
        ("[search]\ntrial_s = 0.01", ":8: `trial_s` of [search] is 0.01: 0.05 to 600"),
        ("[search]\nwait_s = 601", ":8: `wait_s` of [search] is 601: 0 to 600, or -1 for"),
        ("[search]\nsum_s = 0.5", ":8: `sum_s` of [search] is 0.5: no less than `trial_s`"),
        ('[search]\nprofile = "rfc2544"\nsum_s = 9', ":9: `sum_s` of [search] means nothing"),
        ('[search]\nprofile = "rfc2544"\ngoals = ["pdr"]', ":9: `goals` of [search]: profile"),
        ("[search]\nmax_pps = 10", ":8: `min_pps` of [search] must be below `max_pps`"),
        ("[search]\nshares = [0.0, 0.1]", ":8: `shares` of [search] are above 0 and at most 2"),
        ("[search]\nshares = [0.1, 2.1]", ":8: `shares` of [search] are above 0 and at most 2"),
        ("[search]\nshares = [0.1, 0.1]", ":8: `shares` of [search] has a share twice"),
        ('[search]\ngoals = ["ndr"]\nshares = [0.1]', '`of` of [search] is "pdr", which is none'),
        ("[search]\n[variant.x.search]\nwidht = 1", ":9: unknown key 'widht' in [variant.x."),
    ],
)
def test_what_cannot_be_searched_is_refused_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(HEAD + text + "\n")
    with pytest.raises(UsageError) as error:
        read_plan(path, "plan")
    assert said in str(error.value)


def test_a_probed_trial_needs_a_search_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(HEAD + '[search]\n[repeat]\ntimes = 1\n[probe]\nuse = ["cpu"]\ntimes = 2\n')
    with pytest.raises(UsageError, match=r"`times` of \[probe\] is more than"):
        read_plan(path, "plan")


def of_one_search(trials: list[TrialSpec]) -> list[str]:
    return [str(spec.point.get("goal", spec.point.get("share"))) for spec in trials]


def test_what_comes_of_one_search_stays_together() -> None:
    outside = [spec for spec in order([PLAN], 7) if spec.pass_ == "outside"]
    searches = [outside[at : at + 3] for at in range(0, len(outside), 3)]
    assert all(of_one_search(trials) == ["ndr", "pdr", "0.5"] for trials in searches)
    assert all(len({spec.seeks for spec in trials}) == 1 for trials in searches)


def test_each_repeat_searches_every_point_of_every_arm_once() -> None:
    outside = [spec for spec in order([PLAN], 7) if spec.pass_ == "outside"]
    first = {spec.seeks for spec in outside[: len(outside) // 2]}
    assert len(first) == 4
    assert all("/1/search" in name for name in first)


def test_names_of_all_trials_differ() -> None:
    names = [spec.trial for spec in order([PLAN], 7)]
    assert len(set(names)) == len(names)


def test_the_order_of_plans_without_a_search_is_as_ever() -> None:
    """Runs that are resumed were ordered before there were searches."""
    plain = [
        (spec.arm.name, spec.point["flows"])
        for spec in order([_without_search()], 3)
        if spec.repeat == 1
    ]
    assert plain == [("nat", 64), ("route", 1), ("nat", 1), ("route", 64)]


def _without_search() -> Plan:
    return Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name="s/p",
        arm=(Arm(path="route", name="route"), Arm(path="nat", name="nat")),
        workload=Workload(),
        sweep={"flows": (1, 64)},
        repeat=Repeat(times=1),
    )


def test_a_further_repeat_searches_the_whole_point() -> None:
    block = further(PLAN, 7, [{"frame_bytes": 64, "goal": "ndr"}], 1)
    assert sorted(of_one_search(block)) == ["0.5", "0.5", "ndr", "ndr", "pdr", "pdr"]


def test_a_trial_of_a_search_lasts_as_its_terms_say() -> None:
    lasts = {spec.workload.duration_s for spec in order([PLAN], 7)}
    assert lasts == {1.0}


@pytest.mark.parametrize("profile", PROFILES)
def test_terms_leave_nothing_to_the_profile(profile: str) -> None:
    full = terms(Search(profile=profile))  # type: ignore[arg-type]
    assert full.goals
    assert min(full.trial_s, full.width, full.min_pps, full.share_s) > 0


def test_a_key_of_the_search_is_set() -> None:
    plan = override(PLAN, {"search.trial_s": 2})
    assert plan.search is not None
    assert plan.search.trial_s == 2


def test_a_key_of_the_search_is_not_for_a_plan_without_one() -> None:
    assert not applies(_without_search(), "search.trial_s")


def test_deviations_follow_the_terms() -> None:
    short, full = (deviations(load("rfc/throughput", variant)[1][0]) for variant in ("", "rfc2544"))
    assert any("these last 1 s" in text for text in short)
    assert not any("section 24" in text or "section 26.1" in text for text in full)


def test_diffuse_leaves_out_sizes_and_says_so() -> None:
    (plan,) = load("rfc/throughput", "diffuse")[1]
    told = " ".join(deviations(plan))
    assert "these last 30 s" in told
    assert "without 64, 1518" in told
    assert "both directions at once; this is one" in told


SHAPER = """
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"

[setup]
path = "nat"
features = ["{feature}"]

[workload]
kind = "{kind}"
duration_s = 12

[beside.uploads]
kind = "tcp"
start_s = {start_s}
duration_s = {lasts_s}

[search]
profile = "shaper"
{more}
"""
SOUND = {
    "feature": "shape:cake:100:wan",
    "kind": "replay",
    "start_s": "2",
    "lasts_s": "10",
    "more": "",
}


def shaper_plan(path: Path, **other: str) -> Plan:
    file = path / "p.toml"
    file.write_text(SHAPER.format(**SOUND | other))
    return read_plan(file, "p")


def test_a_shapers_search_is_a_plan(tmp_path: Path) -> None:
    (trial,) = order([replace(shaper_plan(tmp_path), repeat=Repeat(times=1))], 1)
    assert trial.search
    assert (trial.search.max_mbit, trial.search.trial_s) == (100, 12)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("feature", "conntrack", "needs a shaper: shape:cake:1000"),
        ("feature", "shape:cake:100/20", "tries rates up to that of shape:cake:100/20: write one"),
        ("kind", "tcp", "`kind` = tcp: profile shaper judges the delay of a flow; write replay"),
        ("start_s", "1", "`start_s` of [beside] is 1: the flow needs 2 s or more before"),
        ("lasts_s", "6", "`duration_s` of [beside] is 6: 7 or more"),
        ("more", "max_pps = 5000", "`max_pps` of [search] means nothing for profile shaper"),
        ("more", "max_mbit = 0.1", "`max_mbit` of [search] is 0.1: 1 to 100000, in Mbit/s"),
    ],
)
def test_what_a_shapers_search_lacks_is_said(
    tmp_path: Path, key: str, value: str, why: str
) -> None:
    with pytest.raises(UsageError) as error:
        shaper_plan(tmp_path, **{key: value})
    assert why in str(error.value)
