# SPDX-License-Identifier: Apache-2.0
"""The feature `conntrack-timeout:S`: an entry of UDP lasts S seconds, answered or not.

The kernel's own are 30 s without an answer and 120 s with one (nf_conntrack-sysctl.rst), less than
it takes to fill a large table. Each network namespace has its own.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import literal, sh

ROOT: Final = "/proc/sys/net/netfilter"
TIMEOUTS: Final = (
    f"{ROOT}/nf_conntrack_udp_timeout",
    f"{ROOT}/nf_conntrack_udp_timeout_stream",
)

BARRED: Final = literal(f"for file in {' '.join(TIMEOUTS)}; do [ -w $file ] || echo $file; done")


async def apply(asked: Asked) -> None:
    """Set both. Raises UnavailableError where they may not be set."""
    was = await sysctl.read(asked.gateway, TIMEOUTS)
    if len(was) < len(TIMEOUTS) or await asked.gateway.run(*sh(BARRED)):
        raise UnavailableError(
            "how long an entry of UDP lasts cannot be set: no connection tracking (path nat, or "
            "the feature conntrack before it), or not root's"
        )
    await sysctl.write(asked.gateway, asked.changes, dict.fromkeys(TIMEOUTS, asked.arguments[0]))
