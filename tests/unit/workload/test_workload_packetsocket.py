# SPDX-License-Identifier: Apache-2.0
"""Packets are sent by hand from this machine alone."""

from contextlib import ExitStack

import pytest

from gatemark.error import UnavailableError
from gatemark.node.remote.login import Address, Login
from gatemark.node.remote.ssh import Ssh
from gatemark.station.wiring import Port
from gatemark.workload.packetsocket import opened


def test_a_host_over_ssh_is_refused_with_the_reason() -> None:
    host = Ssh("LAN host", Login(Address("192.0.2.2")))
    refused = pytest.raises(UnavailableError, match=r"^LAN host: another machine")
    with ExitStack() as stack, refused:
        opened(Port(host, "lan0", ""), stack)
