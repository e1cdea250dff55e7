# SPDX-License-Identifier: Apache-2.0
"""The gateway's connection tracking table: emptied before a trial, so that all begin alike."""

from pyroute2 import NFCTSocket

from gatemark.node.shell import Namespace


def flush(gateway: Namespace) -> None:
    """Remove every entry of this gateway's table, and of no other."""
    with NFCTSocket(netns=gateway.netns) as table:
        table.flush()
