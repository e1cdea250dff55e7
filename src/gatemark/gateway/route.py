# SPDX-License-Identifier: Apache-2.0
"""The path `route`: the gateway forwards IPv4 and IPv6, nothing else."""

from gatemark.gateway.changes import Changes
from gatemark.station.wiring import Gateway

FORWARDING = ("/proc/sys/net/ipv4/ip_forward", "/proc/sys/net/ipv6/conf/all/forwarding")


async def apply(gateway: Gateway, changes: Changes) -> None:
    """Switch forwarding on where it is off; a gateway without IPv6 has one switch less."""
    read = f"for f in {' '.join(FORWARDING)}; do [ ! -e $f ] || echo $f $(cat $f); done"
    was = dict(line.split() for line in (await gateway.run("sh", "-c", read)).splitlines())
    off = {path: value for path, value in was.items() if value != "1"}
    if off:
        await changes.make(_write(dict.fromkeys(off, "1")), undo=_write(off))


def _write(values: dict[str, str]) -> str:
    return "\n".join(f"echo {value} > {path}" for path, value in values.items())
