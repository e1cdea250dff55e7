# SPDX-License-Identifier: Apache-2.0
"""Packets of an application, kept with a label a flow: from planted captures to a manifest."""

import struct
from collections.abc import Sequence
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.classifier import manifest as training
from gatemark.error import UsageError
from gatemark.kind.application.programs import APPLICATIONS
from gatemark.plan.expand import check
from gatemark.plan.load import load
from gatemark.plan.model import Keep
from gatemark.plan.order import order
from gatemark.run.kept import labelled, pcapng
from gatemark.run.kept.pcapng import Interface, Packet
from gatemark.run.result.kind import Label
from gatemark.store.packets import manifest

NEAR, FAR = "198.18.0.2", "198.19.0.2"
# What training gives priority to, and what not (gatemark classifier train --priority).
SORTS = {"voip", "vconf", "game", "remote", "stream", "web", "bulk", "p2p", "dns", "iot"}


def packet(way: str, proto: int, near_port: int, far_port: int) -> Packet:
    """A packet that the LAN's port has sent or received."""
    ends = [(NEAR, near_port), (FAR, far_port)]
    (source, sport), (target, dport) = ends if way == "sent" else ends[::-1]
    addresses = IPv4Address(source).packed + IPv4Address(target).packed
    header = bytes([0x45, 0, 0, 28, 0, 0, 0, 0, 64, proto, 0, 0]) + addresses
    data = bytes(12) + b"\x08\x00" + header + struct.pack("!HH", sport, dport) + bytes(4)
    return Packet(Interface("lan0", way, 1), near_port * 1000, 200, data)


PACKETS = [
    packet("sent", 17, 16000, 16000),
    packet("received", 17, 16000, 16000),
    packet("sent", 17, 5060, 5060),
    packet("sent", 6, 20000, 5003),
]


def labels(
    application: str, packets: Sequence[Packet] = PACKETS
) -> dict[int, tuple[str, str, str]]:
    """The label of each flow beside an upload, by its far port."""
    spec = next(
        spec
        for spec in order(load("home/15-1")[1], 1)
        if spec.workload.application == application and spec.beside
    )
    return {flow.far_port: labelled.label(spec, flow) for flow in labelled.tallied(packets)}


def test_a_flow_is_of_the_load_beside_whose_port_it_has_or_of_the_application() -> None:
    assert labels("call-sip") == {
        16000: ("call-sip", "voip", "media"),
        5060: ("call-sip", "setup", "setup"),
        5003: ("upload", "bulk", "other"),
    }


def test_a_name_that_an_application_looks_up_is_none_of_its_media() -> None:
    asked = [packet("sent", 17, 40000, 53)]
    assert labels("call-sip", asked) == {53: ("call-sip", "setup", "setup")}
    assert labels("dns", asked) == {53: ("dns", "dns", "other")}


def test_both_ways_of_a_flow_are_one() -> None:
    flows = labelled.tallied(PACKETS)
    assert [(flow.far_port, tally.packets, tally.bytes) for flow, tally in flows.items()] == [
        (16000, 2, 400),
        (5060, 1, 200),
        (5003, 1, 200),
    ]


def test_the_first_packet_of_a_flow_says_what_it_is() -> None:
    flows = labelled.tallied(PACKETS)
    made = {flow: Label("call-sip", "voip", "media") for flow in flows}
    data = labelled.written("title", PACKETS, made)
    assert data.count(b"application call-sip, class voip, media") == 3
    assert [each.data for each in pcapng.read(data)] == [each.data for each in PACKETS]


def test_training_reads_the_manifest_and_a_trial_that_is_repeated_replaces_its_rows(
    tmp_path: Path,
) -> None:
    row = {"proto": "udp", "src": NEAR, "sport": "16000", "dst": FAR, "dport": "16000"}
    row |= {"application": "call-sip", "class": "voip", "role": "media", "arm": "upload"}
    first = manifest("", "00001.pcapng", [row, {**row, "sport": "5060"}])
    again = manifest(manifest(first, "00002.pcapng", [row]), "00001.pcapng", [row])
    for name in ("00001.pcapng", "00002.pcapng"):
        (tmp_path / name).touch()
    (tmp_path / "flows.csv").write_text(again)
    read = training.read(tmp_path / "flows.csv")
    assert [(flow.capture.name, flow.label) for flow in read] == [
        ("00002.pcapng", "voip"),
        ("00001.pcapng", "voip"),
    ]


def test_each_application_has_a_class_that_training_knows() -> None:
    assert {each.label for each in APPLICATIONS.values()} <= SORTS


def test_what_has_no_label_is_not_kept() -> None:
    _, (plan,) = load("quick/speed")
    with pytest.raises(UsageError, match="flows of kind udp have no label"):
        check(replace(plan, keep=Keep(capture=True)))
