# SPDX-License-Identifier: Apache-2.0
"""The feature `tunnel:KIND[:mtu=N][:path=N]`: the way to the WAN leads through a tunnel.

    LAN host ---- gw0  gateway  gm-tunnel | gw1 ==== far end (the tester) ---- WAN host
                                            what is put around

The far end is a program of ours on the tester's side (station/far), so all of the gateway's work is
its own. The hosts on the WAN side are reached by the tunnel's device, which has the port's
addresses, to masquerade behind. 464xlat is tayga's: a program translates each packet.

Sources: ip-link(8), ip-xfrm(8), ip-l2tp(8), tayga.conf(5).
"""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import nat, table
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.wan import Wan, neighbour, wan
from gatemark.node.quoted import Script, joined, literal, literals, shell
from gatemark.plan.line.tunnel import FAMILIES, MTU, asked_mtu
from gatemark.station.far import tunnel as far

DEVICE: Final = "gm-tunnel"
REMOVE: Final = literal(f"[ ! -e /sys/class/net/{DEVICE} ] || ip link del {DEVICE}")
ADD: Final = {
    "gre": "ip link add {own} type gre local {near} remote {far} ttl 64 tos inherit",
    "6in4": "ip link add {own} type sit local {near} remote {far} ttl 64 tos inherit",
    "ds-lite": "ip link add {own} type ip6tnl mode ipip6 local {near6} remote {far6} "
    "encaplimit none tclass inherit",
    "l2tp": """modprobe -q l2tp_eth 2> /dev/null || true
ip l2tp add tunnel tunnel_id 1 peer_tunnel_id 1 encap udp local {near} remote {far} \\
  udp_sport {port} udp_dport {port}
ip l2tp add session name {own} tunnel_id 1 session_id {session} peer_session_id {session} \\
  l2spec_type none
ip link set {own} address $(cat /sys/class/net/{wan}/address)""",
    "esp": """ip link add {own} type xfrm dev {wan} if_id {number}
state() {{
  ip xfrm state add src $1 dst $2 proto esp spi $3 reqid {number} mode tunnel flag af-unspec \\
    if_id {number} aead {cipher} $4 128
}}
policy() {{
  ip xfrm policy add src $1 dst $1 dir $2 tmpl src $3 dst $4 proto esp reqid {number} \\
    mode tunnel if_id {number}
}}
state {near} {far} {up_spi} {up_key}
state {far} {near} {down_spi} {down_key}
for all in 0.0.0.0/0 ::/0; do
  policy $all out {near} {far}
  policy $all in {far} {near}
  policy $all fwd {far} {near}
done""",
    "464xlat": """command -v tayga > /dev/null || {{ echo 'no tayga on it' >&2; exit 1; }}
modprobe -q tun 2> /dev/null || true
[ -e /dev/net/tun ] || {{ mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }}
printf %s {conf} > /run/gm-tayga.conf
tayga -c /run/gm-tayga.conf --mktun
tayga -c /run/gm-tayga.conf --pidfile /run/gm-tayga.pid""",
}
IF_ID: Final = 0x676D
CIPHER: Final = {
    "esp-aes": "rfc4106(gcm(aes))",
    "esp-chacha": "rfc7539esp(chacha20,poly1305)",
}
# Of what is not gone with the device.
UNDO: Final = literals(
    {
        "l2tp": "ip l2tp del session tunnel_id 1 session_id 1 2> /dev/null || true; "
        "ip l2tp del tunnel tunnel_id 1 2> /dev/null || true",
        "464xlat": "[ ! -e /run/gm-tayga.pid ] || kill $(cat /run/gm-tayga.pid) || true; "
        "rm -f /run/gm-tayga.pid /run/gm-tayga.conf",
    }
)
ESP_UNDO: Final = """for all in 0.0.0.0/0 ::/0; do for way in out in fwd; do
  ip xfrm policy delete src $all dst $all dir $way if_id {number} 2> /dev/null || true
done; done
ip xfrm state delete src {near} dst {far} proto esp spi {up} 2> /dev/null || true
ip xfrm state delete src {far} dst {near} proto esp spi {down} 2> /dev/null || true"""
TAYGA: Final = """tun-device {own}
ipv4-addr 192.0.0.1
ipv6-addr 2001:db8:77:1::1
prefix {prefix}/96
map {home} {clat}
data-dir /run
"""
ENDS: Final = """ip addr replace {near}/30 dev {wan}
ip -6 addr replace {near6}/64 dev {wan} nodad
ip neigh replace {far} lladdr {mac} dev {wan} nud permanent
ip -6 neigh replace {far6} lladdr {mac} dev {wan} nud permanent"""
ENDS_UNDO: Final = """ip neigh del {far} dev {wan} 2> /dev/null || true
ip -6 neigh del {far6} dev {wan} 2> /dev/null || true
ip addr del {near}/30 dev {wan} 2> /dev/null || true
ip -6 addr del {near6}/64 dev {wan} 2> /dev/null || true"""
REFUSED: Final = "its kernel or tools refuse this tunnel: "


async def apply(asked: Asked) -> None:
    """Make the tunnel, and lead to the WAN side's hosts by it."""
    kind, changes = asked.arguments[0], asked.changes
    line = await wan(asked.gateway)
    if kind == "464xlat" and asked.path != "nat":
        raise UnavailableError("tunnel:464xlat translates one address: on the path nat alone")
    ends = {
        "near": far.NEAR,
        "far": far.FAR,
        "near6": far.NEAR6,
        "far6": far.FAR6,
        "wan": line.device,
        "mac": next(iter(line.hosts.values())),
    }
    await changes.make(shell(ENDS, **ends), undo=shell(ENDS_UNDO, **ends))
    await changes.attempt(_made(kind, line), joined((_unmade(kind), REMOVE)), refused=REFUSED)
    mtu = asked_mtu(asked.arguments) or MTU
    await changes.make(joined(_routed(kind, line, mtu)), undo=literal(":"))  # with the device
    if asked.path == "nat":
        await table.add(changes, "gatemark_tunnel", nat.CHAIN.format(wan=DEVICE))


def _made(kind: str, line: Wan) -> Script:
    """The commands that make its device."""
    conf = shell(TAYGA, own=DEVICE, home=_home(line), clat=far.CLAT, prefix=far.PREFIX)
    cipher = CIPHER.get(kind, "")
    keys = {f"{way}_key": f"0x{far.key(kind, way).hex() if cipher else 0}" for way in far.SPI}
    return shell(
        ADD["esp" if cipher else kind],
        own=DEVICE,
        wan=line.device,
        near=far.NEAR,
        far=far.FAR,
        near6=far.NEAR6,
        far6=far.FAR6,
        port=far.L2TP_PORT,
        session=far.L2TP_SESSION,
        number=IF_ID,
        cipher=cipher,
        up_spi=far.SPI["up"],
        down_spi=far.SPI["down"],
        conf=str(conf),
        **keys,
    )


def _unmade(kind: str) -> Script:
    """The commands that undo what is left when its device is gone."""
    if kind in CIPHER:
        return shell(ESP_UNDO, number=IF_ID, near=far.NEAR, far=far.FAR, **far.SPI)
    return UNDO.get(kind, literal(":"))


def _routed(kind: str, line: Wan, mtu: int) -> Iterator[Script]:
    """The hosts by the device, with the port's addresses to masquerade behind."""
    yield shell("ip link set {by} mtu {mtu} up", by=DEVICE, mtu=mtu)
    for text in line.addresses:
        own = text.partition("/")[0]
        if (version := ip_address(own).version) in FAMILIES[kind]:
            at_once = literal(" nodad") if version == 6 else literal("")
            yield shell("ip addr replace {own} dev {by}{how}", own=own, by=DEVICE, how=at_once)
    for host, mac in line.hosts.items():
        if ip_address(host).version in FAMILIES[kind]:
            yield shell("ip route replace {host} dev {by}", host=host, by=DEVICE)
            if kind == "l2tp":
                yield shell("ip {known}", known=neighbour(host, mac, DEVICE))
    if kind == "464xlat":
        yield shell("ip -6 route replace {clat} dev {by}", clat=far.CLAT, by=DEVICE)
        yield shell(
            "ip -6 route replace {to}/96 via {far6} dev {wan}",
            to=far.PREFIX,
            far6=far.FAR6,
            wan=line.device,
        )


def _home(line: Wan) -> str:
    """The IPv4 address that the WAN host knows the gateway by."""
    texts = (text.partition("/")[0] for text in line.addresses)
    return next((text for text in texts if ip_address(text).version == 4), far.NEAR)
