# SPDX-License-Identifier: Apache-2.0
"""The feature `buckets:N`: connection tracking looks flows up in a hash table of N buckets.

The table is one for the whole kernel, so only a gateway with a kernel of its own has it. A kernel
fills whole pages: it makes at least 512 buckets where a pointer has 8 bytes, 1 024 where it has 4
(nf_ct_alloc_hashtable in net/netfilter/nf_conntrack_core.c).
"""

from gatemark.error import UnavailableError
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import literal, sh, shell
from gatemark.node.shell import Here

BUCKETS = "/proc/sys/net/netfilter/nf_conntrack_buckets"
READ = literal(f"cat {BUCKETS} 2> /dev/null || true")
WRITE = f"if [ -e {BUCKETS} ]; then echo {{count}} > {BUCKETS}; fi"


async def apply(asked: Asked) -> None:
    """Give the table N buckets."""
    wanted, node = int(asked.arguments[0]), asked.changes.node
    if isinstance(node, Here):
        raise UnavailableError(
            "the flow table is of this machine's kernel: a virtual gateway or a box has its own"
        )
    was = (await node.run(*sh(READ))).strip()
    if not was:
        raise UnavailableError("no connections are tracked there: write conntrack before buckets")
    await asked.changes.make(shell(WRITE, count=wanted), undo=shell(WRITE, count=was))
    made = (await node.run("cat", BUCKETS)).strip()
    if made != str(wanted):
        raise UnavailableError(f"its kernel makes {made} buckets of {wanted}: ask for those")
