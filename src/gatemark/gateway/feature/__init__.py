# SPDX-License-Identifier: Apache-2.0
"""Features: what a gateway does besides forwarding. One file each; the words are plan.feature's."""

from typing import Final

from gatemark.gateway.feature import (
    capture,
    command,
    conntrack,
    filter,  # noqa: A004  a feature's word
    flow_export,
)
from gatemark.gateway.feature.asked import Asked, Feature, Running, Wanted

RUNNING: Final[dict[str, Running]] = {  # those that are programs
    "capture": capture,
    "flow-export": flow_export,
    "command": command,
}
FEATURES: Final[dict[str, Feature]] = {
    "conntrack": conntrack,
    "filter": filter,
    **RUNNING,
}

__all__ = ["FEATURES", "RUNNING", "Asked", "Feature", "Running", "Wanted"]
