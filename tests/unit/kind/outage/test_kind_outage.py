# SPDX-License-Identifier: Apache-2.0
"""Outages: gaps and deaths of planted streams, and what is said of them."""

from hypothesis import given
from hypothesis import strategies as st
from judge.conftest import Trial, run
from msgspec.structs import replace

from gatemark.judge.judge import judge
from gatemark.kind.outage.load import Played
from gatemark.kind.outage.plan import KIND, OUTAGE
from gatemark.kind.outage.result import values
from gatemark.kind.outage.stream import Stream
from gatemark.plan.kind import faults
from gatemark.plan.model import Arm, Command, Workload
from gatemark.store.record import Action, Definition, ProgramReading, Record
from gatemark.tell.fact.say import words
from gatemark.tell.sentence.answer import answer
from gatemark.workload import packet
from gatemark.workload.hand import parsed

MS = 1_000_000
END_NS = 4000 * MS


def stream(at: int = 0, lost: range = range(0)) -> Stream:
    """200 packets, one each 20 ms."""
    sent = [(each + 1) * 20 * MS for each in range(199)]
    return Stream(at, sent, {*range(199)} - {*lost})


def played(**lost: range) -> Played:
    names = ("call_up", "call_down", "busy_up", "busy_down", "new")
    streams = [stream(at, lost.get(name, range(0))) for at, name in enumerate(names)]
    return Played(streams, is_idle_alive=True, end_ns=END_NS)


def record(of: Played, arm: str = "reload") -> Record:
    definition = Definition(path="nat", quantity=OUTAGE)
    return replace(Trial().record(), arm=arm, definition=definition, values=values(of))


def test_a_gap_is_from_the_first_lost_to_the_next_that_came() -> None:
    assert stream().gap_ns(END_NS) == 0
    assert stream(lost=range(50, 110)).gap_ns(END_NS) == 1200 * MS
    assert stream(lost=range(10)).gap_ns(END_NS) == 200 * MS


def test_what_does_not_come_back_is_dead() -> None:
    assert not stream(lost=range(50, 110)).has_died(END_NS)
    assert stream(lost=range(50, 199)).has_died(END_NS)


def test_each_flow_has_its_own_gap() -> None:
    seen = values(played(call_down=range(50, 110), busy_up=range(100, 199)))
    assert seen["outage_call_down_ns"] == 1200 * MS
    assert (seen["outage_call_up_ns"], seen["outage_call_died"]) == (0, 0)
    assert (seen["outage_busy_died"], seen["outage_idle_died"]) == (1, 0)
    assert seen["outage_kept"] == 1 - 159 / 995


def test_the_sentence_names_what_stops_and_what_dies() -> None:
    stops = played(call_up=range(50, 110), busy_up=range(100, 199))
    trials = [record(played(), "nothing"), record(stops)]
    text = answer(run(trials), trials, judge(run(trials), trials))
    assert "Reload: a call stops for 1.20 s, busy TCP dies" in text
    assert "nothing stops: nothing" in text


def test_a_number_is_read_behind_nat() -> None:
    frame = packet.udp(
        ("02:00:00:00:00:01", "02:00:00:00:00:02"),
        ("198.19.1.1", 1234),
        ("198.19.1.253", 4000),
        packet.mark(3_000_007),
    )
    seen = parsed(frame, 0)
    assert seen is not None
    assert (seen.number, seen.source) == (3_000_007, ("198.19.1.1", 1234))


@given(st.binary(max_size=90))
def test_no_frame_is_a_fault(data: bytes) -> None:
    parsed(bytes(12) + b"\x08\x00\x45" + data, 0)


def test_it_is_of_routers() -> None:
    assert KIND.misfit(Arm(path="switch"), Workload(kind="outage"))
    assert [*faults(Workload(kind="outage", duration_s=5, direction="down"))]
    assert not [*faults(Workload(kind="outage", duration_s=5))]


def test_what_dies_now_and_then_is_named() -> None:
    trials = [record(played()) for _ in range(2)] + [record(played(busy_up=range(100, 199)))]
    text = answer(run(trials), trials, judge(run(trials), trials))
    assert "busy TCP dies in 1 of 3" in text


def test_new_flows_that_do_not_come_back_are_named() -> None:
    trials = [record(played(new=range(100, 199)))]
    text = answer(run(trials), trials, judge(run(trials), trials))
    assert "new flows do not come back" in text


def test_a_host_that_is_asked_for_by_arp_answers_and_no_other() -> None:
    asked = (
        "ffffffffffff 020000000009 0806 0001 0800 06 04 0001 020000000009 c6130101"
        "000000000000 c61301fc"  # who has 198.19.1.252? tell 198.19.1.1
    )
    frame = bytes.fromhex(asked.replace(" ", ""))
    answer_ = packet.arp_answer(frame + bytes(18), "02:00:00:00:00:01", {"198.19.1.252"})
    assert answer_ == bytes.fromhex(
        "020000000009 020000000001 0806 0001 0800 06 04 0002 020000000001 c61301fc"
        "020000000009 c6130101"
    )
    assert packet.arp_answer(frame, "02:00:00:00:00:01", {"198.19.1.251"}) == b""


def test_a_command_that_waits_for_the_traffic_is_known() -> None:
    assert Command(run="needs fw4\nat 2\nfw4 reload\nover").waits
    assert not Command(run="cat /tmp/at 2; sleep 3").waits


def test_an_action_that_was_not_over_is_a_warning() -> None:
    def trial(action: Action) -> Record:
        reading = ProgramReading(
            program="command:reload", command="", cpu=0, cpu_user=0, cpu_system=0,
            memory_bytes=0, processes=1, ended="term", exit_code=143, action=action,
        )  # fmt: skip
        made = record(played())
        return replace(made, evidence=replace(made.evidence, programs=(reading,)))

    trials = [trial("over"), trial("begun")]
    (point,) = judge(run(trials), trials).points
    (late,) = [each for each in point.warnings if each.code == "action-late"]
    assert words(late.seen) == "command:reload was not done with its action in 1 of 2 trials."
    text = answer(run(trials), trials, judge(run(trials), trials))
    assert "Not seen to its end: reload" in text
    assert "othing stops" not in text


def test_a_lost_packet_is_no_stop() -> None:
    trials = [record(played(busy_up=range(100, 101)))]
    text = answer(run(trials), trials, judge(run(trials), trials))
    assert text.startswith("Nothing stops: reload.")
