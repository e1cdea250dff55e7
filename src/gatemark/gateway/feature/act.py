# SPDX-License-Identifier: Apache-2.0
"""The feature `act:N[:BY]`: the gateway applies what a classifier elsewhere decided of N flows.

    set      a set of nft with a timeout for each flow: what a decision that nobody renews becomes
    rules    N rules, one after the other, as the DIFFUSE report's action node had them; up alone

A packet of such a flow gets the mark of gateway/mark.py. No test packet is of one, so the cost is
that of the look-ups, or of all rules. A flow is named as the LAN sees it: protocol, LAN host, its
port, the other host, its port.
"""

from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Address
from typing import Final

from gatemark.gateway import mark, table
from gatemark.gateway.feature.asked import Asked

NAME: Final = "gatemark_act"
TYPE: Final = "inet_proto . ipv4_addr . inet_service . ipv4_addr . inet_service"
LAN: Final = IPv4Address("100.64.0.1")  # RFC 6598: of no port of ours (station/wiring.py)
WAN: Final = IPv4Address("192.0.2.1")  # RFC 5737
WAN_PORT: Final = 27_960
FIRST_PORT: Final = 1_024
PORTS: Final = 1_000  # of a LAN host
TIMEOUT_S: Final = 3_600  # longer than any trial: all of them hold until its end

Flow = tuple[str, str, int, str, int]


async def apply(asked: Asked) -> None:
    """Add them where a packet is forwarded, before a shaper looks for the mark."""
    count, by = asked.arguments
    await table.add(asked.changes, NAME, BY[by](list(flows(int(count)))))


def flows(count: int) -> Iterator[Flow]:
    """So many flows of UDP: protocol, LAN host, port, WAN host, port."""
    for at in range(count):
        host, port = divmod(at, PORTS)
        yield "udp", str(LAN + host), FIRST_PORT + port, str(WAN), WAN_PORT


def _set(known: list[Flow]) -> str:
    elements = ", ".join(" . ".join(map(str, flow)) for flow in known)
    rules = "".join(
        f"    meta l4proto . ip {lan}addr . th {lan}port . ip {wan}addr . th {wan}port @flows "
        f"{mark.SET}\n"
        for lan, wan in (("s", "d"), ("d", "s"))
    )
    return (
        f"  set flows {{ type {TYPE}; flags timeout; timeout {TIMEOUT_S}s; size {len(known)}; "
        f"elements = {{ {elements} }}; }}\n{_chain(rules)}"
    )


def _rules(known: list[Flow]) -> str:
    return _chain("".join(_rule(flow) for flow in known))


def _rule(flow: Flow) -> str:
    protocol, lan, lan_port, wan, wan_port = flow
    up = f"ip saddr {lan} {protocol} sport {lan_port} ip daddr {wan} {protocol} dport {wan_port}"
    return f"    {up} {mark.SET}\n"


def _chain(rules: str) -> str:
    return f"  chain forward {{\n    type filter hook forward priority mangle\n{rules}  }}\n"


BY: Final[Mapping[str, Callable[[list[Flow]], str]]] = {"set": _set, "rules": _rules}
