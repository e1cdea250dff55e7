# SPDX-License-Identifier: Apache-2.0
"""The feature `offload:BY`: connections that are known go past the usual path, by a flow table.

    software   from the ingress hook of a port to the other port's output: routing, the forward hook
               and tracking are left out (Documentation/networking/nf_flowtable.rst)
    hardware   the same table, handed to the driver (`flags offload`), which may refuse it

Whether a packet went past is counted: a counter of ours stands at the forward hook, which only what
was not offloaded passes.
"""

import re
from collections.abc import Mapping
from typing import Final

from gatemark.gateway import table
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import reader

NAME: Final = "gatemark_offload"
CHAINS: Final = """  flowtable fast {{
    hook ingress priority filter
    devices = {{ {ports} }}
{flags}  }}
  counter usual {{ }}
  chain forward {{
    type filter hook forward priority filter
    counter name usual
    meta l4proto {{ tcp, udp }} flow add @fast
  }}
"""
FLAGS: Final = {"software": "", "hardware": "    flags offload\n"}

# Both families of the table of connections: as a file, or where there is none by its tool.
READ: Final = literal(f"""
nft list counter inet {NAME} usual | grep packets
{{ cat /proc/net/nf_conntrack || {{ conntrack -L; conntrack -L -f ipv6; }}; }} 2> /dev/null |
  grep -o '\\[[A-Z_]*OFFLOAD\\]' | sort | uniq -c
""")
PACKETS: Final = re.compile(r"packets (\d+)")
ENTRIES: Final = re.compile(r"(?<!\d)(\d{1,18}) \[(\w+)\]")


async def apply(asked: Asked) -> None:
    """Add the flow table over both ports, and the rule that puts connections into it."""
    (by,) = asked.arguments
    ports = ", ".join(f'"{port}"' for port in asked.ports)
    await table.add(asked.changes, NAME, CHAINS.format(ports=ports, flags=FLAGS[by]))


async def seen(asked: Asked, before: Mapping[str, int]) -> dict[str, int]:
    """Packets at the forward hook, and the entries that are offloaded now."""
    return counted(await asked.gateway.run(*sh(READ)), before)


@reader("its offloaded flows")
def counted(text: str, before: Mapping[str, int]) -> dict[str, int]:
    """The same from what the gateway said."""
    passed = PACKETS.search(text)
    entries = {kind: int(count) for count, kind in ENTRIES.findall(text)}
    return {
        "usual": int(passed[1] if passed else 0) - before.get("usual", 0),
        "entries": entries.get("OFFLOAD", 0),
        "hardware_entries": entries.get("HW_OFFLOAD", 0),
    }
