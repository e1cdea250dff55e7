# SPDX-License-Identifier: Apache-2.0
"""The commands that undo what another left, made of the settings before and after."""

import asyncio

import pytest

from gatemark.gateway import leftover
from gatemark.gateway.leftover import undo, undoing
from gatemark.node.quoted import Script
from gatemark.node.shell import Local, Node
from gatemark.station.wiring import Gateway

BRIDGE = "2: gw0@if2: <BROADCAST,UP> mtu 1500 state UP"


def test_a_name_that_a_gateway_tells_is_one_word_of_the_shell() -> None:
    text = undoing({"interfaces": (BRIDGE, f"{BRIDGE}\n3: $(reboot): <UP> mtu 1500 state UP")})
    assert "ip link delete dev '$(reboot)'" in text


def test_what_is_not_known_to_be_undone_has_no_command() -> None:
    assert undoing({"steering": ("a 1", "a 2"), "iptables": ("", "-A FORWARD -j DROP")}) == "true"


def test_a_link_that_was_there_gets_its_mtu_back() -> None:
    text = undoing({"interfaces": (BRIDGE, BRIDGE.replace("1500", "1492"))})
    assert "ip link set dev gw0 mtu 1500" in text


def test_only_a_setting_of_before_is_written_back() -> None:
    text = undoing({"sysctls": ("net/a 0\nnet/b 1", "net/a 1\nnet/b 1\nnet/new 7")})
    assert text.count("/proc/sys") == 1
    assert "echo 0 > /proc/sys/net/a" in text


def test_states_of_ipsec_are_flushed_where_there_were_none() -> None:
    assert "flush" in undoing({"ipsec": ("", "src ::/0 dst ::/0")})
    assert undoing({"ipsec": ("src 10.0.0.0/8", "")}) == "true"


def test_nothing_is_undone_on_a_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others may have changed it: the difference is told, and no command is run."""

    async def look(gateway: Gateway) -> dict[str, str]:
        del gateway
        return {"ruleset": "table ip w {"}

    async def refuse(node: Node, text: Script) -> str:
        raise AssertionError(node.name, text)

    monkeypatch.setattr(leftover, "look", look)
    monkeypatch.setattr(leftover, "script", refuse)
    box = Gateway(Local("box"), {}, journal="root@192.0.2.1")
    differs = "ruleset: 'nothing' became 'table ip w {'"
    assert asyncio.run(undo(box, {})) == (differs, differs)
