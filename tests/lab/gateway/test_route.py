# SPDX-License-Identifier: Apache-2.0
"""A host that becomes a router for a while is, afterwards, the host that it was."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from gatemark.error import NodeError
from gatemark.gateway import route
from gatemark.gateway.changes import Changes
from gatemark.node.inventory import settings
from gatemark.node.quoted import literal, sh
from gatemark.node.shell import Namespace
from gatemark.station.wiring import Gateway

pytestmark = pytest.mark.long
HOST_SPACE, ROUTER_SPACE = "gm-test-route", "gm-test-router"
# As a PC is: one NIC forwards although the host does not, and no redirects are believed.
PC = literal(
    """set -e
cd /proc/sys/net
echo 1 > ipv4/conf/wan9/forwarding
echo 0 > ipv4/conf/all/accept_redirects
"""
)
# A router advertisement, RFC 4861 section 4.2: a default router for half an hour.
ADVERTISE = """
import socket
with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as out:
    out.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    to = ("ff02::1", 0, 0, socket.if_nametoindex("far9"))
    out.sendto(bytes((134, 0, 0, 0, 64, 0, 1800 >> 8, 1800 & 255, *bytes(8))), to)
"""
LEARNT = ("ip", "-6", "route", "show", "default", "proto", "ra")


@pytest.fixture
def host() -> Iterator[Namespace]:
    for space in (HOST_SPACE, ROUTER_SPACE):
        subprocess.run(("ip", "netns", "add", space), check=True)
    pair = f"ip link add wan9 netns {HOST_SPACE} type veth peer name far9 netns {ROUTER_SPACE}"
    subprocess.run(pair.split(), check=True)
    for space, device in ((HOST_SPACE, "wan9"), (ROUTER_SPACE, "far9")):
        subprocess.run(f"ip -n {space} link set {device} addrgenmode eui64 up".split(), check=True)
    yield Namespace("gateway", HOST_SPACE)
    for space in (HOST_SPACE, ROUTER_SPACE):
        subprocess.run(("ip", "netns", "del", space), check=True)


def test_an_address_is_the_same_when_nobody_else_is_found_to_have_it(host: Namespace) -> None:
    async def addresses() -> str:
        return (await settings(host, ()))["addresses"]

    async def same() -> None:
        await host.run("ip", "addr", "add", "fd09::9/64", "dev", "wan9")
        was = await addresses()
        async with asyncio.timeout(20):
            while "tentative" in await host.run("ip", "-o", "addr"):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert await addresses() == was

    asyncio.run(same())


def test_a_host_that_routed_is_the_host_that_it_was(host: Namespace) -> None:
    router = Namespace("router", ROUTER_SPACE)

    async def learn() -> None:
        async with asyncio.timeout(20):  # an address is looked for as a device comes up
            while not await host.run(*LEARNT):
                with suppress(NodeError):  # it has no address yet
                    await router.run(sys.executable, "-c", ADVERTISE)
                await asyncio.sleep(0.1)

    async def there_and_back() -> None:
        await host.run(*sh(PC))
        await learn()
        was = await settings(host, ())
        changes = Changes(host)
        await route.apply(Gateway(host, {}), changes)
        assert (await settings(host, ()))["forwarding"].split() == ["1", "1"]
        assert await host.run(*LEARNT)
        await changes.undo()
        assert await settings(host, ()) == was

    asyncio.run(there_and_back())
