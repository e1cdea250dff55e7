# SPDX-License-Identifier: Apache-2.0
"""A manifest of labelled flows: read, and refused with its line."""

from pathlib import Path

import pytest

from gatemark.classifier import manifest
from gatemark.error import UsageError

HEADER = "file,proto,src,sport,dst,dport,application,class"
FLOW = "a.pcap,UDP,192.0.2.1,27960,198.51.100.2,27960,openarena,game"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.pcap").touch()
    return tmp_path


def written(folder: Path, *lines: str) -> Path:
    path = folder / "flows.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_flow_has_the_key_of_the_program(folder: Path) -> None:
    six = "a.pcap,tcp,2001:db8:0::1,22,2001:db8::2,50000,ssh,remote"
    flows = manifest.read(written(folder, HEADER, FLOW, "", six))
    assert [flow.key for flow in flows] == [
        "udp-192.0.2.1-27960-198.51.100.2-27960",
        "tcp-2001:db8::1-22-2001:db8::2-50000",
    ]
    assert [flow.line for flow in flows] == [2, 4]


def test_columns_may_stand_in_any_order_beside_others(folder: Path) -> None:
    header, flow = HEADER.split(","), FLOW.split(",")
    lines = [",".join((*reversed(words), "9")) for words in (header, flow)]
    assert manifest.read(written(folder, *lines))[0].application == "openarena"


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        ((), 1, "no column file, proto"),
        (("file,proto",), 1, "no column src"),
        ((HEADER, FLOW, "a.pcap,udp"), 3, "2 fields instead of 8"),
        ((HEADER, FLOW + ",more"), 2, "9 fields"),
        ((HEADER, FLOW.replace("UDP", "ICMP")), 2, "proto ICMP"),
        ((HEADER, FLOW.replace("a.pcap", "b.pcap")), 2, "no such capture"),
        ((HEADER, FLOW.replace("192.0.2.1", "host")), 2, "src host"),
        ((HEADER, FLOW.replace("27960", "65536")), 2, "sport 65536"),
        ((HEADER, FLOW.replace("openarena", "open arena")), 2, "application"),
        ((HEADER, FLOW.replace("game", "")), 2, "class"),
        ((HEADER, FLOW, FLOW.replace("game", "voip")), 3, "same flow as in line 2"),
        ((HEADER, FLOW, '"a.pcap,udp'), 3, "not CSV"),
    ],
)
def test_a_malformed_line_is_named(
    lines: tuple[str, ...], line: int, why: str, folder: Path
) -> None:
    path = written(folder, *lines)
    with pytest.raises(UsageError, match=why) as refused:
        manifest.read(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize("data", [b"\xff\xfe", b"file\n\x80"])
def test_bytes_that_are_no_text_are_refused(data: bytes, folder: Path) -> None:
    path = folder / "flows.csv"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="not UTF-8"):
        manifest.read(path)


def test_a_manifest_without_flows_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="no flow in it"):
        manifest.read(written(folder, HEADER))
