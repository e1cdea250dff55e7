# SPDX-License-Identifier: Apache-2.0
"""One trial as it is kept: what was asked, what was counted, the evidence for what held it back.

A record is written once and never changed. It holds evidence; verdicts (the limit of a point, its
warnings) are judged from both passes by `gatemark.judge`.
"""

from typing import Any, Final, Literal

import msgspec

from gatemark.plan.kind import RULES
from gatemark.plan.model import Pass
from gatemark.store.drops import Drops, Freed, Line
from gatemark.store.loss import Loss
from gatemark.store.schema import Seconds, Share
from gatemark.unit import MTU_BYTES

RECORD_SCHEMA = "gatemark.record/2"

FIRST = "/first"  # behind a trial's name: the record of an attempt that was not believed

Status = Literal["ok", "invalid", "skipped"]
REPLAYED: Final = "Replayed:"  # begins the note of a capture that is not replayed as a whole
Scalar = str | int | float | bool
# How far a program came with the action that it was there for; "": it has none.
Action = Literal["", "due", "begun", "over"]


# What a definition can be about, and the quantity (of UNITS) that says it: of each kind of
# workload, then what is searched for or read off.
HEADLINE: dict[str, str] = {
    **{about: value for rules in RULES.values() for about, value in rules.headlines.items()},
    "throughput": "throughput_pps",  # the highest rate within the loss criterion (RFC 9971)
    "held rate": "held_bps",  # the highest that the gateway's shaper holds
    "burst": "burst_packets",  # the longest burst without loss (RFC 9004)
    "instructions under load": "instructions_under_load",  # the same, with modelled caches
    "reset time": "reset_s",  # the gateway was restarted meanwhile (RFC 6201)
}


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """What makes two values comparable; unlike definitions are not compared unasked."""

    quantity: str = "received rate"  # what is measured, in words
    path: str  # switch, route, nat, endpoint; direct: without the gateway
    features: tuple[str, ...] = ()  # what the gateway does besides, in order: conntrack, filter:100
    direction: str = "up"  # up: LAN to WAN; down; both; send, receive: by the gateway itself
    family: str = "ipv4"  # ipv4, ipv6
    l4: str = "udp"  # udp, tcp; replay: what the trace has
    frame_bytes: int | None = None  # UDP: L2 with FCS; None: not one size
    mix: str = ""  # UDP: frames of several sizes interleaved: imix, 64:7,594:4,1518:1
    flows: int = 1  # UDP
    flow_ports: str = "ordered"  # UDP: of the flows; random: pseudo-random (RFC 4814)
    clients: int = 1  # LAN hosts that the flows come from, by address
    packets: int = 0  # UDP: stopped after so many; 0: by the time
    write_bytes: int | None = None  # TCP: bytes of one write
    streams: int | None = None  # TCP: connections, for each direction
    socket_buffer_bytes: int | None = None  # TCP: 0: tuned by the kernel
    congestion: str | None = None  # TCP
    settle_s: Seconds = 0.0  # TCP: sent so long before counting began
    offload: bool = False  # segmentation and aggregation at the tester's ports
    connections: int | None = None  # held, or at once; None: as many as it goes, or no such thing
    active_pps: float = 0.0  # over the connections or flows that are held; 0: they were idle
    trace: str = ""  # replayed: a file's name, or a source made here (plan/trace.py)
    speed: float = 1.0  # of the trace's own timing; 0: at a fixed rate
    clones: int = 1  # flows made of each of the trace's
    packet_most: int = MTU_BYTES  # of a replayed packet: longer ones were cut or left out
    driver: str = "gatemark"  # who made the traffic: gatemark, iperf3, nuttcp, tcpreplay, otg
    rate_layer: str = "packets/s"  # packets/s (UDP), l4 (TCP: payload bits)
    loss_criterion: float | None = None  # ratio; None: no criterion
    duration_s: Seconds = 0.0  # how long was sent and counted
    turn_ms: float = 0.0  # in turns of so many ms with other gateways; 0: alone
    slow_to_pps: int = 0  # nominal rate of the slowed lab gateway; 0: not slowed
    # The emulated access line before the WAN host: "15 Mbit/s, 50 packets", "up ...; down ...".
    line: str = ""
    interval_s: Seconds | None = None  # responsiveness: after which it looks whether it is stable
    tls: bool | None = None  # responsiveness: whether its connections have TLS
    method: str = ""  # responsiveness: draft-ietf-ippm-responsiveness-09
    dscp: int = 0  # code point of its packets (RFC 2474)
    start_s: Seconds = 0.0  # it began so long after the trial
    application: str = ""  # application: which: call-sip, page-h2, ...
    kernel: str = ""  # algorithm: its command and words: lpm mix=uniform structure=tbm4 ...
    level: str = ""  # algorithm: of optimisation: O3
    instances: int = 1  # algorithm: at the same time
    # What else was sent in the same trial, and what of it is not its kind's default:
    # uploads: tcp streams=8
    beside: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The quantity (of UNITS) that this definition is about."""
        return HEADLINE.get(self.quantity, "goodput_bps" if self.l4 == "tcp" else "received_pps")

    @property
    def setup(self) -> str:
        """The setup in words, as `plan.model.Arm` has it: `nat + filter:100`."""
        return " + ".join((self.path, *self.features))


class Accounting(msgspec.Struct, frozen=True, kw_only=True):
    """Every packet of a UDP trial: tried = unique + lost; duplicates are counted separately."""

    scheduled: int  # what the schedule asked for (0: as fast as it goes)
    tried: int  # handed to the test port
    refused: int  # of these, refused by the port: the gateway's queue was full
    unique: int  # delivered, each once
    lost: int  # tried - unique
    duplicated: int  # came again; not in `unique`
    reordered: int  # number below the highest seen of its flow (RFC 4737 section 3)
    stale: int  # so late that nobody knows whether it came before
    corrupt: int  # with a wrong checksum
    foreign: int  # of another trial, or no test packets
    altered: int = 0  # of these: a test header, but of another run, key, flow or number
    beyond: int = 0  # of these: a number that cannot have been sent by then
    strange: int = 0  # of foreign: without a test header
    ring_dropped: int  # lost by the sink itself: the trial is the tester's
    interfaces: dict[str, int]  # counter deltas: "lan0.tx_packets", "wan0.rx_packets", ...
    mismatch: dict[str, int]  # where a counter and the accounting differ: name -> difference


class CpuReading(msgspec.Struct, frozen=True, kw_only=True):
    """One thread of the gateway, over the time that was sent; inside: one of its CPUs."""

    thread: str  # "napi/gw0"; inside: "cpu0"
    cpu: int | None  # the one that it is bound to; None: none
    busy: Share  # share of a CPU, 0..1, from schedstat; inside: from /proc/stat
    waiting: Share | None = None  # share of the time that it was ready and others had the CPU
    ns_per_packet: float | None = None  # by packet delivered
    modes: dict[str, Share] = {}  # inside: user, system, softirq, irq, idle, steal; shares, 0..1

    @property
    def core(self) -> int | str:
        """Return the CPU that it shares with other threads; an unbound one stands alone."""
        return self.thread if self.cpu is None else self.cpu


class ProgramReading(msgspec.Struct, frozen=True, kw_only=True):
    """A program that ran on the gateway while the traffic was sent: a capture, an exporter."""

    program: str  # the feature: capture:tcpdump:68
    command: str  # as it was started
    device: str = ""  # the gateway's port that it listened at; "": none
    counters: dict[str, int] = {}  # its own: captured, received (by the filter), dropped, flows
    crossed: int | None = None  # packets at that port meanwhile, by the port's own counters
    cpu: Share  # share of a CPU over the time that was sent: user and system together
    cpu_user: Share  # of it in user mode, in steps of 10 ms
    cpu_system: Share  # and in the kernel
    memory_bytes: int  # the most that it held (VmHWM), with all processes that it made
    processes: int  # it and what it made
    ended: str  # by what: term, kill
    exit_code: int  # 128 and the signal's number where a signal took it
    left: int = 0  # processes of it that could not be ended
    last_words: str = ""  # what it printed last
    action: Action = ""  # what it was there to do, if it said: not begun, not over, over


class FillStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step of a table that is filled: what was read on the gateway when its flows were open.

    Medians over the time in which they were idle, or at work at the plan's rate.
    """

    flows: int  # that were opened so far, and came through
    entries: int  # in the gateway's table
    slab_bytes: int  # of all the kernel's slabs (Slab of /proc/meminfo)
    free_bytes: int  # MemFree
    listed_bytes: int = 0  # free pages that wait on lists of the CPUs: MemFree is without them
    available_bytes: int  # MemAvailable: with what the kernel can take back


class Call(msgspec.Struct, frozen=True, array_like=True):
    """A function that was entered on a packet's way."""

    function: str  # user space: one for all of it
    depth: int  # of those that had been entered and not left, 0: the outermost
    instructions: int  # its own, without those of the functions that it called
    ns: int = 0  # its own time, where a tracer saw it that counts no instructions; tracing included


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions that the gateway executed for one packet, of packets sent one at a time."""

    walks: int  # packets that came through and were counted
    lost: int  # packets that did not come, or after which the gateway was not still
    disturbed: int = 0  # of the walks: a tick fell in, or two interrupts into one; in no mode
    modes: dict[str, int] = {}  # instructions -> walks, the fifty most frequent ones
    more: dict[str, dict[str, int]] = {}  # another mode -> what it ran more, dearest functions
    functions: dict[str, tuple[int, int]] = {}  # of a walk in the mode: instructions, calls
    path: tuple[Call, ...] = ()  # of that walk, in order
    # Instructions of TLB refills in a walk, in the mean: in no other number here.
    refills: float = 0.0
    plugin: str = ""  # that counted: counter-1
    # That saw the path where nothing counts instructions: function_graph, perf. `functions` are in
    # ns then, too; of perf the samples of all packets, divided by these, and the order is no order.
    tracer: str = ""


class AtRate(msgspec.Struct, frozen=True, kw_only=True):
    """Instructions that the gateway executed while packets came at a rate, and just before."""

    packets: int  # that came through
    instructions: int  # from the first packet until all had come through
    lasts_s: Seconds  # how long that was
    functions: dict[str, tuple[int, int]] = {}  # in that time: instructions, calls
    idle_instructions: int  # at rest, before it
    idle_s: Seconds  # how long that was
    idle_functions: dict[str, tuple[int, int]] = {}  # at rest: instructions, calls
    cpus: tuple[int, ...] = ()  # of `instructions`, those of each processor, where it has several
    idle_cpus: tuple[int, ...] = ()  # the same at rest
    plugin: str = ""  # that counted: counter-1


class Starved(msgspec.Struct, frozen=True, kw_only=True):
    """A thread of the gateway that was ready to run and got no CPU."""

    thread: str  # napi/gw0
    longest_ms: float  # that it waited, between two samples
    share: float  # of the trial that it waited
    who: str = ""  # had the CPU meanwhile: "hog (pid 812, FIFO 60)"; "": nobody was seen
    used_ms: float = 0.0  # CPU time of that one
    own: bool = False  # it is a program of the arm
    foreign: bool = False  # it is not, and outranked the thread: the trial is invalid


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the limit of a point is judged from (`gatemark.judge.point.limit`)."""

    schedule_ratio: float | None = None  # tried / scheduled
    sender_cpu: Share | None = None  # share of its CPU that the sender used
    sink_cpu: Share | None = None  # share of its CPU that the sink used
    late_ns: dict[str, float] = {}  # send time against due time: p50, p99, p999, max
    gaps_over_1ms: int = 0  # at the sink
    loss: tuple[Loss, ...] = ()  # UDP: of each direction, what was lost and when it was sent
    cpu: tuple[CpuReading, ...] = ()  # each thread of the gateway
    carrier: CpuReading | None = None  # virtual machine: what carries frames to and from its cards
    inside: tuple[CpuReading, ...] = ()  # instrumented: each CPU, as the gateway itself reads it
    programs: tuple[ProgramReading, ...] = ()  # that ran on the gateway besides, in order
    soaked: tuple[CpuReading, ...] = ()  # instrumented: each CPU, by what a soaking loop lacked
    qdisc: dict[str, dict[str, int]] = {}  # instrumented: "gw1": {"drops": 3, "overlimits": 9}
    # Instrumented (connections, fill: both): entries, max, drop, early_drop, insert_failed.
    conntrack: dict[str, int] = {}
    kernels: tuple[dict[str, Any], ...] = ()  # algorithm: the program's records, as it printed them
    connecting: dict[str, Scalar] = {}  # connections: stop, number and why of the first failure
    # Responsiveness: confidence (low, medium, high), intervals, saturated_after, goodput_stable,
    # rpm_stable, probes, failed, and the reason of most; tls, cipher; ahead_most_bytes of an end;
    # self_repaired (probes that waited for a lost segment), self_clear_most_ns (of the others).
    responsiveness: dict[str, Scalar] = {}
    # Application: of both hosts (lan_, wan_) late_p99_ns, late_most_ns, wait_share, waiter,
    # robbed_ns, cpu_ns, pressure, rx_pps, rx_bps, tx_pps, tx_bps; of numbered packets, up_ and
    # down_, sent, lost, and the first and last number; of a call jitter_ms (RFC 3550); and what its
    # programs say themselves.
    application: dict[str, Scalar] = {}
    nat: dict[str, str] = {}  # nat: the packets that show a value, by its name
    # dns, dhcp: `code SERVFAIL` (how often), and who had no answer, by what was asked.
    service: dict[str, Scalar] = {}
    # fastpath: flows that went elsewhere, by time and flow; the gateway's flow tables.
    fastpath: dict[str, str] = {}
    fill_steps: tuple[FillStep, ...] = ()  # fill: each of its steps
    fill: dict[str, Scalar] = {}  # fill: asked, came, lost (of the last step), servers, ...
    objects: dict[str, int] = {}  # fill: what a flow is made of: cache of the kernel -> bytes
    memory: dict[str, int] = {}  # instrumented: available_bytes (lowest), total_bytes, slab_bytes
    # Instrumented: clock_start_mhz, clock_low_mhz while sending, throttled (how often).
    thermal: dict[str, float] = {}
    counted: Counted | None = None  # walk: what one packet made the gateway execute
    # Devices whose caches were modelled: events for each packet delivered. instructions, blocks,
    # multiplies, divides, loads, stores, uncached; fetch_misses, load_misses, store_misses,
    # write_backs.
    modelled: dict[str, dict[str, float]] = {}
    at_rate: AtRate | None = None  # instrumented: what it executed under the load, and at rest
    # Instrumented: source of the watts: tasmota, shelly1, shelly2, csv, rapl, hwmon.
    meter: str = ""
    drops: Drops | None = None  # what the gateway's own counters say that it dropped, by cause
    freed: tuple[Freed, ...] = ()  # instrumented: what its kernel freed as dropped, by its reason
    line: Line | None = None  # the emulated access line: what crossed it, and how late
    starved: Starved | None = None  # a namespace gateway's thread that got no CPU
    softnet: dict[str, int] = {}  # instrumented: dropped, squeezed, summed over all CPUs
    # Features offload and xdp. Both: packets that went the usual way (usual). offload: connections
    # in the flow table at the end (entries, hardware_entries). xdp: packets that it forwarded, 1
    # where it is in the drivers (native).
    offload: dict[str, int] = {}
    probes: dict[str, dict[str, Any]] = {}  # instrumented: what a probe without a field here saw
    link_bps: int | None = None  # L1 rate of the links, all directions; None: no limit, as veth


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A workload that was sent beside the first; its values are the record's `NAME.QUANTITY`."""

    definition: Definition  # what its values are values of
    accounting: Accounting | None = None  # UDP: what became of every packet
    window_ns: tuple[int, int] = (0, 0)  # from its first packet to its last, CLOCK_MONOTONIC
    schedule_ratio: float | None = None  # tried / scheduled
    late_ns: dict[str, float] = {}  # send time against due time: p50, p99, p999, max
    ports: dict[str, str] = {}  # "sender": "raw", "sink": "ring"
    port_reasons: dict[str, str] = {}  # why no better one
    notes: tuple[str, ...] = ()  # what was done otherwise than the plan said


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One trial."""

    schema: str = RECORD_SCHEMA  # name and version of this format; a new number changes a meaning
    trial: str  # unique in its run: "sweep/route/up/20000/3/outside"
    plan: str  # "quick/sweep"
    arm: str  # which of the setups that the plan compares, by its name
    point: dict[str, Scalar]  # the factors of this point: {"rate_pps": 20000, "direction": "up"}
    repeat: int  # from 1
    # instrumented: with probes; search: its steps; closer: what a shape of loss left to be told.
    pass_: Pass = msgspec.field(name="pass")
    sequence: int  # place in the run's order, from 0
    boot: int = 0  # of its arm, from 1: trials of one boot are one sample; 0: not by boots
    status: Status  # invalid: it ran and may not be used; skipped: it could not run
    reason: str = ""  # why it is invalid or was skipped
    started: str  # ISO 8601, UTC
    definition: Definition  # what its values are values of
    values: dict[str, float] = {}  # by quantity; its unit is in UNITS
    accounting: Accounting | None = None  # UDP: what became of every packet
    # From its first packet to its last, CLOCK_MONOTONIC; (0, 0): not measured.
    window_ns: tuple[int, int] = (0, 0)
    parts: dict[str, Part] = {}  # what was sent beside it, by name
    evidence: Evidence = Evidence()  # what held it back, as it was seen
    placement: dict[str, str] = {}  # "gateway": "cpu 1, fifo 50", "sender": "cpu 0, nice -20", ...
    ports: dict[str, str] = {}  # "sender": "live", "sink": "xdp"
    port_reasons: dict[str, str] = {}  # why no better one: "sender": "live: not permitted", ...
    burst: int | None = None  # packets a system call
    notes: tuple[str, ...] = ()  # what was done otherwise than the plan said
    deviations: tuple[str, ...] = ()  # from the RFC or paper that the plan cites
    decided: dict[str, str] = {}  # of a search: the trials at its bounds, by name: lower, upper
    series: str = ""  # file below series/ that holds this trial's time series, if any
    packets: str = ""  # file below packets/ with the packets around what was odd in it, if any


# Those that are read in the instrumented pass alone, as probes' own are.
INSTRUMENTED: frozenset[str] = frozenset(
    {
        *("cpu_busy_inside", "cpu_busy_soak", "probe_cpu", "temperature_c"),
        *("cpu_user", "cpu_system", "cpu_softirq", "cpu_irq"),
        *("power_idle_w", "power_w", "power_per_gbit_j"),
        *("instructions_at_rate", "instructions_busiest", "instructions_each", "accesses_each"),
        *("l1_misses_each", "l2_misses_each"),
    }
)
