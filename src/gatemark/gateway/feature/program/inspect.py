# SPDX-License-Identifier: Apache-2.0
"""The feature `inspect:TOOL`: the gateway looks into the packets of each flow (DPI).

TOOL is `ndpiReader`, nDPI's own program, at the external port. It names each flow's application.
"""

from typing import Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program, counting
from gatemark.node.quoted import sh, shell

# It ends in order, with what it counted, by SIGINT alone; its group gets SIGTERM.
NDPI: Final = """trap 'kill -INT $reader' TERM
(trap '' TERM; exec ndpiReader -i {device}) &
reader=$!
wait $reader
code=$?
while kill -0 $reader 2> /dev/null; do wait $reader; code=$?; done
exit $code"""
COUNTERS: Final = counting(r"^\s*IP packets:\s+(?P<captured>\d+)\s")


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """The inspection at the external port."""
    return Program(
        name=wanted.word,
        command=sh(shell(NDPI, device=wanted.outer)),
        device=wanted.outer,
        settle_s=1.2,  # pcap hands over a block after 500 ms at the latest, on an idle machine
        counters=COUNTERS,
    )
