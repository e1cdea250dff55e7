# SPDX-License-Identifier: Apache-2.0
"""The outcome of one sample of a soak: that of UDP, and what the gateway holds behind it."""

from typing import Final

from msgspec.structs import replace

from gatemark.kind.soak.load import loads
from gatemark.kind.soak.plan import SOAK
from gatemark.kind.udp import result as udp
from gatemark.plan.model import Workload
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of a soak alone."""
    return replace(udp.define(both, load), l4="udp", quantity=SOAK)


KIND: Final = Kind(
    loads,
    define,
    udp.outcome,
    udp.delivered_pps,
    udp.series,
    udp.evidence,
    reads=("footprint",),
)
