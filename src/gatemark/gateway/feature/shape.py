# SPDX-License-Identifier: Apache-2.0
"""The feature `shape:BY:MBIT`: what leaves by a test port is held to a rate, at every port alike.

    tbf        a token bucket: 5 ms of the rate at once, a queue of 50 ms
    htb        one class of a hierarchical token bucket, with the kernel's own queue in it
    fq_codel   the same class, with FQ-CoDel as its queue (RFC 8290): that has no rate of its own
    cake       CAKE, which shapes by itself

Sources: tc-tbf(8), tc-htb(8), tc-fq_codel(8), tc-cake(8).
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import shell
from gatemark.node.reader import reader

HANDLE: Final = "676d:"  # "gm"
BUCKET_S: Final = 0.005
LEAST_BUCKET_BYTES: Final = 3_000  # two full frames
HTB: Final = (
    "tc qdisc add dev {port} root handle {handle} htb default 1\n"
    "tc class add dev {port} parent {handle} classid {handle}1 htb rate {mbit}mbit quantum 1514\n"
)
BY: Final = {
    "tbf": "tc qdisc add dev {port} root handle {handle} tbf rate {mbit}mbit burst {bucket}b "
    "latency 50ms\n",
    "htb": HTB,
    "fq_codel": HTB + "tc qdisc add dev {port} parent {handle}1 fq_codel\n",
    "cake": "tc qdisc add dev {port} root handle {handle} cake bandwidth {mbit}mbit\n",
}
UNDO: Final = (
    "case $(tc qdisc show dev {port} root) in "
    f"*' {HANDLE} '*) tc qdisc del dev {{port}} root;; esac"
)
KERNELS_OWN: Final = "0:"  # the handle of a qdisc that nobody made


async def apply(asked: Asked) -> None:
    """Put it at the root of each port; refused where somebody made a qdisc there himself."""
    by, mbit = asked.arguments
    bucket = max(LEAST_BUCKET_BYTES, round(int(mbit) * 1e6 / 8 * BUCKET_S))
    for port in asked.ports:
        text = await asked.gateway.run("tc", "qdisc", "show", "dev", port, "root")
        if kind := owners(text):
            raise UnavailableError(
                f"{port} has a {kind} of its owner at its root: tc qdisc del dev {port} root"
            )
        change = shell(BY[by], port=port, handle=HANDLE, mbit=int(mbit), bucket=bucket)
        await asked.changes.attempt(change, undo=shell(UNDO, port=port))


@reader("what tc shows of a port")
def owners(text: str) -> str:
    """The qdisc that somebody made at a port's root; "" for none, or the kernel's own."""
    words = text.split()
    return words[1] if words and words[2] != KERNELS_OWN else ""
