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
    "queue_delay_p5_ns": "ns",
    "queue_delay_p50_ns": "ns",
    "queue_delay_p95_ns": "ns",
    "queue_delay_max_ns": "ns",
    "queue_loss_ratio": "ratio",  # of that flow
    "queue_buffer_bytes": "bytes",  # by the longest wait and the line's rate
    "queue_reduction": "times",  # the mean delay without features over that with these
    "queue_idle_mean_ns": "ns",  # of that flow before the load begins
    "queue_idle_p50_ns": "ns",
    "queue_idle_loss_ratio": "ratio",
    "tester_cpu_share": "ratio",  # of its CPU that the busier end of the tester used
    "link_share": "ratio",  # payload by the slowest link's rate
    "peak_link_share": "ratio",  # the same of `peak_l4_bps`
    "gain_most_ratio": "ratio",  # the largest `gain_ratio` over sizes of a write
    "received_more_bps": "bit/s",  # by how much more an end receives than it sends
    "best_payload_frame_bytes": "bytes",  # of UDP at overload: the frame with the most payload
    "best_rate_frame_bytes": "bytes",  # of searches: the frame with the most packets
    "enough_write_bytes": "bytes",  # the smallest write with 90 % of the plateau
    "step_cpu_busy": "ratio",  # by how much a step of a ladder raises the CPU load
    "saved_cpu_busy": "ratio",  # by how much it lowers it
    "added_cpu_busy": "ratio",  # the most by which an arm's CPU load exceeds the barest one's
    "load80_l2_bps": "bit/s",  # of frames, where the CPU load is 80 %
    "load100_l2_bps": "bit/s",  # of frames, where the CPU is full
    "gain_mean_ratio": "ratio",  # the arithmetic mean of an arm's gains
    "flow_bytes_times": "times",  # memory of a flow over that with the first setup of a plan
    "queue_first_ns": "ns",  # of a flow that joins a load: its delay until it is settled
    "queue_settled_ns": "ns",  # from its first packet until then
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
