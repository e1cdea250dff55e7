# SPDX-License-Identifier: Apache-2.0
"""Each planted cause is named as the limit, also beside a saturated CPU."""

from dataclasses import replace

import msgspec
import pytest

from gatemark.judge.fact import Fact
from gatemark.judge.judgement import Limit
from gatemark.judge.point import facts
from gatemark.judge.point.facts import gather
from gatemark.judge.point.group import group
from gatemark.judge.point.limit import Verdict, decide
from gatemark.store.record import CpuReading, Definition, Evidence, Record
from gatemark.tell.fact import say

from ..conftest import Trial, trials

FULL = Trial(offered=60_000, received=30_000, refused=30_000, busy=0.998)  # a saturated CPU
WATCHED = Evidence(conntrack={"drop": 0, "insert_failed": 0}, qdisc={"gw1": {"drops": 0}})


def verdict(
    trial: Trial, instrumented: Evidence | None = None, ceiling: float | None = None
) -> Verdict:
    return decide(gather(trials(trial, instrumented=instrumented), ceiling))


def limit(
    trial: Trial, instrumented: Evidence | None = None, ceiling: float | None = None
) -> Limit:
    return verdict(trial, instrumented, ceiling).limit


def table_full(drop: int = 0, insert_failed: int = 0) -> Evidence:
    return Evidence(conntrack={"drop": drop, "insert_failed": insert_failed})


def shaped(drops: int, overlimits: int = 1000) -> Evidence:
    return Evidence(qdisc={"gw1": {"drops": drops, "overlimits": overlimits}})


def with_threads(trial: Trial, *cpu: CpuReading, carrier: CpuReading | None = None) -> Record:
    evidence = Evidence(schedule_ratio=1.0, cpu=cpu, carrier=carrier)
    return msgspec.structs.replace(trial.record(), evidence=evidence)


def test_nothing_limits_what_came_through() -> None:
    assert limit(Trial(20_000)) == "none"


def test_loss_below_the_criterion_is_nothing() -> None:
    assert limit(Trial(20_000, 19_990)) == "none"


def test_loss_above_the_criterion_with_an_idle_cpu_is_unknown() -> None:
    assert limit(Trial(20_000, 19_900), WATCHED) == "unknown"


def test_saturated_thread_is_the_cpu() -> None:
    assert limit(FULL, WATCHED) == "cpu"


def test_frames_refused_at_the_test_port_are_not_the_testers() -> None:
    assert limit(replace(FULL, busy=0.93)) == "cpu"


def test_loss_without_a_full_queue_needs_a_saturated_cpu() -> None:
    assert limit(replace(FULL, busy=0.93, refused=0)) == "unknown"


def test_two_threads_that_share_a_cpu_saturate_it_together() -> None:
    threads = [CpuReading(thread=f"napi/gw{i}", cpu=1, busy=0.495) for i in (0, 1)]
    (point,) = group([with_threads(FULL, *threads)])
    assert decide(gather(point, None)).limit == "cpu"


def test_two_threads_on_two_half_idle_cpus_are_no_limit() -> None:
    threads = [CpuReading(thread=f"napi/gw{i}", cpu=i, busy=0.495) for i in (0, 1)]
    (point,) = group([with_threads(FULL, *threads)])
    assert decide(gather(point, None)).limit == "unknown"


def anywhere(busy: float, waiting: float, number: int = 0) -> CpuReading:
    """A thread that is bound to no CPU."""
    return CpuReading(thread=f"napi/gw{number}", cpu=None, busy=busy, waiting=waiting)


@pytest.mark.parametrize(
    ("threads", "expected"),
    [
        ([anywhere(0.99, 0.0)], "cpu"),
        ([anywhere(0.5, 0.4)], "tester"),
        ([anywhere(0.5, 0.01)], "unknown"),
        ([anywhere(0.5, 0.0), anywhere(0.5, 0.0, 1)], "unknown"),
    ],
)
def test_a_thread_without_a_cpu_of_its_own_counts_alone_and_may_be_kept_waiting(
    threads: list[CpuReading], expected: Limit
) -> None:
    (point,) = group([with_threads(FULL, *threads)])
    assert decide(gather(point, None)).limit == expected


def test_waiting_does_not_limit_what_came_through() -> None:
    (point,) = group([with_threads(Trial(20_000), anywhere(0.5, 0.4))])
    assert decide(gather(point, None)).limit == "none"


def test_a_thread_that_has_its_cpu_is_not_kept_waiting() -> None:
    mine = CpuReading(thread="napi/gw0", cpu=1, busy=0.5, waiting=0.4)
    (point,) = group([with_threads(FULL, mine)])
    assert decide(gather(point, None)).limit == "unknown"


@pytest.mark.parametrize(
    ("busy", "waiting", "limit"), [(0.5, 0.48, "tester"), (0.5, 0.1, "unknown")]
)
def test_a_virtual_machine_gets_no_more_than_its_cards_are_carried(
    busy: float, waiting: float, limit: Limit
) -> None:
    carrier = CpuReading(thread="emulator", cpu=0, busy=busy, waiting=waiting)
    processor = CpuReading(thread="vcpu0", cpu=1, busy=0.7)
    (point,) = group([with_threads(FULL, processor, carrier=carrier)])
    assert decide(gather(point, None)).limit == limit


def test_missed_schedule_is_the_tester() -> None:
    assert limit(Trial(offered=40_000, scheduled=60_000)) == "tester"


def test_missed_schedule_is_not_blamed_for_what_the_gateway_lost() -> None:
    assert limit(replace(FULL, offered=58_000, received=30_000, scheduled=60_000)) == "cpu"


def test_missed_schedule_is_the_tester_where_the_gateway_shows_nothing() -> None:
    trial = Trial(offered=58_000, received=50_000, scheduled=60_000, busy=0.4)
    assert limit(trial) == "tester"


def test_unpaced_sender_without_loss_is_the_tester() -> None:
    assert limit(Trial(offered=300_000, scheduled=0)) == "tester"


def test_unpaced_sender_over_a_saturated_gateway_is_the_cpu() -> None:
    assert limit(replace(FULL, scheduled=0)) == "cpu"


def test_packets_lost_by_the_sink_are_the_testers() -> None:
    assert limit(replace(FULL, ring_dropped=600)) == "tester"


def test_one_packet_lost_by_the_sink_is_not_significant() -> None:
    assert limit(replace(FULL, ring_dropped=1)) == "cpu"


@pytest.mark.parametrize(("ceiling", "expected"), [(33_000, "tester"), (34_000, "cpu")])
def test_value_within_10_percent_of_the_ceiling_is_the_tester(
    ceiling: float, expected: Limit
) -> None:
    assert limit(FULL, ceiling=ceiling) == expected


def test_lossless_value_near_the_ceiling_is_the_tester() -> None:
    assert limit(Trial(20_000), ceiling=20_000) == "tester"


@pytest.mark.parametrize(
    "instrumented", [table_full(drop=30_000), table_full(insert_failed=30_000)]
)
def test_full_flow_table_is_named_though_the_cpu_is_idle(instrumented: Evidence) -> None:
    assert limit(replace(FULL, refused=0, busy=0.5), instrumented) == "flow-table"


def test_full_flow_table_is_named_though_the_cpu_is_saturated() -> None:
    assert limit(FULL, table_full(drop=16_000)) == "flow-table"


def test_few_failed_flows_do_not_explain_a_saturated_cpu() -> None:
    assert limit(FULL, table_full(insert_failed=300)) == "cpu"


def test_shaper_is_named_though_the_cpu_is_idle() -> None:
    assert limit(replace(FULL, refused=0, busy=0.5), shaped(30_000)) == "shaper"


def test_shaper_behind_a_saturated_cpu_is_the_narrower_stage() -> None:
    """CPU lets 30 000 of 60 000 through, of which the shaper drops a third."""
    assert limit(replace(FULL, received=20_000, refused=30_000), shaped(10_000)) == "shaper"


def test_queue_that_never_was_over_its_limit_is_no_shaper() -> None:
    assert limit(FULL, shaped(30_000, overlimits=0)) == "cpu"


def test_full_link_is_named() -> None:
    trial = replace(FULL, busy=0.4, refused=0, more=Evidence(link_bps=20_500_000))
    assert limit(trial) == "link"


@pytest.mark.parametrize(("goodput_mbit", "named"), [(941, "link"), (890, "unknown")])
def test_tcp_that_fills_a_link_is_told_by_its_goodput(goodput_mbit: int, named: str) -> None:
    """Of 1 460 bytes in frames of 1 538 on the wire."""
    made = msgspec.structs.replace(
        Trial().record(),
        definition=Definition(quantity="goodput", path="route", l4="tcp"),
        accounting=None,
        values={"goodput_bps": goodput_mbit * 1e6},
        point={},
        evidence=Evidence(link_bps=1_000_000_000),
    )
    (point,) = group([made])
    assert decide(gather(point, None)).limit == named


def test_what_carries_more_than_its_rate_has_no_such_link() -> None:
    """An emulated card says 1 Gbit/s, and carries what its processor makes."""
    trial = replace(FULL, busy=0.4, refused=0, more=Evidence(link_bps=10_250_000))
    assert limit(trial) == "unknown"


def test_memory_is_named_when_it_runs_out() -> None:
    memory = {"available_bytes": 400_000, "total_bytes": 32 << 20}
    assert limit(replace(FULL, busy=0.4, refused=0), Evidence(memory=memory)) == "memory"


def test_memory_that_lasts_is_no_limit() -> None:
    memory = {"available_bytes": 8 << 20, "total_bytes": 32 << 20}
    assert limit(replace(FULL, busy=0.4, refused=0), Evidence(memory=memory)) == "unknown"


def test_own_loss_criterion_is_kept() -> None:
    record = Trial(20_000, 19_990).record()
    strict = {
        name: getattr(record.definition, name) for name in record.definition.__struct_fields__
    }
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    definition = type(record.definition)(**(strict | {"loss_criterion": 0.0}))
    (point,) = group([Record(**(fields | {"definition": definition}))])
    assert decide(gather(point, None)).limit == "unknown"


def test_nothing_received_at_all_is_unknown() -> None:
    assert limit(Trial(20_000, 0.0, busy=0.0), WATCHED) == "unknown"


def test_point_without_a_valid_trial_is_unknown() -> None:
    assert verdict(Trial(status="invalid")) == Verdict("unknown", Fact("why.no-trial"))


def test_evidence_is_told_with_its_numbers() -> None:
    expected = "napi/gw0 busy 99.8 % of cpu 1; its queue refused the surplus"
    assert say.words(verdict(FULL).why) == expected


def boxed(busy: float) -> Record:
    """A trial of a box: its only CPU reading is its own."""
    record = replace(FULL, instrumented=True).record()
    own = CpuReading(thread="cpu0", cpu=0, busy=busy, waiting=0.0)
    return msgspec.structs.replace(record, evidence=Evidence(schedule_ratio=1.0, inside=(own,)))


@pytest.mark.parametrize(("busy", "limit"), [(0.96, "cpu"), (0.9, "unknown")])
def test_a_box_is_judged_by_the_load_that_it_reads_itself(busy: float, limit: Limit) -> None:
    outside = with_threads(replace(FULL, refused=0))
    (point,) = group([outside, msgspec.structs.replace(boxed(busy), accounting=outside.accounting)])
    found = decide(gather(point, None))
    assert found.limit == limit
    assert limit == "unknown" or say.words(found.why).startswith("cpu 0 busy 96 %, as")


def test_what_is_read_from_outside_goes_before_what_a_gateway_reads() -> None:
    (point,) = group([FULL.record(), boxed(0.2)])
    assert say.words(decide(gather(point, None)).why).startswith("napi/gw0 busy 99.8 % of cpu 1")


def test_a_sender_behind_its_schedule_is_told_by_its_share() -> None:
    found = verdict(Trial(offered=30_000, scheduled=60_000))
    assert found == Verdict("tester", Fact("why.schedule", {"share": 0.5}))


def test_a_carrier_that_waits_and_works_all_the_time_is_the_testers() -> None:
    thread = CpuReading(thread="napi/gw0", cpu=None, busy=0.5)
    carrier = CpuReading(thread="vhost", cpu=None, busy=0.5, waiting=0.4)
    lossy = Trial(offered=60_000, received=30_000, refused=0)
    (at_the_mark,) = group([with_threads(lossy, thread, carrier=carrier)])
    (below,) = group(
        [with_threads(lossy, thread, carrier=msgspec.structs.replace(carrier, waiting=0.3))]
    )
    assert [decide(gather(seen, None)).limit for seen in (at_the_mark, below)] == [
        "tester",
        "unknown",
    ]


@pytest.mark.parametrize(
    ("sink", "busy"), [("cpu 0, nice -20", 0.9), ("cpu 1, nice -20", 0.5), ("", 0.5)]
)
def test_ends_of_the_tester_that_share_a_cpu_are_busy_together(sink: str, busy: float) -> None:
    place = {"sender": "cpu 0, nice -20"} | ({"sink": sink} if sink else {})
    record = msgspec.structs.replace(
        Trial().record(), placement=place, evidence=Evidence(sender_cpu=0.5, sink_cpu=0.4)
    )
    assert facts.tester_cpu([record]) == pytest.approx(busy)
    assert facts.tester_cpu([msgspec.structs.replace(record, evidence=Evidence())]) == 0.0


def test_only_threads_that_worked_are_named() -> None:
    threads = [CpuReading(thread=f"t{i}", cpu=1, busy=busy) for i, busy in enumerate((0.95, 0.04))]
    both = [*threads, CpuReading(thread="t2", cpu=1, busy=0.05)]
    assert say.words(verdict_of(*threads).why).startswith("t0 busy 99 % of cpu 1")
    assert say.words(verdict_of(*both).why).startswith("t0 and t2 busy 100 % of cpu 1")


def verdict_of(*threads: CpuReading) -> Verdict:
    (point,) = group([with_threads(FULL, *threads)])
    return decide(gather(point, None))
