# SPDX-License-Identifier: Apache-2.0
"""The feature `pd:CLIENT`: the gateway asks for a prefix at its WAN port, for its LAN (DHCPv6).

dhcpcd asks from a link-local address, which no test port has by itself: the WAN port gets one. It
sets what routers' adverts may do at its ports, which is given back. Its own files are below
folders of the system: it has these for itself.
"""

from typing import Final

from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program, needs
from gatemark.node.quoted import sh, shell

ADDRESS: Final = "fe80::2/64"
ADD: Final = f"ip addr add {ADDRESS} dev {{wan}} nodad"
REMOVE: Final = (
    f"case $(ip -o addr show dev {{wan}}) in *' {ADDRESS} '*) "
    f"ip addr del {ADDRESS} dev {{wan}};; esac"
)
# No resolver, no host name, no address; the first network of the prefix is the LAN's (0).
CONFIG: Final = """duid
nodev
noipv6rs
ipv6only
script /bin/true
allowinterfaces {wan} {lan}
interface {wan}
  ia_pd 1 {lan}/0
"""
COMMAND: Final = """{needs}exec unshare -m sh -c 'mkdir -p /var/lib/dhcpcd
  mount -t tmpfs none /run && mkdir /run/dhcpcd && mount -t tmpfs none /var/lib/dhcpcd &&
  printf %s "$1" > /run/dhcpcd.conf && shift && exec dhcpcd -B -f /run/dhcpcd.conf "$@"' dhcpcd \\
  {config} {wan} {lan}"""


async def apply(asked: Asked) -> None:
    """The WAN port's link-local address; no advert sets a port while it runs."""
    devices = asked.gateway.devices
    wan = devices["gw1"]
    await asked.changes.make(shell(ADD, wan=wan), undo=shell(REMOVE, wan=wan))
    accepts = [f"/proc/sys/net/ipv6/conf/{devices[role]}/accept_ra" for role in ("gw0", "gw1")]
    await sysctl.write(asked.gateway, asked.changes, dict.fromkeys(accepts, "0"))


def program(wanted: Wanted) -> Program:
    """The client at the WAN port."""
    ports = {"wan": wanted.gateway.devices["gw1"], "lan": wanted.gateway.devices["gw0"]}
    lacks = needs("dhcpcd", "dhcpcd-base")
    script = shell(COMMAND, needs=lacks, config=CONFIG.format(**ports), **ports)
    return Program(name=wanted.word, command=sh(script), ready="starting")
