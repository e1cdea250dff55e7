# SPDX-License-Identifier: Apache-2.0
"""Captures of real programs: their list, what is drawn, what is kept, what is read again."""

import json
import struct
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from benchmarks.captures import keep, program, rules
from benchmarks.captures.judged import is_first, read
from benchmarks.captures.others import marked
from benchmarks.captures.program import Program
from benchmarks.captures.turn import Turn, UnfitError, described, require_fit
from benchmarks.captures.wire import DELAY_MS, RATES, drawn, request
from gatemark.classifier.choose import ALL
from gatemark.classifier.manifest import REAL_TIME
from gatemark.error import UsageError

CALL = Program(name="call", kind="voip", needs={}, setup=("udp 5060", "tcp"))
WATCH = {"late_p99_ns": 1e6, "late_most_ns": 2e6, "wait_share": 0.01, "waiter": "x"}


def test_there_are_25_programs_in_real_time_and_25_others() -> None:
    every = program.programs()
    first = [each for each in every if each.kind in REAL_TIME]
    assert len(first) >= 25
    assert len(every) - len(first) >= 25
    assert sum(each.role == "tunnel" for each in every) >= 5


def test_a_program_names_what_installs_it() -> None:
    absent = Program(name="x", kind="web", needs={"no-such-program": "its-package"})
    assert program.missing(absent) == ["its-package"]
    assert program.installing(["b", "a", "b"]).endswith("recommends a b")


@pytest.mark.parametrize(
    ("proto", "near", "far", "role"),
    [
        ("udp", 40000, 6000, "media"),
        ("udp", 5060, 5060, "setup"),
        ("tcp", 40000, 80, "setup"),
        ("udp", 40000, 53, "setup"),
    ],
)
def test_a_flow_has_its_role_by_its_ports(proto: str, near: int, far: int, role: str) -> None:
    assert CALL.flow_role(proto, near, far) == role


def test_a_tunnel_is_a_tunnel_and_names_are_no_set_up_of_themselves() -> None:
    assert (
        Program(name="t", kind="tunnel", needs={}, role="tunnel").flow_role("udp", 1, 2) == "tunnel"
    )
    assert Program(name="d", kind="dns", needs={}).flow_role("udp", 40000, 53) == "other"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[x]\nclass = 'web'\n", "give server, client, class and needs"),
        ("[x]\ncolour = 'red'\n", "colour: no such key"),
        ("[x]\nclass='red'\nserver=''\nclient=''\nneeds={}\n", "class or role is none of"),
    ],
)
def test_a_wrong_list_is_refused(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "list.toml"
    path.write_text(text)
    monkeypatch.setattr(program, "LISTS", (path,))
    with pytest.raises(UsageError, match=words):
        program.programs()


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing-such: no such program"):
        program.chosen(["nothing-such"])


def test_a_line_is_drawn_by_its_seed_alone() -> None:
    lines = [drawn(Random(seed), is_wide=False) for seed in range(200)]
    assert lines == [drawn(Random(seed), is_wide=False) for seed in range(200)]
    assert {(line.up_mbit, line.down_mbit) for line in lines} == set(RATES)
    assert all(DELAY_MS[0] <= line.delay_ms <= DELAY_MS[1] for line in lines)
    assert 60 < sum(not line.loss for line in lines) < 140
    assert request(lines[0])["up"]["fixed_ns"] == round(lines[0].delay_ms * 1e6)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("late_p99_ns", 30e6, r"came 2 ms late \(p99 30\)"),
        ("late_most_ns", 150e6, "150 ms late"),
        ("wait_share", 0.5, "waited 50 %"),
    ],
)
def test_a_capture_of_a_busy_machine_is_unfit(key: str, value: float, words: str) -> None:
    require_fit({"near": WATCH, "far": WATCH, "line": {}})
    with pytest.raises(UnfitError, match=words):
        require_fit({"near": WATCH, "far": WATCH | {key: value}})


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    key = "udp-10.9.0.2-4000-10.9.0.3-6000"
    flow = keep.Flow(key, "call", "voip", "media", 25, "RTP", 46)
    values = (*range(len(ALL) - 1), 0)
    rows = [("near", key, 10, 200_000, values, 900, 2), ("far", key, 10, 210_000, values, 900, 0)]
    line = drawn(Random(1), is_wide=False)
    turn = Turn("call", 1, 1, line, {}, {}, [flow], rows)
    keep.write(tmp_path / "call-1.csv", turn.rows)
    (tmp_path / "call-1.json").write_text(json.dumps(described(turn)))
    (track,), extra = read(tmp_path, "near")
    assert (track.label, track.packets, track.flow.role) == ("realtime", 25, "media")
    assert [(w.time_us, w.values, w.hint) for w in track.windows] == [(200_000, values, 2)]
    assert extra[track.flow]["ndpi"] == "RTP"
    (far,), _ = read(tmp_path, "far")
    assert replace(far, windows=()) == replace(track, windows=())
    assert far.windows[0].time_us == 210_000


@pytest.mark.parametrize(
    ("ports", "listed"), [((40000, 5683), True), ((161, 6000), True), ((40000, 6000), False)]
)
def test_the_table_of_ports_is_read_where_it_stands(
    ports: tuple[int, int], *, listed: bool
) -> None:
    assert rules.is_listed(*ports) is listed


def test_the_digest_of_frozen_rules_is_one() -> None:
    assert len(rules.FROZEN.read_text().strip()) == len(rules.digest()) == 64


def test_an_empty_folder_says_what_fills_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"python -m benchmarks\.captures"):
        read(tmp_path, "near")


def test_the_mark_of_most_packets_up_is_read(tmp_path: Path) -> None:
    def packet(source: int, target: int, tos: int) -> bytes:
        ip = struct.pack("!BBHHHBBH4B4B", 0x45, tos, 36, 0, 0, 64, 17, 0, *(10, 9, 0, source),
                         *(10, 9, 0, target))  # fmt: skip
        frame = bytes(14) + ip + struct.pack("!4H", 4000, 6000, 16, 0) + bytes(8)
        return struct.pack("<4I", 0, 0, len(frame), len(frame)) + frame

    path = tmp_path / "x.pcap"
    path.write_bytes(bytes(24) + packet(2, 3, 184) * 3 + packet(2, 3, 0) + packet(3, 2, 0) * 9)
    assert marked(path) == {"udp-10.9.0.2-4000-10.9.0.3-6000": 46}


@pytest.mark.parametrize(
    ("name", "first"), [("RTP", True), ("STUN.Zoom", True), ("QUIC", False), ("", False)]
)
def test_names_of_others_say_what_is_first(name: str, *, first: bool) -> None:
    assert is_first(name) is first
