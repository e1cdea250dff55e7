# SPDX-License-Identifier: Apache-2.0
"""The kinds of workload by name. The outcome of each is a module of `run/result`."""

from typing import Final

from gatemark.plan.model import Workload
from gatemark.run.result import (
    connections,
    fill,
    replay,
    responsiveness,
    restart,
    tcp,
    tool,
    udp,
    walk,
)
from gatemark.run.result.kind import Kind

KINDS: Final = {
    "udp": udp.KIND,
    "tcp": tcp.KIND,
    "connections": connections.KIND,
    "fill": fill.KIND,
    "replay": replay.KIND,
    "walk": walk.KIND,
    "responsiveness": responsiveness.KIND,
}


def kind_of(load: Workload) -> Kind:
    """The kind of a workload, with whoever makes its traffic; the plan was checked before."""
    if load.restart_s:
        return restart.KIND
    return tool.KINDS.get((load.driver, load.kind)) or KINDS[load.kind]
