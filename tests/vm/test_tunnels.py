# SPDX-License-Identifier: Apache-2.0
"""Features that this machine's own kernel lacks, on a virtual gateway: at work, and undone."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.error import NodeError
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import pppoe
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.journal import Journal
from gatemark.plan.model import Arm, Direction, Family, Workload
from gatemark.store.record import Record
from vm.conftest import FEW, Booted, Stand

# A control port's address is tentative for a second after the boot.
STATE = """
ip -o addr | sed 's/^[0-9]*: //; s/ tentative//' | sort
ip route; ip -6 route; ip neigh show nud permanent | sort
nft list ruleset; ip netns list; cat /proc/sys/net/ipv4/ip_forward
pidof pppd; ls /run | sed /netns/d
"""
TAGGED = Arm(path="nat", name="vlan", features=("vlan",))
TUNNEL = Arm(path="route", name="wireguard", features=("wireguard",))
SESSION = Arm(path="route", name="pppoe", features=("pppoe",))
HOME = Arm(path="nat", name="home", features=("pppoe", "mss", "offload:software"))
HIDDEN = Arm(path="nat", name="hidden", features=("wireguard",))
ANSWERED = {  # the addresses that the WAN host answers to
    "ipv4": "dst=198.19.1.1 ",
    "ipv6": "dst=2001:0002:0000:0002:0000:0000:0000:0001 ",
}
NO_SESSION = {
    "qemu-x86": "no PPPoE in its kernel",  # the cloud's, as the next one's
    "qemu-aarch64": "no PPPoE in its kernel",
    "qemu-mips": "no pppd on it: our image has one where memory_mib is 128 or more",
}
RUNNING = "for _ in 1 2 3 4 5; do pidof pppd && exit; sleep 0.2; done; exit 1"
SHAPED = "shape:tbf:1"
CAPTURED = "capture:tcpdump:96"
COUNTERS = "cd /sys/class/net/gm-ppp; cat mtu statistics/rx_packets statistics/tx_packets"


@dataclass(frozen=True, slots=True)
class Line:
    """An arm, and how its gateway was before. Its tests follow each other, so it is set once."""

    arm: Arm
    stand: Stand
    before: str

    @property
    def booted(self) -> Booted:
        """Its gateway."""
        return self.stand.booted()


@pytest.fixture(scope="module")
def line(stand: Stand, request: pytest.FixtureRequest) -> Line:
    """Of the arm that is its parameter."""
    return _line(stand, request.param)


@pytest.fixture(scope="module")
def session(roomy_stand: Stand, request: pytest.FixtureRequest) -> Line:
    """The same on a gateway that has PPPoE."""
    return _line(roomy_stand, request.param)


def _line(stand: Stand, arm: Arm) -> Line:
    booted = stand.booted()
    booted.run(booted.bench.setup.undo())
    return Line(arm, stand, booted.said(STATE))


def of(fixture: str, *arms: Arm) -> pytest.MarkDecorator:
    """These arms, for one fixture."""
    return pytest.mark.parametrize(fixture, arms, indirect=True, ids=lambda arm: arm.name)


@of("line", TAGGED)
def test_what_goes_up_by_a_vlan_leaves_with_a_tag(line: Line) -> None:
    booted = line.booted
    record = booted.measure(TAGGED)
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.5 * record.accounting.tried
    sent = booted.said("cat /sys/class/net/gm-vlan/statistics/tx_packets")
    assert int(sent) >= record.accounting.unique


@of("line", TUNNEL)
@pytest.mark.parametrize("direction", ["up", "down"])
def test_packets_cross_a_tunnel_encrypted(direction: Direction, line: Line) -> None:
    booted = line.booted
    record = booted.measure(TUNNEL, replace(FEW, direction=direction))
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.3 * record.accounting.tried
    received, sent = booted.said("wg show gm-wg transfer").split()[1:]
    carried = int(sent if direction == "up" else received)
    assert carried >= record.accounting.unique * (46 + 32)  # a packet of a 64-byte frame, and more


@pytest.mark.parametrize("stand", ["qemu-x86"], indirect=True)
@of("line", HIDDEN)
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_tunnel_is_masqueraded(direction: Direction, family: Family, line: Line) -> None:
    _masqueraded(line.booted, HIDDEN, replace(FEW, direction=direction, family=family), 0.3)


@of("session", SESSION)
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_packets_cross_a_session(direction: Direction, family: Family, session: Line) -> None:
    roomy = session.booted
    roomy.run(roomy.bench.setup.change(SESSION))
    before = _counted(roomy)
    load = replace(FEW, direction=direction, family=family, frame_bytes=100)
    record = roomy.measure(SESSION, load)
    assert record.accounting is not None
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting.unique > 0.5 * record.accounting.tried
    now = _counted(roomy)
    way, back = ("sent", "received") if direction == "up" else ("received", "sent")
    assert now[way] - before[way] >= record.accounting.unique
    assert now[back] - before[back] < 0.1 * record.accounting.unique


@of("session", SESSION)
def test_a_packet_has_1492_bytes_at_most_on_such_a_line(session: Line) -> None:
    roomy = session.booted
    whole = roomy.measure(SESSION, replace(FEW, frame_bytes=1510))
    longer = roomy.measure(SESSION, replace(FEW, frame_bytes=1511))
    assert whole.accounting is not None
    assert longer.accounting is not None
    assert _counted(roomy)["mtu"] == 1492
    assert whole.accounting.unique > 0.5 * whole.accounting.tried
    assert longer.accounting.unique == 0


@of("session", SESSION)
def test_a_stream_learns_what_fits(session: Line) -> None:
    record = session.booted.measure(SESSION, Workload(kind="tcp", direction="down", duration_s=0.5))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["mss_bytes"] == 1440  # 1492 less 20 of IP and 32 of TCP with its time


@pytest.mark.parametrize("features", [("pppoe", SHAPED), (SHAPED, "pppoe")])
def test_what_shapes_the_wan_port_shapes_the_session(
    features: tuple[str, str], roomy: Booted
) -> None:
    """1 Mbit/s of frames of 522 bytes without their FCS: some 120 in the half second."""
    arm = Arm(path="route", name="shaped", features=features)
    record = roomy.measure(arm, replace(FEW, frame_bytes=518))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert 60 < record.accounting.unique < 240 < record.accounting.tried
    assert "tbf" in roomy.said("tc qdisc show dev gm-near root")


def test_a_capture_at_the_wan_port_sees_the_session(roomy: Booted) -> None:
    record = roomy.measure(Arm(path="route", name="captured", features=("pppoe", CAPTURED)))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    (capture,) = record.evidence.programs
    assert capture.device == "gm-near"
    assert capture.counters["captured"] >= record.accounting.unique > 0


@of("session", HOME)
@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_session_is_masqueraded(direction: Direction, family: Family, session: Line) -> None:
    load = replace(FEW, direction=direction, family=family)
    record = _masqueraded(session.booted, HOME, load, 0.5)
    assert record.evidence.offload["entries"] >= FEW.flows


def test_a_gateway_without_it_tells_what_it_lacks(booted: Booted) -> None:
    record = booted.measure(SESSION)
    assert record.status == "skipped"
    assert record.reason == f"not available here: pppoe: {NO_SESSION[booted.lab.name]}"


@pytest.mark.parametrize(
    ("path", "cut"),
    [
        pytest.param("route", "pppd plugin pppoe.so nic-{near}", marks=pytest.mark.long),
        pytest.param("route", "{routes}", marks=pytest.mark.long),
        pytest.param("route", "", marks=pytest.mark.long),
        ("nat", "{routes}"),
    ],
)
def test_who_comes_next_ends_a_session_that_was_cut_off(
    path: str, cut: str, roomy: Booted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is made: before the near end, before the routes, or once it was whole."""
    killed = pppoe.CONNECTED.replace(cut, f"kill -9 $$\n{cut}", 1) if cut else pppoe.CONNECTED
    monkeypatch.setattr(pppoe, "CONNECTED", killed)

    async def crash() -> None:
        await roomy.bench.setup.undo()
        gateway = roomy.lab.gateway
        before = await gateway.run("sh", "-c", STATE)
        journal = Journal("root@guest", tmp_path)
        await journal.open(gateway.node)
        asked = Asked(gateway, Changes(gateway.node, journal), path, ())
        with pytest.raises(NodeError) if cut else nullcontext():
            await pppoe.apply(asked)
        await gateway.run("sh", "-c", RUNNING)
        journal.close()
        assert "undid" in await journal.open(gateway.node)
        journal.close()
        assert await gateway.run("sh", "-c", STATE) == before

    roomy.run(crash())


@of("session", SESSION, HOME)
def test_a_session_is_given_back_as_it_was(session: Line) -> None:
    _given_back(session)


@pytest.mark.parametrize("stand", ["qemu-x86"], indirect=True)
@of("line", HIDDEN)
def test_what_is_masqueraded_is_given_back_as_it_was(line: Line) -> None:
    _given_back(line)


@of("line", TAGGED, TUNNEL)
def test_it_is_given_back_as_it_was(line: Line) -> None:
    _given_back(line)


def _masqueraded(booted: Booted, arm: Arm, few: Workload, share: float) -> Record:
    """More than this share of a few packets came through, and answers are for the WAN port."""
    record = booted.measure(arm, replace(few, frame_bytes=100))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.unique > share * record.accounting.tried
    assert ANSWERED[few.family] in booted.said("cat /proc/net/nf_conntrack")
    return record


def _given_back(line: Line) -> None:
    booted, setup = line.booted, line.booted.bench.setup
    booted.run(setup.change(line.arm))
    during = booted.said(STATE)
    booted.run(setup.undo())
    assert booted.said(STATE) == line.before
    assert during != line.before


def _counted(booted: Booted) -> dict[str, int]:
    """Of the device that the session is."""
    words = booted.said(COUNTERS).split()
    return dict(zip(("mtu", "received", "sent"), map(int, words), strict=True))
