# SPDX-License-Identifier: Apache-2.0
"""The conditions tell what a gateway is made of, and what of that nobody told."""

from typing import Any

import studies
from msgspec.structs import replace

from gatemark.plan.fact import FACTS
from gatemark.store.run import UNKNOWN
from gatemark.tell.about import condition

BOX = dict.fromkeys(FACTS, UNKNOWN) | {
    "soc": "qca,qca9558",
    "cpu_mhz": "720",
    "memory": "120.6 MiB",
    "kernel": "Linux 5.15.134 mips",
    "conntrack_max": "16384",
}


def device(facts: dict[str, Any], kind: str = "ssh") -> list[str]:
    run = studies.run()
    run = replace(run, station=replace(run.station, kind=kind), before={"gateway": facts})
    return condition.device(run)


def test_a_box_is_told_with_what_is_unknown() -> None:
    known, unknown = device(BOX)
    assert known == (
        "SoC qca,qca9558; 720 MHz; memory 120.6 MiB; Linux 5.15.134 mips; "
        "at most 16384 connections tracked."
    )
    assert unknown.startswith("Unknown: model, processor, ")
    assert "switch" in unknown
    assert "soc" not in unknown


def test_what_the_station_file_told_is_marked() -> None:
    assert "(told by the station file: soc)." in device(BOX | {"told": "soc"})[0]


def test_nics_and_cables_are_told_as_stated() -> None:
    facts = {"NIC of lan": "Intel I210", "cable lan to gateway lan": "Cat 6, 2 m"}
    run = replace(studies.run(), before={"bench": facts})
    text = "NIC of lan: Intel I210; cable lan to gateway lan: Cat 6, 2 m"
    assert condition.bench(run) == [f"{text} (told by the station file)."]


def test_a_namespace_has_no_device_to_tell_of() -> None:
    assert device(BOX, kind="netns") == []


def test_a_run_from_before_these_facts_tells_none() -> None:
    assert device({"kernel": "Linux 6.1"}) == []
