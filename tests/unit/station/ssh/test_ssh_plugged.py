# SPDX-License-Identifier: Apache-2.0
"""Which port of a box a NIC leads to, by the packets that the box's ports have counted."""

import asyncio
from collections.abc import Mapping

import pytest

from gatemark.node.shell import Local
from gatemark.station.ssh import plugged

SENT = plugged.FRAMES


@pytest.mark.parametrize(
    ("came", "port"),
    [
        ({"lan1": SENT, "wan": 3}, "lan1"),
        ({"lan1": 9, "wan": 3}, None),
        ({"eth0": SENT + 9, "eth0.2": SENT}, "eth0.2"),
        ({"eth0": SENT + 9, "eth0.2": 9}, "eth0"),
    ],
    ids=["the port that counts them", "none", "a VLAN", "what the VLAN stands on"],
)
def test_a_nic_leads_to_the_port_that_counted_its_frames(
    monkeypatch: pytest.MonkeyPatch, came: Mapping[str, int], port: str | None
) -> None:
    counted = iter(({}, came))

    async def received(_: object) -> Mapping[str, int]:
        return next(counted)

    monkeypatch.setattr(plugged, "received", received)
    monkeypatch.setattr(plugged, "_send", lambda *_: None)
    monkeypatch.setattr(plugged, "COUNTED_S", 0)
    leads = asyncio.run(plugged.plugged(Local(), ["nic0"], list(came)))
    assert leads.get("nic0") == port
