# SPDX-License-Identifier: Apache-2.0
"""The path `route`: the gateway forwards IPv4 and IPv6, nothing else.

Its two switches are the whole host's, and the kernel does more as they turn (ip-sysctl.rst,
`inet_forward_change()`, `addrconf_forward_change()`): it resets each device's `forwarding` and
`accept_redirects`, takes LRO from all NICs, and forgets IPv6 routes learnt from advertisements,
but for those of devices that accept them as a router does. All of it is kept and given back.
"""

from typing import Final

from gatemark.gateway import sysctl
from gatemark.gateway.changes import Changes
from gatemark.node.quoted import Script, joined, literal, sh, shell
from gatemark.station.wiring import Gateway

IPV4: Final = "/proc/sys/net/ipv4/ip_forward"
IPV6: Final = "/proc/sys/net/ipv6/conf/all/forwarding"
RESET: Final = literal(
    "/proc/sys/net/ipv4/conf/all/accept_redirects /proc/sys/net/ipv4/conf/*/forwarding "
    "/proc/sys/net/ipv6/conf/*/forwarding"
)
ADVERTISEMENTS: Final = literal("/proc/sys/net/ipv6/conf/*/accept_ra")
HOST, ROUTER = "1", "2"  # values of accept_ra: while it does not forward; always
RECEIVE_OFFLOAD: Final = literal(
    "command -v ethtool > /dev/null || exit 0; for d in /sys/class/net/*; do d=${d##*/}; "
    "ethtool -k $d 2> /dev/null | grep -q '^large-receive-offload: on$' && echo $d; done; true"
)


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Switch forwarding on where it is off; a gateway without IPv6 has one switch less."""
    switches = await sysctl.read(gateway, (IPV4, IPV6))
    off = {path: value for path, value in switches.items() if value != "1"}
    if not off:
        return
    if IPV6 in off:
        await _keep_learnt_routes(gateway, changes)
    back = off | await sysctl.read(gateway, RESET)
    undo = joined((sysctl.lines(back), await _receive_offload(gateway)))
    await changes.attempt(sysctl.lines(dict.fromkeys(off, "1")), undo=undo)


async def _keep_learnt_routes(gateway: Gateway, changes: Changes) -> None:
    """Without this a gateway that is reached by such a route would be lost."""
    accepted = await sysctl.read(gateway, ADVERTISEMENTS)
    hosts = [path for path, value in accepted.items() if value == HOST]
    await sysctl.write(gateway, changes, dict.fromkeys(hosts, ROUTER))


async def _receive_offload(gateway: Gateway) -> Script:
    """Return the script that gives the NICs their LRO back."""
    devices = (await gateway.run(*sh(RECEIVE_OFFLOAD))).split()
    return joined(shell("ethtool -K {device} lro on", device=device) for device in devices)
