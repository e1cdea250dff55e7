# SPDX-License-Identifier: Apache-2.0
"""The feature `tunnel:KIND[:mtu=N][:path=N]`: the way to the WAN leads through a tunnel.

    LAN host ---- gw0  gateway  gm-tunnel | gw1 ==== far end (the tester) ---- WAN host
                                            what is put around

The far end is a program of ours on the tester's side (station/far), so all of the gateway's work is
its own. The hosts on the WAN side are reached by the tunnel's device, which has the port's
addresses, to masquerade behind. 464xlat is tayga's: a program translates each packet.

Sources: ip-link(8), ip-xfrm(8), ip-l2tp(8), tayga.conf(5).
"""

from base64 import b64encode
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
from gatemark.station.far import wireguard
from gatemark.station.wiring import ADDRESS

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
    "wireguard": """ip link add {own} type wireguard
printf %s {conf} | wg setconf {own} /proc/self/fd/0""",
    "464xlat": """command -v tayga > /dev/null || {{ echo 'no tayga on it' >&2; exit 1; }}
modprobe -q tun 2> /dev/null || true
[ -e /dev/net/tun ] || {{ mkdir -p /dev/net; mknod /dev/net/tun c 10 200; }}
printf %s {conf} | tayga -c /proc/self/fd/0 --mktun
printf %s {conf} | tayga -c /proc/self/fd/0""",
}
IF_ID: Final = 0x676D
POOL: Final = "100.64.0.0/16"  # RFC 6598
CIPHER: Final = {
    "esp-aes": "rfc4106(gcm(aes))",
    "esp-chacha": "rfc7539esp(chacha20,poly1305)",
}
# Of what is not gone with the device.
UNDO: Final = literals(
    {
        "l2tp": "ip l2tp del session tunnel_id 1 session_id 1 2> /dev/null || true; "
        "ip l2tp del tunnel tunnel_id 1 2> /dev/null || true",
        # Those of our own namespace: it leaves no file, which the lab's would share with the host.
        "464xlat": """for pid in $(pidof tayga); do
  [ "$(readlink /proc/$pid/ns/net)" != "$(readlink /proc/self/ns/net)" ] || kill $pid
done""",
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
{mapped}
"""
MAPPED: Final = {"464xlat": "map {home} {clat}", "nat64": f"dynamic-pool {POOL}"}
# It translates to an address of the pool; the path's own rule masquerades that.
NAT64: Final = """ip link set {own} mtu {mtu} up
ip route replace {pool} dev {own}
ip -6 route replace {prefix}/96 dev {own}
ip -6 route replace {hosts}/96 via {host} dev {lan}"""
NAT64_UNDO: Final = "ip -6 route del {hosts}/96 dev {lan} 2> /dev/null || true"
# What it translated is IPv6 with an address of its own: no other rule gives it the gateway's.
OWN_SOURCE: Final = """
  chain translated {{
    type nat hook postrouting priority srcnat - 1
    ip6 saddr {clat} snat ip6 to {clat}
  }}
"""
WIREGUARD: Final = """[Interface]
PrivateKey = {private}
ListenPort = {port}
[Peer]
PublicKey = {public}
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = {far}:{port}
PersistentKeepalive = 25
"""
# By tries, not by time: a machine with other work is waited for.
MET: Final = """(for _ in $(seq 150); do
  wg show {own} latest-handshakes | grep -q '[[:space:]]0$' || exit 0
  sleep 0.2
done
echo 'the two ends of the tunnel do not meet' >&2; exit 1)"""
ENDS: Final = """ip addr replace {near}/30 dev {wan}
ip -6 addr replace {near6}/64 dev {wan} nodad
ip neigh replace {far} lladdr {mac} dev {wan} nud permanent
ip -6 neigh replace {far6} lladdr {mac} dev {wan} nud permanent"""
ENDS_UNDO: Final = """ip -6 route del {prefix}/96 dev {wan} 2> /dev/null || true
ip neigh del {far} dev {wan} 2> /dev/null || true
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
    if kind == "nat64":
        await _nat64(asked, line)
        return
    ends = {
        "near": far.NEAR,
        "far": far.FAR,
        "near6": far.NEAR6,
        "far6": far.FAR6,
        "prefix": far.PREFIX,
        "wan": line.device,
        "mac": next(iter(line.hosts.values())),
    }
    await changes.make(shell(ENDS, **ends), undo=shell(ENDS_UNDO, **ends))
    await changes.attempt(_made(kind, line), joined((_unmade(kind), REMOVE)), refused=REFUSED)
    mtu = asked_mtu(asked.arguments) or MTU
    await changes.make(joined(_routed(kind, line, mtu)), undo=literal(":"))  # with the device
    if asked.path == "nat":
        chains = nat.CHAIN.format(wan=DEVICE)
        if kind == "464xlat":
            chains += OWN_SOURCE.format(clat=far.CLAT)
        await table.add(changes, "gatemark_tunnel", chains)


async def _nat64(asked: Asked, line: Wan) -> None:
    """Translate for the LAN's hosts, which the far end has speak IPv6."""
    if asked.path != "nat":
        raise UnavailableError("tunnel:nat64 translates to the gateway's address: path nat alone")
    changes, undo = asked.changes, joined((_unmade("nat64"), REMOVE))
    await changes.attempt(_made("nat64", line), undo, refused=REFUSED)
    words: dict[str, str | int] = {
        "own": DEVICE,
        "mtu": asked_mtu(asked.arguments) or MTU,
        "pool": POOL,
        "prefix": far.PREFIX,
        "hosts": far.HOSTS,
        "host": ADDRESS["lan0"]["ipv6"].partition("/")[0],
        "lan": asked.gateway.devices["gw0"],
    }
    await changes.make(shell(NAT64, **words), undo=shell(NAT64_UNDO, **words))


def _made(kind: str, line: Wan) -> Script:
    """The commands that make its device."""
    cipher = CIPHER.get(kind, "")
    keys = {f"{way}_key": f"0x{far.key(kind, way).hex() if cipher else 0}" for way in far.SPI}
    return shell(
        ADD["esp" if cipher else "464xlat" if kind in MAPPED else kind],
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
        conf=_conf(kind, line),
        **keys,
    )


def _conf(kind: str, line: Wan) -> str:
    """The settings of a tunnel that reads them."""
    if kind in MAPPED:
        mapped = MAPPED[kind].format(home=_home(line), clat=far.CLAT)
        return TAYGA.format(own=DEVICE, prefix=far.PREFIX, mapped=mapped)
    own, peer = wireguard.private("up"), wireguard.private("down").public_key()
    keys = {"private": b64encode(wireguard.raw(own)), "public": b64encode(wireguard.raw(peer))}
    texts = {name: each.decode() for name, each in keys.items()}
    return WIREGUARD.format(far=far.FAR, port=wireguard.PORT, **texts)


def _unmade(kind: str) -> Script:
    """The commands that undo what is left when its device is gone."""
    if kind in CIPHER:
        return shell(ESP_UNDO, number=IF_ID, near=far.NEAR, far=far.FAR, **far.SPI)
    return UNDO.get("464xlat" if kind == "nat64" else kind, literal(":"))


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
    if kind == "wireguard":
        yield shell(MET, own=DEVICE)
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
