# SPDX-License-Identifier: Apache-2.0
"""What programs say when they end, as they really said it, and what is read of it."""

from gatemark.gateway.feature import Wanted, running
from gatemark.gateway.feature.program.capture import DUMPCAP, TCPDUMP, netsniff_counters
from gatemark.gateway.feature.program.classify import COUNTERS
from gatemark.gateway.feature.program.flow_export import (
    NFPCAPD,
    pmacctd_counters,
    softflowd_counters,
)
from gatemark.gateway.feature.program.inspect import COUNTERS as NDPI
from gatemark.gateway.program import counting
from gatemark.gateway.supervisor import Use, use
from gatemark.node.shell import Local
from gatemark.plan.feature import parts
from gatemark.plan.model import Command
from gatemark.station.wiring import Gateway

TCPDUMP_SAID = """\
tcpdump: listening on v1, link-type EN10MB (Ethernet), snapshot length 68 bytes
115 packets captured
201 packets received by filter
3 packets dropped by kernel
"""
DUMPCAP_SAID = """\
Capturing on 'v1'
File: /dev/null
Packets captured: 200
Packets received/dropped on interface 'v1': 205/9 (pcap:4/dumpcap:3/flushed:2/ps_ifdrop:0) (95.8%)
"""
DUMPCAP_LOUD = "File: /dev/null\nPackets: 133 Packets: 200 Packets captured: 200\n"
NETSNIFF_SAID = """\
Running! Hang up with ^C!

           8  packets incoming (1 unread on exit)
           4  packets passed filter
           4  packets failed filter (out of space)
     50.0000% packet droprate
           1  sec, 720113 usec in total
"""
SOFTFLOWD_SAID = """\
softflowd v1.1.0 starting data collection
Exporting flows from v1 to [127.0.0.9]:9995
softflowd[24176]: Accumulated statistics since 2026-11-22T09:02:41 UTC:
Number of active flows: 1
Packets processed: 190
Fragments: 0
Ignored packets: 0 (0 non-IP, 0 too short)
Flows expired: 2 (0 forced)
Flows exported: 0 (0 records) in 0 packets (0 failures)
Packets received by libpcap: 200
Packets dropped by libpcap: 7
Packets dropped by interface: 0
"""
NFPCAPD_SAID = """\
Startup nfpcapd.
Stat: received: 150, dropped by OS/Buffer: 0, freeze_q_cnt: 0
Processed: 150, skipped: 0, short caplen: 0, unknown: 0
Stat: received: 200, dropped by OS/Buffer: 5, freeze_q_cnt: 0
Processed: 45, skipped: 0, short caplen: 0, unknown: 0
Terminating flow sending
Total: Processed: 195, skipped: 0, short caplen: 0, unknown: 0

Terminating nfpcapd.
"""
PMACCTD_SAID = """\
INFO ( default_nfprobe/nfprobe ): Exporting flows to [127.0.0.1]:2100
NOTICE ( default/core ): +++
NOTICE ( default/core ): stats [vb0,0] time=1795644559 received_packets=1007 dropped_packets=4
NOTICE ( default/core ): ---
WARN ( default/core ): no more plugins active. Shutting down.
"""


def test_tcpdump() -> None:
    assert TCPDUMP(TCPDUMP_SAID) == {"captured": 115, "received": 201, "dropped": 3}


def test_tcpdump_says_one_packet_otherwise() -> None:
    assert TCPDUMP("1 packet captured\n") == {"captured": 1}


def test_dumpcap_received_what_it_read_and_what_was_dropped() -> None:
    assert DUMPCAP(DUMPCAP_SAID) == {"captured": 200, "received": 214, "dropped": 9}


def test_dumpcap_counts_while_it_runs() -> None:
    assert DUMPCAP(DUMPCAP_LOUD) == {"captured": 200}


def test_netsniff_captured_what_it_neither_dropped_nor_left() -> None:
    wanted = {"captured": 3, "received": 8, "dropped": 4}
    assert netsniff_counters(NETSNIFF_SAID) == wanted
    assert netsniff_counters(NETSNIFF_SAID.replace("\n\n", "\n\n\r")) == wanted


def test_softflowd_has_what_its_buffer_took() -> None:
    wanted = {"captured": 193, "processed": 190, "received": 200, "dropped": 7, "flows": 3}
    assert softflowd_counters(SOFTFLOWD_SAID) == wanted


def test_nfpcapd_the_last_time_counts() -> None:
    assert NFPCAPD(NFPCAPD_SAID) == {"captured": 195, "received": 200, "dropped": 5}


def test_pmacctd_has_what_libpcap_did_not_drop() -> None:
    assert pmacctd_counters(PMACCTD_SAID) == {"captured": 1003, "received": 1007, "dropped": 4}


def test_the_last_line_of_the_classifier_counts() -> None:
    head = "seen,other,untracked,marked,decisions,no_room,offloaded"
    wanted = {"seen": 9, "untracked": 2, "marked": 3, "decisions": 4, "no_room": 0, "offloaded": 7}
    assert COUNTERS(f"{head}\n5,0,0,0,0,0,0\n9,1,2,3,4,0,7\n") == wanted


def test_nothing_said_is_nothing_counted() -> None:
    readers = (TCPDUMP, DUMPCAP, netsniff_counters, NFPCAPD, pmacctd_counters, NDPI)
    assert [read("") for read in readers] == [{}] * 6


def test_what_several_groups_count_is_added() -> None:
    assert counting(r"(?P<seen1>\d+)/(?P<seen2>\d+)")("3/4") == {"seen": 7}


def line(word: str, path: str = "nat", **commands: Command) -> str:
    gateway = Gateway(Local(), {"gw0": "eth0", "gw1": "eth1"})
    name, said = parts(word)
    wanted = Wanted(gateway, path, word, said, commands)
    return " ".join(running(name).program(wanted).command)


# of a feature's word on a path: what is in its command
COMMANDS = {
    ("capture:tcpdump:68", "nat"): "-i eth1 -s 68 -w /dev/null",
    ("capture:tcpdump:68:disk", "route"): "-i eth1 -s 68 -w capture.pcap",
    ("capture:dumpcap:1500", "endpoint"): "-i eth0 -s 1500 -w /dev/null",
    ("capture:netsniff-ng:68", "switch"): "0x6, 0, 0, 0x00000044",
    ("flow-export:softflowd", "nat"): "-i eth1 -n 127.0.0.9:9995",
    ("flow-export:nfpcapd", "nat"): "-i eth1 -H 127.0.0.9/9995",
    ("flow-export:pmacctd", "nat"): "'pcap_interface: 'eth1",
    ("inspect:ndpiReader", "nat"): "ndpiReader -i eth1",
    ("classify:jumping", "nat"): "real-time.c45 eth0 --priority realtime --mark 0x30/0xf0",
    ("classify:sliding:new=9", "switch"): "--mark 0x30/0xf0 --sliding --new-flows 9",
    ("classify:jumping:guard=32000", "nat"): "--mark 0x30/0xf0 --guard 32000",
}


def test_a_feature_becomes_a_command_at_its_port() -> None:
    lines = [(line(*asked), part) for asked, part in COMMANDS.items()]
    assert [row for row in lines if row[1] not in row[0]] == []


def test_netsniff_leaves_the_machine_as_it_is() -> None:
    assert "--no-sock-mem --notouch-irq" in line("capture:netsniff-ng:68")


def test_a_users_command_is_told_the_port() -> None:
    said = line("command:probe", probe=Command(run="exec probe $PORT"))
    assert said == "sh -c PORT=eth1; LAN=eth0; exec probe $PORT"


def test_use_is_that_of_all_processes_and_of_children_that_ended() -> None:
    stat = "stat S 1 1 1 0 -1 4194304 97 0 0 0 {} 30 10 1 0 5083786 2990080 386"
    lines = [
        stat.format("3 2 0 0"),
        "VmHWM:\t    1652 kB",
        "1388961 5150432 1",
        stat.format("1 0 4 1"),
        "VmHWM:\t    1000 kB",
        "11 5150432 1",
    ]
    ms = 1_000_000
    assert use(lines) == Use(80 * ms, 30 * ms, 1_388_972, 2652 * 1024, 2)
