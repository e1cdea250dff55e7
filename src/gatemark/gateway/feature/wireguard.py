# SPDX-License-Identifier: Apache-2.0
"""The feature `wireguard`: the way to the WAN is a WireGuard tunnel.

    LAN host ---- gw0  gateway  gm-wg | gm-near ==== gm-far | gm-wg  far end  gw1 ---- WAN host
                                        what is encrypted          in the same kernel

The tester has no WireGuard in its kernel, and in user space its own end would be the limit. So the
far end is a namespace of the gateway's kernel, which gets the WAN port: one processor encrypts,
decrypts and forwards twice, and **all of it is in the figure**. Half of it is the most that can be
said of the gateway's own part. The link between the two takes 1 700 bytes, so no packet is cut.

Only in a virtual gateway, which is ours: a device's WAN port is not moved into a namespace.
"""

import base64
from collections.abc import Iterable
from ipaddress import ip_interface
from typing import Final, NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.wan import ADDRESS, Wan, neighbour, wan
from gatemark.node.ssh import Ssh
from gatemark.station.space import QUIET, ROUTER

SPACE: Final = "gatemark-far"
TUNNEL, NEAR, FAR = "gm-wg", "gm-near", "gm-far"
ENDS: Final = ("203.0.113.1", "203.0.113.2")  # RFC 5737: of the link between them
PORT: Final = 51820
LINK_MTU, TUNNEL_MTU = 1700, 1500
LAN: Final = "gw0"

TUNNELLED = """
ip addr add {near_ip}/30 dev {near}
ip link set {near} mtu {link_mtu} up
wg setconf {tunnel} /proc/self/fd/0 <<'GATEMARK-WG'
{near_conf}
GATEMARK-WG
ip link set {tunnel} mtu {mtu} up
in_far() {{ ip netns exec {space} "$@"; }}
in_far ip addr add {far_ip}/30 dev {far}
in_far ip link set {far} mtu {link_mtu} up
in_far ip link add {tunnel} type wireguard
in_far wg setconf {tunnel} /proc/self/fd/0 <<'GATEMARK-WG'
{far_conf}
GATEMARK-WG
in_far ip link set {tunnel} mtu {mtu} up
{routes}
for _ in 1 2 3 4 5 6 7 8 9 10; do
  wg show {tunnel} latest-handshakes | grep -q '[[:space:]]0$' || exit 0
  sleep 0.5
done
echo 'the two ends of the tunnel do not meet' >&2; exit 1
"""
CONF = """[Interface]
PrivateKey = {private}
ListenPort = {port}
[Peer]
PublicKey = {public}
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = {peer}:{port}
PersistentKeepalive = 25"""


class Key(NamedTuple):
    """Of one end, in base64."""

    private: str
    public: str


async def apply(asked: Asked) -> None:
    """Put a far end before the WAN port, and a tunnel to it in the way."""
    gateway, changes = asked.gateway, asked.changes
    if gateway.journal or not isinstance(gateway.node, Ssh):
        raise UnavailableError("a tunnel's far end is made in virtual gateways alone (kind qemu)")
    line = await wan(gateway)
    said = await gateway.run("ip", "-o", "addr", "show", "dev", gateway.devices[LAN])
    try:
        await gateway.run("sh", "-c", "command -v wg > /dev/null")
        await changes.make(
            f"ip link add {TUNNEL} type wireguard",
            undo=f"[ ! -e /sys/class/net/{TUNNEL} ] || ip link del {TUNNEL}",
        )
    except NodeError as error:
        raise UnavailableError(f"no WireGuard on the gateway ({error})") from None
    await changes.make(_moved(line), undo=_back(line))
    await changes.make(_tunnelled(line, ADDRESS.findall(said)), undo=":")  # goes with its devices


def _moved(line: Wan) -> str:
    """The far end as a router with the WAN port, and a link to it."""
    words = f"""ip netns add {SPACE}
ip netns exec {SPACE} sh -ec '{QUIET}'
ip netns exec {SPACE} sh -ec '{ROUTER}'
ip link add {NEAR} type veth peer name {FAR} netns {SPACE}
ip link set {line.device} netns {SPACE}"""
    return "\n".join((words, *_addressed(line, f"ip -n {SPACE}")))


def _back(line: Wan) -> str:
    """The port is fetched first: a namespace goes only after the command that removes it."""
    words = f"""[ ! -e /sys/class/net/{NEAR} ] || ip link del {NEAR}
if [ -e /run/netns/{SPACE} ]; then
  [ -e /sys/class/net/{line.device} ] || ip -n {SPACE} link set {line.device} netns 1
  ip netns del {SPACE}
fi"""
    return "\n".join((words, *_addressed(line, "ip")))


def _addressed(line: Wan, ip: str) -> Iterable[str]:
    """The port up, with what it had."""
    yield f"{ip} link set {line.device} up"
    for one in line.addresses:
        at_once = " nodad" if ":" in one else ""  # as the station gave it (station/qemu.py)
        yield f"{ip} addr replace {one} dev {line.device}{at_once}"
    for host, mac in line.hosts.items():
        yield f"{ip} {neighbour(host, mac, line.device)}"


def _tunnelled(line: Wan, lan: Iterable[str]) -> str:
    near, far = _key(), _key()
    routes = [f"ip route add {_network(one)} dev {TUNNEL}" for one in line.addresses]
    routes += [f"in_far ip route add {_network(one)} dev {TUNNEL}" for one in lan]
    return TUNNELLED.format(
        near_ip=ENDS[0],
        far_ip=ENDS[1],
        near=NEAR,
        far=FAR,
        tunnel=TUNNEL,
        space=SPACE,
        mtu=TUNNEL_MTU,
        link_mtu=LINK_MTU,
        near_conf=CONF.format(private=near.private, public=far.public, peer=ENDS[1], port=PORT),
        far_conf=CONF.format(private=far.private, public=near.public, peer=ENDS[0], port=PORT),
        routes="\n".join(routes),
    )


def _network(address: str) -> str:
    return str(ip_interface(address).network)


def _key() -> Key:
    made = X25519PrivateKey.generate()
    raw = serialization.Encoding.Raw
    private = made.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    public = made.public_key().public_bytes(raw, serialization.PublicFormat.Raw)
    return Key(base64.b64encode(private).decode(), base64.b64encode(public).decode())
