# SPDX-License-Identifier: Apache-2.0
"""`gatemark capture` on an open lab: what tcpdump reads is what was sent, and nothing stays."""

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import environment, gatemark

from gatemark.run import keep
from gatemark.station.recover import recover
from lab.station.capturing import PORT, SEND, capturing, command, last, payload, read

pytestmark = pytest.mark.alone
OURS = ("--on", "lan", "--filter", f"udp dst port {PORT}")
PATIENCE_S = 30.0
RINGS_BYTES = 4 << 20  # of the engine, where nothing else is asked for (agent/PROTOCOL.md)
OWN_BYTES = 1 << 20  # its program, and what it works with


@pytest.fixture(scope="module")
def lab() -> Iterator[str]:
    """An open lab; of another process, since who opens one hears no signal any more."""
    recover()
    subprocess.run([sys.executable, "-m", "gatemark", "lab", "up"], env=environment(), check=True)
    yield keep.opened().lab
    keep.down()


def on(lab: str, host: str, *argv: str) -> str:
    """Run a command on a host."""
    argv = ("ip", "netns", "exec", f"gm-{lab}-{host}", *argv)
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def send(lab: str, packets: int) -> None:
    """Send datagrams through the gateway."""
    on(lab, "lan", sys.executable, "-c", SEND, "198.19.1.2", str(packets))


def hooks(lab: str) -> str:
    """What is at the gateway's ports, and who runs on it."""
    argv = ["ip", "netns", "pids", f"gm-{lab}-gw"]
    running = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return on(lab, "gw", "tc", "filter", "show", "dev", "gw0", "ingress") + running


def test_tcpdump_reads_each_packet_that_was_sent_in_order(lab: str, tmp_path: Path) -> None:
    before = hooks(lab)
    with capturing(command(*OURS, "--out", str(tmp_path / "file"))) as process:
        send(lab, 500)
        time.sleep(0.2)  # until the engine has looked
        process.send_signal(signal.SIGTERM)
        words = last(process)
    assert read(tmp_path / "file") == [payload(number) for number in range(500)]
    assert (words["packets"], words["captured"], sum(words["drops"].values())) == (500, 500, 0)
    assert 0 < words["memory_bytes"] <= RINGS_BYTES + OWN_BYTES
    assert words["path_ns"] > 0
    assert hooks(lab) == before


@pytest.mark.long
def test_its_file_has_what_every_reader_takes_and_no_more(lab: str, tmp_path: Path) -> None:
    """No if_tsoffset, which scapy and pcap-file ignore, and no interface statistics."""
    with capturing(command(*OURS, "--packets", "3", "--out", str(tmp_path / "file"))) as process:
        send(lab, 3)
        last(process)
    section, interface, packet = 0x0A0D0D0A, 1, 6
    kept = list(blocks((tmp_path / "file").read_bytes()))
    assert {kind for kind, _ in kept} == {section, interface, packet}
    described = [list(options(body[8:])) for kind, body in kept if kind == interface]
    assert described == [[2, 3, 9]] * 2  # name, description, resolution


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each block of a pcapng file of this machine's byte order."""
    while data:
        kind, size = struct.unpack("=II", data[:8])
        yield kind, data[8 : size - 4]
        data = data[size:]


def options(data: bytes) -> Iterator[int]:
    """Return the codes of a block's options, up to their end."""
    while (code := struct.unpack("=H", data[:2])[0]) != 0:
        (size,) = struct.unpack("=H", data[2:4])
        yield code
        data = data[4 + (size + 3) // 4 * 4 :]


@pytest.mark.long
def test_the_end_of_its_reader_ends_it(lab: str) -> None:
    before = hooks(lab)
    with capturing(command(*OURS)) as process:
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        last(process)
    assert hooks(lab) == before


@pytest.mark.long
def test_so_many_packets_are_captured_as_were_asked_for(lab: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with capturing(command(*OURS, "--packets", "33", "--snaplen", "60", "--out", str(file))) as p:
        send(lab, 50)
        assert last(p)["packets"] == 33
    assert [data[:4] for data in read(file)] == [payload(number)[:4] for number in range(33)]


@pytest.mark.long
def test_what_cannot_be_captured_is_refused(lab: str) -> None:
    del lab
    for words, reason in (
        (("--filter", "udp and prot 53"), "at 'prot', character 9"),
        (("--on", "gw7"), "--on gw7: the gateway has no such device; did you mean 'gw"),
        (("--station", "qemu-x86"), "lasts as long as a run does"),
    ):
        done = gatemark("capture", "--out", "/dev/null", *words)
        assert (done.code in (1, 2), reason in done.err) == (True, True), done.err


@pytest.mark.long
def test_a_capture_that_is_killed_leaves_nothing_on_the_gateway(lab: str, tmp_path: Path) -> None:
    before = hooks(lab)
    with capturing(command(*OURS, "--out", str(tmp_path / "file"))) as process:
        send(lab, 100)
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        until = time.monotonic() + PATIENCE_S
        while hooks(lab) != before:
            assert time.monotonic() < until
            time.sleep(0.1)
    assert read(tmp_path / "file") == [payload(number) for number in range(100)]


@pytest.mark.long
def test_a_full_disk_ends_it_behind_a_whole_packet(lab: str, tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "t", str(tmp_path)], check=True)
    try:
        with capturing(command(*OURS, "--out", str(tmp_path / "file"))) as process:
            for _ in range(20):
                send(lab, 20)
                time.sleep(0.05)
            assert process.stderr is not None
            errors = process.stderr.read().decode()
            assert process.wait() == 1
        assert "No space left on device" in errors
        assert read(tmp_path / "file")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


@pytest.fixture
def shark(tmp_path: Path) -> list[str]:
    """tshark whose folder of extcaps has ours alone: for root no variable of its own moves it."""
    if not shutil.which("tshark"):
        pytest.skip("no tshark: apt-get install tshark")
    (tmp_path / "extcap").mkdir()
    (tmp_path / "extcap/gatemark").symlink_to(Path(sys.executable).with_name("gatemark-extcap"))
    argv = ["tshark", "-G", "folders"]
    folders = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    folder = next(line.split("\t")[-1] for line in folders.splitlines() if "Extcap" in line)
    bound = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'
    return ["unshare", "-m", "sh", "-c", bound, "-", f"{tmp_path}/extcap", folder, "tshark"]


@pytest.mark.long
def test_wireshark_lists_the_lab_and_the_users_stations(shark: list[str], tmp_path: Path) -> None:
    stations = tmp_path / "gatemark/stations"
    stations.mkdir(parents=True)
    (stations / "attic.toml").touch()
    more = {"XDG_CONFIG_HOME": str(tmp_path)}
    argv = [*shark, "-D"]
    done = subprocess.run(
        argv, capture_output=True, text=True, check=True, env=environment() | more
    )
    listed = [line.partition(". ")[2] for line in done.stdout.splitlines() if "Gatemark" in line]
    assert listed == [
        "gatemark (Gatemark: the open lab)",
        "gatemark-attic (Gatemark: attic)",
    ]


@pytest.mark.long
def test_wireshark_captures_live_what_passes_the_gateway(lab: str, shark: list[str]) -> None:
    ours = ["-i", "gatemark", "-o", "extcap.gatemark.on:lan", "-f", f"udp dst port {PORT}"]
    ours += ["-c", "3", "-a", f"duration:{PATIENCE_S:.0f}", "-T", "fields", "-e", "udp.length"]
    with subprocess.Popen(
        [*shark, *ours], text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None:
            send(lab, 1)
            time.sleep(0.2)
        assert process.stdout is not None
        sizes = process.stdout.read().split()
    assert (process.returncode, sizes) == (0, ["12"] * 3)
