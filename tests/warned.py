# SPDX-License-Identifier: Apache-2.0
"""Every warning once; of those with several reasons or texts each of them."""

from gatemark.judge.change.rising import rising
from gatemark.judge.judgement import PointResult, Warning_
from gatemark.judge.math.interval import Interval
from gatemark.judge.point import cornered, warn
from gatemark.judge.subject import Subject
from gatemark.plan.model import Repeat
from gatemark.store.record import CpuReading, Definition, Evidence, ProgramReading, Record

HEAT = Evidence(thermal={"throttled": 3.0})
LATE = Evidence(
    programs=(
        ProgramReading(
            program="command:reload",
            command="fw4 reload",
            cpu=0.0,
            cpu_user=0.0,
            cpu_system=0.0,
            memory_bytes=0,
            processes=1,
            ended="term",
            exit_code=0,
            action="due",
        ),
    )
)
BUSY = CpuReading(thread="napi/gw0", cpu=1, busy=0.95, waiting=0.0)
CLOCK = Evidence(thermal={"clock_start_mhz": 800.0, "clock_low_mhz": 600.0}, cpu=(BUSY,))
CORNERED = Evidence(
    inside=(
        CpuReading(thread="cpu0", cpu=0, busy=0.99, modes={"user": 0.6, "softirq": 0.39}),
        CpuReading(thread="cpu1", cpu=1, busy=0.1, modes={"softirq": 0.1}),
    ),
    probes={
        "interrupts": {
            "irq": {
                "24": {"name": "PCI-MSI virtio0-input.0", "cpus": {"0": 900, "1": 3}},
                "0": {"name": "IO-APIC timer", "cpus": {"0": 900, "1": 3}},
            }
        }
    },
)
# What plans may ask for already, which no advice repeats.
REPEATS = (
    Repeat(),
    Repeat(times=2),
    Repeat(times=40),
    Repeat(times=3, boots=4),
    Repeat(boots=8),
    Repeat(spread=0.02),
    Repeat(warmup=1),
    Repeat(warmup=8),
)


def fallen(line: str) -> Record:
    """A trial of a slow connection that went elsewhere."""
    return Record(
        trial="t",
        plan="cost/fastpath",
        arm="NAT",
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
        sequence=0,
        status="ok",
        started="",
        definition=Definition(path="nat"),
        values={"fastpath_age_ns": 31e9, "fastpath_again": 2.0, "fastpath_slow_kept": 0.5},
        evidence=Evidence(fastpath={"45.0 s slow UDP": line}),
    )


def every() -> list[Warning_]:
    """Those of the rules, with the advice that they have for any plan."""
    warned = [
        warn.tester_limited("tester", "the sender sent 90 %"),
        warn.late_line("none", 0.03),
        warn.action_late([LATE, Evidence()]),
        cornered.busy_queue([CORNERED]),
        cornered.fell_out([fallen("the flow table -> the usual path: aged after 31.0 s")]),
        cornered.forgotten([fallen("the usual path -> no table: forgotten after 121.0 s")]),
        warn.few_repeats(4),
        warn.spread(Interval(100.0, 95.0, 105.0, 6, 0.97)),
        warn.spread(Interval(0.0, -1.0, 1.0, 6, 0.97)),
        warn.invalid_trials(1),
        warn.invalid_trials(2),
        warn.unnamed_functions(0.2),
        warn.first_run_slow([900.0, 1000.0, 1004.0, 998.0, 1001.0]),
        warn.drift([1000.0, 990.0, 980.0, 970.0, 960.0, 950.0]),
        warn.drift([950.0, 960.0, 970.0, 980.0, 990.0, 1000.0]),
        warn.bimodal([100.0] * 5 + [120.0] * 5),
        warn.bimodal([-1.0] * 5 + [1.0] * 5),
        warn.observer_effect([1000.0, 1001.0], [900.0]),
        warn.observer_effect([1000.0, 1001.0], [1100.0]),
        warn.throttled([HEAT, CLOCK]),
        warn.throttled([CLOCK]),
        warn.clock(20_000.0, 10_000.0),
        warn.twin_differs("again", "route", 0.03, "ratio"),
        warn.bursty_sender(1e6, 1e5, 0.0, 1.0),
        warn.bursty_sender(1e4, 0.0, 50.0, 1.0),
        warn.incomplete(3, "gatemark run --resume 20261121-161500-quick"),
        warn.no_ceiling(asked=False, line=False),
        warn.no_ceiling(asked=False, line=True),
        warn.no_ceiling(asked=True, line=False),
        warn.no_instrumented_pass(asked=False),
        warn.no_instrumented_pass(asked=True),
        *rising(map(_searched, (64, 128, 256), (1000.0, 1500.0, 1000.0))),
    ]
    assert all(warned)
    return [each for each in warned if each]


def _searched(frame_bytes: int, rate_pps: float) -> PointResult:
    definition = Definition(path="route", quantity="throughput", frame_bytes=frame_bytes)
    return PointResult(
        subject=Subject(
            plan="rfc/throughput",
            arm="route",
            setup="route",
            point={"frame_bytes": frame_bytes, "goal": "ndr"},
            definition=definition,
        ),
        values={"throughput_pps": Interval(rate_pps, rate_pps, rate_pps, 6, 0.97)},
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
    )
