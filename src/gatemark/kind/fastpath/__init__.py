# SPDX-License-Identifier: Apache-2.0
"""The fast path over time: which flows are in the flow table, which fall out of it, and why."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "fastpath_kept": ("ratio", "share of the packets of all flows that came through, over time"),
    "fastpath_steady": ("ratio", "share of the time that steady flows were in the flow table"),
    "fastpath_hardware": ("ratio", "share of the time that the hardware forwarded steady flows"),
    "fastpath_aged": ("times", "flows that fell out of the flow table as they aged", True),
    "fastpath_torn": ("times", "flows that left the flow table though packets came", True),
    "fastpath_again": ("times", "flows that came back into the flow table"),
    "fastpath_age_ns": ("ns", "silence after which a flow is out of the flow table"),
    "fastpath_forgotten": ("times", "flows that the gateway forgot", True),
    "fastpath_slow_kept": ("ratio", "share of slow connections' packets that came through"),
    "fastpath_idle_died": ("ratio", "share of idle connections that were dead", True),
    "fastpath_usual": ("ratio", "share of packets that went the usual path", True),
}
