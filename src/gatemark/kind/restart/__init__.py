# SPDX-License-Identifier: Apache-2.0
"""UDP at a rate while the gateway is restarted."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "reset_s": ("s", "reset time: from the last packet before a restart to the next"),
    "reset_loss_s": ("s", "packets lost in a restart, as time at the offered rate"),
    "reset_full_s": ("s", "time from the last packet before a restart to the full rate"),
    "restart_s": ("s", "time that the station took to restart the gateway"),
}
