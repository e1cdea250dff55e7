# SPDX-License-Identifier: Apache-2.0
"""Closer looks: trials that no plan names, where its own leave a shape of loss half told. Pure.

Where frames beyond a length do not come: the sizes between the longest that came and the shortest
that did not, in one trial; then those between the two of these, until they are neighbours.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from gatemark.judge.point.group import group
from gatemark.judge.shape.closer import Limit, Looked, is_of, looked
from gatemark.judge.shape.diagnose import diagnose
from gatemark.judge.shape.pairs import together
from gatemark.plan.model import Plan, TrialSpec, Turn
from gatemark.store.record import Record

SIZES: Final = 64  # in one look
EACH: Final = 20  # packets of a size
MOST_PPS: Final = 2000.0  # a look needs no load
MOST_LOOKS: Final = 4  # 1 500 sizes take two; where four do not tell, the limit moves


def looks(plan: Plan, outside: Sequence[TrialSpec], records: Sequence[Record]) -> list[TrialSpec]:
    """The next closer look of each arm that needs one, once its trials are done.

    None where each boot is a sample: a look would boot its arm once more.
    """
    if any(spec.boot for spec in outside):
        return []
    own = [record for record in records if record.plan == plan.name]
    groups = [trials for trials in group(own) if trials.definition.path != "direct"]
    made: dict[str, TrialSpec] = {}
    for each in looked(together(diagnose(groups, ())), own):
        if each.limit.is_exact or len(each.looks) >= MOST_LOOKS:
            continue
        own_specs = (s for s in outside if is_of(each.diagnosis, s.plan, s.arm.name, s.point))
        spec = _look(each, next(own_specs))
        made.setdefault(spec.trial, spec)
    return [*made.values()]


def between(limit: Limit) -> list[int]:
    """At most so many sizes, evenly, of those that are not known; they part the rest alike."""
    unknown = limit.beyond - limit.most - 1
    count = min(SIZES, unknown)
    return [limit.most + (at + 1) * (unknown + 1) // (count + 1) for at in range(count)]


def _look(each: Looked, spec: TrialSpec) -> TrialSpec:
    number, sizes = len(each.looks) + 1, between(each.limit)
    rate_pps = min(spec.workload.rate_pps or MOST_PPS, MOST_PPS)
    load = replace(
        spec.workload,
        mix=",".join(f"{size}:1" for size in sizes),
        rate_pps=rate_pps,
        duration_s=EACH * len(sizes) / rate_pps,
        packets=0,
        settle_s=0.0,
    )
    base = spec.trial.removesuffix(f"/{spec.repeat}/{spec.pass_}")
    return replace(
        spec,
        trial=f"{base}/{each.diagnosis.direction}/{number}/closer",
        workload=load,
        repeat=number,
        pass_="closer",  # noqa: S106  not a password
        turn=Turn(),
    )
