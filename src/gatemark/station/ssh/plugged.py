# SPDX-License-Identifier: Apache-2.0
"""NICs of this machine that may be test ports, and which port of a box each is plugged into.

A few frames to every station of the cable, of a kind that nobody reads (IEEE 802, local
experimental EtherType 1), are sent by each NIC; the port of the box that counts them is at the
other end. Nothing is set, here or there.
"""

import asyncio
import socket
import time
from collections.abc import Iterable
from typing import Any, Final

from pyroute2 import IPRoute

from gatemark.error import StationError, UnavailableError
from gatemark.node.shell import Local, Node
from gatemark.station.ssh import control, nic
from gatemark.station.ssh.ports import received

EXPERIMENTAL: Final = 0x88B5
FRAME: Final = b"\xff" * 6 + bytes(6) + EXPERIMENTAL.to_bytes(2, "big") + bytes(46)
FRAMES: Final = 200
PAUSE_S: Final = 0.002  # between two: a slow box drops bursts
COUNTED_S: Final = 0.5  # until a driver has counted what came
ARRIVED: Final = 0.8  # of the frames; what else the port receives is far less
ETHERNET: Final = 1  # ARPHRD_ETHER
SOFT: Final = ("bridge", "bond", "vlan", "vxlan", "dummy", "ifb", "wireguard", "macvlan", "ipvlan")
UP: Final = 0x1  # IFF_UP


async def free(host: str) -> tuple[dict[str, str], str]:
    """NICs that may be taken, each with why it cannot be used as it is now ("": it can).

    And the one that leads to a host; "" where that is not known.
    """
    by = await control.require_free(Local(), (), host)
    return {name: why for name, why in await asyncio.to_thread(_nics) if name != by}, by


def _nics() -> list[tuple[str, str]]:
    with IPRoute() as here:
        links = [link for link in here.get_links() if link["ifi_type"] == ETHERNET]
    names = [
        (str(link.get("ifname")), link["flags"], link.get("operstate"))
        for link in links
        if _kind(link) not in SOFT
    ]
    nics = []
    for name, flags, state in names:
        try:
            nic.require_movable(name)
        except StationError:
            continue
        why = "" if flags & UP else f"it is down: ip link set {name} up"
        nics.append((name, why or ("no carrier" if state in ("DOWN", "LOWERLAYERDOWN") else "")))
    return nics


def _kind(link: Any) -> str:
    info = link.get("linkinfo")
    return str(info.get("kind")) if info else ""


async def plugged(box: Node, nics: Iterable[str], ports: Iterable[str]) -> dict[str, str]:
    """NIC -> the port of the box that it is plugged into; one that leads to none is left out.

    Raises UnavailableError without the right to send, NodeError.
    """
    leads = {}
    wanted = tuple(ports)
    for name in nics:
        before = await received(box)
        await asyncio.to_thread(_send, name)
        await asyncio.sleep(COUNTED_S)
        after = await received(box)
        came = {port: after.get(port, 0) - before.get(port, 0) for port in wanted}
        port = max(came, key=lambda port: came[port], default="")
        if port and came[port] >= ARRIVED * FRAMES:
            leads[name] = port
    return leads


def _send(name: str) -> None:
    try:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as port:
            port.bind((name, 0))
            for _ in range(FRAMES):
                port.send(FRAME)
                time.sleep(PAUSE_S)
    except PermissionError:
        raise UnavailableError("test ports are looked for by root alone: use sudo") from None
    except OSError:  # its carrier went: it leads nowhere
        return
