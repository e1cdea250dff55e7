# SPDX-License-Identifier: Apache-2.0
"""The feature `conntrack-max:N`: the table of connections has room for N entries, and N buckets.

As many buckets as entries is what the kernel takes by itself since 5.15. With fewer the table ends
before it is full: an entry whose hash chain is longer than 50 to 80 is refused (chainlength in
/proc/net/stat/nf_conntrack; net/netfilter/nf_conntrack_core.c, MIN_CHAINLEN).

With more of them a full table refuses flows though all others could go: it looks for a victim in 8
buckets alone (NF_CT_EVICTION_RANGE), of which most are empty then.

N may be more than the gateway's memory can hold; so what we reach it by is guarded besides.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import guard, sysctl
from gatemark.gateway.feature.asked import Asked
from gatemark.node.shell import Here

ROOT: Final = "/proc/sys/net/netfilter"
BOUNDS: Final = (f"{ROOT}/nf_conntrack_buckets", f"{ROOT}/nf_conntrack_max")


async def apply(asked: Asked) -> None:
    """Set both, guard the way in. Raises UnavailableError where they are not the gateway's own."""
    if isinstance(asked.gateway.node, Here):
        raise UnavailableError(
            "nf_conntrack_max is this machine's, for all its namespaces together, so it is never "
            "set: take a station with a kernel of its own (qemu-x86, qemu-mips, a box)"
        )
    was = await sysctl.read(asked.gateway, BOUNDS)
    if len(was) < len(BOUNDS):
        raise UnavailableError(
            "the gateway tracks no connections yet: path nat, or the feature conntrack before it"
        )
    await sysctl.write(asked.gateway, asked.changes, dict.fromkeys(BOUNDS, asked.arguments[0]))
    await guard.protect(asked.gateway, asked.changes)
