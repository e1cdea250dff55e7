# SPDX-License-Identifier: Apache-2.0
"""The feature `igmp-proxy`: igmpproxy joins groups at the WAN port for members of the LAN."""

from typing import Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program
from gatemark.node.quoted import sh, shell

COMMAND: Final = """printf '%s\\n' \\
  'phyint '{wan}' upstream ratelimit 0 threshold 1' '  altnet 0.0.0.0/0' \\
  'phyint '{lan}' downstream ratelimit 0 threshold 1' > igmpproxy.conf
exec igmpproxy -n -d -v ./igmpproxy.conf"""


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """The proxy between the WAN port and the LAN port."""
    return Program(
        name=wanted.word,
        command=sh(
            shell(
                COMMAND,
                wan=wanted.outer,
                lan=wanted.gateway.devices["gw0"],
            )
        ),
    )
