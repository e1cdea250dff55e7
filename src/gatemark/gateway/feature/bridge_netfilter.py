# SPDX-License-Identifier: Apache-2.0
"""The feature `bridge-netfilter`: bridged packets pass the hooks of IP as well as the bridge's.

`net.bridge.bridge-nf-call-iptables` and its like, which the path `switch` has off. Since Linux 5.3
they are of a network namespace. Beside it `conntrack` and `filter:N` work on `switch` too.
"""

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.switch import CALLS
from gatemark.node.quoted import literal, sh
from gatemark.node.shell import Here

LOADED = literal(f"[ ! -e {CALLS[0]} ] || echo loaded")
LOAD = literal("modprobe br_netfilter")
UNLOAD = literal("if [ -d /sys/module/br_netfilter ]; then rmmod br_netfilter; fi")


async def apply(asked: Asked) -> None:
    """Switch it on; load its module where the kernel has it as one."""
    if not await asked.gateway.run(*sh(LOADED)):
        if isinstance(asked.gateway.node, Here):  # every bridge of this machine would have it
            raise UnavailableError(
                "this machine has br_netfilter not loaded: modprobe br_netfilter"
            )
        await asked.changes.attempt(LOAD, undo=UNLOAD)
    there = await sysctl.read(asked.gateway, CALLS)
    if not there:
        raise UnavailableError("its kernel has no br_netfilter for this namespace")
    await sysctl.write(asked.gateway, asked.changes, dict.fromkeys(there, "1"))
