# SPDX-License-Identifier: Apache-2.0
"""The feature `classify-lite`: real-time flows are found and marked by nftables alone, without BPF.

A flow of UDP whose port is no well-known service's, that has sent more than ten packets of less
than 300 bytes on average (`ct original packets`, `ct original avgpkt`; nft(8), "CONNTRACK
EXPRESSIONS"), keeps a mark with its connection, and every packet of it gets that mark. There is no
interval in it, so it cannot tell a sensor from a call: it is the least that a classifier must beat.
"""

from typing import Final

from gatemark.gateway import sysctl, table
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.mark import MASK, SET, VALUE

NAME: Final = "gatemark_lite"
KEPT: Final = 0xFFFFFFFF ^ MASK  # of a mark, what is others'
ACCOUNTING: Final = "/proc/sys/net/netfilter/nf_conntrack_acct"
CHAINS: Final = f"""  chain lite {{
    type filter hook forward priority mangle
    ct mark & {MASK:#x} == {VALUE:#x} {SET} return
    meta l4proto != udp return
    th dport < 1024 return
    th dport {{ 1900, 5353 }} return
    ct original packets > 10 ct original avgpkt < 300 ct mark set ct mark & {KEPT:#x} | {VALUE:#x}
  }}
"""


async def apply(asked: Asked) -> None:
    """Have connections count their packets, and add the rules.

    The kernel counts by itself once a rule asks (nft_ct_get_init(), net/netfilter/nft_ct.c), and
    goes on when that is gone. So the switch is set first: it is given back as it was.
    """
    await sysctl.write(asked.gateway, asked.changes, {ACCOUNTING: "1"})
    await table.add(asked.changes, NAME, CHAINS)
