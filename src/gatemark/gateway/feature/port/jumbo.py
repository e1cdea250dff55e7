# SPDX-License-Identifier: Apache-2.0
"""The feature `jumbo:N`: LAN and WAN port send and take IP packets of up to N bytes.

The tester's ports do as well (station/demand.py). `mtu:1500` behind it narrows the WAN port again,
as on a home's line behind a LAN of jumbo frames.
"""

from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.feature.mtu import set_to


async def apply(asked: Asked) -> None:
    """Set it. Raises UnavailableError where a port does not take it."""
    for device in asked.ports:
        await set_to(asked, device, asked.arguments[0])
