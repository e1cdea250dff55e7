# SPDX-License-Identifier: Apache-2.0
"""The feature `notrack`: test packets are taken out of connection tracking before it sees them.

It means something beside `conntrack`: what is left of its cost where no packet is tracked. Only the
test ports are concerned: a firewall that lets its owner in by a connection's state still does.
"""

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked

CHAIN = """  chain {hook} {{
    type filter hook {hook} priority raw
    {way} {{ {ports} }} notrack
  }}
"""


async def apply(asked: Asked) -> None:
    """Add the rule where tracking would begin: as packets arrive, and of our own as they leave."""
    begins = {"prerouting": "iifname"}
    if asked.path == "endpoint":
        begins["output"] = "oifname"
    ports = ", ".join(f'"{port}"' for port in asked.ports)
    chains = "".join(CHAIN.format(hook=hook, way=way, ports=ports) for hook, way in begins.items())
    await table.add(asked.changes, "gatemark_notrack", chains)
