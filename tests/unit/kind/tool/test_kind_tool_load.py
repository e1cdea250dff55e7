# SPDX-License-Identifier: Apache-2.0
"""What known tools are told and what they say, on output that they really printed."""

import asyncio
import os
import shutil
import signal
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.kind.tool import iperf3, nuttcp, program, tcpreplay
from gatemark.kind.tool.job import Job
from gatemark.kind.tool.load import began_ns
from gatemark.node import nobody
from gatemark.node.shell import Local
from gatemark.plan.model import Workload

OUTPUT = Path(__file__).parent / "output"
UDP = Job(Workload(frame_bytes=64), "198.18.9.2")
# An address of loopback that no other suite on this machine has just now.
OWN = f"127.{1 + os.getpid() % 200}.{os.getpid() // 200 % 250}.9"
LISTENS = "0A"  # proc_pid_net_tcp(5): TCP_LISTEN
TCP = Job(Workload(kind="tcp", streams=2, write_bytes=8192), "198.18.9.2")

NUTTCP_UDP = (
    "megabytes=4.3698 real_seconds=1.05 rate_Mbps=35.0001 tx_cpu=50 rx_cpu=12 "
    "drop=3677 pkt=75271 data_loss=4.88442\n"
)
NUTTCP_TCP = (
    "megabytes=524.7500 real_seconds=1.00 rate_Mbps=4396.6988 tx_cpu=90 rx_cpu=71 "
    "retrans=0 rtt_ms=0.08\n"
)
TCPREPLAY = """\
 User interrupt...
sendpacket_abort
Actual: 130544 packets (7832640 bytes) sent in 0.757589 seconds
Rated: 10338904.0 Bps, 82.71 Mbps, 172315.06 pps
Flows: 1 flows, 1.31 fps, 200000 unique flow packets, 0 unique non-flow packets
Statistics for network device: va
\tSuccessful packets:        130543
\tFailed packets:            0
\tTruncated packets:         0
\tRetried packets (ENOBUFS): 7
\tRetried packets (EAGAIN):  0
"""


def output(name: str) -> str:
    return (OUTPUT / f"{name}.json").read_text(encoding="utf-8")


def test_iperf3_counts_what_was_sent_and_what_came() -> None:
    result = iperf3.read(UDP, output("iperf3-udp"))
    assert (result.sent, result.received, result.seconds) == (111340, 111340 - 38462, 1.003839)


def test_iperf3_has_the_loss_that_a_client_of_another_version_does_not_know() -> None:
    """3.18 at a server of 3.12 (findings/iperf3-lost-between-versions.sh)."""
    report = output("iperf3-udp").replace('"lost_packets": 38462', '"lost_packets": 0')
    assert iperf3.read(UDP, report).received == 111340 - 38462


def test_iperf3_does_not_count_as_received_what_was_still_on_its_way() -> None:
    result = iperf3.read(UDP, output("iperf3-udp-down"))
    assert (result.sent, result.received) == (5886, 5884)


def test_iperf3_reports_goodput_of_the_receiver() -> None:
    result = iperf3.read(TCP, output("iperf3-tcp"))
    assert round(result.bps) == 1_340_655_707
    assert result.more == {"retransmits": 139.0, "mss_bytes": 1448.0}


@pytest.mark.parametrize(
    ("out", "why"),
    [
        ('{"start":{},"intervals":[],"end":{},"error":"unable to connect"}', "unable to connect"),
        ('{"start":{},"intervals":[],"end":{}}', "no result"),
        ("iperf3: parameter error", "without a report"),
    ],
)
def test_iperf3_that_failed_makes_no_value(out: str, why: str) -> None:
    with pytest.raises(InvalidTrialError, match=why):
        iperf3.read(UDP, out)


def test_nuttcp_takes_its_time_from_bytes_and_rate() -> None:
    result = nuttcp.read(Job(Workload(frame_bytes=110), "198.18.9.2"), NUTTCP_UDP)
    assert (result.sent, result.received) == (75271, 71594)
    assert result.seconds == pytest.approx(1.0473, abs=1e-4)  # it prints 1.05


def test_nuttcp_reports_goodput_of_the_receiver() -> None:
    result = nuttcp.read(TCP, NUTTCP_TCP)
    assert (result.bps, result.more) == (4_396_698_800.0, {"retransmits": 0.0})


def test_nuttcp_that_failed_makes_no_value() -> None:
    with pytest.raises(InvalidTrialError, match="Connection refused"):
        nuttcp.read(UDP, "nuttcp-t: Error: connect: Connection refused\n")


def test_tcpreplay_interrupted_may_have_sent_one_more() -> None:
    result = tcpreplay.read(TCPREPLAY)
    assert (result["tried"], result["refused"], result["retried"]) == (130544, 1, 7)
    assert result["seconds"] == pytest.approx(0.757589, abs=1e-6)


def test_tcpreplay_that_failed_makes_no_value() -> None:
    with pytest.raises(InvalidTrialError, match="without a report"):
        tcpreplay.read("Fatal Error: failed to open device\n")


def test_iperf3_is_asked_for_payload_bits_of_each_stream() -> None:
    load = Workload(frame_bytes=166, rate_pps=20_000, flows=4, family="ipv6")
    words = " ".join(iperf3.call(Job(load, "h", away=False)))
    assert words == "iperf3 -c h -p 5202 --json -t 1 -6 -R -u -l 100 -b 4000000 -P 4"


def test_iperf3_gets_every_key_of_tcp() -> None:
    load = Workload(
        kind="tcp",
        streams=3,
        write_bytes=999,
        congestion="reno",
        socket_buffer_bytes=64,
        settle_s=2,
    )
    words = " ".join(iperf3.call(Job(load, "h")))
    assert words.endswith("-l 999 -P 3 -C reno -O 2 -w 64")


def test_nuttcp_gets_every_key() -> None:
    udp = nuttcp.call(Job(Workload(frame_bytes=110, rate_pps=5000, duration_s=0.5), "h"))
    assert " ".join(udp) == "nuttcp -4 -fparse -T0.5 -P5010 -p5100 -u -l64 -R5000p h"
    load = Workload(kind="tcp", streams=3, write_bytes=999, socket_buffer_bytes=65536)
    tcp = nuttcp.call(Job(load, "h", away=False))
    assert " ".join(tcp) == "nuttcp -4 -fparse -T1 -P5011 -p5300 -r -F -l999 -N3 -w64 h"


def test_as_fast_as_it_goes_is_passed_to_each_in_its_own_way() -> None:
    assert "-b 0 " in " ".join(iperf3.call(UDP))
    assert "-Ru" in nuttcp.call(UDP)
    assert "--topspeed" in tcpreplay.call(UDP.load, "lan0", "x")


def test_sending_began_where_the_port_begins_to_count() -> None:
    t_ns = [0, 50, 100, 150, 200]
    assert began_ns(t_ns, [7, 8, 57, 107, 107], span_ns=100) == 50  # half had come at 100


def test_a_missing_tool_is_reported_with_its_package() -> None:
    with pytest.raises(UnavailableError, match="apt-get install no-such-tool"):
        program.require(["no-such-tool"])


@pytest.mark.parametrize(
    ("err", "why"),
    [
        ("iperf3: parameter error - block size invalid\n\nReport bugs to: x\n", "block size inv"),
        ("usage\ncannot open the device\n", "failed with exit code 1: cannot open the device"),
        ("", "failed with exit code 1: without a word"),
    ],
)
def test_a_tool_that_failed_is_reported_by_its_own_words(err: str, why: str) -> None:
    with pytest.raises(InvalidTrialError, match=why):
        program.succeeded("iperf3", program.Ended(1, "", err, 0))


def test_a_capture_that_took_longer_was_due_all_that_time() -> None:
    load = Workload(rate_pps=20_000, duration_s=1.0)
    assert tcpreplay.due_s(load, 1.012) == 1.0
    assert tcpreplay.due_s(load, 1.08) == 1.08


def _name(pid: int) -> str:
    """A process's name; nothing where it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


async def _sleeping(writing: int) -> None:
    """A laboratory whose tool sleeps; it tells the tool's number."""
    started = program.Program.start(Local(), 0, ["sleep", "60"])
    os.write(writing, f"{started._pid}\n".encode())
    await started.ended(60)


def test_a_tool_does_not_outlive_a_laboratory_that_is_killed() -> None:
    reading, writing = os.pipe()
    laboratory = os.fork()
    if not laboratory:
        try:
            asyncio.run(_sleeping(writing))
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading) as told:  # noqa: PTH123  no path
        pid = int(told.readline())
    until = time.monotonic() + 20
    while (begun := _name(pid)) != "sleep" and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(laboratory, signal.SIGKILL)
    os.waitpid(laboratory, 0)
    until = time.monotonic() + 20
    while (left := _name(pid)) == "sleep" and time.monotonic() < until:
        time.sleep(0.01)
    assert (begun, left) == ("sleep", "")


def _shown(pid: int) -> dict[str, str]:
    """A process's rights as the kernel shows them (proc_pid_status(5))."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}


def _listens(address: str, port: int) -> bool:
    """Whether something listens there: at this address itself, not at all of this machine."""
    number = int.from_bytes(socket.inet_aton(address), sys.byteorder)
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()]
    return any((row[1], row[3]) == (f"{number:08X}:{port:04X}", LISTENS) for row in rows)


async def _while_it_serves(job: Job) -> tuple[dict[str, str], bool]:
    """An iperf3 server as a trial starts it: its rights, and whether it listens at its address."""
    server = program.Program.start(Local(), 0, iperf3.serve(job), nobody.words())
    until = time.monotonic() + 20
    try:
        listens = False
        while not listens and time.monotonic() < until:
            await asyncio.sleep(0.02)
            listens = _listens(job.server, iperf3.PORT[job.away])
        return _shown(server._pid), listens
    finally:
        await server.abort()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give it up")
@pytest.mark.skipif(not shutil.which("iperf3"), reason="needs iperf3")
def test_a_server_of_others_is_nobody_and_listens_where_the_lab_is() -> None:
    shown, listens = asyncio.run(_while_it_serves(replace(TCP, server=OWN)))
    assert set(shown["Uid"].split()) | set(shown["Gid"].split()) == {"65534"}
    assert {shown[name].strip("0") for name in ("CapEff", "CapPrm", "CapBnd", "Groups")} == {""}
    assert (shown["NoNewPrivs"], iperf3.PORT[TCP.away], listens) == ("1", 5201, True)


def test_a_tool_that_may_not_choose_congestion_control_is_not_asked_to() -> None:
    assert "-C" in iperf3.call(TCP)
    assert "-C" not in iperf3.call(replace(TCP, by_route=True))
