# SPDX-License-Identifier: Apache-2.0
"""Bounds of keys that several kinds of workload have, each fault with its fix."""

import re
from collections.abc import Iterator
from typing import Final

from gatemark.plan.model import Workload

MOST_FLOWS: Final = 100_000
MOST_CLIENTS: Final = 250  # addresses of one /24, but for the gateway's, the hosts' and the ends
PORTS_A_CLIENT: Final = 40_000  # above LAN_PORT, for flows or connections; random: as many
LONGEST_TRIAL_S: Final = 600.0
MOST_PPS: Final = 50_000_000.0
MOST_ACTIVE_PPS: Final = 10_000_000.0
MOST_DSCP: Final = 63


def shared_faults(load: Workload) -> Iterator[str]:
    """Each key of all kinds that is out of its bounds."""
    if not 0.05 <= load.duration_s <= LONGEST_TRIAL_S:
        yield f"`duration_s` = {load.duration_s:g}: 0.05 to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.start_s <= LONGEST_TRIAL_S:
        yield f"`start_s` = {load.start_s:g}: 0 (at once) to {LONGEST_TRIAL_S:g}"
    if not 0 <= load.dscp <= MOST_DSCP:
        yield f"`dscp` = {load.dscp}: 0 to {MOST_DSCP} (RFC 2474)"


def clients(load: Workload) -> Iterator[str]:
    """The number of LAN hosts, if it is out of its bounds."""
    if not 1 <= load.clients <= MOST_CLIENTS:
        yield f"`clients` = {load.clients}: 1 to {MOST_CLIENTS}"


def congestion(load: Workload) -> Iterator[str]:
    """The name of a congestion control, if it cannot be one."""
    if not re.fullmatch(r"[a-z0-9_-]{1,15}", load.congestion):
        yield f"`congestion` = '{load.congestion}': a name such as cubic, reno or bbr"
