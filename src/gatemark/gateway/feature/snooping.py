# SPDX-License-Identifier: Apache-2.0
"""The feature `snooping:S`: the bridge listens to who is a member of a group, and asks each S s.

Who does not answer two questions in a row has left, as RFC 3376, section 8.4, has it. Groups of
IPv6 are asked for from an address of the bridge's own, which it then has.
"""

import asyncio
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.switch import BRIDGE

ANSWER_S: Final = 1  # in which a member answers
TICKS: Final = 100  # a second of the kernel's switches
OF_IPV6: Final = f"/proc/sys/net/ipv6/conf/{BRIDGE}/"


async def apply(asked: Asked) -> None:
    """Set the bridge that the LAN port is a member of, or is itself."""
    (every_s,) = map(int, asked.arguments)
    wanted = {
        "multicast_query_response_interval": ANSWER_S,
        "multicast_query_interval": every_s,
        "multicast_startup_query_interval": every_s,
        "multicast_last_member_interval": ANSWER_S,
        "multicast_membership_interval": 2 * every_s + ANSWER_S,
    }
    values = {name: str(seconds * TICKS) for name, seconds in wanted.items()}
    values |= {"multicast_snooping": "1", "multicast_querier": "1"}
    port = asked.gateway.devices["gw0"]
    folders = [f"/sys/class/net/{port}/{each}/" for each in ("master/bridge", "bridge")]
    there = await sysctl.read(asked.gateway, [f"{each}multicast_snooping" for each in folders])
    if not there:
        raise UnavailableError("its bridge has no multicast_snooping (CONFIG_BRIDGE_IGMP_SNOOPING)")
    (folder,) = (each for each in folders if f"{each}multicast_snooping" in there)
    await sysctl.write(
        asked.gateway,
        asked.changes,
        {f"{OF_IPV6}{name}": "0" for name in ("addr_gen_mode", "accept_dad", "disable_ipv6")}
        | {f"{folder}{name}": value for name, value in values.items()},
    )
    # Until the first question could have been answered, the bridge floods every group.
    await asyncio.sleep(2 * ANSWER_S)
