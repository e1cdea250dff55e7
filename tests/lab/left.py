# SPDX-License-Identifier: Apache-2.0
"""What labs leave behind, beside labs of other tests that are alive."""

from pyroute2 import netns

from gatemark.station import lock
from gatemark.station.recover import NAME


def namespaces() -> list[str]:
    """Network namespaces of labs that nobody holds any more.

    A lab that ends meanwhile removes its namespaces before it frees its lock, so what is left is
    still there when they are listed again.
    """
    labs = {name: NAME.fullmatch(name) for name in netns.listnetns()}
    free = {name for name, lab in labs.items() if lab and lock.holder(lab[1]) is None}
    return sorted(free.intersection(netns.listnetns()))
