# SPDX-License-Identifier: Apache-2.0
"""Features: what a gateway does besides forwarding. One file each; the words are plan.feature's."""

from typing import Final

from gatemark.gateway.feature import (
    bridge_netfilter,
    buckets,
    capture,
    command,
    conntrack,
    conntrack_max,
    conntrack_timeout,
    filter,  # noqa: A004  a feature's word
    flow_export,
    mss,
    netfilter_absent,
    notrack,
    offload,
    pppoe,
    shape,
    steering,
    vlan,
    wireguard,
    xdp,
)
from gatemark.gateway.feature.asked import Asked, Feature, Running, Seen, Wanted

RUNNING: Final[dict[str, Running]] = {  # those that are programs
    "capture": capture,
    "flow-export": flow_export,
    "command": command,
}
FEATURES: Final[dict[str, Feature]] = {
    "buckets": buckets,
    "conntrack": conntrack,
    "notrack": notrack,
    "conntrack-max": conntrack_max,
    "conntrack-timeout": conntrack_timeout,
    "filter": filter,
    "netfilter-absent": netfilter_absent,
    "bridge-netfilter": bridge_netfilter,
    "offload": offload,
    "xdp": xdp,
    "steering": steering,
    "shape": shape,
    "mss": mss,
    **RUNNING,
    "vlan": vlan,
    "pppoe": pppoe,
    "wireguard": wireguard,
}

__all__ = ["FEATURES", "RUNNING", "Asked", "Feature", "Running", "Seen", "Wanted"]
