# SPDX-License-Identifier: Apache-2.0
"""What a trial brought home, before anything is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gatemark.probe.rate import Rated
from gatemark.probe.registry import Seen
from gatemark.run.program import Ran
from gatemark.workload.account import Counters
from gatemark.workload.way import Report, Way


@dataclass(slots=True)
class Raw:
    """All that a trial reported."""

    ways: list[Way]
    threads: Report
    before: Counters
    after: Counters
    seen: Seen = field(default_factory=Seen)  # by the probes
    # CPUs of this machine that are the gateway's; None: all that it reads are its own.
    gateway_cpus: frozenset[int] | None = None
    offload: Mapping[str, int] = field(default_factory=dict)  # by what the arm's features counted
    ran: list[Ran] = field(default_factory=list)  # programs on the gateway
    cached: Report = field(default_factory=dict)  # by modelled caches, over time
    caches: tuple[str, ...] = ()  # these, in their order
    rated: Rated | None = None  # instructions at rest and under the load
