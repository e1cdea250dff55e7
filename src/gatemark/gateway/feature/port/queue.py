# SPDX-License-Identifier: Apache-2.0
"""The feature `queue:BY`: the queue that packets wait in before a test port sends them.

    none         none: a packet that the port cannot take is lost
    pfifo        one, of 1000 packets
    pfifo_fast   three, by priority, without a lock (the kernel's usual)
    fq_codel     one a flow (RFC 8290)

It holds nothing to a rate; `shape` does. Sources: tc(8), tc-pfifo(8), tc-fq_codel(8).
"""

from typing import Final

from gatemark.gateway.feature import shape
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import shell

KINDS: Final = {
    "none": ["noqueue"],
    "pfifo": ["pfifo", "limit", "1000"],
    "pfifo_fast": ["pfifo_fast"],
    "fq_codel": ["fq_codel"],
}
ADD: Final = "tc qdisc add dev {port} root handle {handle} {words}"
UNDO: Final = shape.UNDO


async def apply(asked: Asked) -> None:
    """Put it at each port's root; refused where somebody made a qdisc there himself."""
    (by,) = asked.arguments
    for port in asked.ports:
        await shape.require_free(asked.gateway, port)
        add = shell(ADD, port=port, handle=shape.HANDLE, words=KINDS[by])
        undo = shell(UNDO, port=port)
        await asked.changes.attempt(add, undo, refused=shape.REFUSED)
