# SPDX-License-Identifier: Apache-2.0
"""A published value of another device, with what its source says of how it was measured."""

from typing import Any, Final, Literal

import msgspec

from gatemark.quantity import UNITS

Kind = Literal["printed", "approx", "derived", "qual", "bound"]

# Quantities that a published value may be of, with their unit: those of a record, and of a sweep.
REFERENCE_UNITS: Final[dict[str, str]] = {
    **UNITS,
    "peak_l4_bps": "bit/s",  # the most payload received at any offered rate of a sweep
    "safe_l4_bps": "bit/s",  # the most payload offered with nothing lost, and nothing missed
    "path_calls": "calls",  # functions entered for one packet
    "path_netfilter_share": "ratio",  # of these, netfilter's
    "gain_ratio": "ratio",  # by how much more an arm carries than the first of its plan
    "gain_l4_bps": "bit/s",  # the same as bits of payload
    "cost_ratio": "ratio",  # by how much less
    "missed_share": "ratio",  # of the packets, those that the gateway's program did not capture
    "plateau_share": "ratio",  # of the largest value over sizes of a write
    "coremark_per_mhz": "CoreMark/MHz",  # CoreMark by the clock
    "queue_delay_mean_ns": "ns",  # of a flow upwards, beside a load
    "queue_loss_ratio": "ratio",  # of that flow
}


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """One value that a study printed.

    `stated` holds fields of `store.record.Definition`: the value that the source gives, or a range
    `{"min": ...}`, `{"max": ...}`, or `{"in": (...)}`. A loss criterion that is not stated is none.
    """

    study: str  # wrt54, kofler, procbench, diffuse, capture
    device: str
    experiment: str
    parameter: str
    quantity: str  # of REFERENCE_UNITS
    value: float  # in the quantity's unit
    printed: str  # "47.5 Mbit/s"
    kind: Kind
    note: str  # where it stands; what contradicts it
    stated: dict[str, Any]
    implied: tuple[str, ...] = ()  # of `stated`: what the source does not say outright
    unstated: tuple[str, ...] = ()  # fields that the source is silent about
    at_bps: float = 0.0  # payload that was offered; 0: as the quantity says
    at_pps: float = 0.0  # packets/s that were offered; 0: as the quantity says
    assumed: dict[str, Any] = {}  # which of our points is shown where several are alike
    remark: str = ""  # how it is otherwise than ours
