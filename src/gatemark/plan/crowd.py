# SPDX-License-Identifier: Apache-2.0
"""When a trial's flows are too many, or too strange, for the hosts' own addresses."""

from typing import Final

from gatemark.plan.model import Workload

MOST_OWN: Final = 4096  # flows for which a sink keeps a socket each, so that its host is silent


def is_crowd(load: Workload) -> bool:
    """Return whether flows go between addresses that no host owns, so that none answers."""
    return load.clients > 1 or load.flow_ports == "random" or load.flows > MOST_OWN
