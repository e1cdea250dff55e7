# SPDX-License-Identifier: Apache-2.0
"""The terms of a search: a profile's, with the plan's own put over them; and what it comes to."""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.plan.model import Factor, Goal, Plan, Search, Workload
from gatemark.plan.shaper import shaping

GOAL: Final = "goal"  # factor of a search's outcome: which of its goals
SHARE: Final = "share"  # factor of a trial at a share of what the search found
FOUND: Final = (GOAL, SHARE)

# What a search finds is no key of its workload; how long a trial lasts is `trial_s`.
SOUGHT: Final = ("rate_pps", "rate_bps", "packets", "duration_s")

LOSS: Final[Mapping[str, float]] = {"ndr": 0.0, "pdr": 0.005, "burst": 0.0}  # loss criterion
EXCEED: Final = 0.5  # csit: this share of a rate's trials may lose more (RFC 9971)

PROFILES: Final[Mapping[str, Search]] = {
    # FD.io CSIT's goals for NDR and PDR, which are the defaults of the MLRsearch package:
    # final trials of 1 s, 21 s of them, width 0.5 %.
    "csit": Search(
        goals=("ndr", "pdr"), trial_s=1.0, sum_s=21.0, wait_s=0.0, width=0.005, min_pps=100.0
    ),
    # RFC 2544 section 24: trials of 60 s at least; section 23: 2 s for residual frames, then 5 s
    # for the gateway to settle.
    "rfc2544": Search(
        profile="rfc2544", goals=("ndr",), trial_s=60.0, wait_s=7.0, width=0.005, min_pps=100.0
    ),
    # CAIA Technical Report 120412A section II-C: 30 s, and 30 s of waiting.
    "diffuse": Search(
        profile="diffuse", goals=("ndr",), trial_s=30.0, wait_s=30.0, width=0.005, min_pps=100.0
    ),
    # RFC 2544 section 26.4: bursts of up to 2 s; RFC 9004 section 6.4 wants the throughput too.
    "rfc9004": Search(
        profile="rfc9004",
        goals=("ndr", "burst"),
        trial_s=2.0,
        sum_s=21.0,
        wait_s=0.0,
        width=0.005,
        min_pps=100.0,
    ),
    # A rate is halved to 5 %; how long its trials are, the plan's workloads say
    # (plan/shaper/shaping.py).
    shaping.PROFILE: Search(
        profile="shaper", goals=("held",), trial_s=1.0, wait_s=0.0, width=0.05, min_pps=100.0
    ),
}
GOALS: Final[Mapping[str, tuple[tuple[Goal, ...], ...]]] = {
    "csit": (("ndr", "pdr"), ("ndr",), ("pdr",)),
    "rfc2544": (("ndr",),),
    "diffuse": (("ndr",),),
    "rfc9004": (("ndr", "burst"),),
    shaping.PROFILE: (("held",),),
}


def terms(search: Search) -> Search:
    """The search with nothing left to its profile, but `max_pps`, which may stay 0."""
    preset = PROFILES[search.profile]
    return replace(
        search,
        goals=search.goals or preset.goals,
        trial_s=search.trial_s or preset.trial_s,
        sum_s=search.sum_s or preset.sum_s,
        wait_s=preset.wait_s if search.wait_s < 0 else search.wait_s,
        width=search.width or preset.width,
        min_pps=search.min_pps or preset.min_pps,
        share_s=search.share_s or search.trial_s or preset.trial_s,
    )


def base(point: Mapping[str, Factor]) -> dict[str, Factor]:
    """The plan's own point: an outcome's without its goal or share."""
    return {name: level for name, level in point.items() if name not in FOUND}


def search_faults(plan: Plan) -> Iterator[str]:
    """Why a plan cannot be searched; nothing if it can, or if it has no search."""
    if plan.search is None:
        return
    yield from _terms(plan.search)
    yield from _goals(plan.search)
    yield from shaping.term_faults(plan.search)
    is_held = plan.search.profile == shaping.PROFILE
    if is_held:
        yield from shaping.arm_faults(plan)
    preset = Workload()
    for key in SOUGHT[:-1] if is_held else SOUGHT:
        fix = "[search] has `trial_s`" if key == "duration_s" else "[search] finds it"
        if key in plan.sweep:
            yield f"`{key}` of [sweep]: {fix}; leave it out"
        elif any(key in case for case in plan.case):
            yield f"`{key}` of a [[sweep.case]]: {fix}; leave it out"
        elif getattr(plan.workload, key) != getattr(preset, key):
            yield f"`{key}` of [workload]: {fix}; leave it out"
    if plan.probe.use and plan.probe.times > plan.repeat.times:
        yield (
            "`times` of [probe] is more than `times` of [repeat]: "
            "each instrumented trial needs a search"
        )


def misfits(plan: Plan, load: Workload) -> Iterator[str]:
    """Why this workload cannot be searched."""
    if plan.search is None:
        return
    if plan.search.profile == shaping.PROFILE:
        yield from shaping.load_faults(plan, load)
    elif load.kind != "udp":
        yield f"`kind` = '{load.kind}': a [search] varies a rate of packets; write udp"
    if load.restart_s:
        yield "`restart_s`: a [search] needs a gateway that stays up; leave it out"
    if load.driver != "gatemark":
        yield f"`driver` = '{load.driver}': a [search] needs our own agent; write gatemark"


# What a key may be, the value that leaves it to something else, and to what.
BETWEEN: Final[Mapping[str, tuple[float, float, float, str]]] = {
    "trial_s": (0.05, 600, 0, "the profile's"),
    "share_s": (0.05, 600, 0, "`trial_s`"),
    "sum_s": (0.05, 3600, 0, "the profile's"),
    "wait_s": (0, 600, -1, "the profile's"),
    "width": (0.0001, 0.5, 0, "the profile's"),
    "min_pps": (1, 10_000_000, 0, "the profile's"),
    "max_pps": (1, 50_000_000, 0, "twice what comes through at overload"),
}


def _terms(search: Search) -> Iterator[str]:
    for key, (least, most, unset, other) in BETWEEN.items():
        value = getattr(search, key)
        if value != unset and not least <= value <= most:
            span = f"{least:g} to {most:.10g}"
            yield f"`{key}` of [search] is {value:g}: {span}, or {unset:g} for {other}"
    full = terms(search)
    if search.sum_s and not PROFILES[search.profile].sum_s:
        yield f"`sum_s` of [search] means nothing for profile {search.profile}; leave it out"
    elif full.sum_s and full.sum_s < full.trial_s:
        yield f"`sum_s` of [search] is {full.sum_s:g}: no less than `trial_s` ({full.trial_s:g})"
    if search.max_pps and full.min_pps >= search.max_pps:
        yield "`min_pps` of [search] must be below `max_pps`"


def _goals(search: Search) -> Iterator[str]:
    allowed = GOALS[search.profile]
    if search.goals and search.goals not in allowed:
        words = " or ".join(str(list(goals)).replace("'", '"') for goals in allowed)
        yield f"`goals` of [search]: profile {search.profile} has {words}"
    if not all(0 < share <= 2 for share in search.shares):
        yield "`shares` of [search] are above 0 and at most 2: [0.1, 0.5, 0.9]"
    if len(set(search.shares)) < len(search.shares):
        yield "`shares` of [search] has a share twice; `times` of [repeat] repeats"
    if search.shares and search.of not in terms(search).goals:
        yield f'`of` of [search] is "{search.of}", which is none of its goals; add it to `goals`'
