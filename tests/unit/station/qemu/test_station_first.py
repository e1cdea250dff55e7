# SPDX-License-Identifier: Apache-2.0
"""What an official image is told by its console at its first boot."""

import asyncio
from typing import cast

from gatemark.node.quoted import Script
from gatemark.station.qemu import first
from gatemark.station.qemu.console import MARK, Console

READ_BYTES = 512  # of a line, by OpenWrt's busybox (FEATURE_EDITING_MAX_LEN)
PUBLIC = f"ssh-ed25519 {'A' * 68} gatemark"


class Typed:
    """A console that keeps what is typed."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def login(self, within_s: float) -> None:
        """Somebody is there."""
        del within_s

    async def type(self, line: Script, within_s: float = 0) -> None:
        """It is sound."""
        del within_s
        self.lines.append(line)


def typed() -> list[str]:
    console = Typed()
    asyncio.run(first.boot(cast(Console, console), bytes(range(180)), PUBLIC, 1.0))
    return console.lines


def test_it_is_told_in_few_lines_that_its_busybox_reads_whole() -> None:
    lines = typed()
    assert max(len(f"{line}; {MARK}") for line in lines) < READ_BYTES
    assert len(lines) < 20


def test_its_control_port_is_set_before_all_is_kept_and_its_network_restarted() -> None:
    text = "\n".join(typed())
    words = ("authorized_keys", "ports=eth3", "network.control=interface", "uci commit", "restart")
    places = [text.index(word) for word in words]
    assert places == sorted(places)
    assert "{ uci -q delete network.wan6; true; } && { uci set network.control=interface; }" in text
