# SPDX-License-Identifier: Apache-2.0
"""The feature `wireguard`: the way to the WAN is a WireGuard tunnel.

    LAN host ---- gw0  gateway  gm-wg | gm-near ==== gm-far | gm-wg  far end  gw1 ---- WAN host
                                        what is encrypted          in the same kernel

One processor encrypts, decrypts and forwards twice, for both ends (gateway/far.py). The link
between the two takes 1 700 bytes, so no packet is cut.

The far end begins the handshake, and the near one, which is there first, does not know where it is.
Where both begin, each drops the other's answer to its own beginning (wg_noise_handshake_consume_
response(), drivers/net/wireguard/noise.c), and they meet 5 s later at best.
"""

import base64
from typing import Final, NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import far
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import Script, literal, sh, shell

TUNNEL: Final = "gm-wg"
PORT: Final = 51820
LINK_MTU, TUNNEL_MTU = 1700, 1500
LOOKS: Final = 50  # 10 s: a handshake that is lost comes again after 5 (REKEY_TIMEOUT)

THERE: Final = literal("command -v wg > /dev/null")
ADD: Final = literal(f"ip link add {TUNNEL} type wireguard")
REMOVE: Final = literal(f"[ ! -e /sys/class/net/{TUNNEL} ] || ip link del {TUNNEL}")
TUNNELLED = """
ip addr add {near_ip}/30 dev {near}
printf %s {near_conf} | wg setconf {tunnel} /proc/self/fd/0
ip link set {tunnel} mtu {mtu} up
{own}
{in_far}
in_far ip addr add {far_ip}/30 dev {far}
in_far ip link add {tunnel} type wireguard
printf %s {far_conf} | in_far wg setconf {tunnel} /proc/self/fd/0
in_far ip link set {tunnel} mtu {mtu} up
{routes}
for _ in $(seq {looks}); do
  wg show {tunnel} latest-handshakes | grep -q '[[:space:]]0$' || exit 0
  sleep 0.2
done
echo 'the two ends of the tunnel do not meet' >&2; exit 1
"""
CONF = """[Interface]
PrivateKey = {private}
ListenPort = {port}
[Peer]
PublicKey = {public}
AllowedIPs = 0.0.0.0/0, ::/0
"""
BEGINS = """Endpoint = {near_ip}:{port}
PersistentKeepalive = 25
"""


class Key(NamedTuple):
    """The key of one end, in base64."""

    private: str
    public: str


async def apply(asked: Asked) -> None:
    """Put a far end before the WAN port, and a tunnel to it in the way."""
    gateway, changes = asked.gateway, asked.changes
    far.require(gateway)
    try:
        await gateway.run(*sh(THERE))
        await changes.make(ADD, undo=REMOVE)
    except NodeError as error:
        raise UnavailableError(f"no WireGuard on the gateway ({error.output or error})") from None
    put = await far.put(asked, LINK_MTU, TUNNEL)
    own = literal(":")
    if asked.path == "nat":
        own = shell("ip addr add {own} dev {by}", own=put.near_ip, by=TUNNEL)
    await changes.make(_tunnelled(own, put.routes), undo=literal(":"))  # goes with its devices


def _tunnelled(own: Script, routes: Script) -> Script:
    near_key, far_key = _key(), _key()
    near_ip, far_ip = far.ENDS
    return shell(
        TUNNELLED,
        near_ip=near_ip,
        far_ip=far_ip,
        near=far.NEAR,
        far=far.FAR,
        in_far=far.IN_FAR,
        tunnel=TUNNEL,
        mtu=TUNNEL_MTU,
        own=own,
        near_conf=CONF.format(private=near_key.private, public=far_key.public, port=PORT),
        far_conf=(CONF + BEGINS).format(
            private=far_key.private, public=near_key.public, port=PORT, near_ip=near_ip
        ),
        routes=routes,
        looks=LOOKS,
    )


def _key() -> Key:
    made = X25519PrivateKey.generate()
    raw = serialization.Encoding.Raw
    private = made.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    public = made.public_key().public_bytes(raw, serialization.PublicFormat.Raw)
    return Key(base64.b64encode(private).decode(), base64.b64encode(public).decode())
