# SPDX-License-Identifier: Apache-2.0
"""The feature `defer:US`: a port that has run dry is polled again after US before interrupts.

It writes `gro_flush_timeout` (US) and `napi_defer_hard_irqs` (2 polls): fewer interrupts and larger
batches, for up to twice US more delay (Documentation/networking/napi.rst, "Software IRQ
coalescing").
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked

POLLS: Final = "2"
FLUSH: Final = "/sys/class/net/{}/gro_flush_timeout"
DEFER: Final = "/sys/class/net/{}/napi_defer_hard_irqs"


async def apply(asked: Asked) -> None:
    """Write both of each port. Raises UnavailableError where the kernel has none."""
    wanted = {}
    for port in asked.ports:
        wanted[FLUSH.format(port)] = str(int(asked.arguments[0]) * 1000)
        wanted[DEFER.format(port)] = POLLS
    if (await sysctl.read(asked.gateway, wanted)).keys() != wanted.keys():
        raise UnavailableError("its kernel defers no interrupts: that came with Linux 5.8")
    await sysctl.write(asked.gateway, asked.changes, wanted)
