# SPDX-License-Identifier: Apache-2.0
"""The outcome of watching: how often a router said that it is one, and what a host had of it."""

from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.kind.adverts.load import Watched, loads
from gatemark.kind.adverts.message import Advert
from gatemark.kind.adverts.plan import ADVERTS
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition

NS: Final = 1_000_000_000


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of adverts alone."""
    del load
    return replace(both, l4="", family="ipv6", quantity=ADVERTS, rate_layer="")


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values. Raises InvalidTrialError where nobody advertises."""
    watched: Watched = raw.ways[0].sender[ADVERTS]
    if not watched.adverts:
        raise InvalidTrialError(
            f"no router advertises on {spec.arm.setup}: write a feature such as ra:radvd"
        )
    return dict(values(watched)), None


def values(watched: Watched) -> Iterator[tuple[str, float]]:
    """Yield times between adverts, and what they say."""
    adverts = watched.adverts
    times = [advert.at_ns for advert in adverts]
    yield "ra_asked_ns", float(times[0] - watched.asked_ns)
    gaps = [after - before for before, after in pairwise(times)]
    yield "ra_longest_ns", float(max([*gaps, watched.end_ns - times[-1]]))
    if gaps:
        yield "ra_every_ns", float(median(gaps))
    yield "ra_router_s", float(min(advert.router_s for advert in adverts))
    lasting = [each for advert in adverts for each in advert.prefixes]
    if lasting:
        yield "ra_valid_s", float(min(valid_s for _, valid_s, _ in lasting))
        yield "ra_preferred_s", float(min(preferred_s for _, _, preferred_s in lasting))
    ends = [*times[1:], watched.end_ns]
    held = sum(min(end - own.at_ns, _lasts_ns(own)) for own, end in zip(adverts, ends, strict=True))
    yield "ra_kept", held / max(1, watched.end_ns - times[0])


def _lasts_ns(advert: Advert) -> int:
    """Return how long a host that has this one alone has a router and a prefix, ns."""
    preferred_s = max((preferred_s for _, _, preferred_s in advert.prefixes), default=0)
    return min(advert.router_s, preferred_s) * NS


KIND: Final = Kind(loads, define, outcome)
