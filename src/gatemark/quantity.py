# SPDX-License-Identifier: Apache-2.0
"""Every quantity that a value may be of: its unit, and what it is in a few words.

`gatemark explain KEY --all` and Prometheus print these words; docs/numbers has the methods.
"""

from typing import Final, NamedTuple

from gatemark import counter
from gatemark.kind import kinds


class Quantity(NamedTuple):
    """What a value is a value of."""

    unit: str
    words: str  # what it is, as it may stand in the middle of a sentence
    is_fewer_better: bool = False  # where neither unit nor name says so


# What a record's `values` may hold; probes' own come besides, and those of one kind of workload
# are in its folder (kind/NAME/__init__.py).
MEASURED: Final = {
    "offered_pps": Quantity("packets/s", "offered rate"),
    "received_pps": Quantity("packets/s", "received rate"),
    "received_l1_bps": Quantity("bit/s", "received rate with preamble, check sequence and gap"),
    "received_l2_bps": Quantity("bit/s", "received rate of frames with check sequence"),
    "received_l4_bps": Quantity("bit/s", "received rate of UDP payload"),
    "goodput_bps": Quantity("bit/s", "goodput"),
    "retransmits": Quantity("segments", "TCP segments that were sent again, by all streams"),
    "rtt_p50_ns": Quantity("ns", "median of TCP's smoothed round trip, over time and streams"),
    "rtt_max_ns": Quantity("ns", "longest smoothed round trip of TCP"),
    "cwnd_p50": Quantity("segments", "median congestion window of a TCP stream"),
    "mss_bytes": Quantity("bytes", "payload of a full TCP segment"),
    "loss_ratio": Quantity("ratio", "share of the sent packets that were lost"),
    "throughput_pps": Quantity("packets/s", "throughput"),
    "throughput_l1_bps": Quantity("bit/s", "throughput with preamble, check sequence and gap"),
    "throughput_l2_bps": Quantity("bit/s", "throughput of frames with check sequence"),
    "throughput_l4_bps": Quantity("bit/s", "throughput of UDP payload"),
    "too_fast_pps": Quantity("packets/s", "lowest rate above the throughput that lost too much"),
    "held_bps": Quantity("bit/s", "highest rate that the gateway's shaper holds"),
    "too_fast_bps": Quantity("bit/s", "lowest rate above it that the shaper did not hold"),
    "shaped_bps": Quantity("bit/s", "rate that came through the gateway's shaper"),
    "shaped_share": Quantity("ratio", "share of the shaper's rate that came through"),
    "shaped_added_ns": Quantity("ns", "high percentile of the delay that uploads add to a flow"),
    "shaped_most_ns": Quantity("ns", "delay that a shaper may add and still hold its rate"),
    "search_trials": Quantity("trials", "trials of a search"),
    "search_s": Quantity("s", "time of a search, with its waits"),
    "burst_packets": Quantity("packets", "longest burst without loss"),
    "buffer_ns": Quantity("ns", "time that the gateway's buffer holds"),
    "instructions_under_load": Quantity("instructions", "instructions of a packet under load"),
    "delay_min_ns": Quantity("ns", "shortest one-way delay"),
    "delay_mean_ns": Quantity("ns", "mean one-way delay"),
    "delay_p5_ns": Quantity("ns", "5th percentile of a replay's one-way delay"),
    "delay_p50_ns": Quantity("ns", "median one-way delay"),
    "delay_p90_ns": Quantity("ns", "90th percentile of the one-way delay"),
    "delay_p95_ns": Quantity("ns", "95th percentile of a replay's one-way delay"),
    "delay_p98_ns": Quantity("ns", "98th percentile of a replay's one-way delay"),
    "delay_p99_ns": Quantity("ns", "99th percentile of the one-way delay"),
    "delay_p999_ns": Quantity("ns", "99.9th percentile of the one-way delay"),
    "delay_p9999_ns": Quantity("ns", "99.99th percentile of the one-way delay"),
    "delay_max_ns": Quantity("ns", "longest one-way delay"),
    "clock_error_ns": Quantity("ns", "most that is wrong with a delay between two machines"),
    "delay_pdv_ns": Quantity("ns", "packet delay variation: the 99.9th percentile less the least"),
    "pdv_p99_ns": Quantity("ns", "99th percentile of delay less the least, of one direction"),
    "pdv_p999_ns": Quantity("ns", "99.9th percentile of delay less the least, of one direction"),
    "ipdv_p50_ns": Quantity("ns", "median change of delay from packet to packet"),
    "ipdv_p99_ns": Quantity("ns", "99th percentile of the change of delay from packet to packet"),
    "ipdv_mean_ns": Quantity("ns", "mean change of delay from packet to packet"),
    "lost_runs": Quantity("runs", "runs of lost packets"),
    "lost_run_mean_packets": Quantity("packets", "packets lost in a row, the mean run"),
    "lost_run_longest_packets": Quantity("packets", "packets lost in a row, the longest run"),
    "burst_r": Quantity("ratio", "mean run of losses against random loss (BurstR of G.107)"),
    "missed_40ms_ratio": Quantity("ratio", "share of packets that were lost or took over 40 ms"),
    "missed_40ms_longest_ns": Quantity("ns", "longest time in which all missed 40 ms"),
    "missed_50ms_ratio": Quantity("ratio", "share of packets that were lost or took over 50 ms"),
    "missed_50ms_longest_ns": Quantity("ns", "longest time in which all missed 50 ms"),
    "missed_100ms_ratio": Quantity("ratio", "share of packets that were lost or took over 100 ms"),
    "missed_100ms_longest_ns": Quantity("ns", "longest time in which all missed 100 ms"),
    "missed_150ms_ratio": Quantity("ratio", "share of packets that were lost or took over 150 ms"),
    "missed_150ms_longest_ns": Quantity("ns", "longest time in which all missed 150 ms"),
    "mos": Quantity("MOS", "estimated opinion of a G.711 call whose losses are concealed"),
    "mos_unconcealed": Quantity("MOS", "estimated opinion of a G.711 call with bare losses"),
    "r_factor": Quantity("R", "rating of a G.711 call by the E-model"),
    "playout_ns": Quantity("ns", "delay from sending to playing that makes the best call"),
    "playout_loss_ratio": Quantity("ratio", "share of a call lost or too late to be played"),
    **{name: Quantity(*value) for name, value in counter.VALUES.items()},
    **{name: Quantity(*value) for name, value in kinds.quantities()},
    "course_lost": Quantity("ratio", "share of a changing line's bits that were not used", True),
    "course_above": Quantity("ratio", "share of packets that waited over 30 ms on it", True),
    "course_falls": Quantity("falls", "times at which a changing line's rate fell"),
    "course_reaction_ns": Quantity("ns", "time after such a fall until packets wait 30 ms no more"),
    "course_low_share": Quantity("ratio", "rate of a line in its slow times, of its usual one"),
    "course_low_ns": Quantity("ns", "how long a line is slow, the median"),
    "course_low_period_ns": Quantity("ns", "from one slow time of a line to the next"),
    "offloaded_share": Quantity("ratio", "share of the packets past the gateway's usual way"),
    "cpu_busy": Quantity("ratio", "load of the gateway's busiest CPU, seen from outside"),
    "packet_ns": Quantity("ns", "time of the gateway's busiest CPU for a packet"),
    "cpu_busy_inside": Quantity("ratio", "load of the busiest CPU, as the gateway reads it"),
    "cpu_user": Quantity("ratio", "time of the busiest CPU in programs"),
    "cpu_system": Quantity("ratio", "time of the busiest CPU in the kernel for programs"),
    "cpu_softirq": Quantity("ratio", "time of the busiest CPU in softirqs, which forward"),
    "cpu_irq": Quantity("ratio", "time of the busiest CPU in interrupts"),
    "captured_share": Quantity("ratio", "share of the packets that the gateway's program captured"),
    "program_cpu": Quantity("ratio", "CPU of the gateway's programs, of one CPU"),
    "cpu_busy_soak": Quantity("ratio", "load of the busiest CPU, by what a soaking loop lacked"),
    "power_idle_w": Quantity("W", "power of the gateway before the load"),
    "power_w": Quantity("W", "power of the gateway under load"),
    "power_per_gbit_j": Quantity("J/Gbit", "power for each Gbit/s that came through"),
    "temperature_c": Quantity("degrees Celsius", "hottest sensor of the gateway under load"),
    "probe_cpu": Quantity("ratio", "CPU that the probes themselves used"),
}

# What is judged of several points, or read off the path of a packet.
JUDGED: Final = {
    "knee_pps": Quantity("packets/s", "knee: offered rate beyond which received does not follow"),
    "knee_l1_bps": Quantity("bit/s", "knee with preamble, check sequence and gap"),
    "peak_pps": Quantity("packets/s", "highest received rate of a sweep"),
    "no_loss_pps": Quantity("packets/s", "highest rate of a sweep without loss or a growing queue"),
    "retained_1.5x": Quantity("ratio", "share of the peak that is kept at 1.5 times the knee"),
    "retained_2x": Quantity("ratio", "share of the peak that is kept at twice the knee"),
    "cpu_r2": Quantity("ratio", "straightness of CPU over offered rate below the knee"),
    "loss_share": Quantity("ratio", "share of packets, or of the time, of a shape of loss"),
    "loss_rate_pps": Quantity("packets/s", "rate beyond which something drops"),
    "loss_capacity_pps": Quantity("packets/s", "rate at which the CPU is full"),
    "loss_burst_packets": Quantity("packets", "burst that a policer lets through"),
    "loss_queue_packets": Quantity("packets", "packets that wait in a limiter's queue"),
    "loss_queue_ns": Quantity("ns", "time that a packet waits in a shaper's queue"),
    "loss_stall_ns": Quantity("ns", "how long a gateway stands still, the median"),
    "loss_longest_ns": Quantity("ns", "how long it stands still at most"),
    "loss_period_ns": Quantity("ns", "from one standstill to the next"),
    "loss_flows": Quantity("flows", "flows that lose more than the others"),
    "loss_of_flows": Quantity("flows", "flows that were sent, where some lose more"),
    "loss_packets": Quantity("packets", "first packets of each flow that are lost"),
    "loss_lasts_ns": Quantity("ns", "how long first packets are lost"),
    "loss_frame_bytes": Quantity("bytes", "largest frame that comes through"),
    "loss_beyond_bytes": Quantity("bytes", "shortest frame known not to come through"),
    "path_calls": Quantity("calls", "functions that a packet enters on its path"),
    "path_instructions": Quantity("instructions", "instructions of a packet's path"),
    "path_ns": Quantity("ns", "time of a packet's path"),
    "path_netfilter_calls": Quantity("calls", "netfilter's functions on a packet's path"),
    "path_netfilter_instructions": Quantity(
        "instructions", "instructions of netfilter on a packet's path"
    ),
    "path_netfilter_ns": Quantity("ns", "time of netfilter on a packet's path"),
    "path_unmatched": Quantity("ratio", "share of a packet's path that no subsystem names"),
    "estimated_cycles": Quantity("cycles", "estimated cycles of a packet on a device"),
    "queue_added_p50_ns": Quantity("ns", "median delay that a load adds to a flow"),
    "queue_added_p95_ns": Quantity("ns", "95th percentile of the delay, less that without a load"),
    "queue_added_p98_ns": Quantity("ns", "98th percentile of the delay, less that without a load"),
    "queue_added_p99_ns": Quantity("ns", "99th percentile of the delay, less that without a load"),
    "queue_added_mean_ns": Quantity("ns", "mean delay that a load adds to a flow"),
    "queue_delay_mean_ns": Quantity("ns", "mean delay of a flow beside a load"),
    "queue_delay_p5_ns": Quantity("ns", "5th percentile of a flow's delay beside a load"),
    "queue_delay_p50_ns": Quantity("ns", "median delay of a flow beside a load"),
    "queue_delay_p95_ns": Quantity("ns", "95th percentile of a flow's delay beside a load"),
    "queue_delay_max_ns": Quantity("ns", "longest delay of a flow beside a load"),
    "queue_idle_mean_ns": Quantity("ns", "mean delay of a flow without the load"),
    "queue_idle_p50_ns": Quantity("ns", "median delay of a flow without the load"),
    "queue_idle_loss_ratio": Quantity("ratio", "loss of a flow without the load"),
    "queue_missed_40ms_ratio": Quantity("ratio", "share lost or over 40 ms, beside a load"),
    "queue_missed_50ms_ratio": Quantity("ratio", "share lost or over 50 ms, beside a load"),
    "queue_missed_100ms_ratio": Quantity("ratio", "share lost or over 100 ms, beside a load"),
    "queue_missed_150ms_ratio": Quantity("ratio", "share lost or over 150 ms, beside a load"),
    "queue_mos": Quantity("MOS", "estimated opinion of a G.711 call beside a load"),
    "queue_added_loss_ratio": Quantity("ratio", "loss that a load adds to a flow"),
    "queue_loss_ratio": Quantity("ratio", "loss of a flow beside a load"),
    "queue_harm_ratio": Quantity("ratio", "share of a flow's high delays that comes of a load"),
    "queue_mean_ns": Quantity("ns", "mean time that a packet waits in a loaded queue"),
    "queue_p5_ns": Quantity("ns", "5th percentile of the wait in a loaded queue"),
    "queue_p95_ns": Quantity("ns", "95th percentile of the wait in a loaded queue"),
    "queue_period_ns": Quantity("ns", "period of a queue's sawtooth"),
    "queue_trough_ns": Quantity("ns", "shortest wait of a queue's sawtooth"),
    "queue_swing_ns": Quantity("ns", "from a sawtooth's trough to its peak"),
    "queue_standing_bytes": Quantity("bytes", "queue that never empties under a load"),
    "queue_buffer_bytes": Quantity("bytes", "buffer, by the longest wait and the line's rate"),
    "queue_steady_ns": Quantity("ns", "time from a load's first byte until its queue is steady"),
    "queue_first_ns": Quantity("ns", "median delay of a flow that joins a load, until it settles"),
    "queue_settled_ns": Quantity("ns", "time from such a flow's first packet until it settles"),
    "queue_overshoot_ratio": Quantity("ratio", "longest wait before, over the p95 of the steady"),
    "queue_recovery_ns": Quantity("ns", "time from a load's last byte until its queue is gone"),
    "queue_fairness_ratio": Quantity("ratio", "fairness among the streams of a load (Jain)"),
    "queue_fairness_p5_ratio": Quantity("ratio", "fairness of the 5th percentile of the seconds"),
    "queue_goodput_bps": Quantity("bit/s", "goodput of a load beside a flow, slow start left out"),
    "queue_line_share": Quantity("ratio", "share of the line that a load's frames take"),
    "queue_cpu_busy": Quantity("ratio", "load of the gateway's busiest CPU under a load alone"),
    "queue_expected_full_ns": Quantity("ns", "expected wait behind a full buffer"),
    "queue_expected_trough_ns": Quantity("ns", "expected wait after TCP backed off"),
    "queue_expected_mean_ns": Quantity("ns", "expected mean wait"),
    "queue_expected_period_ns": Quantity("ns", "expected period of the sawtooth"),
    "verdict_added_ns": Quantity("ns", "mean round trip that a load adds; `grade` is its letter"),
    "verdict_worse_ns": Quantity("ns", "high percentile of what a load adds in the worse way"),
    "verdict_web_works": Quantity("ratio", "1: the web works beside a load; 0: it does not"),
    "verdict_call_works": Quantity("ratio", "1: a call works beside a load; 0: it does not"),
    "verdict_game_works": Quantity("ratio", "1: a game works beside a load; 0: it does not"),
    "verdict_cloud_game_works": Quantity("ratio", "1: a cloud game works beside a load; 0: not"),
    "verdict_shaper_up_bps": Quantity("bit/s", "rate to set a shaper to, up: the least, the most"),
    "verdict_shaper_down_bps": Quantity("bit/s", "rate to set a shaper to, down"),
    "step_function_instructions": Quantity(
        "instructions", "instructions that a step of a ladder adds to a function"
    ),
}

QUANTITIES: Final = MEASURED | JUDGED
LOSS: Final = "loss_"  # before what was measured of a shape of loss
STEP: Final = "step_"  # before a quantity: what a step of a ladder adds
CHANGE: Final = "change_"  # before one: its ratio to the first arm, less one
DERIVED: Final = {STEP: "what a step of a ladder adds to the", CHANGE: "change of the"}
BELOW_KNEE: Final = "_below_knee"  # after one: of every point whose rate is below the knee

# Better if lower: what has one of these units, and what begins so.
FEWER_UNITS: Final = frozenset(
    {"ns", "s", "instructions", "cycles", "calls", "misses", "runs", "W", "J/Gbit"}
    | {"degrees Celsius", "states", "accesses"}
)
FEWER: Final = (
    *("loss_", "lost_run", "missed_", "failed_", "playout_loss_", "retransmits", *counter.VALUES),
    "false_positive_",
    *("burst_r", "cpu_", "probe_cpu", "program_cpu", "repeats_spread_"),
    *("flow_bytes", "flow_object_bytes", "connection_bytes", "peak_bytes"),
    *("queue_loss_", "queue_added_loss_", "queue_idle_loss_", "queue_missed_", "queue_harm_"),
    *("queue_overshoot_", "queue_standing_", "queue_cpu_"),
)

# What a faster tester could only raise; a delay or a share of an overloaded tester has no bound.
BOUNDED: Final = frozenset(
    f"{rate}_{unit}"
    for rate in ("received", "knee", "peak", "throughput")
    for unit in ("pps", "l1_bps", "l2_bps", "l4_bps")
) | frozenset(
    {"goodput_bps", "held_bps", "burst_packets", "connections", "connections_per_s", "flows"}
    | {"rpm", "rpm_foreign", "rpm_loaded", "rpm_harmonic", "download_bps"}
)

# The unit of a probe's own quantity, by the ending of its name.
ENDINGS: dict[str, str] = {
    "_pps": "packets/s",
    "_bps": "bit/s",
    "_ratio": "ratio",
    "_ns": "ns",
    "_bytes": "bytes",
    "_share": "ratio",
    "_w": "W",
}


def is_own(quantity: str) -> bool:
    """Whether it has an owner: a probe, another workload, a direction: uploads.goodput_bps."""
    return "." in quantity


class Units(dict[str, str]):
    """Quantities with their units; one that has an owner need not be listed."""

    def __missing__(self, quantity: str) -> str:
        """The unit of the same quantity without its owner, or the one that its name ends with."""
        if (name := quantity.rpartition(".")[2]) in self:
            return self[name]
        for ending, unit in ENDINGS.items():
            if is_own(quantity) and quantity.endswith(ending):
                return unit
        raise KeyError(quantity)


# Every quantity that a record's `values` may hold, with its unit.
UNITS = Units({name: quantity.unit for name, quantity in MEASURED.items()})


def is_higher_better(name: str) -> bool:
    """Return whether more of a quantity is better; times, losses and loads are better if lower.

    Raises KeyError for an unknown name.
    """
    own = name.rpartition(".")[2]
    if own in QUANTITIES and QUANTITIES[own].is_fewer_better:
        return False
    return not (judged_unit(name) in FEWER_UNITS or own == "bytes" or own.startswith(FEWER))


def is_bounded(name: str) -> bool:
    """Return whether it is a lower bound where the tester was the limit."""
    return name.rpartition(".")[2] in BOUNDED


def words(name: str) -> str:
    """A quantity in words; a probe's own is its name without marks.

    A step, a change and an owner's quantity have the unit of what they are made of.
    """
    if name in QUANTITIES:
        return QUANTITIES[name].words
    owner, _, rest = name.partition(".")
    if rest.rpartition(".")[2] in QUANTITIES:
        return f"{owner}: {words(rest)}"
    for prefix, text in DERIVED.items():
        if name.startswith(prefix):
            return f"{text} {words(name.removeprefix(prefix))}"
    return name.replace(".", ": ").replace("_", " ")


def judged_unit(name: str) -> str:
    """The unit of a judged value, or of one below the knee. Raises KeyError for an unknown name."""
    if (own := name.rpartition(".")[2]) in JUDGED:
        return JUDGED[own].unit
    for ending, unit in ENDINGS.items():  # a shape is measured by more than JUDGED lists
        if own.startswith(LOSS) and own.endswith(ending) and own not in UNITS:
            return unit
    unit = UNITS[name.removesuffix(BELOW_KNEE).removeprefix(STEP).removeprefix(CHANGE)]
    return "ratio" if name.startswith(CHANGE) else unit
