# SPDX-License-Identifier: Apache-2.0
"""ECN: what planted gateways do to the bits, and what is said of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.kind.ecn.load import ASKS, CE, CODEPOINTS, ECT0, NOT_ECT, Played, parsed
from gatemark.kind.ecn.plan import ECN, KIND
from gatemark.kind.ecn.result import values
from gatemark.plan.model import Arm, Workload
from gatemark.store.record import Definition, Record
from gatemark.tell.sentence.answer import answer
from gatemark.workload import packet

MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")


def played(way: dict[int, int], flags: int | None = ASKS) -> Played:
    """Ten packets of each codepoint; a gateway has those on the left come as those on the right."""
    sent = {at: at % 4 for at in range(40)}
    return Played(sent, {at: way.get(each, each) for at, each in sent.items()}, flags)


def said(of: Played) -> str:
    definition = Definition(path="nat", quantity=ECN, direction="up")
    record: Record = replace(Trial().record(), definition=definition, values=values(of))
    made = run([record])
    return answer(made, [record], judge(made, [record]))


def test_bits_that_are_kept_are_no_fault() -> None:
    assert values(played({}))["ecn_kept"] == 1
    assert said(played({})).startswith("The bits of ECN come as they may.")


def test_a_gateway_that_bleaches_is_named() -> None:
    seen = values(played({1: 0, 2: 0, 3: 0}))
    assert (seen["ecn_bleached"], seen["ecn_kept"]) == (1, 0.25)
    assert "bleaches 100 % of the packets that can be marked" in said(played({1: 0, 2: 0, 3: 0}))
    assert "takes the mark" not in said(played({1: 0, 2: 0, 3: 0}))


def test_marks_that_are_taken_away_are_named() -> None:
    assert values(played({CE: ECT0}))["ecn_hidden"] == 1
    assert "takes the mark off 100 % of the marked packets" in said(played({CE: ECT0}))


def test_packets_that_become_capable_are_named() -> None:
    assert "makes 100 % of the packets capable" in said(played({NOT_ECT: ECT0}))


def test_a_queue_that_marks_is_no_fault() -> None:
    assert values(played({1: 3, 2: 3}))["ecn_kept"] == 1
    assert "marks 100 % of the capable packets" in said(played({1: 3, 2: 3}))


def test_flags_that_are_taken_out_of_tcp_are_named() -> None:
    assert "takes ECN's flags out" in said(played({}, flags=2))
    assert "ecn_opened" not in values(played({}, flags=None))


def test_nothing_that_came_is_nothing_kept() -> None:
    assert values(Played({0: 0}, {}))["ecn_kept"] == 0


@pytest.mark.parametrize(("source", "sink"), [("192.0.2.1", "192.0.2.2"), ("fd00::1", "fd00::2")])
@given(tos=st.integers(0, 255))
def test_a_class_is_read_as_it_was_written(source: str, sink: str, tos: int) -> None:
    frame = packet.udp(MACS, (source, 1), (sink, 2), packet.payload(7, 32))
    marked = packet.with_class(frame, tos)
    assert packet.class_of(marked) == tos
    assert packet.with_class(marked, packet.class_of(frame)) == frame
    seen = parsed(marked, 5)
    assert seen is not None
    assert (seen.ecn, seen.number, seen.source) == (tos & 3, 7, (source, 1))
    if "." in source:
        assert packet.checksum(marked[14:34]) == 0


def test_what_a_plan_may_say() -> None:
    assert KIND.misfit(Arm(path="switch"), Workload(kind="ecn"))
    assert not KIND.misfit(Arm(path="direct"), Workload(kind="ecn"))
    assert [*KIND.faults(Workload(kind="ecn", direction="both"))]
    assert [*KIND.faults(Workload(kind="ecn", rate_pps=1e6))]
    assert not [*KIND.faults(Workload(kind="ecn"))]
    assert len(CODEPOINTS) == 4
