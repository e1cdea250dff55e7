# SPDX-License-Identifier: Apache-2.0
"""What an action on the gateway breaks: for how long, and what does not come back."""

from typing import Final

DEAD: Final = "share of trials after which "

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "outage_kept": ("ratio", "share of the packets that came through, beside an action"),
    "outage_call_up_ns": ("ns", "longest time without a packet of a call, up", True),
    "outage_call_down_ns": ("ns", "longest time without a packet of a call, down", True),
    "outage_busy_up_ns": ("ns", "longest time without a segment of busy TCP, up", True),
    "outage_busy_down_ns": ("ns", "longest time without a segment of busy TCP, down", True),
    "outage_new_ns": ("ns", "longest time in which no new flow came through", True),
    "outage_new_died": ("ratio", DEAD + "no new flow came through", True),
    "outage_call_died": ("ratio", DEAD + "the call did not come back", True),
    "outage_busy_died": ("ratio", DEAD + "busy TCP did not come back", True),
    "outage_idle_died": ("ratio", DEAD + "idle TCP was dead", True),
}
