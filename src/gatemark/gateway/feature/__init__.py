# SPDX-License-Identifier: Apache-2.0
"""Features: what a gateway does besides forwarding. One file each; the words are plan.feature's."""

from typing import Final

from gatemark.gateway.feature import conntrack, filter, vlan, wireguard  # noqa: A004  a feature's word
from gatemark.gateway.feature.asked import Asked, Feature

FEATURES: Final[dict[str, Feature]] = {
    "conntrack": conntrack,
    "filter": filter,
    "vlan": vlan,
    "wireguard": wireguard,
}

__all__ = ["FEATURES", "Asked", "Feature"]
