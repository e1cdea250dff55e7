# SPDX-License-Identifier: Apache-2.0
"""The feature `pmtu-silent`: the gateway tells nobody that a packet is too long for its next port.

As where a firewall drops all ICMP, so that a path's MTU cannot be found (RFC 2923, section 2.1).
"""

from typing import Final

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked

CHAIN: Final = """
  chain output {
    type filter hook output priority filter
    icmp type destination-unreachable icmp code frag-needed drop
    icmpv6 type packet-too-big drop
  }
"""


async def apply(asked: Asked) -> None:
    """Add the rules. Raises UnavailableError with the kernel's word."""
    await table.add(asked.changes, "gatemark_pmtu_silent", CHAIN)
