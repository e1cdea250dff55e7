# SPDX-License-Identifier: Apache-2.0
"""A cause is named where its counter rose by more than chance, and nowhere else."""

from collections.abc import Sequence

import builder
import pytest
from msgspec.structs import replace

from gatemark.judge.cause.find import named
from gatemark.judge.cause.table import CAUSES, Cause
from gatemark.judge.fact import Fact
from gatemark.judge.finding import COUNTED, Diagnosis, Finding, Shape
from gatemark.judge.subject import Subject
from gatemark.store.drops import Drops
from gatemark.store.record import Definition, Part, Record
from gatemark.tell.fact import say
from gatemark.tell.fact.counter import COUNTERS
from gatemark.tell.sentence.answer import answered
from gatemark.tell.words.shape import NAMES

from .trial import SENT, UDP, trial
from .uncaused import NO_CAUSE

TCP = Definition(path="route", l4="tcp", quantity="goodput", duration_s=2.0)
BLACK_HOLE = {
    "ip.FragFails": 14,
    "ip.OutDiscards": 14,
    "icmp.Icmp.OutDestUnreachs": 14,
}
NO_GOODPUT = {"goodput_bps": 0.0, "mss_bytes": 1448.0, "retransmits": 3.0}
PPPOE = {"LAN port": 1500, "WAN port": 1492}
CASES = [
    pytest.param(cause, counter, id=f"{cause.shape}-{counter}")
    for cause in CAUSES
    for counter in cause.counters
]


def findings(*records: Record) -> Sequence[Finding]:
    return [finding for diagnosis in named((), records) for finding in diagnosis.findings]


def shapes(*records: Record) -> list[str]:
    return [finding.shape for finding in findings(*records)]


def rose(cause: Cause, counter: str, packets: int) -> dict[str, int]:
    """The counter, and what the cause needs besides."""
    return {counter: packets} | dict.fromkeys(cause.needs[:1], 1)


@pytest.mark.parametrize(("cause", "counter"), CASES)
def test_each_counter_of_the_table_names_its_cause(cause: Cause, counter: str) -> None:
    (finding,) = findings(trial(rose(cause, counter, SENT // 4), lost=SENT // 4))
    assert finding.shape == cause.shape
    assert "{" not in say.words(finding.fact) + say.clause(finding.fact)
    assert COUNTERS[cause.code or cause.shape][-1] in say.words(finding.fact)


@pytest.mark.parametrize(("cause", "counter"), CASES)
def test_a_few_packets_are_no_cause(cause: Cause, counter: str) -> None:
    assert shapes(trial(rose(cause, counter, 5), lost=5)) == []
    few = replace(trial(), accounting=builder.accounting(1_000_000, 100))
    rises = trial(rose(cause, counter, 100), values={"mark_changed": 0.0})
    assert shapes(replace(rises, accounting=few.accounting)) == []


@pytest.mark.parametrize("counter", NO_CAUSE)
def test_a_counter_that_is_no_cause_names_nothing(counter: str) -> None:
    assert shapes(trial({counter: SENT // 2})) == []


def test_a_run_without_a_fault_names_nothing() -> None:
    assert named((), builder.trials()) == ()


# As public reports have them (docs/measured.md).
@pytest.mark.parametrize(
    ("rises", "shape", "words"),
    [
        ({'netfilter.nft rule "ct state invalid drop"': 500}, "invalid", "no connection that"),
        ({'netfilter.iptables rule "-m conntrack --ctstate INVALID -j DROP"': 500}, "invalid", ""),
        ({"port in.rx_dropped": 500}, "not-taken", "a protocol or a VLAN tag"),
        ({"socket.Udp.MemErrors": 500}, "socket-buffer", "udp_mem"),
        ({"event.Udp.SndbufErrors": 500}, "send-buffer", "could not send 500 packets"),
        ({"ip.XfrmInNoStates": 500}, "ipsec", "IPsec dropped 500 packets (5.0 %)"),
    ],
)
def test_counters_of_public_reports_have_the_words(
    rises: dict[str, int], shape: str, words: str
) -> None:
    (finding,) = findings(trial(rises, lost=500))
    assert finding.shape == shape
    assert words in say.words(finding.fact)


def test_a_rule_is_told_beside_what_is_of_no_connection() -> None:
    rules = {
        'netfilter.nft rule "ct state invalid drop"': 900,
        'netfilter.nft rule "udp drop"': 500,
    }
    invalid, rule = findings(trial(rules, lost=1_400))
    assert (invalid.shape, rule.shape) == ("invalid", "rule")
    assert "500 packets" in say.words(rule.fact)
    assert "udp drop" in say.words(rule.fact)


def test_marks_that_changed_are_told_with_the_mark_that_was_sent() -> None:
    marked = replace(UDP, dscp=46)
    (finding,) = findings(trial({"record.mark_changed": SENT}, definition=marked))
    assert say.words(finding.fact).startswith("All packets came with another mark than 46.")
    assert say.clause(finding.fact) == "gives all packets another mark than 46"


def test_marks_that_the_plan_sets_are_no_fault() -> None:
    asked = replace(UDP, dscp=46, features=("dscp:0",))
    assert shapes(trial({"record.mark_changed": SENT}, definition=asked)) == []


def test_marks_of_a_workload_beside_are_told() -> None:
    call = Part(definition=replace(UDP, dscp=46), accounting=builder.accounting(SENT, 0))
    values = {"mark_changed": 0.0, "call.mark_changed": float(SENT)}
    (finding,) = findings(trial(values=values, parts={"call": call}))
    assert say.words(finding.fact).startswith(
        "50 % of the packets came with another mark than the one"
    )


def test_a_black_hole_of_the_mtu_is_told_with_both_sizes() -> None:
    record = trial(BLACK_HOLE, definition=TCP, accounting=None, values=NO_GOODPUT, mtu=PPPOE)
    (finding,) = findings(record)
    assert say.words(finding.fact).startswith(
        "Segments of 1 500 bytes do not pass: the gateway's WAN port takes 1 492 and its ICMP does "
        "not arrive. Clamp the MSS (feature `mss`)"
    )


def test_a_sender_that_learnt_the_mtu_is_no_fault() -> None:
    learnt = {"goodput_bps": 1e6, "mss_bytes": 1440.0, "retransmits": 10.0}
    record = trial(BLACK_HOLE, definition=TCP, accounting=None, values=learnt, mtu=PPPOE)
    assert shapes(record) == []


def test_a_limit_of_length_is_told_once() -> None:
    sized = Finding(
        shape="some-sizes", fact=Fact(""), values={"frame_bytes": 1510, "beyond_bytes": 1511}
    )
    record = trial({"ip.FragFails": SENT}, lost=SENT)
    diagnosis = Diagnosis(subject=Subject.of(record), direction="up", findings=(sized,))
    assert [each.findings for each in named((diagnosis,), [record])] == [(sized,)]


@pytest.mark.parametrize("shape", ["shaper", "policer"])
def test_a_limit_of_rate_is_told_once(shape: Shape) -> None:
    limit = Finding(shape=shape, fact=Fact(""), values={"share": 0.5})
    record = trial({"qdisc.pfifo": SENT // 2}, lost=SENT // 2)
    assert shapes(record) == ["queue"]
    diagnosis = Diagnosis(subject=Subject.of(record), direction="up", findings=(limit,))
    assert [each.findings for each in named((diagnosis,), [record])] == [(limit,)]


def test_a_full_table_is_told_though_nothing_is_lost() -> None:
    (finding,) = findings(trial({"event.conntrack early_drop": 4_533}))
    assert say.words(finding.fact).startswith(
        "The connection table is full: 4 533 entries were thrown out for new ones, so their "
        "answers do not come back."
    )


def test_a_table_that_refuses_beside_what_it_evicts_is_told_of_its_buckets() -> None:
    rises = {"event.conntrack early_drop": 4_000, "netfilter.conntrack drop": 600}
    (finding,) = findings(trial(rises, lost=600))
    assert say.words(finding.fact).startswith(
        "Connection tracking dropped 600 packets (6.0 %), though"
    )
    assert "nf_conntrack_buckets" in say.words(finding.fact)


def test_a_table_that_evicts_nothing_is_told_of_its_room_alone() -> None:
    (finding,) = findings(trial({"netfilter.conntrack drop": 600}, lost=600))
    assert say.words(finding.fact).endswith("(feature `conntrack-max:N`) gives it more room.")
    assert "buckets" not in say.words(finding.fact)


def test_a_table_that_one_pass_read_alone_is_told() -> None:
    outside = [trial(repeat=repeat) for repeat in range(1, 7)]
    assert shapes(*outside, trial({"record.conntrack.early_drop": 2_000}, pass_="instrumented"))  # noqa: S106


def test_an_explained_loss_is_no_longer_without_explanation() -> None:
    lost = Finding(shape="unexplained", fact=Fact(""), values={"share": 0.5})
    record = trial({"ip.IPReversePathFilter": SENT // 2}, lost=SENT // 2)
    before = Diagnosis(subject=Subject.of(record), direction="up", findings=(lost,))
    (after,) = named((before,), [record])
    assert [finding.shape for finding in after.findings] == ["reverse-path"]


def test_no_other_diagnosis_of_an_arm_is_left_out() -> None:
    shares = [trial({"ip.InDiscards": 500}, point={"share": share}) for share in (0.5, 0.9)]
    each = [Diagnosis(subject=Subject.of(at), direction="up", findings=()) for at in shares]
    assert [len(own.findings) for own in named(each, shares)] == [1, 0]


def test_what_a_counter_has_whole_is_told_by_it_alone() -> None:
    first = Finding(shape="nothing", fact=Fact(""), values={"share": 1.0})
    record = trial({"ip.FragFails": SENT}, lost=SENT)
    before = Diagnosis(subject=Subject.of(record), direction="up", findings=(first,))
    (after,) = named((before,), [record])
    assert [finding.shape for finding in after.findings] == ["too-large"]


@pytest.mark.parametrize("shape", ["some-flows", "policer"])
def test_which_packets_a_rule_drops_and_which_rule_are_one_fault(shape: Shape) -> None:
    own = Finding(shape=shape, fact=Fact("nothing.sent"))
    record = trial({"netfilter.nft rule x": 1_250}, lost=1_250)
    before = Diagnosis(subject=Subject.of(record), direction="up", findings=(own,))
    (after,) = named((before,), [record])
    (finding,) = after.findings
    assert say.words(finding.fact).startswith("what is sent A rule dropped 1 250 packets")


@pytest.mark.parametrize(
    ("shape", "values", "counter", "is_same"),
    [
        ("constant-share", {"share": 0.1}, "ip.InCsumErrors", True),
        ("constant-share", {"share": 0.2}, "ip.InCsumErrors", False),
        ("stalls", {"share": 0.12}, "ip.InAddrErrors", True),
        ("stalls", {"share": 0.3}, "netfilter.nft rule x", False),
        ("some-flows", {"share": 1.0, "flows": 6, "of_flows": 64}, "ip.IPReversePathFilter", True),
        ("corruption", {"share": 0.1}, "ip.IPReversePathFilter", False),
    ],
)
def test_a_share_that_a_counter_has_is_one_fault(
    shape: Shape, values: dict[str, float], counter: str, is_same: bool
) -> None:
    which = Finding(shape=shape, fact=Fact(""), values=values)
    record = trial({counter: SENT // 10}, lost=SENT // 10)
    before = Diagnosis(subject=Subject.of(record), direction="up", findings=(which,))
    (after,) = named((before,), [record])
    assert len(after.findings) == 2 - is_same


def test_who_does_not_forward_has_no_route_besides() -> None:
    rises = {"ip.InAddrErrors": 500, "ip.in_no_route": 500}
    assert shapes(trial(rises, lost=500)) == ["not-forwarding"]


def test_flows_without_a_port_are_one_fault() -> None:
    all_of = Fact("flows.all-others", {"many": 24, "flows": 64})
    flows = Finding(shape="some-flows", fact=all_of)
    nat = replace(UDP, path="nat")
    record = trial({"netfilter.conntrack insert_failed": 3_800}, definition=nat, lost=3_800)
    before = Diagnosis(subject=Subject.of(record), direction="up", findings=(flows,))
    (after,) = named((before,), [record])
    (finding,) = after.findings
    assert (
        say.clause(finding.fact)
        == "loses all of 24 of 64 flows, others each time: NAT has no port left"
    )
    assert "(insert_failed 3 800)" in say.words(finding.fact)


@pytest.mark.parametrize("cause", [cause for cause in CAUSES if cause.by_load], ids=str)
def test_what_overload_or_a_shaper_drops_is_no_fault(cause: Cause) -> None:
    rises = {cause.counters[0]: SENT // 4}
    shaped = replace(UDP, features=("shape:cake:10",))
    lined = replace(UDP, line="15 Mbit/s, 50 packets")
    burst = replace(UDP, packets=100)
    assert shapes(trial(rises, busy=0.99)) == []
    assert [shapes(trial(rises, definition=own)) for own in (shaped, lined, burst)] == [[], [], []]


def test_what_tcp_drops_to_find_its_rate_is_no_fault() -> None:
    found = {"goodput_bps": 1e8, "mss_bytes": 1448.0, "retransmits": 200.0}
    record = trial({"qdisc.fq_codel": 300}, definition=TCP, accounting=None, values=found)
    assert shapes(record) == []


def test_one_disturbed_trial_of_six_is_no_cause() -> None:
    rest = [trial(repeat=repeat) for repeat in range(2, 7)]
    assert shapes(trial({"neighbour.unresolved_discards": 500}, lost=500), *rest) == []


def test_a_cause_at_one_rate_is_told_once() -> None:
    rates = [trial({"ip.InDiscards": at}, point={"rate_pps": at}) for at in (2_000, 20, 0)]
    assert shapes(*rates) == ["discards"]


def test_a_step_of_a_search_is_a_trial_like_any() -> None:
    step = trial({"ip.OutNoRoutes": SENT}, lost=SENT, pass_="search", point={"rate_pps": 1_000})  # noqa: S106
    assert shapes(step) == ["no-route"]


@pytest.mark.parametrize("quantity", ["burst", "reset time", "concurrent flows"])
def test_what_a_plan_looks_for_is_no_fault(quantity: str) -> None:
    record = trial({"event.conntrack early_drop": SENT}, definition=replace(UDP, quantity=quantity))
    assert shapes(record) == []


def test_what_a_box_drops_at_rest_is_no_cause() -> None:
    busy = trial({"socket.Udp.NoPorts": 40})
    drops = Drops(
        causes=busy.evidence.drops.causes if busy.evidence.drops else (),
        background_pps=20.0,
        lasts_s=2.0,
    )
    assert shapes(replace(busy, evidence=replace(busy.evidence, drops=drops))) == []


@pytest.mark.parametrize(("quantity", "told"), [("responsiveness", ["no-route"]), ("page", [])])
def test_what_an_application_asks_for_besides_is_no_fault(quantity: str, told: list[str]) -> None:
    own = Definition(path="route", quantity=quantity, duration_s=2.0)
    record = trial({"ip.OutNoRoutes": 500}, definition=own, accounting=None)
    assert shapes(record) == told


def test_without_a_number_of_packets_a_cause_takes_many() -> None:
    own = Definition(path="route", l4="tcp", quantity="responsiveness", duration_s=2.0)
    many, few = ({"netfilter.nft rule *": count} for count in (150, 50))
    assert shapes(trial({"qdisc.fq_codel": 150}, definition=own, accounting=None)) == []
    (finding,) = findings(trial(many, definition=own, accounting=None))
    assert say.clause(finding.fact) == "drops 150 packets by a rule"
    assert shapes(trial(few, definition=own, accounting=None)) == []


def test_the_tester_alone_has_no_cause() -> None:
    assert shapes(trial({"ip.InDiscards": SENT}, definition=replace(UDP, path="direct"))) == []


def test_goodput_that_a_counter_explains_has_its_name_as_bottleneck() -> None:
    record = trial(BLACK_HOLE, definition=TCP, accounting=None, values=NO_GOODPUT, mtu=PPPOE)
    (point,) = answered(builder.run(), [record]).points
    assert point.limit == "too-large"


def test_a_single_trial_is_told_with_what_its_counters_name() -> None:
    record = trial(BLACK_HOLE, definition=TCP, accounting=None, values=NO_GOODPUT, mtu=PPPOE)
    judged = answered(builder.run(), [record])
    assert judged.sentence.endswith("But route lets no segments of 1 500 bytes through.")


def test_every_cause_is_counted_and_has_a_name() -> None:
    assert {cause.shape for cause in CAUSES} == set(COUNTED)
    assert set(COUNTED) <= NAMES.keys()
    assert {cause.code or cause.shape for cause in CAUSES} == COUNTERS.keys()
