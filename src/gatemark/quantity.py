# SPDX-License-Identifier: Apache-2.0
"""Every quantity by its name, with its unit: of a trial, and what is judged from many."""

from typing import Final

# Every quantity that a record's `values` may hold, with its unit; probes' own come besides.
LISTED: dict[str, str] = {
    "offered_pps": "packets/s",
    "received_pps": "packets/s",
    "received_l1_bps": "bit/s",  # with preamble, FCS and gap
    "received_l2_bps": "bit/s",  # frames with FCS
    "received_l4_bps": "bit/s",  # UDP payload
    "goodput_bps": "bit/s",  # TCP payload that the receiving program read while it was sent
    "retransmits": "segments",  # by all streams
    "rtt_p50_ns": "ns",  # TCP's own smoothed round trip, over time and streams
    "rtt_max_ns": "ns",
    "cwnd_p50": "segments",  # congestion window of a stream
    "mss_bytes": "bytes",  # payload of a full segment
    "loss_ratio": "ratio",
    "throughput_pps": "packets/s",  # highest rate whose loss stays within the criterion
    "throughput_l1_bps": "bit/s",
    "throughput_l2_bps": "bit/s",
    "throughput_l4_bps": "bit/s",
    "too_fast_pps": "packets/s",  # lowest rate that was found to lose more: the other bound
    "search_trials": "trials",
    "search_s": "s",  # that the search took, waits included
    "burst_packets": "packets",  # longest burst without loss
    "reset_s": "s",  # from the last packet before a restart to the first one after it
    "reset_loss_s": "s",  # packets lost meanwhile, as time at the offered rate
    "reset_full_s": "s",  # from the last packet before a restart until the full rate is back
    "restart_s": "s",  # what the station itself took to restart the gateway
    "buffer_ns": "ns",  # time of it that the gateway's buffer holds, corrected (RFC 9004)
    "connections": "connections",  # held at once
    "connections_per_s": "connections/s",  # opened, one request answered, closed
    "connect_p50_ns": "ns",  # from SYN to established
    "connect_p99_ns": "ns",
    "echo_p50_ns": "ns",  # a request and its answer over an open connection
    "echo_p99_ns": "ns",
    "connection_bytes": "bytes",  # memory of this machine for each connection, both ends
    "flows": "flows",  # in the gateway's table at once
    "flow_bytes": "bytes",  # of the gateway's memory for each: slope of all slabs over entries
    "flow_object_bytes": "bytes",  # the kernel's objects that one is made of, added up
    "flows_predicted": "flows",  # that its memory has room for, from the first tenth of a fill
    "flows_recommended": "flows",  # a bound for the table (nf_conntrack_max) that memory keeps
    "instructions": "instructions",  # that the gateway executes for a packet: the mode of all walks
    "mode_share": "ratio",  # of the walks that are the mode
    "instructions_at_rate": "instructions",  # for a packet at the offered rate, batches and all
    "instructions_under_load": "instructions",  # the same of a gateway whose caches are modelled
    "pace_error_p50_ns": "ns",  # replay: time of sending against the trace's
    "pace_error_p99_ns": "ns",
    "pace_error_max_ns": "ns",
    "delay_min_ns": "ns",  # one way, of the fastest packet
    "delay_p50_ns": "ns",
    "delay_p90_ns": "ns",
    "delay_p99_ns": "ns",
    "delay_p999_ns": "ns",
    "delay_p9999_ns": "ns",  # each of these only where ten packets took longer
    "delay_max_ns": "ns",
    "clock_error_ns": "ns",  # at most so much is wrong with each delay: sender, sink: two machines
    "delay_pdv_ns": "ns",  # packet delay variation: p99.9 less the fastest (RFC 5481)
    "offloaded_share": "ratio",  # of what was delivered, past the gateway's usual way
    "cpu_busy": "ratio",  # busiest CPU of the gateway: its threads and programs there
    "packet_ns": "ns",  # of that CPU, for each packet delivered
    "cpu_busy_inside": "ratio",  # busiest CPU as the gateway reads it itself (/proc/stat)
    "captured_share": "ratio",  # what the gateway's program captured of what crossed its port
    "program_cpu": "ratio",  # of one CPU of the gateway, by its programs together
    "cpu_busy_soak": "ratio",  # busiest CPU by what it left for a loop of the lowest priority
    "power_idle_w": "W",  # that the gateway drew before the load
    "power_w": "W",  # and under load
    "power_per_gbit_j": "J/Gbit",  # the same by what came through: W for each Gbit/s
    "temperature_c": "degrees Celsius",  # hottest sensor of the gateway under load
    "probe_cpu": "ratio",  # what watching itself cost, of the CPU it ran on
}

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
    """Whether it is a probe's own, `PROBE.QUANTITY`: interrupts.busiest_share."""
    return "." in quantity


class Units(dict[str, str]):
    """Quantities with their units; a probe's own need not be listed."""

    def __missing__(self, quantity: str) -> str:
        """The unit that its name ends with."""
        for ending, unit in ENDINGS.items():
            if is_own(quantity) and quantity.endswith(ending):
                return unit
        raise KeyError(quantity)


UNITS = Units(LISTED)

# What is judged from many trials, and no single one has: of a sweep over rates, of one packet's
# path, of an estimate.
JUDGED: Final = {
    "knee_pps": "packets/s",  # the offered rate beyond which received no longer follows
    "knee_l1_bps": "bit/s",
    "peak_pps": "packets/s",  # the most that was received at any offered rate
    "no_loss_pps": "packets/s",  # highest offered rate without a lost packet in most repeats
    "retained_1.5x": "ratio",  # share of the peak kept at so many times the knee
    "retained_2x": "ratio",
    "cpu_r2": "ratio",  # straightness of CPU against offered rate below the knee
    "path_calls": "calls",
    "path_instructions": "instructions",
    "path_ns": "ns",
    "path_netfilter_calls": "calls",
    "path_netfilter_instructions": "instructions",
    "path_netfilter_ns": "ns",
    "path_unmatched": "ratio",
    "estimated_cycles": "cycles",
}
STEP: Final = "step_"  # before a quantity: what a step of a ladder adds
CHANGE: Final = "change_"  # before one: its ratio to the first arm, less one
BELOW_KNEE: Final = "_below_knee"  # after one: of every point whose rate is below the knee


def judged_unit(name: str) -> str:
    """The unit of a judged value, or of one below the knee. Raises KeyError for an unknown name."""
    if name in JUDGED:
        return JUDGED[name]
    unit = UNITS[name.removesuffix(BELOW_KNEE).removeprefix(STEP).removeprefix(CHANGE)]
    return "ratio" if name.startswith(CHANGE) else unit
