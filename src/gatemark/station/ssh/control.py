# SPDX-License-Identifier: Apache-2.0
"""The control path: by which port we reach the gateway, which must be no test port.

On the gateway the session itself tells: its SSH server sets SSH_CONNECTION, the client's address
and port and its own (sshd(8), dropbear does too). Here the routing table tells.
"""

import re
import socket
from collections.abc import Iterable

from gatemark.error import NodeError, StationError
from gatemark.node import checked
from gatemark.node.quoted import literal, sh
from gatemark.node.shell import Node

DEVICE = re.compile(r"\bdev (\S+)")
LINE = re.compile(r"^\d+: ([^\s:@]+).*? inet6? ([^\s/]+)", re.MULTILINE)
MAPPED = "::ffff:"  # an IPv4 address as a server for both families tells it (RFC 4291)
SESSION = literal('echo "$SSH_CONNECTION"')
FIX = "reach the gateway by another port, or name another test port"


async def require_apart(gateway: Node, ports: Iterable[str]) -> str:
    """The gateway's device that we reach it by. Raises StationError if that is a test port."""
    texts = (await gateway.run(*sh(SESSION))).replace(MAPPED, "").split()
    if len(texts) != 4:
        return ""
    client, _, own, _ = texts
    own = checked.by(gateway.name, checked.address, own)
    at = await gateway.run("ip", "-o", "addr", "show")
    held = [device for device, address in LINE.findall(at) if address == own]
    if not held:
        return ""
    by = await _way(gateway, checked.by(gateway.name, checked.address, client)) or held[0]
    for device in ports:
        if device in (by, held[0]):
            raise StationError(
                f"{gateway.name}: {device} is the port that SSH comes in by, so it is no test "
                f"port: {FIX}"
            )
    return by


async def require_free(here: Node, nics: Iterable[str], host: str) -> str:
    """Our device that leads to a host. Raises StationError if it is one of these NICs."""
    try:
        address = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0]
    except OSError:
        return ""  # a name that ~/.ssh/config alone knows
    by = await _way(here, str(address))
    for nic in nics:
        if nic == by:
            raise StationError(
                f"{nic} is the NIC that leads to {host} by SSH, so it is no test port: {FIX}"
            )
    return by


async def _way(host: Node, address: str) -> str:
    """The device by which a host reaches an address; empty where it does not tell."""
    try:
        match = DEVICE.search(await host.run("ip", "-o", "route", "get", address))
    except NodeError as error:
        if not error.output:  # the host is lost
            raise
        return ""
    return checked.by(host.name, checked.device, match[1]) if match else ""
