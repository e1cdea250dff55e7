# SPDX-License-Identifier: Apache-2.0
"""The published values: all that is shipped is read, nothing drops out silently."""

import csv
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from gatemark.error import GatemarkError
from gatemark.store.mapping import Key, Mapping, read_map
from gatemark.store.reference import Published, published, read

SHIPPED = files("gatemark") / "reference"
MAP = """
schema = "gatemark.reference/1"
[study.B]
name = "wrt54"
work = "a blog"
[[measured]]
study      = "B"
experiment = "nat.tcp"
parameter  = "cpu"
quantity   = "cpu_busy"
stated       = { path = "nat", l4 = "tcp", direction = "up", write_bytes = 8192 }
unstated     = ["features", "family", "duration_s", "streams", "socket_buffer_bytes", "congestion"]
[[unmapped]]
study      = ["B"]
experiment = "method"
why        = "no measurement"
"""
HEAD = "seed,device,experiment,parameter,value,unit,note"
CPU = "B,WRT54GS,nat.tcp,cpu,>=90,%,bound; table"
METHOD = "B,-,method,duration,10,s,printed; text"


def folder(path: Path, *rows: str, map_: str = MAP) -> Path:
    (path / "published.csv").write_text("\n".join((HEAD, *rows)) + "\n")
    (path / "map.toml").write_text(map_)
    return path


@cache
def shipped_map() -> Mapping:
    return read_map((SHIPPED / "map.toml").read_text())


def shipped(device: str, parameter: str) -> Published:
    found = [p for p in published() if (p.device, p.parameter) == (device, parameter)]
    return found[0]


def test_every_shipped_row_is_measured_or_named_with_a_reason() -> None:
    mapping = shipped_map()
    rows = csv.DictReader((SHIPPED / "published.csv").read_text().splitlines())
    keys = [Key(row["seed"], row["experiment"], row["parameter"]) for row in rows]
    known = (mapping.measured.keys(), mapping.claims.keys(), mapping.ratios.keys())
    assert [
        key for key in keys if not any(key in own for own in known) and not mapping.reason(key)
    ] == []


def test_every_study_has_its_suite_name() -> None:
    names = {study.name for study in shipped_map().studies.values()}
    assert names == {"kofler", "procbench", "wrt54", "diffuse", "capture"}


def test_a_value_is_in_the_units_of_a_record() -> None:
    assert shipped("WRT54GS v3.0", "throughput").value == pytest.approx(34.2e6)


def test_a_share_is_a_ratio() -> None:
    assert shipped("WRT54GS v3.0", "cpu_softirq").value == pytest.approx(0.9)


def test_a_value_is_told_as_printed() -> None:
    assert shipped("WRT54GS v3.0", "cpu_softirq").printed == ">=90 %"


def test_a_payload_of_1450_bytes_is_a_frame_of_1496() -> None:
    assert shipped("WRT54GL", "throughput@block=1450B").stated["frame_bytes"] == 1496


def test_a_bound_has_its_sign() -> None:
    rows = csv.DictReader((SHIPPED / "published.csv").read_text().splitlines())
    bounds = [row["value"] for row in rows if row["note"].startswith("bound")]
    assert [value for value in bounds if value[0] not in "<>"] == []
    printed = shipped("TL-WR1043ND", "time_to_classify").printed
    assert (printed, shipped("OpenRD Ultimate (ARM)", "e2e_loss@500").printed) == ("<2 s", "<=20 %")


def test_the_longest_packet_may_be_1500_bytes_or_hold_as_many() -> None:
    values = {str(p.stated["frame_bytes"]) for p in published() if p.parameter.endswith("@longest")}
    assert "{'min': 1500, 'max': 1518}" in values


def test_connections_are_of_tcp() -> None:
    values = {p.stated["l4"] for p in published() if p.quantity == "connections"}
    assert values == {"tcp"}
    with pytest.raises(GatemarkError, match="'l4' is 'connections'"):
        read_map(MAP.replace('l4 = "tcp"', 'l4 = "connections"'))


def test_a_contradiction_stays_with_its_note() -> None:
    notes = [p.note for p in published() if p.value == 93.8e6 and p.device == "WRTSL54GS v1.1"]
    assert [note for note in notes if re.search("INCONSISTENT", note)] == notes != []


def test_no_value_of_wifi_is_mapped() -> None:
    assert [p for p in published() if "wifi" in p.experiment] == []


def test_it_is_read_once() -> None:
    assert published() is published()


def test_a_bound_is_a_number_with_its_kind(tmp_path: Path) -> None:
    (found,) = read(folder(tmp_path, CPU, METHOD))
    assert (found.value, found.kind) == (0.9, "bound")


AT = MAP.replace('quantity   = "cpu_busy"', 'quantity   = "cpu_busy"\nat         = "nat.tcp most"')
AT = AT.replace('experiment = "method"', 'experiment = "nat.tcp"\nparameters = ["most"]')
MOST = "B,WRT54GS,nat.tcp,most,90,Mbit/s,printed; text"


def test_a_rate_may_be_another_value_of_the_device(tmp_path: Path) -> None:
    (found,) = read(folder(tmp_path, CPU, MOST, map_=AT))
    assert found.at_bps == 90e6


def test_a_device_without_that_value_is_named(tmp_path: Path) -> None:
    other = MOST.replace("WRT54GS", "X")
    with pytest.raises(GatemarkError, match="WRT54GS has no such value"):
        read(folder(tmp_path, CPU, other, map_=AT))


def test_a_value_in_words_is_shown_nowhere(tmp_path: Path) -> None:
    words = MAP.replace('quantity   = "cpu_busy"', 'quantity   = "cpu_busy"\nworded = ["X"]')
    rows = (CPU, CPU.replace("WRT54GS", "X").replace(">=90", "idle"), METHOD)
    assert [value.device for value in read(folder(tmp_path, *rows, map_=words))] == ["WRT54GS"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((CPU, METHOD, "B,X,nat.tcp,loss,1,%,printed"), "published.csv:4: add "),
        ((CPU,), "map.toml: B method: no such row"),
        ((CPU.replace("%", "Mbit/s"), METHOD), "published.csv:2: >=90 Mbit/s is no cpu_busy"),
        ((CPU.replace(">=90", "much"), METHOD), "published.csv:2: much % is no cpu_busy"),
        ((CPU.replace("bound", "guess"), METHOD), "published.csv:2: the note begins"),
        ((CPU, METHOD.removesuffix(",printed; text")), "published.csv:3: not 7 columns"),
        ((CPU + ", more", METHOD), "published.csv:2: not 7 columns"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(
    rows: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    with pytest.raises(GatemarkError, match=re.escape(said)):
        read(folder(tmp_path, *rows))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(GatemarkError, match=r"map\.toml: cannot be read"):
        read(tmp_path)
