# SPDX-License-Identifier: Apache-2.0
"""Small captures through gm-classifier: trained on, judged, and judged alike by the program."""

import csv
import json
import struct
import subprocess
from collections.abc import Iterable
from contextlib import chdir
from ipaddress import ip_address
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gatemark.classifier import c45, features, manifest, recipe, shipped
from gatemark.classifier.verdict import judge
from gatemark.commands.classifier import app
from gatemark.error import UsageError
from gatemark.node.binary import classifier_path

HEADER = "file,proto,src,sport,dst,dport,application,class"
LAN, WAN = "192.0.2.1", "198.51.100.1"
PACKETS = 120
UDP, TCP = 17, 6
CALLS = (200, 203)  # bytes of a call's packets

# A packet: microseconds, protocol, source port of the LAN, bytes, whether it is up.
Packet = tuple[int, int, int, int, bool]


def voip(port: int, every_us: int = 20_000) -> list[Packet]:
    """Both directions, small, as even as a call is beside its sender."""
    return [(at * every_us, UDP, port, 200 + at % 3, at % 2 == 0) for at in range(PACKETS)]


def upload(port: int, protocol: int = UDP) -> list[Packet]:
    """Large and fast; every third packet acknowledges."""
    return [
        (at * 1_000, protocol, port, 60 if at % 3 == 2 else 1400, at % 3 != 2)
        for at in range(PACKETS)
    ]


def frame(packet: Packet) -> bytes:
    """Ethernet, IPv4, ports, and RTP in what a call sends; the rest of the packet was not kept."""
    time_us, protocol, port, size, is_up = packet
    ends = [(ip_address(LAN).packed, port), (ip_address(WAN).packed, 9000)]
    (source, sport), (target, dport) = ends if is_up else ends[::-1]
    ip = struct.pack("!BxHHHBBH", 0x45, size, 0, 0, 64, protocol, 0) + source + target
    rest = b"\x50" + bytes(11) if protocol == TCP else struct.pack("!HH", size - 20, 0)
    middle = bytes(8) if protocol == TCP else b""
    if protocol == UDP and size in range(*CALLS):
        rest += struct.pack("!BBHII", 0x80, 0, time_us // 10_000, time_us, sport)
    return bytes(12) + b"\x08\x00" + ip + struct.pack("!HH", sport, dport) + middle + rest


def capture(path: Path, packets: Iterable[Packet]) -> None:
    """A file of pcap."""
    data = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 96, 1)
    for packet in sorted(packets):
        kept = frame(packet)
        seconds, us = divmod(packet[0], 1_000_000)
        data += struct.pack("<IIII", 1_000 + seconds, us, len(kept), packet[3] + 14) + kept
    path.write_bytes(data)


def test_the_model_that_ships_finds_an_even_call_and_no_even_upload(tmp_path: Path) -> None:
    path, (tens, twenties, file) = tmp_path / "even.pcap", (5001, 5002, 5003)
    capture(path, [*voip(tens, 5_000), *voip(twenties, 10_000), *upload(file)])
    printed = features.run(path, LAN, "run", shipped.path("real-time"), path)
    classes = {row["flow"]: row["class"] for row in csv.DictReader(printed.splitlines())}
    names = [f"udp-{LAN}-{port}-{WAN}-9000" for port in (tens, twenties, file)]
    assert [classes[name] for name in names] == ["realtime", "realtime", "other"]


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve captures, each with a call and an upload, one of them of TCP too."""
    folder = tmp_path_factory.mktemp("labelled")
    rows = [HEADER]
    for at in range(12):
        name, first = f"{at}.pcap", 5000 + 10 * at
        capture(folder / name, [*voip(first), *upload(first + 1), *upload(first + 2, TCP)])
        rows += [
            f"{name},udp,{LAN},{first},{WAN},9000,phone{at % 4},voip",
            f"{name},udp,{LAN},{first + 1},{WAN},9000,disk{at % 4},bulk",
            f"{name},tcp,{LAN},{first + 2},{WAN},9000,disk{at % 4},bulk",
        ]
    (folder / "flows.csv").write_text("\n".join(rows) + "\n")
    return folder / "flows.csv"


def classifier(*words: str | Path) -> tuple[str, str]:
    """What `gatemark classifier WORDS` prints, and what it warns of."""
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def model(labelled: Path) -> Path:
    path = labelled.with_name("made.c45")
    assert classifier("train", labelled, "--out", path)[1] == ""
    return path


def rows_of(*words: str | Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in classifier("evaluate", *words, "--json")[0].splitlines()]


def test_a_trained_model_says_what_it_was_made_of(model: Path) -> None:
    row = json.loads(classifier("show", model, "--json")[0])
    assert (row["window"], row["protocol"], row["flows"]) == ("10", "udp", "36")
    assert row["captures"].startswith("12,")
    assert row["leaves"] == 2


def test_the_same_captures_give_the_same_model(labelled: Path, model: Path) -> None:
    again = labelled.with_name("again.c45")
    classifier("train", labelled, "--out", again)
    assert again.read_bytes() == model.read_bytes()


@pytest.mark.parametrize("by", ["capture", "application"])
def test_scores_of_what_no_tree_has_seen(by: str, labelled: Path, model: Path) -> None:
    """A call is told from an upload; the one line takes both for real time."""
    scores = [
        (row["by"], row["precision"], row["recall"])
        for row in rows_of(labelled, "--model", model, "--split", by)
        if row["what"] == "score" and (row["flows"], row["least_packets"]) == ("all", 100)
    ]
    assert scores == [("tree", 1, 1), ("one line", 0.5, 1)]


def test_what_a_model_has_seen_is_told(labelled: Path, model: Path) -> None:
    out, warnings = classifier("evaluate", labelled, "--model", model)
    assert "12 of 12 captures are those that the model was trained on" in warnings
    assert "after 10 packets and 0.18 s" in out


def test_a_flow_that_its_capture_lacks_is_told(labelled: Path, model: Path) -> None:
    folder = labelled.parent
    row = f"0.pcap,udp,{LAN},1,{WAN},2,a,voip"
    (folder / "lacks.csv").write_text("\n".join((*labelled.read_text().splitlines()[:3], row)))
    with chdir(folder):
        _, warnings = classifier("evaluate", "lacks.csv", "--model", model)
    assert "1 of 3 flows have no 10 packets in their capture (lacks.csv:4 is the first)" in warnings


def test_uplink_bytes_with_priority(labelled: Path, model: Path) -> None:
    bulk = next(
        row
        for row in rows_of(labelled, "--model", model)
        if row["what"] == "uplink bytes with priority" and row["class"] == "bulk"
    )
    assert bulk["bytes"] == 12 * 2 * (PACKETS * 2 // 3) * 1400
    assert bulk["priority_bytes"] == 0


def test_a_flow_has_all_its_packets_whatever_the_window_is(labelled: Path) -> None:
    flows = [flow for flow in manifest.read(labelled) if flow.capture.name == "0.pcap"]
    tracks = features.tracks(flows, recipe.Recipe(window=32), lambda *_: None)
    assert [track.packets for track in tracks] == [PACKETS] * 3


@pytest.mark.parametrize("name", ["real-time", "made"])
def test_the_program_decides_as_the_laboratory_does(name: str, labelled: Path, model: Path) -> None:
    path = shipped.path(name) if name in shipped.names() else model
    tree = c45.load(path)
    wanted = recipe.of(tree, path)
    flows = [flow for flow in manifest.read(labelled) if flow.capture.name == "0.pcap"]
    tracks = features.tracks(flows, wanted, lambda *_: None)
    done = subprocess.run(
        [classifier_path(), "run", path, flows[0].capture, "--lan", f"{LAN}/32"],
        capture_output=True,
        text=True,
        check=True,
    )
    given = {row["flow"]: row["class"] for row in csv.DictReader(done.stdout.splitlines())}
    assert len(given) == len(tracks) == 3
    for verdict in judge(tree, wanted, tracks):
        covered = wanted.covers(verdict.track.flow)
        assert given[verdict.track.flow.key] == (verdict.decided[-1] if covered else "")


# Of comments: those of the program and of Python's reader have one meaning, or both refuse them.
READ = [
    "# a comment",
    "# window: 10",
    "#\twindow:  10\r",
    "# window: 010",
    "# windows: 10",
    "# Window: 10",
    "# window of 10",
    "## window: 10",
    "#\u00a0window: 10",
    "# a line\u2028# window: 10",
    "# confirm: 3",
    "# step: sliding\n# confirm: 3",
    "# protocol: tcp",
]
REFUSED = [
    (1, "#window: 10"),
    (1, "# window:10"),
    (1, "# window : 10"),
    (1, "# window:"),
    (1, "# window: 10 packets"),
    (1, " # window: 10"),
    (1, "# window: 33"),
    (1, "# window: 1_0"),
    (1, "# window: \u0661\u0660"),
    (1, "# window: 10\u00a0"),
    (1, "# confirm: -1"),
    (1, "# confirm: 255"),
    (1, "# step: Sliding"),
    (1, "# protocol: icmp"),
    (2, "# window: 10\n# window: 10"),
    (3, "# confirm: 1\n# window: 20\n# confirm: 0"),
]
SETTINGS = (("window", 20), ("confirm", 0))  # where nothing is set
PLAIN = "\nclasses a\nattributes mean.plen\nn_0 a_0 r c_0 0 c_0 c_0\n"


def run_plain(comments: str, labelled: Path) -> subprocess.CompletedProcess[str]:
    """The program over a capture of UDP and TCP, with a model of one class."""
    folder = labelled.parent
    (folder / "plain").write_text(comments + PLAIN)
    words = (classifier_path(), "run", "plain", "0.pcap", "--lan", f"{LAN}/32")
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


def test_settings_are_read_as_the_program_reads_them(labelled: Path) -> None:
    for comments in READ:
        header = c45.read(comments + PLAIN, Path("plain")).header
        window, confirm = (int(header.get(key, usual)) for key, usual in SETTINGS)
        step = 1 if header.get("step") == "sliding" else window
        rows = [*csv.DictReader(run_plain(comments, labelled).stdout.splitlines())]
        assert len(rows) == 3, comments
        for row in rows:
            covered = header.get("protocol", "all") in ("all", row["flow"][:3])
            decided = window + confirm * step if covered else 0
            assert int(row["decided_packet"]) == decided, comments


def test_settings_are_refused_as_the_program_refuses_them(labelled: Path) -> None:
    for line, comments in REFUSED:
        with pytest.raises(UsageError, match=f"^plain:{line}: "):
            c45.read(comments + PLAIN, Path("plain"))
        message = run_plain(comments, labelled).stderr
        assert message.startswith(f"gm-classifier: plain:{line}: "), comments


def test_the_shipped_model_keeps_the_bounds_of_a_gateway() -> None:
    assert shipped.names()
    for name in shipped.names():
        tree = c45.load(shipped.path(name))
        assert tree.leaves <= 64
        assert all(node.threshold.denominator == 1 for node in tree.nodes.values())
        assert shipped.card(name).read_text().startswith(f"# The model `{name}`")


def test_the_shipped_model_is_shown() -> None:
    out, warnings = classifier("show")
    assert "realtime" in out
    assert warnings == ""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("train none.csv --out x", "none.csv: No such file"),
        ("train FLOWS --out none/x", "there is no folder"),
        ("train FLOWS --out x --attributes mean.size", "no attribute mean.size"),
        ("train FLOWS --out x --attributes mean.plen,mean.plen", "each once"),
        ("train FLOWS --out x --window 33", "--window"),
        ("train FLOWS --out x --protocol icmp", "--protocol"),
        ("evaluate FLOWS --split window", "--split"),
        ("evaluate FLOWS --model none", "none: No such file"),
        ("evaluate FLOWS --model FOREIGN", "nothing tells which window"),
        ("evaluate FLOWS --model CONFIRMED", "confirm: scores are of each window"),
        ("evaluate BROKEN", "broken.csv:2: 1 fields"),
        ("show BROKEN", "broken.csv:1: "),
    ],
)
def test_nonsense_is_refused_in_a_line(words: str, why: str, labelled: Path, model: Path) -> None:
    folder = labelled.parent
    (folder / "broken.csv").write_text(f"{HEADER}\nx\n")
    foreign = "classes a b\nattributes mean.plen\nn_0 a_0 r c_0 1 c_0 c_1\n"
    (folder / "foreign").write_text(foreign)
    (folder / "confirmed").write_text("# confirm: 1\n" + model.read_text())
    names = ("broken.csv", "confirmed", "flows.csv", "foreign")
    named = {name.partition(".")[0].upper(): name for name in names}
    with chdir(folder), pytest.raises(UsageError) as refused:
        classifier(*(named.get(word, word) for word in words.split()))
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_capture_that_is_none_is_named(labelled: Path) -> None:
    folder = labelled.parent
    (folder / "text.pcap").write_text("no capture")
    row = f"text.pcap,udp,{LAN},1,{WAN},2,a,voip"
    (folder / "bad.csv").write_text(f"{HEADER}\n{row}\n")
    with chdir(folder), pytest.raises(UsageError, match=r"text\.pcap: gm-classifier: ") as refused:
        classifier("evaluate", "bad.csv")
    assert "\n" not in str(refused.value)
