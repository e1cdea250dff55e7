# SPDX-License-Identifier: Apache-2.0
"""Sockets of a test: where they listen or go to, their congestion control and their mark."""

import socket
from typing import Any, Final

from gatemark.workload.talk import RefusedError

DOMAIN: Final = {4: socket.AF_INET, 6: socket.AF_INET6}
DSCP_SHIFT: Final = 2  # beside ECN's two bits (RFC 3168)


def listener(request: dict[str, Any], backlog: int) -> socket.socket:
    """A socket that listens as asked. Raises RefusedError."""
    sock = _socket(request)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    place = request["address"], request["port"]
    try:
        sock.bind(place)
        sock.listen(backlog)
    except OSError as error:
        raise RefusedError(
            f"cannot listen on {place[0]} port {place[1]}: {error.strerror}"
        ) from None
    return sock


def caller(request: dict[str, Any]) -> socket.socket:
    """A socket to connect with; without `congestion` it has its host's. Raises RefusedError."""
    return _socket(request)


def _socket(request: dict[str, Any]) -> socket.socket:
    sock = socket.socket(DOMAIN[request["family"]], socket.SOCK_STREAM)
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if name := request["congestion"]:
        _congestion(sock, name)
    if mark := request.get("dscp", 0) << DSCP_SHIFT:
        ipv6 = request["family"] == 6
        level, option = (
            (socket.IPPROTO_IPV6, socket.IPV6_TCLASS)
            if ipv6
            else (socket.IPPROTO_IP, socket.IP_TOS)
        )
        sock.setsockopt(level, option, mark)
    return sock


def _congestion(sock: socket.socket, name: str) -> None:
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
    except OSError as error:
        raise RefusedError(
            f"this kernel has no congestion control {name} ({error.strerror})",
            f"load it as root: modprobe tcp_{name}",
        ) from None
