# SPDX-License-Identifier: Apache-2.0
"""From the agents' reports to a record: rates, delays, evidence, by hand-made reports."""

from dataclasses import replace as changed
from typing import Any

import pytest
from few import few
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.node.shell import Local
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.probe.reader import Read
from gatemark.probe.sensor import Sensed
from gatemark.quantity import UNITS
from gatemark.run.raw import Raw
from gatemark.run.reading import complete, series
from gatemark.station.thread import Thread
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.store.record import Definition, Record
from gatemark.workload.way import Way, over_time

PORTS = {device: Port(Local(), device, "") for device in ROLES}
THREADS = {"gw0": Thread("napi/gw0", 11, 1), "gw1": Thread("napi/gw1", 12, 1)}
MS = 1_000_000
S = 1_000_000_000
SPEC = TrialSpec(
    trial="s/p/route/1/outside",
    plan="s/p",
    arm=Arm(path="route", name="route"),
    gateway=Gateway(),
    workload=Workload(frame_bytes=100, duration_s=1.0),
    point={},
    repeat=1,
    pass_="outside",  # noqa: S106
)
BASE = Record(
    trial=SPEC.trial,
    plan=SPEC.plan,
    arm="route",
    point={},
    repeat=1,
    pass_="outside",  # noqa: S106
    sequence=0,
    status="ok",
    started="2026-11-21T16:15:00Z",
    definition=Definition(path="route"),
)


def way(direction: str = "up", *, sender: Any = None, sink: Any = None) -> Way:
    """1000 packets in the second from 10 ms on; every one arrives 30 us later."""
    (wire,) = wires(PORTS, "route", direction)
    sent = {
        "scheduled": 1000,
        "tried": 1000,
        "refused": 0,
        "t0_ns": 10 * MS,
        "t1_ns": 10 * MS + S,
        "cpu_ns": S // 4,
        "burst": 1,
        "late_ns": {"p50": 100, "max": 9000},
    }
    got = {
        **dict.fromkeys(("duplicated", "reordered", "stale", "corrupt", "foreign"), 0),
        "ring_dropped": 0,
        "unique": 1000,
        "received": 1000,
        "gaps_over_1ms": 2,
        "cpu_ns": S // 2,
        "rate": {"t0_ns": 0, "bin_ms": 10, "packets": [0] + [10] * 100},
        "delay_ns": {"low": [30_000], "count": [1000]},
        "gap_ns": {"low": [1000], "count": [999]},
    }
    ports = {"sender": "raw", "sink": "ring"}
    return Way(wire, sent | (sender or {}), got | (sink or {}), ports)


def raw(*ways: Way, **more: Any) -> Raw:
    zero = {f"{d}.{c}_{k}": 0 for d in ROLES for c in ("rx", "tx") for k in ("packets", "dropped")}
    watch = {
        "t_ns": [0, 100 * MS, 900 * MS],
        "threads": {
            "11": {"run_ns": [0, 0, 600 * MS], "wait_ns": [0, 0, 0]},
            "12": {"run_ns": [0, 0, 200 * MS], "wait_ns": [0, 0, 0]},
        },
    }
    cpus = more.pop("gateway_cpus", None)
    read = Read(more.pop("watched", {}), more.pop("sensed", []))
    return Raw(list(ways), {"threads": watch, "ports": (zero, zero), "gateway": read, **more}, cpus)


def record(*ways: Way, spec: TrialSpec = SPEC, base: Record = BASE, **more: Any) -> Record:
    return complete(base, spec, raw(*(ways or (way(),)), **more), THREADS)


def arrived(direction: Way) -> float:
    """Packets/s that this direction's sink counted while it was sent."""
    return over_time(direction, "packets")


@pytest.mark.parametrize(("usual", "share"), [(0, 1.0), (250, 0.75), (1010, 0.0)])
def test_what_went_past_the_usual_way_is_a_share_of_what_was_received(
    usual: int, share: float
) -> None:
    seen = raw(way())
    seen.seen["ports"] = seen.before, {**seen.after, "wan0.rx_packets": 1000}
    seen.seen["features"] = {"usual": usual, "entries": 16}
    kept = complete(BASE, SPEC, seen, THREADS)
    assert kept.values["offloaded_share"] == share
    assert kept.evidence.offload == seen.features


@pytest.mark.parametrize(
    ("directions", "mbit"), [(("up",), 100), (("up", "down"), 200)], ids=["up", "both"]
)
def test_each_direction_has_the_slowest_cable_on_its_way(
    directions: tuple[str, ...], mbit: int
) -> None:
    speeds = {"lan0": 1000, "wan0": 100}
    ports = PORTS | {
        role: changed(PORTS[role], link_bps=speed * 1_000_000) for role, speed in speeds.items()
    }
    ways = [
        changed(way(direction), wire=wires(ports, "route", direction)[0])
        for direction in directions
    ]
    assert record(*ways).evidence.link_bps == mbit * 1_000_000
    assert record().evidence.link_bps is None


def test_received_is_counted_while_it_was_sent() -> None:
    assert arrived(way()) == 1000.0


def test_what_drains_afterwards_is_no_gift() -> None:
    late = {"rate": {"t0_ns": 0, "bin_ms": 10, "packets": [0] + [10] * 100 + [256]}}
    assert arrived(way(sink=late)) == 1000.0


def test_bins_that_are_partly_outside_are_left_out() -> None:
    edges = {"t0_ns": 15 * MS, "t1_ns": 35 * MS}
    bins = {"rate": {"t0_ns": 0, "bin_ms": 10, "packets": [0, 99, 7, 99]}}
    assert arrived(way(sender=edges, sink=bins)) == 700.0


def test_silence_at_the_end_counts() -> None:
    """A sink tells no bins after its last packet; they are empty, not unknown."""
    bins = {"rate": {"t0_ns": 0, "bin_ms": 10, "packets": [0] + [10] * 50}}
    assert arrived(way(sink=bins)) == 500.0


def test_a_trial_shorter_than_a_bin_has_no_rate() -> None:
    assert arrived(way(sender={"t0_ns": 11 * MS, "t1_ns": 19 * MS})) == 0.0


@few(40)
@given(
    bins=st.lists(st.integers(0, 10**6), min_size=1, max_size=50),
    t0=st.integers(0, 600 * MS),
    length=st.integers(0, 600 * MS),
)
def test_received_is_the_sum_of_the_bins_inside(bins: list[int], t0: int, length: int) -> None:
    direction = way(
        sender={"t0_ns": t0, "t1_ns": t0 + length},
        sink={"rate": {"t0_ns": 0, "bin_ms": 10, "packets": bins}},
    )
    counts = dict(enumerate(bins))
    width = 10 * MS
    inside = [at for at in range(130) if at * width >= t0 and (at + 1) * width <= t0 + length]
    wanted = sum(counts.get(at, 0) for at in inside) * S / (len(inside) * width) if inside else 0.0
    assert arrived(direction) == pytest.approx(wanted)


def test_rates_of_both_directions_are_added() -> None:
    values = record(way("up"), way("down")).values
    assert (values["offered_pps"], values["received_pps"]) == (2000.0, 2000.0)


def test_rates_are_reported_on_every_layer() -> None:
    values = record().values
    layers = [values[f"received_l{layer}_bps"] for layer in (1, 2, 4)]
    assert layers == [1000 * 120 * 8, 1000 * 100 * 8, 1000 * (100 - 18 - 28) * 8]


def test_offered_is_what_the_schedule_asked_for() -> None:
    assert record(way(sender={"tried": 900})).values["offered_pps"] == 1000.0


def test_without_a_schedule_offered_is_what_was_tried() -> None:
    values = record(way(sender={"scheduled": 0, "tried": 5000})).values
    assert values["offered_pps"] == 5000.0


def test_loss_is_of_what_was_tried() -> None:
    assert record(way(sink={"unique": 750})).values["loss_ratio"] == 0.25


def test_nothing_tried_is_nothing_lost() -> None:
    assert record(way(sender={"tried": 0}, sink={"unique": 0})).values["loss_ratio"] == 0.0


def test_delays_are_over_all_packets_of_all_directions() -> None:
    slow = {"delay_ns": {"low": [30_000, 70_000], "count": [500, 500]}}
    values = record(way("up"), way("down", sink=slow)).values
    delays = {name.removeprefix("delay_"): v for name, v in values.items() if "delay" in name}
    assert delays == {
        "min_ns": 30_000,
        "p50_ns": pytest.approx(30_000, rel=1 / 32),
        "p90_ns": pytest.approx(70_000, rel=1 / 32),
        "p99_ns": pytest.approx(70_000, rel=1 / 32),
        "max_ns": 70_000,
    }


def test_nothing_received_has_no_delay() -> None:
    values = record(way(sink={"delay_ns": {"low": [], "count": []}})).values
    assert not [name for name in values if "delay" in name]


def test_delay_variation_is_the_slowest_of_a_thousand_against_the_fastest() -> None:
    many = {"delay_ns": {"low": [30_000, 70_000], "count": [9_980, 20]}}
    values = record(way(sink=many)).values
    assert values["delay_pdv_ns"] == values["delay_p999_ns"] - 30_000
    assert "delay_p9999_ns" not in values  # one packet of these lies above it


def test_delay_over_time_is_mean_and_longest_of_each_bin_with_packets() -> None:
    rate = {"t0_ns": 5 * MS, "bin_ms": 10, "packets": [2, 0, 4]}
    rate |= {"delay_sum_ns": [60, 0, 400], "delay_max_ns": [40, 0, 103]}
    direction = way(sink={"rate": rate, "delay_ns": {"low": [30, 102], "count": [2, 4]}})
    columns = series(SPEC, raw(direction), THREADS)
    assert columns["sink.up.delay_mean_ns"] == ([5 * MS, 25 * MS], [30, 100])
    assert columns["sink.up.delay_max_ns"] == ([5 * MS, 25 * MS], [40, 103])
    assert record(direction).values["delay_max_ns"] == 103  # exact, where a bucket begins at 102


def test_an_older_agent_reports_no_delay_over_time() -> None:
    assert not [name for name in series(SPEC, raw(way()), THREADS) if "delay_m" in name]


def test_threads_that_share_a_cpu_load_it_together() -> None:
    assert record().values["cpu_busy"] == pytest.approx(1.0)


def test_a_packet_takes_its_share_of_the_busiest_cpu() -> None:
    """Both threads keep one CPU full for a second, in which 1000 packets come through."""
    assert record().values["packet_ns"] == pytest.approx(1e9 / 1000)


def test_a_program_of_the_gateway_takes_of_each_packet_too() -> None:
    """Its threads use a tenth of the CPU each, its own sender a quarter of the same CPU."""
    sends = changed(way(), wire=changed(way().wire, own=True, direction="send"))
    little = {pid: {"run_ns": [0, 0, 80 * MS], "wait_ns": [0, 0, 0]} for pid in ("11", "12")}
    seen = raw(sends, threads={"t_ns": [0, 100 * MS, 900 * MS], "threads": little})
    kept = complete(BASE, SPEC, seen, THREADS)
    assert kept.values["packet_ns"] == pytest.approx((0.1 + 0.1 + 0.25) * 1e9 / 1000)


def test_where_nothing_came_through_no_packet_took_anything() -> None:
    nothing = way(sink={"rate": {"t0_ns": 0, "bin_ms": 10, "packets": [0] * 101}})
    assert "packet_ns" not in record(nothing).values


def test_threads_on_cpus_of_their_own_do_not_add_up() -> None:
    apart = {"gw0": Thread("napi/gw0", 11, 1), "gw1": Thread("napi/gw1", 12, 2)}
    kept = complete(BASE, SPEC, raw(way()), apart)
    assert kept.values["cpu_busy"] == pytest.approx(0.75)


def test_a_trial_without_gateway_has_no_load_of_it() -> None:
    base = replace(BASE, definition=Definition(path="direct"))
    assert "cpu_busy" not in record(base=base).values


def test_threads_without_a_cpu_of_their_own_do_not_add_up() -> None:
    anywhere = {name: unbound(thread) for name, thread in THREADS.items()}
    kept = complete(BASE, SPEC, raw(way()), anywhere)
    assert kept.values["cpu_busy"] == pytest.approx(0.75)


def unbound(thread: Thread) -> Thread:
    return Thread(thread.name, thread.pid, None)


def test_a_cpu_that_was_not_read_has_no_value() -> None:
    short = {"t0_ns": 10 * MS, "t1_ns": 50 * MS}
    assert "cpu_busy" not in record(way(sender=short)).values


def test_what_watching_cost_is_reported() -> None:
    inside = {"t_ns": [0, S], "cpu_ns": 30 * MS}
    assert record(watched=inside).values["probe_cpu"] == pytest.approx(0.03)


def test_every_value_has_a_unit() -> None:
    inside = {"t_ns": [0, S], "cpu_ns": 30 * MS}
    assert record(watched=inside).values.keys() <= UNITS.keys()


@pytest.mark.parametrize(
    ("scheduled", "tried", "ratio"), [(1000, 1000, 1.0), (1000, 900, 0.9), (0, 5000, None)]
)
def test_evidence_reports_how_far_the_schedule_was_met(
    scheduled: int, tried: int, ratio: float | None
) -> None:
    evidence = record(way(sender={"scheduled": scheduled, "tried": tried})).evidence
    assert evidence.schedule_ratio == ratio


def test_evidence_reports_the_testers_own_load() -> None:
    evidence = record(way("up"), way("down", sender={"cpu_ns": S * 3 // 4})).evidence
    assert (evidence.sender_cpu, evidence.sink_cpu) == (0.75, 0.5)


def test_evidence_takes_in_what_the_probes_found() -> None:
    queue = {"kind": "tbf", "handle": "1:", "root": True, "drops": 0, "overlimits": 0}
    before, after = {"gw1": [queue]}, {"gw1": [queue | {"drops": 3, "overlimits": 9}]}
    assert record(shaper=(before, after)).evidence.qdisc == {"gw1": {"drops": 3, "overlimits": 9}}


def test_evidence_reports_how_steady_the_sender_was() -> None:
    evidence = record(way("up"), way("down")).evidence
    assert (evidence.late_ns, evidence.gaps_over_1ms) == ({"p50": 100.0, "max": 9000.0}, 4)


def test_the_record_names_the_ports_and_the_burst() -> None:
    kept = record()
    assert (kept.ports, kept.burst) == ({"sender": "raw", "sink": "ring"}, 1)


def test_series_hold_each_directions_histograms() -> None:
    columns = series(SPEC, raw(way("up"), way("down")), THREADS)
    assert columns["sink.up.delay_ns"] == ([30_000], [1000])
    assert "sink.down.gap_ns" in columns


def test_series_hold_the_probes_columns_by_their_path() -> None:
    inside = {
        "t_ns": [0, S],
        "cpu_ns": 3,
        "softnet": {"0": {"processed": [4, 9]}},
        "gone": [],
        "absent": ["shaper", "psi"],
    }
    columns = series(SPEC, raw(way(), watched=inside), THREADS)
    watched = {name: pair for name, pair in columns.items() if name.startswith("inside")}
    assert watched == {"inside.softnet.0.processed": ([0, S], [4, 9])}


TICKS = {name: [0, 0] for name in ("user_ms", "system_ms", "irq_ms")}
INSIDE = {
    "t_ns": [100 * MS, 900 * MS],
    "cpu_ns": 0,
    "cpu": {
        "0": TICKS | {"softirq_ms": [0, 200], "idle_ms": [0, 600], "steal_ms": [0, 0]},
        "1": TICKS | {"softirq_ms": [0, 720], "idle_ms": [0, 0], "steal_ms": [0, 80]},
    },
}


def test_a_box_has_the_load_that_it_reads_itself() -> None:
    kept = complete(BASE, SPEC, raw(way(), watched=INSIDE), {})
    assert kept.values["cpu_busy"] == kept.values["cpu_busy_inside"] == pytest.approx(0.9)
    first, second = kept.evidence.inside
    assert (first.thread, second.thread) == ("cpu0", "cpu1")
    assert [first.busy, second.busy] == pytest.approx([0.25, 0.9])
    assert [first.waiting, second.waiting] == pytest.approx([0.0, 0.1])


def test_each_cpu_reports_what_it_was_busy_with() -> None:
    _, second = complete(BASE, SPEC, raw(way(), watched=INSIDE), {}).evidence.inside
    assert second.modes == pytest.approx(
        {"user": 0, "system": 0, "irq": 0, "softirq": 0.9, "idle": 0, "steal": 0.1}
    )


def test_both_readings_of_the_cpu_stand_side_by_side() -> None:
    kept = record(watched=INSIDE, gateway_cpus=None)
    assert kept.values["cpu_busy"] == pytest.approx(1.0)
    assert kept.values["cpu_busy_inside"] == pytest.approx(0.9)


def test_what_others_do_to_this_machines_cpus_is_not_shown_as_a_namespaces_own() -> None:
    kept = record(watched=INSIDE, gateway_cpus=frozenset({1}))
    assert kept.values["cpu_busy"] == pytest.approx(1.0)
    assert "cpu_busy_inside" not in kept.values
    assert kept.evidence.inside == ()


def test_a_trial_without_gateway_has_no_load_that_it_reads_itself() -> None:
    base = replace(BASE, definition=Definition(path="direct"))
    kept = complete(base, SPEC, raw(way(), watched=INSIDE), {})
    assert not {"cpu_busy", "cpu_busy_inside"} & kept.values.keys()


def test_power_is_reported_idle_under_load_and_by_what_came_through() -> None:
    watts = [(-2 * S, 3.0), (-S, 4.0), (S // 4, 6.0), (S // 2, 8.0), (5 * S, 99.0)]
    kept = record(power=("tasmota", watts))
    assert kept.evidence.meter == "tasmota"
    assert (kept.values["power_idle_w"], kept.values["power_w"]) == (3.5, 7.0)
    carried = kept.values["received_l2_bps"]
    assert kept.values["power_per_gbit_j"] == pytest.approx(7.0 / (carried / 1e9))


def sensed(at_ns: int, temperature_c: float, clock_mhz: float, throttled: int) -> Sensed:
    return Sensed(at_ns, temperature_c, clock_mhz, throttled, None, None)


def test_heat_is_reported_while_it_was_sent() -> None:
    readings = [
        sensed(-S, 90, 600, 4),
        sensed(100 * MS, 50, 1200, 4),
        sensed(600 * MS, 61, 900, 5),
        sensed(5 * S, 99, 300, 6),
    ]
    kept = record(sensed=readings)
    assert kept.values["temperature_c"] == 61
    assert kept.evidence.thermal == {
        "clock_start_mhz": 1200,
        "clock_low_mhz": 900,
        "throttled": 2,
    }


def test_the_cpu_of_several_workloads_is_read_over_the_time_of_all_their_packets() -> None:
    """The first sends for 0.8 s and fills the CPU, the other for 2 s; half of it is left then."""
    short = {"t0_ns": 10 * MS, "t1_ns": 810 * MS}
    uploads = way(sender={"t0_ns": 10 * MS, "t1_ns": 2010 * MS})
    seen = raw(way(sender=short))
    times = [at * 100 * MS for at in range(21)]
    run_ns = [min(at, 900 * MS) + max(0, at - 900 * MS) // 2 for at in times]
    idle = {"run_ns": [0] * len(times), "wait_ns": [0] * len(times)}
    threads = {"11": {"run_ns": run_ns, "wait_ns": [0] * len(times)}, "12": idle}
    seen.seen["threads"] = {"t_ns": times, "threads": threads}
    seen.seen["ports"] = seen.before, {**seen.after, "wan0.rx_packets": 20_000}
    seen.beside = {"uploads": [uploads]}
    kept = complete(BASE, replace(SPEC, beside={"uploads": SPEC.workload}), seen, THREADS)
    busy = (run_ns[20] - run_ns[1]) / (times[20] - times[1])
    assert kept.values["cpu_busy"] == pytest.approx(busy)
    assert kept.values["packet_ns"] == pytest.approx(busy * 1e9 / 10_000)
    assert kept.window_ns == (10 * MS, 810 * MS)
