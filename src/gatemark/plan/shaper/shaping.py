# SPDX-License-Identifier: Apache-2.0
"""A search for the highest rate that a shaper holds: what of a plan it changes, and what it needs.

The asked rate takes the place of the one in the arm's feature: `shape:cake:1000:wan`, whose own is
the highest to try. What is sent stands in the plan: a flow, and uploads beside it from later on.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from gatemark.plan.feature import FEATURES, parts
from gatemark.plan.model import Arm, Plan, Search, Workload
from gatemark.plan.shaper import shape

PROFILE: Final = "shaper"
HELD: Final = "held"  # the goal
LEAST_MBIT: Final = 1.0
MOST_MBIT: Final = 100_000.0
SHARE: Final = 0.95  # of the shaper's rate: so much of it the uploads' frames must fill
ADDED_MS: Final = 5.0  # added to the flow's delay, at most; or FRAMES, where these take longer
FRAMES: Final = 3  # full ones
VOTES: Final = 2  # trials that decide a rate; so a third one is sent where two differ
SETTLE_S: Final = 5.0  # of the uploads, which are not judged: slow start is over by then
LEAST_S: Final = 2.0  # of the flow before the uploads begin, and of the uploads after SETTLE_S
OF_RATES: Final = ("trial_s", "sum_s", "min_pps", "max_pps", "share_s", "shares")
OF_SHAPERS: Final = ("min_mbit", "max_mbit")


def shaper(arm: Arm) -> shape.Shape | None:
    """Return the request to the arm's first shaper; None: it has none."""
    word = _word(arm)
    return shape.parse(parts(word)[1]) if word else None


def at_rate(arm: Arm, mbit: float) -> Arm:
    """The arm with its shaper at another rate; its name stays."""
    word = _word(arm)
    new = shape.at_rate(word, mbit)
    return replace(arm, features=tuple(new if f == word else f for f in arm.features))


def terms_of(search: Search, arm: Arm, load: Workload) -> Search:
    """The search with what the arm and the workload say: the highest rate, the time of a trial."""
    asked = shaper(arm)
    if search.profile != PROFILE or asked is None:
        return search
    highest = max(asked.up_bps, asked.down_bps) / 1e6
    return replace(
        search,
        trial_s=load.duration_s,
        min_mbit=search.min_mbit or LEAST_MBIT,
        max_mbit=search.max_mbit or highest,
    )


def term_faults(search: Search) -> Iterator[str]:
    """Keys of [search] that are not this profile's, and rates that cannot be tried."""
    preset = Search()
    foreign = OF_RATES if search.profile == PROFILE else OF_SHAPERS
    for key in foreign:
        if getattr(search, key) != getattr(preset, key):
            yield f"`{key}` of [search] means nothing for profile {search.profile}; leave it out"
    for key in OF_SHAPERS:
        if (mbit := getattr(search, key)) and not LEAST_MBIT <= mbit <= MOST_MBIT:
            yield f"`{key}` of [search] is {mbit:g}: {LEAST_MBIT:g} to {MOST_MBIT:g}, in Mbit/s"
    if search.max_mbit and search.min_mbit >= search.max_mbit:
        yield "`min_mbit` of [search] must be below `max_mbit`"


def arm_faults(plan: Plan) -> Iterator[str]:
    """Arms without a shaper whose rate could be varied."""
    for arm in plan.arm:
        asked, word = shaper(arm), _word(arm)
        if asked is None:
            yield f"`features` of '{arm.name}': profile {PROFILE} needs a shaper: shape:cake:1000"
        elif asked.line_share or "/" in word.split(":")[2]:
            yield (
                f"`features` of '{arm.name}': profile {PROFILE} tries rates up to that of {word}: "
                "write one, in Mbit/s"
            )


def load_faults(plan: Plan, load: Workload) -> Iterator[str]:
    """Why this flow, with what is beside it, tells not whether a rate is held."""
    if load.kind != "replay":
        yield f"`kind` = {load.kind}: profile {PROFILE} judges the delay of a flow; write replay"
    uploads = [other for other in plan.beside.values() if other.kind == "tcp"]
    if not uploads:
        yield f'[beside]: profile {PROFILE} needs what fills the shaper: kind = "tcp"'
    for other in uploads:
        if other.start_s < LEAST_S:
            yield (
                f"`start_s` of [beside] is {other.start_s:g}: the flow needs {LEAST_S:g} s or more "
                "before, which tell its delay without a load"
            )
        if other.duration_s < SETTLE_S + LEAST_S:
            yield (
                f"`duration_s` of [beside] is {other.duration_s:g}: {SETTLE_S + LEAST_S:g} or "
                f"more, of which the first {SETTLE_S:g} are not judged"
            )


def _word(arm: Arm) -> str:
    """The feature that is its shaper; nothing if it has none."""
    return next((f for f in arm.features if FEATURES[parts(f)[0]].shapes), "")
