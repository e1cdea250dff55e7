# SPDX-License-Identifier: Apache-2.0
"""The feature `mtu:N`: the WAN port sends no IP packet of more than N bytes.

As on a line by PPPoE (1492), a tunnel, or by a word of the provider's. What comes in is not bound.
"""

from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.wan import WAN
from gatemark.node.quoted import shell
from gatemark.node.reader import reader

SET = "ip link set dev {device} mtu {mtu}"


async def apply(asked: Asked) -> None:
    """Set it. Raises UnavailableError where the port does not take it."""
    await set_to(asked, asked.gateway.devices[WAN], asked.arguments[0])


async def set_to(asked: Asked, device: str, mtu: str) -> None:
    """Set a port's MTU. Raises UnavailableError where it does not take it."""
    was = _bytes(await asked.gateway.run("cat", f"/sys/class/net/{device}/mtu"))
    await asked.changes.attempt(
        shell(SET, device=device, mtu=mtu), undo=shell(SET, device=device, mtu=was)
    )


@reader("a port's MTU")
def _bytes(text: str) -> str:
    return str(int(text))
