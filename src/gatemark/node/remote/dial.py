# SPDX-License-Identifier: Apache-2.0
"""A TCP connection that begins inside a network namespace of ours.

A socket belongs for good to the namespace that its maker was in. So a thread of its own enters the
namespace, makes the socket and ends: the process and its other threads never move.
"""

import asyncio
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from pyroute2 import netns


async def dial(namespace: str, host: str, port: int) -> socket.socket:
    """Connect from a named namespace to a numeric address. Raises OSError; has no deadline."""
    version = ip_address(host).version
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    with ThreadPoolExecutor(1) as thread:
        made = thread.submit(_socket, namespace, family).result()
    try:
        await asyncio.get_running_loop().sock_connect(made, (host, port))
    except BaseException:
        made.close()
        raise
    return made


def _socket(namespace: str, family: socket.AddressFamily) -> socket.socket:
    netns.setns(namespace, flags=os.O_RDONLY)  # of the calling thread alone: setns(2)
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setblocking(False)
    return made
