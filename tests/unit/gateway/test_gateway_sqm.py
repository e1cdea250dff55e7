# SPDX-License-Identifier: Apache-2.0
"""`shape` by OpenWrt's SQM: what is staged, what tc shows of it, and what the undo removes."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.feature.openwrt import shape, sqm
from gatemark.gateway.setup import Setup
from gatemark.node.quoted import literal
from gatemark.node.shell import Local
from gatemark.plan.feature import parts
from gatemark.plan.model import Arm
from gatemark.plan.shaper.shape import Shape, parse
from gatemark.station.mode import Mode
from gatemark.station.wiring import Gateway

ALWAYS = {"enabled": "1", "interface": "eth2"}
CAKE = """qdisc cake 8001: root refcnt 2 bandwidth 12345Kbit diffserv4 triple-isolate nat nowash \
ack-filter split-gso rtt 100ms noatm overhead 38 mpu 84 memlimit 32Mb
qdisc ingress ffff: parent ffff:fff1 ----------------
"""
HTB = """qdisc htb 1: root refcnt 2 r2q 10 default 0x10 direct_packets_stat 0 ver 3.17 \
direct_qlen 1000
 linklayer atm overhead 30 mtu 2047 tsize 512
qdisc fq_codel 110: parent 1:10 limit 1001p flows 1024 quantum 1514 target 5ms interval 100ms
class htb 1:10 parent 1:1 leaf 110: prio 0 rate 20Mbit ceil 20Mbit burst 2500b cburst 2500b
class htb 1:1 root rate 20Mbit ceil 20Mbit burst 2500b cburst 2500b
class fq_codel 110:1fe parent 110:
"""


def asked_shape(word: str) -> Shape:
    return parse(parts(f"shape:{word}")[1])


def queue(word: str) -> sqm.Queue:
    return sqm.queue(asked_shape(word))


OPTIONS: list[tuple[str, dict[str, str]]] = [
    ("cake:20", {"qdisc": "cake", "script": "piece_of_cake.qos",
                 "upload": "20000", "download": "20000"}),
    ("cake:0.95/90.5", {"qdisc": "cake", "script": "piece_of_cake.qos",
                        "upload": "950", "download": "90500"}),
    ("cake:20:wan", {"qdisc": "cake", "script": "piece_of_cake.qos",
                     "upload": "20000", "download": "0"}),
    ("cake:20:lan:besteffort:pppoe-ptm",
     {"qdisc": "cake", "script": "piece_of_cake.qos", "upload": "0", "download": "20000",
      "eqdisc_opts": "besteffort overhead 30 ptm",
      "iqdisc_opts": "besteffort overhead 30 ptm"}),
    ("cake:20:diffserv4:ethernet",
     {"qdisc": "cake", "script": "layer_cake.qos", "upload": "20000", "download": "20000",
      "eqdisc_opts": "diffserv4 overhead 38 mpu 84",
      "iqdisc_opts": "diffserv4 overhead 38 mpu 84", "squash_ingress": "0"}),
    ("fq_codel:20", {"qdisc": "fq_codel", "script": "simplest.qos",
                     "upload": "20000", "download": "20000"}),
    ("fq_codel:20:overhead=44:atm",
     {"qdisc": "fq_codel", "script": "simplest.qos", "upload": "20000", "download": "20000",
      "linklayer": "atm", "overhead": "30", "tcMPU": "0"}),
    ("fq_codel:65:ptm", {"qdisc": "fq_codel", "script": "simplest.qos",
                         "upload": "64000", "download": "64000"}),
]  # fmt: skip


def test_a_word_becomes_options_of_sqms() -> None:
    options = [(word, queue(word).options("eth2")) for word, _ in OPTIONS]
    assert options == [(word, ALWAYS | wanted) for word, wanted in OPTIONS]


LACKS = [
    ("cake:20", "nat", ""),
    ("cake:20", "switch", "SQM is at a WAN port, and switch has none"),
    ("tbf:20", "nat", "SQM has no tbf alone"),
    ("htb2:20", "route", "SQM has no htb2 alone"),
    ("cake:20:first=marked", "nat", "SQM shapes what comes in before a rule can mark it"),
    ("fq_codel:20:frame", "nat", "SQM has no bucket of one frame"),
]


def test_what_sqm_has_no_words_for_is_named() -> None:
    lacks = [(word, path, sqm.lacks(asked_shape(word), path)) for word, path, _ in LACKS]
    assert lacks == LACKS


SHOWN = [
    (CAKE, "cake:12.345:diffserv4:ethernet:ack-filter", ""),
    (CAKE, "cake:12.346:diffserv4:ethernet", "is not held to 12346 kbit/s"),
    (CAKE, "cake:12.345:diffserv4:docsis", "lacks overhead 18"),
    (CAKE, "cake:12.345", "lacks besteffort"),
    ("qdisc fq_codel 0: root refcnt 2\n", "cake:20", "has no cake at its root"),
    (HTB, "fq_codel:20:overhead=44:atm", ""),
    (HTB, "fq_codel:20:overhead=54:atm", "lacks overhead 40"),
    (HTB, "fq_codel:21", "is not held to 21000 kbit/s"),
    (HTB.replace("qdisc fq_codel", "qdisc pfifo"), "fq_codel:20", "has no fq_codel"),
    (HTB.partition("class")[0], "fq_codel:20", "is not held to 20000 kbit/s"),
]


def test_what_tc_shows_is_held_against_what_was_meant() -> None:
    wanted = [queue(word) for _, word, _ in SHOWN]
    faults = [
        (text, word, sqm.fault(text, meant, meant.up_kbit))
        for (text, word, _), meant in zip(SHOWN, wanted, strict=True)
    ]
    assert faults == SHOWN


def test_a_rate_that_tc_shows_in_short_is_known() -> None:
    text = CAKE.replace("12345Kbit", "1234Mbit")
    assert sqm.fault(text, queue("cake:1234.567:diffserv4:ethernet"), 1_234_567) == ""


# Every tool of the box writes down how it is called; what it prints is in a file of its name.
TOOL = """#!/bin/sh
name=${0##*/}; place=${0%/*}
echo "$name $*" >> "$place/called"
case "$*" in
start*) [ ! -e "$place/state" ] || touch "$place/eth2.state"; cat "$place/sqm.says" ;;
'-X show sqm') cat "$place/queues" ;;
*.interface) echo eth2 ;;
*.enabled) echo "$(cat "$place/enabled")" ;;
'call service list '*) cat "$place/services" ;;
*' root') cat "$place/root" ;;
'qdisc show dev eth2') cat "$place/root" "$place/ingress" ;;
'-d qdisc show dev '*) cat "$place/cake" ;;
'filter show '*) echo ' action order 1: mirred (Egress Redirect to device ifb4eth2) stolen' ;;
'-o link show type ifb') cat "$place/ifbs" ;;
esac
"""
REFUSED = """\
SQM: ERROR: cmd_wrapper: tc: FAILURE (2): /usr/sbin/tc qdisc replace dev SQM_IFB_1 root cake
SQM: ERROR: cmd_wrapper: tc: LAST ERROR: Error: Unknown qdisc.
SQM: ERROR: QDISC cake is NOT useable.
"""
NOTHING = ("enabled", "queues", "services", "root", "ingress", "cake", "ifbs", "sqm.says")
IFBS = "5: ifb0: <BROADCAST,NOARP> mtu 1500\n"
PIECE = CAKE.replace("diffserv4", "besteffort").replace("12345K", "20M")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A box with SQM, played by this machine's shell; nobody shapes there."""
    for name in ("uci", "tc", "ip", "ubus", "sqm"):
        (tmp_path / name).write_text(TOOL)
        (tmp_path / name).chmod(0o755)
    for name in NOTHING:
        (tmp_path / name).touch()
    (tmp_path / "ifbs").write_text(IFBS)
    (tmp_path / "cake").write_text(PIECE)
    (tmp_path / "state").touch()
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for name in ("LOOK", "START", "STOP"):
        text = getattr(shape, name).replace("/etc/init.d/sqm", f"{tmp_path}/sqm")
        text = text.replace("/var/run/sqm", str(tmp_path))
        monkeypatch.setattr(shape, name, literal(text) if name == "LOOK" else text)
    return tmp_path


def asked(word: str) -> Asked:
    gateway = Gateway(Local("gateway"), {"gw0": "br-lan", "gw1": "eth2"}, mode=Mode.OPENWRT)
    return Asked(gateway, Changes(gateway.node), "nat", parts(f"shape:{word}")[1])


def called(place: Path) -> list[str]:
    return (place / "called").read_text().splitlines()


def test_a_queue_is_staged_and_started_by_sqms_own_service(place: Path) -> None:
    (place / "queues").write_text("sqm.wan=queue\n")  # its owner has disabled it
    (place / "enabled").write_text("0")
    wanted = asked("cake:20")
    asyncio.run(shape.apply(wanted))
    lines = called(place)
    assert "uci set sqm.gatemark_shape.script=piece_of_cake.qos" in lines
    assert not any("commit" in line for line in lines)
    assert lines.index("sqm start eth2") > lines.index("uci set sqm.gatemark_shape=queue")
    assert wanted.notes == ["shape is set by SQM: piece_of_cake.qos"]


@pytest.mark.parametrize("says_it_runs", [False, True])
def test_what_was_made_by_half_is_removed_and_nothing_else(place: Path, says_it_runs: bool) -> None:
    if not says_it_runs:
        (place / "state").unlink()
    (place / "sqm.says").write_text(REFUSED)
    wanted = asked("cake:20")

    async def through() -> None:
        with pytest.raises(UnavailableError, match=r"not start: QDISC cake is NOT useable\. Unk"):
            await shape.apply(wanted)
        (place / "root").write_text(PIECE.splitlines()[0])
        (place / "ingress").write_text("qdisc ingress ffff: parent ffff:fff1 ----\n")
        (place / "ifbs").write_text(f"{IFBS}9: ifb4eth2: <BROADCAST,NOARP> mtu 1500\n")
        (place / "called").unlink()
        await wanted.changes.undo()

    asyncio.run(through())
    changing = (" del", " stop", " revert", " delete")
    assert [line for line in called(place) if any(word in line for word in changing)] == [
        "sqm stop eth2",
        "uci -q revert sqm.gatemark_shape",
        'ubus call service delete {"name":"sqm"}',
        "tc qdisc del dev eth2 root",
        "tc qdisc del dev eth2 ingress",
        "ip link del ifb4eth2",
    ]


def test_a_service_that_was_known_before_stays_known(place: Path) -> None:
    (place / "services").write_text('{ "sqm": { } }\n')
    wanted = asked("cake:20")

    async def through() -> None:
        await shape.apply(wanted)
        await wanted.changes.undo()

    asyncio.run(through())
    assert not any("service delete" in line for line in called(place))


def test_a_port_that_its_owner_shapes_is_left_alone(place: Path) -> None:
    (place / "queues").write_text("sqm.wan=queue\nsqm.wan.script='simple.qos'\n")
    (place / "enabled").write_text("1")
    with pytest.raises(UnavailableError, match=r"eth2 is shaped by its owner's SQM: .*wan\.enab"):
        asyncio.run(shape.apply(asked("cake:20")))
    assert not any(line.startswith("uci set") for line in called(place))


def test_without_sqm_it_is_set_by_tc_and_a_note_says_so(place: Path) -> None:
    (place / "sqm").unlink()
    wanted = asked("cake:20")
    asyncio.run(shape.apply(wanted))
    assert wanted.notes == ["shape is set by tc: the box has no sqm-scripts"]
    added = [line for line in called(place) if line.startswith("tc qdisc add")]
    assert [line.split()[4] for line in added] == ["br-lan", "eth2"]


def test_the_scripts_are_sound_shell() -> None:
    for text in (shape.TAKEN, shape.START, shape.STOP):
        filled = text.format(port="eth2", staged=":", unregister=":", known="' '")
        done = subprocess.run(
            ["sh", "-n"], input=filled, text=True, capture_output=True, check=False
        )
        assert done.stderr == ""


def test_a_setup_says_by_which_means_for_as_long_as_it_stands(place: Path) -> None:
    assert place
    setup = Setup(asked("cake:20").gateway)
    seen = []

    async def through() -> None:
        await setup.change(Arm(path="endpoint", name="shaped", features=("shape:cake:20",)))
        seen.append(setup.notes)
        await setup.undo()
        seen.append(setup.notes)

    asyncio.run(through())
    assert seen == [("shape is set by tc: SQM is at a WAN port, and endpoint has none",), ()]
