# SPDX-License-Identifier: Apache-2.0
"""Bridges that flood and that listen, a querier that stops, a proxy that forgets: each is seen."""

import sys
from typing import Any, Final

import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.plan.load import load
from gatemark.plan.model import Arm, Command, Plan, Repeat, Workload
from gatemark.store.record import Record
from gatemark.tell.fact import say
from lab.planted import bare, measure

# A router that asks for members each second, forwards all groups, and forgets the second one when
# it is sent a signal: linux/mroute.h (MRT_INIT 200, MRT_ADD_VIF 202, ADD_MFC 204, DEL_MFC 205).
FORGETS: Final = """
import fcntl, signal, socket, struct, sys, time
IP = socket.IPPROTO_IP
router = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_IGMP)
router.setsockopt(IP, 200, 1)
aton = socket.inet_aton
def own(device):
    return fcntl.ioctl(router, 0x8915, device.encode().ljust(40, b"\\0"))[20:24]
for vif, device in enumerate(sys.argv[1:3]):
    router.setsockopt(IP, 202, struct.pack("HBBI4s4s", vif, 0, 1, 0, own(device), bytes(4)))
wan, lan = map(own, sys.argv[1:3])
def group(number):
    return aton(f"239.192.7.{7 + number}")
def route(word, number):
    to = bytes([0, 1] + [0] * 30)
    source = aton(sys.argv[3])
    entry = struct.pack("4s4sH32sIIIi", source, group(number), 0, to, 0, 0, 0, 0)
    router.setsockopt(IP, word, entry)
for number in range(4):
    router.setsockopt(IP, socket.IP_ADD_MEMBERSHIP, group(number) + wan)
    route(204, number)
router.setsockopt(IP, socket.IP_MULTICAST_IF, lan)
def forget(*_):
    route(205, 1)
    router.setsockopt(IP, socket.IP_DROP_MEMBERSHIP, group(1) + wan)
signal.signal(signal.SIGUSR1, forget)
while True:
    router.sendto(bytes.fromhex("110aeef500000000"), ("224.0.0.1", 0))
    time.sleep(1)
"""
FORGETFUL: Final = f"""
cat > forgets.py <<'END'
{FORGETS}
END
{sys.executable} forgets.py $PORT $LAN 198.19.1.2 &
sleep 1
at 3
kill -USR1 $!
over"""


def plan(name: str, arm: str, **changes: Any) -> Plan:
    """The plan that is shipped, with one of its arms, at its first point."""
    _, (shipped,) = load(f"multicast/{name}")
    arms = tuple(each for each in shipped.arm if each.name == arm)
    planned = bare(replace(shipped, arm=arms, repeat=Repeat(times=1)))
    return replace(planned, **changes) if changes else planned


def test_a_bridge_that_floods_sends_to_others_too() -> None:
    _, (record,) = measure(plan("bridge", "floods", sweep={}))
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["flooded_share"] > 0.9
    assert "join_ns" not in record.values


@pytest.fixture(scope="module", name="listens")
def _listens() -> dict[str, tuple[Judgement, Record]]:
    """A bridge that listens, by IGMP and by MLD."""
    judgement, records = measure(plan("bridge", "listens"))
    return {record.definition.family: (judgement, record) for record in records}


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_a_bridge_that_listens_sends_to_members_alone(
    listens: dict[str, tuple[Judgement, Record]], family: str
) -> None:
    judgement, record = listens[family]
    assert (record.status, record.reason) == ("ok", "")
    assert record.values["flooded_share"] == 0
    assert record.values["forwarded_share"] > 0.9
    assert record.values["join_ns"] < record.values["leave_ns"]
    assert judgement.points[0].definition.quantity == "multicast"
    assert judgement.diagnoses == ()


@pytest.mark.long
def test_a_querier_that_stops_is_named() -> None:
    judgement, _ = measure(plan("lasting", "querier stops"))
    (finding,) = (named for each in judgement.diagnoses for named in each.wrong)
    assert finding.shape == "group"
    assert finding.fact.code == "group.querier"


@pytest.mark.long
def test_a_proxy_that_forgets_a_group_is_named() -> None:
    forgetful = Arm(path="route", name="forgets", features=("command:forgets",))
    load_ = Workload(kind="multicast", direction="down", rate_pps=400, duration_s=10, groups=4)
    planned = replace(
        plan("groups", "proxy", sweep={}),
        arm=(forgetful,),
        workload=load_,
        command={"forgets": Command(run=FORGETFUL)},
    )
    judgement, (record,) = measure(planned)
    assert (record.status, record.reason) == ("ok", "")
    assert (record.values["group_never"], record.values["group_stopped"]) == (0, 0.25)
    (finding,) = (named for each in judgement.diagnoses for named in each.wrong)
    assert finding.fact.code == "group.forgotten"
    assert "25 % of the groups stop" in say.words(finding.fact)


@pytest.mark.long
def test_a_router_without_a_proxy_never_brings_a_group() -> None:
    planned = replace(plan("proxy", "route"), arm=(Arm(path="route", name="route"),))
    judgement, _ = measure(planned)
    (finding,) = (named for each in judgement.diagnoses for named in each.wrong)
    assert finding.fact.code == "group.never"
