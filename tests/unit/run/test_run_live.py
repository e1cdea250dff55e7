# SPDX-License-Identifier: Apache-2.0
"""A live capture's stream, cut into whole blocks, and filters that say where they are wrong."""

import asyncio
import os
import struct
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar, cast

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st

from gatemark.error import GatemarkError, NodeError, StationError, UsageError
from gatemark.run.live import capture as live
from gatemark.run.live import expression, place
from gatemark.run.live.block import Blocks
from gatemark.run.live.capture import path_cost
from gatemark.run.live.sink import Sink
from gatemark.station.ssh import control

if TYPE_CHECKING:
    from gatemark.run.live.engine import Engine
    from gatemark.station.ssh.box import Box


def block(order: str, kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack(f"{order}II", kind, length) + body + struct.pack(f"{order}I", length)


def section(order: str) -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))


def packet(order: str, number: int) -> bytes:
    return block(order, 6, struct.pack(f"{order}5I", 0, 0, 0, 4, 4) + number.to_bytes(4, "big"))


@few()
@given(
    order=st.sampled_from("<>"),
    packets=st.integers(0, 6),
    sizes=st.lists(st.integers(1, 40), min_size=1),
)
def test_whole_blocks_come_wherever_the_stream_is_cut(
    order: str, packets: int, sizes: list[int]
) -> None:
    stream = section(order) + b"".join(packet(order, number) for number in range(packets))
    blocks, out, at, turn = Blocks("gateway"), b"", 0, 0
    while at < len(stream):
        size = sizes[turn % len(sizes)]
        out += blocks.cut(stream[at : at + size])
        assert stream.startswith(out)
        assert (len(out) - len(section(order))) % len(packet(order, 0)) == 0 or not out
        at, turn = at + size, turn + 1
    assert (out, blocks.packets) == (stream, packets)


def test_no_more_packets_come_than_are_wanted() -> None:
    blocks = Blocks("gateway", 2)
    stream = section("<") + b"".join(packet("<", number) for number in range(5))
    assert blocks.cut(stream) == section("<") + packet("<", 0) + packet("<", 1)
    assert (blocks.enough, blocks.packets) == (True, 2)


def test_what_is_no_pcapng_is_refused() -> None:
    no_magic = block("<", 0x0A0D0D0A, bytes(4) + section("<")[12:-4])
    short, odd = struct.pack("<II", 6, 8) + bytes(8), struct.pack("<II", 6, 14) + bytes(8)
    long = struct.pack("<II", 6, (1 << 20) + 4) + bytes(8)
    for data in (no_magic, short, odd, long):
        with pytest.raises(NodeError, match="what its capture sent is no pcapng"):
            Blocks("gateway").cut(data)


@few(50)
@given(st.binary(min_size=12, max_size=64))
def test_what_is_no_pcapng_is_refused_or_waited_for(data: bytes) -> None:
    blocks, refused = Blocks("gateway"), ""
    try:
        blocks.cut(data)
    except NodeError as error:
        refused = str(error)
    assert refused in ("", "gateway: what its capture sent is no pcapng")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("udp port 53 and", "at its end, behind 'and'"),
        ("(udp or tcp) and host 1.2.3.4.5", "at 'host', character 18"),
        ("tcp[99", "at 'tcp[99', character 1"),
    ],
)
def test_a_wrong_filter_names_its_place(text: str, place: str) -> None:
    with pytest.raises(UsageError) as raised:
        asyncio.run(expression.classic(text, "EN10MB"))
    assert place in str(raised.value)


def test_a_filter_is_four_numbers_an_instruction() -> None:
    code = asyncio.run(expression.classic("udp port 53", "EN10MB"))
    assert (len(code) % 4, code[-4]) == (0, 6)  # it ends with a return
    assert asyncio.run(expression.classic(" ", "EN10MB")) == []


def test_a_tag_is_looked_for_beside_the_packet() -> None:
    """SKF_AD_VLAN_TAG_PRESENT and SKF_AD_VLAN_TAG: the kernel takes a tag out of its packet."""
    code = asyncio.run(expression.classic("vlan 100 and udp port 53", "EN10MB"))
    assert {0xFFFFF000 + 48, 0xFFFFF000 + 44} <= set(code[3::4])


@pytest.mark.parametrize("text", ["inbound", "udp and outbound"])
def test_a_filter_of_ways_names_what_to_look_at_instead(text: str) -> None:
    with pytest.raises(UsageError, match="each way is an interface of the capture"):
        asyncio.run(expression.classic(text, "EN10MB"))


def test_a_packet_without_a_link_header_has_no_tag() -> None:
    with pytest.raises(UsageError, match="no VLAN support for"):
        asyncio.run(expression.classic("vlan", "RAW"))


def test_devices_whose_packets_differ_have_no_filter_in_common() -> None:
    assert expression.link({"eth0": "1", "br0": "1"}) == "EN10MB"
    assert expression.link({"ppp0": "512"}) == "RAW"
    with pytest.raises(UsageError, match="one device at a time"):
        expression.link({"eth0": "1", "ppp0": "512"})


def test_a_reader_that_goes_is_heard_of_without_a_packet() -> None:
    async def go() -> None:
        over = asyncio.Event()
        reader, writer = os.pipe()
        sink = Sink(writer, "stdout", over.set)
        os.close(reader)
        await asyncio.wait_for(over.wait(), 10)
        await sink.put(b"nobody takes it")
        sink.close()
        assert (sink.gone, os.get_blocking(writer)) == (True, True)
        os.close(writer)

    asyncio.run(go())


def test_a_slow_reader_gets_all() -> None:
    async def go() -> None:
        reader, writer = os.pipe()
        sink = Sink(writer, "stdout", lambda: None)
        data = bytes(range(256)) * 4096  # more than a pipe holds
        putting = asyncio.create_task(sink.put(data))
        came = b""
        while len(came) < len(data):
            came += await asyncio.to_thread(os.read, reader, 1 << 16)
        await putting
        sink.close()
        assert came == data
        os.close(reader)
        os.close(writer)

    asyncio.run(go())


def test_a_full_disk_is_named() -> None:
    async def go(fd: int) -> None:
        await Sink(fd, "file", lambda: None).put(b"x")

    with (
        Path("/dev/full").open("wb") as full,
        pytest.raises(GatemarkError, match="file: No space left on device"),
    ):
        asyncio.run(go(full.fileno()))


@pytest.mark.parametrize(
    ("timed", "cost"),
    [
        ({"ns": 1_700, "packets": 14}, (175.0, 0.0007)),
        ({"ns": 1_000, "packets": 10}, (None, None)),  # no packet since, or a kernel without times
    ],
)
def test_what_was_not_timed_costs_none_rather_than_nothing(
    timed: dict[str, int], cost: tuple[float | None, float | None]
) -> None:
    assert path_cost(timed, {"ns": 1_000, "packets": 10}, 1_000_000) == cost


class Endless:
    """An engine that sends and says nothing, and never ends: a box that heeds nobody."""

    ready: ClassVar = {"by": "bpf"}
    process = SimpleNamespace(close_stdin=lambda: None)

    async def start(self) -> None:
        """At once."""

    async def piece(self) -> bytes:
        """Never."""
        await asyncio.Event().wait()
        return b""

    async def done(self, *_: object) -> None:
        """Never."""
        await asyncio.Event().wait()


def test_a_box_whose_lease_is_over_is_captured_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease is lost while the capture runs; the box itself says nothing of it."""
    why = "`gatemark station release` gave it back"
    host = SimpleNamespace(name="root@box", lost="")

    async def nothing(*_: object) -> str:
        return ""

    host.connect = host.close = nothing
    station = SimpleNamespace(box=host, asked=SimpleNamespace(agent=True, devices={}))
    monkeypatch.setattr(control, "require_apart", nothing)
    monkeypatch.setattr(live, "LOOK_S", 0.01, raising=False)

    async def go(fd: int) -> None:
        async with place._box(cast("Box", station)) as gateway:
            wanted = live.Wanted([], "", 100, 0, 0)
            engine = cast("Engine", Endless())
            capture = live._Capture(gateway, engine, wanted, lambda _: None)
            running = asyncio.create_task(capture.run(fd, "out"))
            await asyncio.sleep(0.05)
            assert not running.done()
            host.lost = why
            with pytest.raises(StationError, match=f"^root@box: {why}: the capture ends$"):
                await asyncio.wait_for(running, 60)

    with (tmp_path / "out").open("wb") as out:
        asyncio.run(go(out.fileno()))
