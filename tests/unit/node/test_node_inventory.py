# SPDX-License-Identifier: Apache-2.0
"""The inventory: what a host says of itself, and `unknown` where it has nothing to say."""

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gatemark.error import UsageError
from gatemark.node.inventory import KERNEL, SETTINGS, TESTER, inventory, settings, stated
from gatemark.node.shell import Local
from gatemark.plan.fact import FACTS


class Counted(Local):
    """This machine, with its commands counted; where root runs it, by a network of its own."""

    ran = 0

    def argv(self, *command: str) -> tuple[str, ...]:
        """In a namespace in which nobody else sets anything."""
        return ("unshare", "--net", *command) if os.geteuid() == 0 else command

    async def run(self, *command: str, stdin: str = "") -> str:
        Counted.ran += 1
        return await Local.run(self, *command, stdin=stdin)


@pytest.fixture(scope="module")
def taken() -> dict[str, Any]:
    return asyncio.run(inventory(Counted("gateway"), ["lo"], {"switch": "AR8327"}))


def test_both_hosts_are_asked_the_gateway_in_one_round_trip(taken: dict[str, Any]) -> None:
    assert taken.keys() == {"gateway", "tester"}
    assert Counted.ran == 1


def test_the_kernel_is_told(taken: dict[str, Any]) -> None:
    assert os.uname().release in taken["tester"]["kernel"]
    assert os.uname().release in taken["gateway"]["kernel"]


def test_what_a_gateway_is_made_of_is_always_there(taken: dict[str, Any]) -> None:
    assert all(taken["gateway"][key] for key in FACTS)


def test_how_a_host_is_set_is_left_out_where_it_cannot_tell(taken: dict[str, Any]) -> None:
    assert all(text.strip() for host in taken.values() for text in host.values())


def test_only_what_was_asked_is_told(taken: dict[str, Any]) -> None:
    known = {*FACTS, *KERNEL, *SETTINGS, "told"}
    assert taken["gateway"].keys() <= known
    assert taken["tester"].keys() <= {*TESTER, "kernel_config_sha256"}


def test_software_is_told_by_hash_and_threads_that_share_a_core_by_word(
    taken: dict[str, Any],
) -> None:
    gateway = taken["gateway"]
    assert re.fullmatch("[0-9a-f]{64}", gateway["firmware_sha256"])
    assert re.fullmatch("[0-9a-f]{64}", gateway.get("kernel_config_sha256", "0" * 64))
    assert gateway["smt"] in {"on", "off", "forceoff", "notsupported", "notimplemented", "none"}


def test_the_station_file_knows_better(taken: dict[str, Any]) -> None:
    assert (taken["gateway"]["switch"], taken["gateway"]["told"]) == ("AR8327", "switch")


def test_settings_stand_still_while_nothing_is_set(taken: dict[str, Any]) -> None:
    read = asyncio.run(settings(Counted("gateway"), ["lo"]))
    assert read == {key: text for key, text in taken["gateway"].items() if key in SETTINGS}
    assert {"interfaces", "sysctls"} <= read.keys()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('socc = "x"', r"station.toml:3: unknown key 'socc' in \[gateway.inventory\].*'soc'"),
        ("soc = true", r"station.toml:3: soc: write a text or a number"),
    ],
)
def test_what_a_station_file_cannot_tell_is_refused(
    tmp_path: Path, line: str, message: str
) -> None:
    path = tmp_path / "station.toml"
    path.write_text(f"[gateway]\n[gateway.inventory]\n{line}\n")
    key, _, value = line.partition(" = ")
    with pytest.raises(UsageError, match=message):
        stated({key: True if value == "true" else value}, path)


def test_numbers_are_told_as_text() -> None:
    assert stated({"cpu_mhz": 400}, Path("station.toml")) == {"cpu_mhz": "400"}


def test_an_inventory_can_be_kept(taken: dict[str, Any]) -> None:
    assert msgspec.json.decode(msgspec.json.encode(taken)) == taken
