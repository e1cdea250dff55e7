# SPDX-License-Identifier: Apache-2.0
"""The feature `wireguard`: the way to the WAN is a WireGuard tunnel.

    LAN host ---- gw0  gateway  gm-wg | gm-near ==== gm-far | gm-wg  far end  gw1 ---- WAN host
                                        what is encrypted          in the same kernel

One processor encrypts, decrypts and forwards twice, for both ends (gateway/far.py). The link
between the two takes 1 700 bytes, so no packet is cut.
"""

import base64
from typing import Final, NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from gatemark.error import NodeError, UnavailableError
from gatemark.gateway import far
from gatemark.gateway.feature.asked import Asked

TUNNEL: Final = "gm-wg"
PORT: Final = 51820
LINK_MTU, TUNNEL_MTU = 1700, 1500

TUNNELLED = """
ip addr add {near_ip}/30 dev {near}
wg setconf {tunnel} /proc/self/fd/0 <<'GATEMARK-WG'
{near_conf}
GATEMARK-WG
ip link set {tunnel} mtu {mtu} up
{in_far}
in_far ip addr add {far_ip}/30 dev {far}
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
    far.require(gateway)
    try:
        await gateway.run("sh", "-c", "command -v wg > /dev/null")
        await changes.make(
            f"ip link add {TUNNEL} type wireguard",
            undo=f"[ ! -e /sys/class/net/{TUNNEL} ] || ip link del {TUNNEL}",
        )
    except NodeError as error:
        raise UnavailableError(f"no WireGuard on the gateway ({error})") from None
    put = await far.put(asked, LINK_MTU, TUNNEL)
    await changes.make(_tunnelled(put.routes), undo=":")  # goes with its devices


def _tunnelled(routes: str) -> str:
    near_key, far_key = _key(), _key()
    near_ip, far_ip = far.ENDS
    return TUNNELLED.format(
        near_ip=near_ip,
        far_ip=far_ip,
        near=far.NEAR,
        far=far.FAR,
        in_far=far.IN_FAR,
        tunnel=TUNNEL,
        mtu=TUNNEL_MTU,
        near_conf=CONF.format(
            private=near_key.private, public=far_key.public, peer=far_ip, port=PORT
        ),
        far_conf=CONF.format(
            private=far_key.private, public=near_key.public, peer=near_ip, port=PORT
        ),
        routes=routes,
    )


def _key() -> Key:
    made = X25519PrivateKey.generate()
    raw = serialization.Encoding.Raw
    private = made.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    public = made.public_key().public_bytes(raw, serialization.PublicFormat.Raw)
    return Key(base64.b64encode(private).decode(), base64.b64encode(public).decode())
