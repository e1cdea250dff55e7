# SPDX-License-Identifier: Apache-2.0
"""A malta: PPPoE, which its kernel has, at work and undone; no interrupt is lost for good."""

from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace

from gatemark.error import NodeError
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import pppoe
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.journal import Journal
from gatemark.plan.model import Arm, Direction, Family, Workload
from gatemark.station.ssh.ports import Outlet, look
from vm.conftest import FEW, Booted, Stand, on
from vm.line import STATE, Line, given_back, line_of, masqueraded, of

pytestmark = pytest.mark.long

SESSION = Arm(path="route", name="pppoe", features=("pppoe",))
HOME = Arm(path="nat", name="home", features=("pppoe", "mss", "offload:software"))
RUNNING = "for _ in 1 2 3 4 5; do pidof pppd && exit; sleep 0.2; done; exit 1"
SHAPED = "shape:tbf:1"
CAPTURED = "capture:tcpdump:96"
COUNTERS = "cd /sys/class/net/gm-ppp; cat mtu statistics/rx_packets statistics/tx_packets"
# A malta's interrupts that are told by level, of the controller's second half; and lines 10, 11.
LEVELS = "dd if=/dev/port bs=1 skip=1233 count=1 2> /dev/null | od -An -t u1"
SHARED = 1 << 10 - 8 | 1 << 11 - 8


@pytest.fixture(scope="module")
def session(roomy_stand: Stand, request: pytest.FixtureRequest) -> Line:
    """Of the arm that is its parameter, on a gateway that has PPPoE."""
    return line_of(roomy_stand, request.param)


@of("session", SESSION)
@pytest.mark.parametrize(("direction", "family"), [("up", "ipv4"), ("down", "ipv6")])
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
@pytest.mark.parametrize(("direction", "family"), [("up", "ipv4"), ("down", "ipv6")])
def test_a_session_is_masqueraded(direction: Direction, family: Family, session: Line) -> None:
    load = replace(FEW, direction=direction, family=family)
    record = masqueraded(session.booted, HOME, load, 0.5)
    assert record.evidence.offload["entries"] >= FEW.flows


@pytest.mark.parametrize(
    ("path", "cut"),
    [
        ("route", "pppd plugin pppoe.so nic-{near}"),
        ("route", ""),
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
    given_back(session)


def test_cards_that_share_an_interrupt_are_told_by_its_level(roomy: Booted) -> None:
    """By edges one of them is not told, too rarely to wait for."""
    assert int(roomy.said(LEVELS)) == SHARED


@on("qemu-mips")
def test_they_are_told_so_after_a_reset_as_well(booted: Booted) -> None:
    booted.run(booted.lab.restart())
    assert int(booted.said(LEVELS)) == SHARED


def test_an_interrupt_that_the_emulator_lost_is_told_again(roomy: Booted) -> None:
    """The loss itself is too rare to wait for: what ends it ticks."""
    ticks = "grep ' 0:' /proc/interrupts | tr -s ' ' | cut -d ' ' -f 3"
    before = int(roomy.said(ticks))
    roomy.said("sleep 2")
    assert int(roomy.said(ticks)) - before >= 30


def _counted(booted: Booted) -> dict[str, int]:
    """Of the device that the session is."""
    words = booted.said(COUNTERS).split()
    return dict(zip(("mtu", "received", "sent"), map(int, words), strict=True))


# A box that dials by itself, on a VLAN. Nobody answers, so the session has known numbers, and its
# device is brought up by hand.
DIALLED = """
modprobe -q pppoe
ip link add dial type dummy; ip link set dial up
ip link add link dial name dial.35 type vlan id 35; ip link set dial.35 up
pppd plugin pppoe.so nic-dial.35 pppoe-sess 1:02:00:00:00:00:77 noauth noipdefault \\
  lcp-restart 60 lcp-max-configure 100 nodetach < /dev/null > /dev/null 2>&1 &
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e /sys/class/net/ppp0 ] && break; sleep 1; done
ip link set ppp0 up; ip route add default dev ppp0
"""
HUNG_UP = """
kill -KILL $(pidof pppd); for _ in 1 2 3 4 5; do pidof pppd > /dev/null || break; sleep 0.2; done
ip link del dial.35; ip link del dial
"""


def test_a_default_route_by_pppd_leads_to_the_vlan_below(roomy: Booted) -> None:
    roomy.said(DIALLED)
    try:
        shown = roomy.run(look(roomy.lab.gateway.node))
    finally:
        roomy.said(HUNG_UP)
    assert (shown.default, shown.dialled) == ("dial.35", frozenset(("dial.35",)))
    assert shown.outlets(shown.default) == (Outlet("dial", 35),)
