# SPDX-License-Identifier: Apache-2.0
"""Packets that none of the trial's senders made, and what of them a trial bears.

A gateway may corrupt packets, rewrite or delay them: each of those is missing among what was
delivered. What came beyond that is somebody else's.
"""

from typing import Final

from gatemark.store.record import Accounting

# Of what was tried; less of each is borne. A point with no more loss than this has no bottleneck.
SHARE: Final = 0.001
FEWEST: Final = 10  # packets, whatever share they are


def why_invalid(accounting: Accounting) -> str:
    """Why a trial says nothing, in one line; empty: it does."""
    bears = max(FEWEST, SHARE * accounting.tried)
    if accounting.stale > bears:
        return (
            f"{accounting.stale} packets came so late that nobody knows whether they came before: "
            "what was lost is not known; send for less time, or fewer flows"
        )
    if accounting.strange > bears:
        return (
            f"{accounting.strange} packets without a test header came to the trial's ports: other "
            "hosts send there; find them with tcpdump, or give the test a cable of its own"
        )
    damaged = accounting.corrupt + accounting.altered
    missing = accounting.lost - accounting.refused + accounting.duplicated
    if damaged - max(0, missing) > bears:
        return (
            f"{damaged} corrupt or altered packets came, and {max(0, missing)} of the trial's are "
            "missing: others send test packets to the trial's ports, perhaps another run"
        )
    return ""
