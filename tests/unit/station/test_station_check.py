# SPDX-License-Identifier: Apache-2.0
"""Before each trial: a port that could merge or cut packets is refused, by what its tools say."""

import asyncio
from dataclasses import dataclass

import pytest

from gatemark.error import StationError
from gatemark.node.shell import Local
from gatemark.station.check import check_ports

QUIET = {
    "tcp-segmentation-offload": "off",
    "generic-segmentation-offload": "off",
    "generic-receive-offload": "off",
}
LINK = "2: {device}@if3: <BROADCAST,UP> mtu 1500\n    veth numtxqueues 1 gro_max_size {gro} \n"


@dataclass(frozen=True)
class Told(Local):
    """A host whose ports say of themselves what a test wants: `device: (features, gro size)`."""

    name: str = "gateway"
    said: str = ""

    async def run(self, *_command: str, stdin: str = "") -> str:  # noqa: ARG002
        return self.said


def told(device: str, gro: int = 65536, **features: str) -> str:
    words = QUIET | {name.replace("_", "-"): value for name, value in features.items()}
    lines = "".join(f"{name}: {value}\n" for name, value in words.items())
    return f"@port {device}\nFeatures for {device}:\n{lines}{LINK.format(device=device, gro=gro)}"


def checked(*said: str) -> None:
    node = Told(said="".join(said))
    asyncio.run(check_ports({"gw0": node, "gw1": node}))


def test_a_port_that_keeps_packets_as_they_are_is_taken() -> None:
    checked(told("gw0"))
    checked(told("gw0", 1, generic_receive_offload="on"))
    checked(told("gw0", tcp_segmentation_offload="off [requested on]"))


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (told("gw1", tcp_segmentation_offload="on"), "tcp-segmentation-offload is on"),
        (told("gw1", generic_segmentation_offload="on"), "generic-segmentation-offload is on"),
        (told("gw1", 10, generic_receive_offload="on"), "GRO may merge packets"),
    ],
)
def test_a_port_that_does_not_is_named_with_the_mend(said: str, fault: str) -> None:
    with pytest.raises(StationError) as error:
        checked(told("gw0"), said)
    assert str(error.value).startswith(f"gateway: gw1: {fault}")
    assert str(error.value).endswith("take the lab down and up again")
