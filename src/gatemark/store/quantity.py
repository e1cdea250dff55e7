# SPDX-License-Identifier: Apache-2.0
"""Every quantity that a value may be of: its unit, and what it is in a few words.

METHODOLOGY.md prints this table, and Prometheus its words; how a number is made is there alone.
"""

from typing import Final, NamedTuple


class Quantity(NamedTuple):
    """What a value is a value of."""

    unit: str
    words: str  # what it is, as it may stand in the middle of a sentence


# What a record's `values` may hold; probes' own come besides.
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
    "search_trials": Quantity("trials", "trials of a search"),
    "search_s": Quantity("s", "time of a search, with its waits"),
    "burst_packets": Quantity("packets", "longest burst without loss"),
    "reset_s": Quantity("s", "reset time: from the last packet before a restart to the next"),
    "reset_loss_s": Quantity("s", "packets lost in a restart, as time at the offered rate"),
    "reset_full_s": Quantity("s", "time from the last packet before a restart to the full rate"),
    "restart_s": Quantity("s", "time that the station took to restart the gateway"),
    "buffer_ns": Quantity("ns", "time that the gateway's buffer holds"),
    "connections": Quantity("connections", "concurrent connections"),
    "connections_per_s": Quantity("connections/s", "connection rate"),
    "connect_p50_ns": Quantity("ns", "median time to open a connection"),
    "connect_p99_ns": Quantity("ns", "99th percentile of the time to open a connection"),
    "echo_p50_ns": Quantity("ns", "median time of a request and its answer"),
    "echo_p99_ns": Quantity("ns", "99th percentile of the time of a request and its answer"),
    "connection_bytes": Quantity("bytes", "the tester's memory for a connection, both ends"),
    "flows": Quantity("flows", "concurrent flows"),
    "flow_bytes": Quantity("bytes", "the gateway's memory for a flow, by all slabs"),
    "flow_object_bytes": Quantity("bytes", "the gateway's memory for a flow, by its objects"),
    "flows_predicted": Quantity("flows", "flows that the gateway's memory has room for"),
    "flows_recommended": Quantity("flows", "recommended maximum of the flow table"),
    "instructions": Quantity("instructions", "instructions of a packet"),
    "mode_share": Quantity("ratio", "share of the walks with the most frequent number"),
    "instructions_at_rate": Quantity("instructions", "instructions of a packet at the rate"),
    "instructions_under_load": Quantity("instructions", "instructions of a packet under load"),
    "pace_error_p50_ns": Quantity("ns", "median error of a replay's send times"),
    "pace_error_p99_ns": Quantity("ns", "99th percentile of the error of a replay's send times"),
    "pace_error_max_ns": Quantity("ns", "largest error of a replay's send times"),
    "delay_min_ns": Quantity("ns", "shortest one-way delay"),
    "delay_p50_ns": Quantity("ns", "median one-way delay"),
    "delay_p90_ns": Quantity("ns", "90th percentile of the one-way delay"),
    "delay_p99_ns": Quantity("ns", "99th percentile of the one-way delay"),
    "delay_p999_ns": Quantity("ns", "99.9th percentile of the one-way delay"),
    "delay_p9999_ns": Quantity("ns", "99.99th percentile of the one-way delay"),
    "delay_max_ns": Quantity("ns", "longest one-way delay"),
    "clock_error_ns": Quantity("ns", "most that is wrong with a delay between two machines"),
    "delay_pdv_ns": Quantity("ns", "packet delay variation: the 99.9th percentile less the least"),
    "offloaded_share": Quantity("ratio", "share of the packets past the gateway's usual way"),
    "cpu_busy": Quantity("ratio", "load of the gateway's busiest CPU, seen from outside"),
    "packet_ns": Quantity("ns", "time of the gateway's busiest CPU for a packet"),
    "cpu_busy_inside": Quantity("ratio", "load of the busiest CPU, as the gateway reads it"),
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
    "no_loss_pps": Quantity("packets/s", "highest offered rate of a sweep without loss"),
    "retained_1.5x": Quantity("ratio", "share of the peak that is kept at 1.5 times the knee"),
    "retained_2x": Quantity("ratio", "share of the peak that is kept at twice the knee"),
    "cpu_r2": Quantity("ratio", "straightness of CPU over offered rate below the knee"),
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
    "step_function_instructions": Quantity(
        "instructions", "instructions that a step of a ladder adds to a function"
    ),
}

QUANTITIES: Final = MEASURED | JUDGED
DERIVED: Final = {"step_": "what a step of a ladder adds to the", "change_": "change of the"}


def words(name: str) -> str:
    """A quantity in words; a probe's own is its name without marks.

    That of a step or a change is told by what it is made of.
    """
    if name in QUANTITIES:
        return QUANTITIES[name].words
    for prefix, text in DERIVED.items():
        if name.startswith(prefix):
            return f"{text} {words(name.removeprefix(prefix))}"
    return name.replace(".", ": ").replace("_", " ")
