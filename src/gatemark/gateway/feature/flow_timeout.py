# SPDX-License-Identifier: Apache-2.0
"""The feature `flow-timeout:S`: a flow leaves the flow table after S seconds without a packet.

The kernel's own is 30 s, of UDP and of TCP (nf_conntrack-sysctl.rst; Linux 5.13). Each network
namespace has its own.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked

TIMEOUTS: Final = tuple(
    f"/proc/sys/net/netfilter/nf_flowtable_{protocol}_timeout" for protocol in ("udp", "tcp")
)


async def apply(asked: Asked) -> None:
    """Set both. Raises UnavailableError where there is none."""
    if len(await sysctl.read(asked.gateway, TIMEOUTS)) < len(TIMEOUTS):
        raise UnavailableError("its kernel has no flow table, or none with a time of its own")
    await sysctl.write(asked.gateway, asked.changes, dict.fromkeys(TIMEOUTS, asked.arguments[0]))
