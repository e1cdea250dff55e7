# SPDX-License-Identifier: Apache-2.0
"""The feature `ra:SERVER[:WORD...]`: the gateway advertises itself and its LAN's prefixes (IPv6).

    every=S    seconds between two adverts, at most (4); from three quarters of that on

radvd sends from a link-local address, which no test port has by itself: the LAN port gets one.
"""

from typing import Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program, needs
from gatemark.node.quoted import sh, shell

ADDRESS: Final = "fe80::1/64"
EVERY_S: Final = 4
ADD: Final = f"ip addr add {ADDRESS} dev {{lan}} nodad"
REMOVE: Final = (
    f"case $(ip -o addr show dev {{lan}}) in *' {ADDRESS} '*) "
    f"ip addr del {ADDRESS} dev {{lan}};; esac"
)
# ::/64 stands for each prefix that the port has (radvd.conf(5)).
CONFIG: Final = """interface {lan} {{
  AdvSendAdvert on; MinRtrAdvInterval {least}; MaxRtrAdvInterval {every};
  prefix ::/64 {{ AdvOnLink on; AdvAutonomous on; }};
}};
"""
COMMAND: Final = """{needs}printf %s {config} > radvd.conf
exec radvd --nodaemon --config="$PWD/radvd.conf" --pidfile="$PWD/pid" \\
  --logmethod=stderr --debug=1"""


async def apply(asked: Asked) -> None:
    """The LAN port's link-local address."""
    lan = asked.gateway.devices["gw0"]
    await asked.changes.make(shell(ADD, lan=lan), undo=shell(REMOVE, lan=lan))


def program(wanted: Wanted) -> Program:
    """The daemon at the LAN port."""
    _, *words = wanted.arguments
    every = next((int(text.partition("=")[2]) for text in words), EVERY_S)
    lan = wanted.gateway.devices["gw0"]
    config = CONFIG.format(lan=lan, every=every, least=max(3, every * 3 // 4))
    script = shell(COMMAND, needs=needs("radvd", "radvd"), config=config)
    return Program(name=wanted.word, command=sh(script), ready="started")
