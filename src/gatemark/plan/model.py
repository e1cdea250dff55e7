# SPDX-License-Identifier: Apache-2.0
"""A plan and a suite as data: pure structures, no I/O."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from gatemark.kind.kinds import KINDS
from gatemark.unit import MTU_BYTES

PLAN_SCHEMA = "gatemark.plan/1"
DEVICE_SCHEMA = "gatemark.device/1"
SUITE_SCHEMA = "gatemark.suite/1"

Path = Literal["switch", "route", "nat", "hairpin", "endpoint", "direct"]
# up: LAN to WAN; send, receive: of the gateway itself (path `endpoint`).
Direction = Literal["up", "down", "both", "send", "receive"]
if TYPE_CHECKING:
    Kind = str
else:
    Kind = Literal[KINDS]  # a folder of gatemark.kind is a word of a plan
# What a workload of kind `algorithm` times: a command of gm-algorithms, or CoreMark.
Kernel = Literal["lpm", "filter", "match", "gateway", "platform", "coremark"]
Level = Literal["O0", "O1", "O2", "O3"]  # of optimisation, by the compiler
# auto: the best that works. Senders: live (frames made in the kernel), afxdp, raw (AF_PACKET);
# sinks: xdp (counted in the kernel), ring (AF_PACKET).
SenderPort = Literal["auto", "live", "afxdp", "raw"]
SinkPort = Literal["auto", "xdp", "ring"]
Driver = Literal["gatemark", "iperf3", "nuttcp", "tcpreplay", "otg"]  # who makes the traffic
FlowPorts = Literal["ordered", "random"]  # random: pseudo-random, as RFC 4814 section 4.5 asks
Profile = Literal["csit", "rfc2544", "diffuse", "rfc9004", "shaper"]
Goal = Literal["ndr", "pdr", "burst", "held"]
Connecting = Literal["open", "crr", "hold"]
# auto: a knee over rates, a curve over sizes, else bars. delay: the rates are some that the gateway
# carries, so no knee is looked for; what is told is the delay. ladder: the arms are steps, each
# against the one before. ablation: the arms against the first, pair by pair. pareto: the arms by
# rate, delay and CPU at once. exact: the arms in instructions of one packet, each against another.
# path: the functions of one packet in the order of its travel. estimate: what a packet would take
# on the devices of [gateway].
Figure = Literal[
    "auto",
    "curve",
    "bars",
    "delay",
    "ladder",
    "ablation",
    "pareto",
    "exact",
    "path",
    "estimate",
]
Family = Literal["ipv4", "ipv6"]
L4 = Literal["udp", "tcp"]
# How a line's queue drops: the newest where it is full, the oldest, by the time that they waited
# (RFC 8289).
Aqm = Literal["fifo", "head", "codel"]
Factor = str | int | float | bool
Pass = Literal["warmup", "outside", "instrumented", "search", "closer"]
Sign = Literal["<", "<=", "=", ">=", ">"]  # of a check

WHOLE: tuple[Figure, ...] = (
    "ladder",
    "pareto",
    "exact",
    "estimate",
)  # they tell all of a plan's arms themselves
LARGEST_WHOLE = 1e15  # a float up to this is written as a whole number
TWIN = "{} (A/A)"  # the name of an arm that is the named one again
OLD, NEW = "old", "new"  # the arms of `gatemark ab`
JOIN = " + "  # between the settings in the name of an arm of `gatemark tune`


class Arm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One setup of a plan: a path and an ordered list of features."""

    path: Path  # how a packet crosses the gateway; direct: it does not
    features: tuple[str, ...] = ()  # what the gateway does besides, in order: conntrack, filter:100
    name: str = ""  # defaults to the setup in words
    # The arm that this one is compared with. "": the first; of a ladder and exact the one before.
    against: str = ""
    at: dict[str, Factor] = {}  # factor -> level: the only points that it is measured at; {}: all
    held_out: bool = False  # left out of what is fitted (gatemark fit): it tests that
    beside: bool = True  # false leaves out what the plan sends beside: the clean way
    line: bool = True  # direct: false leaves the plan's line out, which bounds the tester's ceiling

    def __hash__(self) -> int:  # the factors of `at` have none
        return hash((self.path, self.features, self.name))

    @property
    def setup(self) -> str:
        """The setup in words: `nat + filter:100`."""
        return " + ".join((self.path, *self.features))


def is_twin(arm: str) -> bool:
    """Return whether an arm is another one measured again, by its name: it shows noise alone."""
    return arm.endswith(TWIN.format(""))


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[command.NAME]`: a program of the user's own, which the feature command:NAME runs."""

    run: str  # by the gateway's shell, in the foreground, in a folder that goes with it
    ready: str = ""  # text in what it says once it works; "": it works as it is started
    counters: str = ""  # regexp on its last words; each named group of it is a number

    @property
    def waits(self) -> bool:
        """Return whether it waits for the traffic and then acts: a line `at SECONDS`."""
        return bool(self.at_s)

    @property
    def at_s(self) -> Sequence[int]:
        """The age of the traffic at which it acts, s, for each line `at SECONDS`."""
        return [int(each) for each in re.findall(r"^\s*at (\d{1,9})\b", self.run, re.MULTILINE)]


Cycles = tuple[float, float, float]  # the least, the likely, the most


class Cache(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A first-level cache: write-back, least recently used line first out."""

    bytes: int  # of all its lines
    ways: int  # lines that one address may be in
    line_bytes: int  # of one line

    @property
    def words(self) -> str:
        """The text that the plugin takes (counter/cache.h)."""
        return f"{self.bytes}/{self.ways}/{self.line_bytes}"


class Reference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The name under which a device's values were published."""

    device: str  # its name in reference/published.csv
    kernel: str  # that it was measured with


class Device(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A small gateway's core and memory, for an estimate of its time: a file of `devices/`.

    Cycles are those beside the one that every instruction takes, on average over its kind.
    """

    schema: str  # name and version of this format
    title: str  # what it is: the box, its chip, its core
    name: str = ""  # of the file, given by the loader
    clock_mhz: float  # of its core
    instruction_cache: Cache  # first level
    data_cache: Cache  # first level
    stream_copy_mbps: float = 0.0  # STREAM's copy: million bytes/s, read and written together
    line_cycles: Cycles | None = None  # to fetch or write back a line; None: as STREAM tells
    load_cycles: Cycles = (0.0, 0.5, 2.0)  # what waits for a load (24K: 1, as an address 2)
    branch_cycles: Cycles = (0.0, 0.5, 1.5)  # of those that were predicted wrong
    multiply_cycles: Cycles = (0.0, 2.0, 4.0)  # the result is there after 5 (24K)
    divide_cycles: Cycles = (10.0, 35.0, 35.0)  # after 36, of small numbers sooner
    reference: Reference | None = None  # what was published of it

    @property
    def caches(self) -> str:
        """The words that the plugin takes (counter/cache.h)."""
        return f"{self.instruction_cache.words}:{self.data_cache.words}"


class Gateway(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Conditions of the lab's gateway that all arms share."""

    slow_to_pps: int = 0  # slow a namespace gateway to about so many packets/s; 0: not slowed
    devices: tuple[Device, ...] = ()  # whose caches an emulated gateway is given, to estimate time


class LineWay(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way of the line: a queue, a link that sends frame after frame, a delay. All factors."""

    rate_bps: float = 0.0  # of the link; 0: as fast as it goes
    buffer_packets: int = 0  # that wait for it; 0: 50, or by buffer_bytes
    buffer_bytes: int = 0  # of frames that wait for it; 0: by buffer_packets
    aqm: Aqm = "fifo"  # fifo, head, codel
    fixed_ms: float = 0.0  # added to each frame's time, behind the link
    loss: float = 0.0  # share that is lost there by chance, 0..1
    overhead_bytes: int = 0  # a frame's more than its own without FCS: -14 IP packets, 24 Ethernet
    atm: bool = False  # in cells of 53 bytes
    course: str = ""  # how rate and delay change: lte, starlink, docsis, halves, a file; "": not
    period_s: float = 0.0  # after which the course begins anew; 0: its own


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[line]`: an emulated access line between the gateway's WAN port and the WAN host.

    A plan's file may have a way's keys in `[line]`: they are of both.
    """

    up: LineWay = LineWay()  # towards the WAN host
    down: LineWay = LineWay()  # towards the gateway
    overload: bool = False  # workloads may offer more than its rate


class Workload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The traffic to send. Every key may be a factor of the sweep."""

    kind: Kind = "udp"  # udp, tcp, connections, ..., algorithm; each has keys of its own below
    direction: Direction = "up"  # up: LAN to WAN; down; both; send, receive: by the gateway itself
    family: Family = "ipv4"  # ipv4, ipv6
    duration_s: float = 1.0  # of sending
    start_s: float = 0.0  # it begins so long after the trial does
    dscp: int = 0  # code point of its packets (RFC 2474)
    driver: Driver = "gatemark"  # who makes the traffic: our agent, or a known tool in its place
    # kind udp
    frame_bytes: int = 64  # L2 with FCS
    payload_bytes: int = 0  # UDP payload; 0: what frame_bytes leaves
    mix: str = ""  # frames of several sizes, interleaved: imix or 64:7,594:4,1518:1; "": of one
    flows: int = 1  # that the packets go round robin over
    flow_ports: FlowPorts = "ordered"  # UDP ports of the flows: ordered, random
    clients: int = 1  # LAN hosts that the flows come from, by address
    rate_pps: float = 0.0  # for each direction; 0: as fast as the tester can
    rate_bps: float = 0.0  # the same as bits of UDP payload; 0: by rate_pps
    packets: int = 0  # stop after so many; 0: no bound but the time
    burst: int = 0  # packets a system call; 0: 1 below 500 000 packets/s
    cap_pps: float = 0.0  # hold the sender below its schedule; 0: do not
    restart_s: float = 0.0  # restart the gateway so long after the first packet; 0: do not
    sender_port: SenderPort = "auto"  # how the sender reaches the wire: live, afxdp, raw
    sink_port: SinkPort = "auto"  # how the sink does: xdp, ring
    # kind tcp
    write_bytes: int = 131_072  # of one write and one read: the "block" of iperf
    streams: int = 1  # connections, for each direction
    socket_buffer_bytes: int = 0  # of either end; 0: the kernel tunes it
    congestion: str = "cubic"  # congestion control of either end
    settle_s: float = 0.0  # sent before counting begins, in addition to duration_s
    offload: bool = False  # TSO, GSO, GRO at the tester's ports; path direct alone
    # kind connections
    connecting: Connecting = "open"  # open: until one fails; crr: open, ask, answer, close; hold
    connections: int = 0  # at most (open), to hold (hold), at once (crr); 0: as many as it goes
    active_pps: float = 0.0  # hold, flows: packets/s over all of them together; 0: idle
    # kind flows; with flows, clients, rate_pps (at which they are opened; 0: 5000), active_pps
    steps: int = 10  # equal parts in which the flows are opened; memory is read after each
    servers: int = 1  # ports of the WAN host that they go to
    # kind multicast; with rate_pps: of all groups together
    groups: int = 1  # that a host joins
    neighbour: bool = False  # another host joins them, and leaves in the middle
    # kind replay
    trace: str = "game"  # a pcap or pcapng file, or a source made here (plan/trace.py)
    speed: float = 1.0  # its own timing, times so much; rate_pps: that instead, both ways together
    clones: int = 1  # flows made of each of the trace's
    packet_most: int = MTU_BYTES  # of the longest that is replayed: longer ones are cut or left out
    # kind walk, with frame_bytes or payload_bytes: one packet at a time, and its instructions
    l4: L4 = "udp"  # udp; tcp: segments of one connection, each with data
    walks: int = 200  # packets
    ordered: bool = False  # keep the functions of one packet in their order
    # kind responsiveness, with congestion: HTTP/2 round trips while it loads; it ends by itself
    interval_s: float = 5.0  # after which it looks whether it is stable, and adds a connection
    tls: bool = True  # false: without TLS, of which no value compares with one with it
    # kind application: real programs at both ends
    application: str = "ssh"  # a file of kind/application/program: call-sip, ssh, dns, page-h2, ...
    # kind dns: queries to the gateway, rate_pps a second (0: 100 wait for an answer at a time)
    cached: float = 0.5  # share of them that the gateway can answer by itself
    # kind algorithm: a kernel runs on the gateway's processor; nothing is sent
    command: Kernel = "lpm"  # lpm, filter, match, gateway, platform, coremark
    words: dict[str, Factor] = {}  # what the command is asked for; a factor of it is words.KEY
    instances: int = 1  # of it, at the same time
    level: Level = "O3"  # of optimisation: O0 to O3


class Repeat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The repeats of each point."""

    warmup: int = 0  # trials of each point before its repeats, in each boot; kept and never judged
    times: int = 6  # at least, in the outside pass; six give a 95 % interval of the median
    boots: int = 0  # boots of the gateway for each arm, `times` trials in each; 0: one for all
    spread: float = 0.0  # repeat until the interval is within ± this share; 0: no more than times
    most: int = 30  # repeats at the very most, however far they spread
    twin: bool = False  # measure the first arm with a gateway twice (A/A): the noise floor
    # All arms at once where the station can stand several times, each sent to for so long in its
    # turn; 0: one arm after the other.
    turn_ms: float = 0.0
    # Points, by some of their factors: all their repeats come before the others', for an answer so
    # far. (): the points are in random order.
    first: tuple[dict[str, Factor], ...] = ()


class Probe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The things to read on the gateway, in a pass of its own at the same points."""

    use: tuple[str, ...] = ()  # names of plan/probe.py
    times: int = 1  # how often each point is measured so


class Keep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parts to keep of a trial besides its record and series."""

    pcapng: bool = False  # the packets around what was lost, late or doubled; UDP alone
    capture: bool = False  # all packets of an application's trials, labelled


class Search(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search for the highest rate, or the longest burst, within a loss criterion.

    Or, by profile `shaper`, for the highest rate that the gateway's shaper holds.
    """

    profile: Profile = "csit"  # csit, rfc2544, diffuse, rfc9004, shaper
    # ndr: no loss; pdr: 0.5 % at most; burst; held: a shaper's rate; none: the profile's
    goals: tuple[Goal, ...] = ()
    trial_s: float = 0.0  # of a trial at the end of the search; 0: the profile's
    sum_s: float = 0.0  # csit: of all trials that decide a bound; 0: the profile's
    wait_s: float = -1.0  # between trials; -1: the profile's
    width: float = 0.0  # of the interval at the end, relative; 0: the profile's
    min_pps: float = 0.0  # the lowest rate to try, of each direction; 0: the profile's
    max_pps: float = 0.0  # the highest, and of bursts; 0: twice what comes through at overload
    min_mbit: float = 0.0  # shaper: the lowest rate to try; 0: 1
    max_mbit: float = 0.0  # shaper: the highest; 0: the one in the arm's feature
    shares: tuple[float, ...] = ()  # afterwards a trial at each of these shares of `of`
    share_s: float = 0.0  # of such a trial; 0: as trial_s
    of: Goal = "pdr"  # what they are shares of


class Expectation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check of `[expect]`: a judged quantity, and what it is compared with."""

    quantity: str  # as `gatemark show --json` names it; NAME_below_knee: of each point below
    sign: Sign  # how the value is compared with the bound
    bound: float  # in the quantity's unit
    arm: str = ""  # the only arm that it is about; "": every arm with a gateway
    at: dict[str, Factor] = {}  # factor -> level: the only points that it is about; {}: all
    needs: str = ""  # a fact of the inventory; of a gateway without it nothing is expected

    @property
    def wanted(self) -> str:
        """The comparison: `>= 20000`."""
        whole = self.bound.is_integer() and abs(self.bound) < LARGEST_WHOLE
        return f"{self.sign} {int(self.bound) if whole else self.bound}"


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question as data. `name` is `suite/file`, given by the loader."""

    schema: str  # name and version of this format
    title: str  # the question in a line
    why: str = ""  # why it is asked
    reading: str = ""  # how to read the answer
    name: str = ""  # suite/file, given by the loader
    cites: tuple[str, ...] = ()  # the RFC or paper that asks so
    rows: tuple[str, ...] = ()  # of `reference/requirements.csv` that it answers
    lacks: dict[str, str] = {}  # of `rows`, those that it answers in part: what is missing
    arm: tuple[Arm, ...] = ()  # `[setup]` is read as the only arm
    command: dict[str, Command] = {}  # `[command.NAME]`: what the feature command:NAME runs
    gateway: Gateway = Gateway()  # conditions that all arms share
    line: Line | None = None  # `[line]` before the WAN host; a factor of it is line.KEY
    workload: Workload = Workload()  # what is sent, where no factor says otherwise
    # `[beside.NAME]`: what else is sent in the same trials. A factor of it is NAME.KEY.
    beside: dict[str, Workload] = {}
    sweep: dict[str, tuple[Factor, ...]] = {}  # factor -> levels, crossed
    case: tuple[dict[str, Factor], ...] = ()  # `[[sweep.case]]`: factors that vary together
    repeat: Repeat = Repeat()  # how often each point is measured
    probe: Probe = Probe()  # what is read on the gateway
    keep: Keep = Keep()  # `[keep]`: what is kept of trials that are odd
    search: Search | None = None  # `[search]`: which rate to try next, instead of a sweep of rates
    expect: tuple[Expectation, ...] = ()  # `[expect]`: checks of what is measured
    deviations: tuple[str, ...] = ()  # from what it cites
    figure: Figure = "auto"  # how its points are drawn
    compare: bool = True  # tell what each arm changes against its base
    variants: tuple[str, ...] = ()  # names of its `[variant.NAME]` tables
    variant: str = ""  # the one that was put in


class Suite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder of plans, and which of them run first (`suite.toml`)."""

    schema: str
    title: str
    why: str
    plans: tuple[str, ...]  # file names without `.toml`; others of the folder follow
    name: str = ""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a trial among those that are measured at once."""

    ms: float = 0.0  # how long a turn is; 0: it is measured alone
    of: int = 0  # trials; 0: not measured at once, whatever was asked for
    at: int = 0  # this one, from 0


class Among(msgspec.Struct, frozen=True, kw_only=True):
    """The place of a workload among those of its trial: ports and addresses differ by it."""

    at: int = 0  # from 0, the plan's own workload
    of: int = 1  # workloads

    @property
    def is_mixed(self) -> bool:
        """Return whether others send in the same trial."""
        return self.of > 1


class TrialSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One trial to run: a point of one arm, its repeat and pass, its place in the order."""

    trial: str  # its name, unique in the run: quick/sweep/route/up/20000/3/outside
    plan: str  # the plan that it is of: quick/sweep
    arm: Arm  # the setup
    gateway: Gateway  # conditions that all arms share
    line: Line | None = None  # that its packets cross, with the levels of this point
    workload: Workload  # what is sent, with the levels of this point
    beside: dict[str, Workload] = {}  # what else is sent, by its name
    among: Among = Among()  # of this workload, where others are sent beside it
    point: dict[str, Factor]  # factor -> level
    repeat: int  # from 1
    pass_: Pass = msgspec.field(name="pass")  # as a record has it
    probes: tuple[str, ...] = ()  # those that run
    keep: Keep = Keep()  # what is kept of it if it is odd
    commands: dict[str, Command] = {}  # those that its arm's features name
    deviations: tuple[str, ...] = ()  # of its plan, from what that cites
    sequence: int = 0  # place in the run's order, from 0
    boot: int = 0  # of its arm, from 1; 0: trials are not nested in boots
    search: Search | None = None  # it comes of a search with these terms; its point has the goal
    seeks: str = ""  # that search's name: rfc/throughput/route/64/1/search
    turn: Turn = Turn()  # asked for by its length; its place comes as it is measured
