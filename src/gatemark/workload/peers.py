# SPDX-License-Identifier: Apache-2.0
"""The hosts whose TCP connections a trial's far end takes."""

from collections.abc import Mapping

from gatemark.plan.feature import TRANSLATED
from gatemark.plan.model import Workload
from gatemark.station.lent import alias
from gatemark.station.wiring import Port, Wire
from gatemark.workload.way import Report


def peers(ports: Mapping[str, Port], wire: Wire, path: str, load: Workload) -> list[str]:
    """The LAN hosts' addresses; behind NAT the gateway's own at its WAN port."""
    if path in TRANSLATED:
        return [ports["gw1"].address(load.family)]
    return alias.clients(wire.near, load.family, load.clients)


def strangers(*ends: Report) -> tuple[str, ...]:
    """A note on connections of other hosts, which were closed at once."""
    count = sum(int(end.get("strangers", 0)) for end in ends)
    return (f"{count} connections of other hosts to the far end were closed",) if count else ()
