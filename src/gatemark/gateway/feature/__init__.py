# SPDX-License-Identifier: Apache-2.0
"""Features: what a gateway does besides forwarding. One file each; the words are plan.feature's."""

from typing import Final

from gatemark.gateway.feature import (
    bridge_netfilter,
    conntrack,
    filter,  # noqa: A004  a feature's word
    mss,
    netfilter_absent,
    notrack,
    offload,
    shape,
    steering,
    xdp,
)
from gatemark.gateway.feature.asked import Asked, Feature, Seen

FEATURES: Final[dict[str, Feature]] = {
    "conntrack": conntrack,
    "notrack": notrack,
    "filter": filter,
    "netfilter-absent": netfilter_absent,
    "bridge-netfilter": bridge_netfilter,
    "offload": offload,
    "xdp": xdp,
    "steering": steering,
    "shape": shape,
    "mss": mss,
}

__all__ = ["FEATURES", "Asked", "Feature", "Seen"]
