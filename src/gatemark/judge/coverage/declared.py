# SPDX-License-Identifier: Apache-2.0
"""The yield of a plan, as it is written."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from gatemark.judge.capacity.sized import FEWEST
from gatemark.judge.change import rising
from gatemark.judge.coverage.offer import DIRECT, INVENTORY, STATION, Offer
from gatemark.plan.feature import programs
from gatemark.plan.kind import RULES
from gatemark.plan.model import Plan, Workload

KNEE: Final = ("knee_pps", "peak_pps", "no_loss_pps", "retained_1.5x", "retained_2x")
FEWEST_RATES: Final = 4  # of a sweep that has a knee
LOADED: Final = (
    "queue_delay_mean_ns",
    "queue_loss_ratio",
    "queue_period_ns",
    "queue_swing_ns",
    "queue_standing_bytes",
    "queue_steady_ns",
    "queue_first_ns",
    "queue_settled_ns",
)
PHASES: Final = ("insert.ns", "query.ns", "remove.ns", "requery.ns")
OF_KERNEL: Final[dict[str, tuple[str, ...]]] = {
    "filter": PHASES,
    "platform": ("clock_hz", "copy_bytes_per_s", "memory_latency_ns"),
}
OF_PROBE: Final = {
    "cpu": ("evidence.inside",),
    "softirq": ("evidence.inside",),
    "soak": ("evidence.soaked",),
    "memory": ("evidence.memory",),
    "conntrack": ("evidence.conntrack",),
    "interrupts": ("polls_ratio",),
    "power": ("power_w", "power_idle_w", "metered"),  # by which is the station's
}
BESIDE_STACK: Final = ("offload", "xdp")  # features whose packets go another way
# A plan does not know how many of a gateway's cores are at work.
ALWAYS: Final = ("station.placement", "evidence.cpu", "cpu_busy", "cores")


def declared(plan: Plan) -> Offer:
    """Return what a plan yields, by what is written in it."""
    return Offer(
        frozenset(_names(plan)),
        frozenset(part for arm in plan.arm for part in (arm.path, *arm.features)),
        {factor: frozenset(texts) for factor, texts in levels_of(plan).items()},
    )


def _names(plan: Plan) -> Iterator[str]:
    levels, own = levels_of(plan), [arm for arm in plan.arm if arm.path != DIRECT]
    kinds = levels["kind"] | {load.kind for load in plan.beside.values()}
    yield from (INVENTORY, STATION, *ALWAYS)
    for kind in kinds:
        yield from RULES[kind].yields
    yield from _of_traffic(plan, levels, kinds)
    yield from _of_arms(plan, own)
    yield from (name for probe in plan.probe.use for name in OF_PROBE.get(probe, ()))
    if len(own) < len(plan.arm):
        yield "ceiling"
    if plan.repeat.boots:
        yield from ("firmwares", "factory")  # which OLD and NEW are is the command's
    if plan.repeat.turn_ms and len(own) > 1:
        yield "at-once"
    if plan.repeat.spread:
        yield "spread"
    if plan.repeat.times > 1:
        yield "mean"
    if plan.deviations or plan.search:  # a search's profile has some of its own
        yield "deviations"


def _of_traffic(
    plan: Plan, levels: Mapping[str, Collection[str]], kinds: Collection[str]
) -> Iterator[str]:
    load = plan.workload
    yield from _of_rates(plan, levels, kinds)
    if load.kind == "algorithm":
        yield f"kernel.{load.command}"
        yield from OF_KERNEL.get(load.command, ())
    if load.kind == "walk" and load.ordered:
        yield from ("path_calls", "path_netfilter_calls", "path_instructions", "path_ns")
    if load.kind == "replay" and plan.beside:
        yield from LOADED
        parts = {part for arm in plan.arm for part in arm.features}
        yield from (f"{name} of {part}" for name in LOADED for part in parts)
    if plan.line:
        yield "evidence.line"
    if len(levels["driver"]) > 1:
        yield "cross-check"


def _of_rates(
    plan: Plan, levels: Mapping[str, Collection[str]], kinds: Collection[str]
) -> Iterator[str]:
    if plan.search:
        yield from ("throughput_pps", "held_bps", "burst_packets")
        if len(levels.get("frame_bytes", ())) >= rising.FEWEST:
            yield "rises"
    if {"tcp", "udp"} <= set(kinds):
        yield "claims"
    rates = max(len(levels.get(name, ())) for name in ("rate_pps", "rate_bps"))
    if "udp" in kinds and rates >= FEWEST_RATES and plan.figure != "delay":
        yield from (*KNEE, "rates-at-load")
    sizes = max(len(levels.get(name, ())) for name in ("payload_bytes", "frame_bytes"))
    if "udp" in kinds and "0" in levels["rate_pps"] and sizes >= FEWEST and not plan.search:
        yield from ("by-size", "loss-by-size")


def _of_arms(plan: Plan, own: Sequence[object]) -> Iterator[str]:
    if plan.compare and len(own) > 1:
        yield "change"
    if plan.figure in ("ladder", "exact"):
        yield "step"
    if any(part.startswith(BESIDE_STACK) for arm in plan.arm for part in arm.features):
        yield from ("evidence.offload", "evidence.offload.hardware_entries")
    if any(programs(arm.features) for arm in plan.arm):
        yield from ("captured_share", "program_cpu", "evidence.programs")
        if not plan.search:
            yield "watched"


def levels_of(plan: Plan) -> dict[str, set[str]]:
    """Every factor with its levels; one that does not vary has one."""
    levels: dict[str, set[str]] = {}
    for prefix, load in (("", plan.workload), *((f"{n}.", w) for n, w in plan.beside.items())):
        for factor, level in _fields(load):
            levels[prefix + factor] = {text(level)}
    swept: dict[str, set[str]] = {name: set(map(text, own)) for name, own in plan.sweep.items()}
    for case in plan.case:
        for factor, level in case.items():
            swept.setdefault(factor, set()).add(text(level))
    levels |= swept
    levels["l4"] = levels["kind"]
    return levels


def _fields(load: Workload) -> Iterator[tuple[str, object]]:
    for name in load.__struct_fields__:
        if name != "words":
            yield name, getattr(load, name)
    yield from ((f"words.{name}", level) for name, level in load.words.items())


def text(level: object) -> str:
    """A level as rows.toml writes it."""
    if isinstance(level, bool) or not isinstance(level, int | float):
        return str(level)
    return str(level) if level < 1e6 and isinstance(level, int) else f"{level:g}"
