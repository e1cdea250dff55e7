# SPDX-License-Identifier: Apache-2.0
"""The judgement of a run, in the shape that terminal, page and `--json` share."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from gatemark.judge.fact import Fact, Text
from gatemark.judge.finding import Diagnosis, Shape
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import About
from gatemark.plan.model import Device
from gatemark.store.record import Call, Definition, Scalar

# What held a point back; of what is lost without being too much, the shape of the loss.
Limit = Literal[
    "none", "tester", "link", "line", "cpu", "memory", "flow-table", "shaper", "unknown", Shape
]


class Warning_(msgspec.Struct, frozen=True):  # noqa: N801 - Warning is a builtin
    """A warning by code: how much was seen, and what to do about it."""

    code: str  # tester-limited, bursty-sender, drift, first-run-slow, bimodal, observer-effect, ...
    advice: Text  # what to do about it: the next step
    seen: Text = ""  # the number that triggered it, a sentence; empty where there is none
    weight: float = 0.0  # how bad: of the same code and advice the worst is told


class PointResult(About, frozen=True, kw_only=True):
    """One point of one arm, judged from all its trials of both passes."""

    values: dict[str, Interval]  # quantity (quantity.UNITS) -> median with interval
    limit: Limit  # what held it back; none: all that was offered was delivered
    why: Text  # the evidence: "napi/gw0 busy 99.8 % of cpu 1"
    at_least: bool  # the tester was the limit: print a ">=" before the rate
    invalid: int  # trials that did not count, with a reason in their records
    warnings: tuple[Warning_, ...] = ()
    tester_cpu: float | None = None  # of its CPU that the busier end of the tester used
    link_bps: int | None = None  # L1 rate of the test's links; None: none, as of a veth


class Knee(About, frozen=True, kw_only=True):
    """Where an arm of a rate sweep stops delivering what is offered (one direction).

    Its point has the sweep's other factors: all but the rate.
    """

    direction: str
    # Offered rate where received stops following, by a two-segment fit of each repeat.
    knee_pps: Interval
    knee_l1_bps: float  # the same as bits on the wire, with preamble, FCS and gap
    peak_pps: Interval  # the most that was received at any offered rate
    # Highest offered rate of the sweep at and below which no repeat lost a packet and no queue
    # grew: by short trials at a few rates, so not the throughput of RFC 2544.
    no_loss_pps: float
    retained: dict[str, Interval]  # share of the peak at so many times the knee: "1.5x", "2x"
    limit: Limit
    why: Text
    at_least: bool  # no knee up to the highest offered rate, or the tester was the limit
    cpu_r2: float | None  # straightness of CPU against offered rate below the knee
    reached_pps: tuple[float, ...] = ()  # each repeat's own knee: the samples of knee_pps
    boots: tuple[int, ...] = ()  # of these repeats, where trials are nested in boots
    warnings: tuple[Warning_, ...] = ()

    @property
    def least_l1_bps(self) -> float:
        """The knee on the wire; of a lower bound its lower end."""
        if not self.at_least or not self.knee_pps.value:
            return self.knee_l1_bps
        return self.knee_l1_bps * self.knee_pps.lo / self.knee_pps.value


Verdict = Literal["faster", "slower", "no change", "within noise", "inconclusive"]


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The difference of new samples of one quantity from old ones (judge.change.compare)."""

    change: Interval  # of new / old - 1, by Hodges and Lehmann, with its 95 % interval
    p: float  # of no difference, exact rank sum test; adjusted (Holm) where many are compared
    mde: float  # the smallest change that so many repeats show in four cases of five
    noise: float  # a change up to this is not told from noise
    verdict: Verdict
    more: int = 0  # inconclusive: about so many more repeats of either would tell
    tail: float | None = None  # p where the ranks can tell no more (stats.compare); for Holm
    paired: bool = False  # measured in pairs, boot by boot (stats.paired): `n`, `more` count boots


class Comparison(About, frozen=True, kw_only=True):
    """One arm against the plan's first arm, at the same point of the same run."""

    baseline: str  # the first arm's name
    quantity: str  # of quantity.UNITS
    change: Change
    at_least: bool  # one of the two was limited by the tester: the change says little


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """By how much a step differs in one quantity from the arm that it is against (stats.block)."""

    # Median of the differences within blocks, in the quantity's unit; instructions: the difference
    # of the modes, with the range over repeats.
    difference: Interval
    # The same as a share of the other arm's value: median of the ratios within blocks, less 1.
    # None: counted, or a value of 0.
    ratio: Interval | None = None
    # Of no difference, exact signed rank test; adjusted (Holm) over the steps; None: counted.
    p: float | None
    mde: float | None  # what so many blocks show in four cases of five; None: nothing
    noise: float  # a difference up to this is not told from noise
    verdict: Verdict  # slower: it costs; faster: it saves


class Step(About, frozen=True, kw_only=True):
    """One step of a ladder: an arm against the one that it is a step from."""

    against: str
    twin: bool  # both have the same setup (A/A): it tells noise, and must hold zero
    values: dict[str, Interval]  # quantity -> the arm's own median
    costs: dict[str, Cost]  # quantity -> what the step adds to it
    at_least: bool  # the tester was the limit of one of the two: its rate is a bound
    limit: Limit


class Ladder(About, frozen=True, kw_only=True):
    """The arms of a plan as steps, at one point; its subject is the arm that all stand on."""

    values: dict[str, Interval]  # of the arm that all steps stand on
    steps: tuple[Step, ...]  # in the order of the plan
    noise: dict[str, float]  # quantity -> the most by which an A/A step differed; none: no such


class Option(About, frozen=True, kw_only=True):
    """One way to tune a gateway."""

    values: dict[str, Interval]  # quantity -> at the load where it is told
    at_least: bool  # the tester was the limit of its rate
    beaten: tuple[str, ...]  # arms that are better in something and worse in nothing; none: front


class Front(msgspec.Struct, frozen=True, kw_only=True):
    """The arms of a plan by rate, delay and CPU: which of them no other beats (Pareto)."""

    plan: str
    point: dict[str, Scalar]  # without the rate
    rate: str  # quantity of the rate, told at overload
    paced_pps: float | None  # delay and CPU are told at this offered rate; None: at overload too
    options: tuple[Option, ...]  # in the order of the plan


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """Another number of instructions that some walks came to."""

    instructions: int
    walks: int
    cause: str  # timer tick, hash, softirq, ...: by the functions that ran more; "": not known
    more: dict[str, int]  # function -> instructions that it ran more than in the mode, dearest


class Executed(About, frozen=True, kw_only=True):
    """The instructions of one packet: the walks of one point of one arm."""

    # The mode, and the range of the repeats' own modes; `n` repeats.
    instructions: Interval
    same: int  # repeats whose mode is that very number
    boots: int  # that the repeats are of
    same_boots: int  # of these, with a repeat whose mode is that very number
    walks: int  # that were counted, in all repeats
    lost: int  # packets that did not come through
    share: float  # of the walks, those that came to the mode
    others: tuple[Mode, ...]  # most frequent first
    functions: dict[str, tuple[int, int]]  # of a walk in the mode: instructions, calls


class CrossCheck(About, frozen=True, kw_only=True):
    """A known tool against our own agents: the same arm, the same point, interleaved.

    Its point has no driver; its definition is that of the tool's value.
    """

    driver: str  # the tool: iperf3, nuttcp, tcpreplay
    quantity: str  # of quantity.UNITS
    ours: Interval
    theirs: Interval
    change: Change  # from ours to theirs; its words faster and slower mean more and less
    # Of what was sent, what came to the sink's host and the tool did not count; median over trials.
    own_loss: float | None = None  # None: it accounts for no packets (TCP)
    our_loss: float | None = None  # the same of our sink


Order = Literal["", "forwarding first", "capture first", "both at once"]


class Watched(About, frozen=True, kw_only=True):
    """The limits of an arm with its programs on the gateway, over a sweep of rates.

    The arms without a program stand among them, as what they are compared with. Its point has the
    sweep's other factors: all but the rate.
    """

    baseline: str  # the arm of the same path that has no program; "": none, or it is this one
    safe_bps: float | None  # highest rate of payload up to which nothing was lost nor missed
    at_least: bool  # that is the highest rate that the tester offered as asked
    loss_bps: float | None  # lowest rate at which packets were lost
    missed_bps: float | None  # lowest rate at which the program missed some
    order: Order  # what is kept longer: forwarding, or capture; "": neither gave way, or no capture
    livelock_bps: float | None  # lowest rate that the baseline carries and this arm does not
    cpu: Interval | None  # cpu_busy at the reference rate
    rank: int | None  # by that CPU among the plan's arms: 1 used the least
    modes: Mapping[str, Interval] = {}  # of it as the gateway reads it: cpu_user, ...; {}: not read


class Part(msgspec.Struct, frozen=True):
    """A part of what one packet made the gateway do."""

    amount: int  # instructions, or ns: see `Travel.unit`
    calls: int  # functions that were entered


class Travel(About, frozen=True, kw_only=True):
    """The path of one packet through the gateway's kernel, at one point of one arm."""

    unit: str  # of every amount: instructions, ns
    seen_by: str  # counter-1, function_graph, perf
    alike: int  # walks that ran the very same number of instructions; 1: no mode, one of many paths
    in_order: bool  # calls are counted, and in their order; of samples neither is known
    total: int  # all that ran for the packet, with what came before and after its travel
    functions: dict[str, Part]  # all of that, by function, the dearest first
    subsystems: dict[str, Part]  # the same by subsystem, in the order of subsystems.toml
    unmatched: float  # share of the total that no pattern has
    calls: tuple[Call, ...]  # the packet's own travel, in order
    passed: frozenset[str]  # functions of it that a packet passes: no locks, memory, interrupts
    before: Part  # out of idle, until the travel begins
    after: Part  # the way back to idle
    own: Part  # the travel
    netfilter: Part  # of the travel: netfilter's own functions
    beneath_netfilter: Part  # the same, with all that these called


class Estimate(About, frozen=True, kw_only=True):
    """The time of a packet of one point on a device (judge.point.estimate): no measurement.

    Its intervals span what is not known of the device and the spread of the trials: `level` is 0.
    """

    device: Device
    events: dict[str, float]  # for a packet: instructions, loads, fetch_misses, ...; medians
    parts: dict[str, Interval]  # of its cycles, by what they are spent on
    cycles: Interval
    rate_pps: Interval  # that so many cycles would let through


class Queue(About, frozen=True, kw_only=True):
    """The queue that a load filled, as a flow beside it saw it in one direction (judge.queue).

    Times are of waiting: a delay less the shortest delay without a queue.
    """

    flow: str  # the workload whose packets tell of it; "": the plan's own
    way: str  # up, down
    loads: tuple[str, ...]  # the workloads that filled it; "": the plan's own
    line_bps: float | None  # of the emulated line; None: there is none
    buffer_bytes: float | None  # that it was given: its packets times their mean size
    compared: Text  # what `added` is less: "without a load (idle)"; "": nothing
    values: dict[str, Interval]  # queue_... of quantity.JUDGED: median over the trials
    expected: dict[str, float]  # queue_expected_...: by the arithmetic of TCP, where it has any
    why: tuple[Fact, ...]  # where the two differ: the causes that are known
    # By which queue: packets of all workloads, a mean of the trials.
    dropped: dict[str, float] = msgspec.field(default_factory=dict)


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Trials of one arm that are skipped for one reason (stats.refusal)."""

    plan: str  # suite/file
    arm: str  # its name
    reason: str  # what is lacking, in words
    trials: int  # that are skipped
    of: int  # all trials of the arm


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A run, judged."""

    ceilings: tuple[PointResult, ...]  # path `direct`: the tester alone
    points: tuple[PointResult, ...]  # all the others
    knees: tuple[Knee, ...]
    floors: tuple[PointResult, ...] = ()  # path `direct` at a rate that it keeps: its own delay
    comparisons: tuple[Comparison, ...] = ()  # arms against the first arm of their plan
    cross_checks: tuple[CrossCheck, ...] = ()  # known tools against our own agents
    watched: tuple[
        Watched, ...
    ] = ()  # arms whose gateway runs programs besides, and theirs without
    ladders: tuple[Ladder, ...] = ()  # what each step of a stack of features costs
    fronts: tuple[Front, ...] = ()  # what tuning is worth: rate, delay and CPU at once
    travels: tuple[Travel, ...] = ()  # paths of one packet through the kernel
    estimates: tuple[Estimate, ...] = ()  # of a packet's time on devices that were not there
    diagnoses: tuple[Diagnosis, ...] = ()  # the shapes of what each arm lost
    executed: tuple[Executed, ...] = ()  # instructions of one packet, by arm and point
    queues: tuple[Queue, ...] = ()  # what flows saw of the queue that a load beside them filled
    refusals: tuple[Refusal, ...] = ()  # arms that were not measured, or in part, and why
    sentence: str = ""  # the answer (tell.sentence), numbers with units
    warnings: tuple[Warning_, ...]  # of the run as a whole
    trials: int
    invalid: int
    missing: int  # planned and not (yet) run

    @property
    def skipped(self) -> int:
        """Trials that could not run."""
        return sum(refusal.trials for refusal in self.refusals)


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `gatemark show RUN --json`."""

    plan: str  # suite/file
    arm: str = ""  # which of the setups that the plan compares, by its name
    point: dict[str, Scalar]  # factor -> level; of a sweep's value all factors but the rate
    setup: str  # the path, and what the gateway does besides: nat + filter:100
    quantity: str  # of a record's values, or of a sweep: knee_pps, knee_l1_bps, peak_pps, ...
    value: float  # median over the repeats
    lo: float  # lower end of its interval
    hi: float  # upper end of its interval
    unit: str  # packets/s, bit/s, ns, ratio, segments or bytes
    n: int  # trials that it is the median of
    level: float  # coverage of lo..hi for the median; 0: read off, not estimated
    definition: Definition  # what makes it comparable
    limit: Limit  # what held it back; none: all that was offered came through
    at_least: bool = False  # a lower bound: print a ">=" before it
    against: str = ""  # of a step_ or change_: the arm that it is the difference from
    grade: str = ""  # of verdict_added_ns: A+ to F; of an application: good, fair, bad, not judged
    function: str = ""  # of step_function_instructions: whose instructions
    p: float | None = None  # of a step_ or change_: of no difference, adjusted (Holm)
    mde: float | None = None  # of a step_ or change_: the smallest that would have shown
    warnings: tuple[str, ...]  # codes; `gatemark show` has the advice
    shapes: tuple[str, ...] = ()  # codes of what is wrong: the shapes of what its arm lost
