# SPDX-License-Identifier: Apache-2.0
"""The path `route`: the gateway forwards IPv4 and IPv6, nothing else."""

from collections.abc import Awaitable, Callable

from gatemark.station.wiring import Gateway

FORWARDING = ("/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding")


async def apply(gateway: Gateway) -> Callable[[], Awaitable[None]]:
    """Switch forwarding on where it is off; the undo writes back what was there."""
    was = dict(zip(FORWARDING, (await gateway.run("cat", *FORWARDING)).split(), strict=True))
    off = {path: value for path, value in was.items() if value != "1"}
    await _write(gateway, dict.fromkeys(off, "1"))

    async def undo() -> None:
        await _write(gateway, off)

    return undo


async def _write(gateway: Gateway, values: dict[str, str]) -> None:
    if values:
        script = "; ".join(f"echo {value} > {path}" for path, value in values.items())
        await gateway.run("sh", "-ec", script)
