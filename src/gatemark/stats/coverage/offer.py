# SPDX-License-Identifier: Apache-2.0
"""What a plan yields, as it is written; and what a run of it holds, as it was measured.

Both are told in the same names, so that one rule says what of a row is not there:
quantities, and `QUANTITY of FEATURE`, of arms that have it; `kernel.NAME`, a kernel of
gm-algorithms; `evidence.NAME`, a field of a record's evidence; `inventory.NAME`, a fact of the
gateway that is known, and `inventory.NAME=FACT`; `station.NAME`, what its file makes it; `change`,
arms compared with the first; `step`, a ladder; `watched`, a program beside a sweep of rates;
`cross-check`, another tool beside ours; `rates-at-load`, the rate at a share of the CPU;
`by-size`, what packets and bytes cost, and `loss-by-size`, of UDP at overload; `claims`, a study's
own, tested; `ceiling`, the tester alone; `rises`, whether packets/s rise with the frame size;
`at-once`, several gateways in turns; `cores`, a gateway that works on several; `firmwares`, two of
them by `gatemark ab`, boot by boot; `spread`, repeats until they agree; `mean`, several repeats;
`deviations`.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from gatemark.plan.feature import programs
from gatemark.plan.model import NEW, OLD, Plan, Workload
from gatemark.stats.capacity.sized import FEWEST, sized
from gatemark.stats.change import rising
from gatemark.stats.change.claim import claims
from gatemark.stats.change.diff import SOFTWARE
from gatemark.stats.judgement import Judgement
from gatemark.stats.point.load import rates_at
from gatemark.stats.values import values
from gatemark.store.record import Definition, Evidence, Record
from gatemark.store.run import AB, UNKNOWN, Run
from gatemark.store.study.requirement import Need

DIRECT: Final = "direct"
INVENTORY: Final = "inventory."
STATION: Final = "station."
# What tells one firmware from another; the hash is of all its packages.
FIRMWARE: Final = ("firmware_sha256", *SOFTWARE)
EVIDENCE: Final = "evidence."
KNEE: Final = ("knee_pps", "peak_pps", "no_loss_pps", "retained_1.5x", "retained_2x")
FEWEST_RATES: Final = 4  # of a sweep that has a knee
DELAYS: Final = ("delay_p50_ns", "delay_p99_ns", "ipdv_p50_ns", "pdv_p99_ns")
UDP: Final = ("offered_pps", "received_pps", "received_l4_bps", "loss_ratio", *DELAYS)
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
# What a workload of a kind yields.
YIELDS: Final[dict[str, tuple[str, ...]]] = {
    "udp": (*UDP, "evidence.sender_cpu", "evidence.late_ns"),
    "tcp": ("goodput_bps", "retransmits", "rtt_p50_ns", "evidence.sender_cpu"),
    "connections": ("connections", "connections_per_s"),
    "fill": (
        "flows",
        "flow_bytes",
        "free_bytes",
        "flows_predicted",
        "flows_recommended",
        "evidence.fill_steps",
        "evidence.conntrack",
    ),
    "replay": (*UDP, "mos", "evidence.late_ns"),
    "walk": ("instructions",),
    "responsiveness": ("rpm",),
    "algorithm": ("ops_s", "evidence.kernels"),
}
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
    "power": ("power_w", "power_idle_w"),
}
BESIDE_STACK: Final = ("offload", "xdp")  # features whose packets go another way
# A plan does not know how many of a gateway's cores are at work.
ALWAYS: Final = ("station.placement", "evidence.cpu", "cpu_busy", "cores")


class Offer(NamedTuple):
    """What a plan yields, or a run of it holds."""

    names: frozenset[str]
    arms: frozenset[str]  # paths and features
    levels: Mapping[str, frozenset[str]]  # factor -> levels, as text


def joined(offers: Sequence[Offer]) -> Offer:
    """All of several."""
    levels: dict[str, frozenset[str]] = {}
    for offer in offers:
        for factor, texts in offer.levels.items():
            levels[factor] = levels.get(factor, frozenset()) | texts
    return Offer(
        frozenset().union(*(offer.names for offer in offers)),
        frozenset().union(*(offer.arms for offer in offers)),
        levels,
    )


def lacking(need: Need, offer: Offer) -> tuple[str, ...]:
    """What of a row is not there, in words; nothing: all is."""
    return tuple(_lacking(need, offer))


def yields_any(need: Need, offer: Offer) -> bool:
    """Whether at least one of the names is there."""
    return any(_has(name, offer.names) for name in need.yields)


def _lacking(need: Need, offer: Offer) -> Iterator[str]:
    yield from (f"no {name}" for name in need.yields if not _has(name, offer.names))
    for name in need.arms:
        if not any(arm.startswith(name) for arm in offer.arms):
            yield f"no arm {name}"
    yield from _unlike(need, offer.levels)


def _unlike(need: Need, levels: Mapping[str, Collection[str]]) -> Iterator[str]:
    for factor in need.over:
        if len(levels.get(factor, ())) <= 1:
            yield f"{factor} does not vary"
    for factor, wanted in need.levels.items():
        if absent := [level for level in wanted if level not in levels.get(factor, ())]:
            yield f"{factor} is never {', '.join(absent)}"


def _has(name: str, names: Collection[str]) -> bool:
    """A plan does not know what a gateway or its station tells: it has these names as a whole."""
    return name in names or any(name.startswith(of) and of in names for of in (INVENTORY, STATION))


def declared(plan: Plan) -> Offer:
    """What a plan yields, by what is written in it."""
    return Offer(
        frozenset(_names(plan)),
        frozenset(part for arm in plan.arm for part in (arm.path, *arm.features)),
        {factor: frozenset(texts) for factor, texts in _levels(plan).items()},
    )


def _names(plan: Plan) -> Iterator[str]:
    levels, own = _levels(plan), [arm for arm in plan.arm if arm.path != DIRECT]
    kinds = levels["kind"] | {load.kind for load in plan.beside.values()}
    yield from (INVENTORY, STATION, *ALWAYS)
    for kind in kinds:
        yield from YIELDS[kind]
    yield from _of_traffic(plan, levels, kinds)
    yield from _of_arms(plan, own)
    yield from (name for probe in plan.probe.use for name in OF_PROBE.get(probe, ()))
    if len(own) < len(plan.arm):
        yield "ceiling"
    if plan.repeat.boots:
        yield "firmwares"  # which OLD and NEW are is the command's
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
        yield "evidence.offload"
    if any(programs(arm.features) for arm in plan.arm):
        yield from ("captured_share", "program_cpu", "evidence.programs")
        if not plan.search:
            yield "watched"


def _levels(plan: Plan) -> dict[str, set[str]]:
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


def held(
    run: Run, records: Sequence[Record], judgement: Judgement, *, with_tester: bool = False
) -> dict[str, Offer]:
    """What a run holds, plan by plan: of trials that counted alone.

    Of the gateway: what the tester did without it shows that there is a ceiling, and no more unless
    it is asked for.
    """
    own = [r for r in records if _counts(r.definition, with_tester=with_tester)]
    judged = _judged(run, own, judgement, with_tester=with_tester)
    known = set(_known(run))
    offers = {
        plan.name: _held(
            plan,
            [r for r in own if r.plan == plan.name and _is_ok(r)],
            judged.get(plan.name, set()) | known,
        )
        for plan in run.plans
    }
    direct = (r for r in records if r.definition.path == DIRECT and _is_ok(r))
    for name in {record.plan for record in direct} & offers.keys():
        offers[name] = offers[name]._replace(names=offers[name].names | {"ceiling"})
    return offers


def _held(plan: Plan, records: Sequence[Record], names: set[str]) -> Offer:
    levels = _levels(plan)
    swept = {*plan.sweep, *(factor for case in plan.case for factor in case)}
    seen: dict[str, set[str]] = {}
    for record in records:
        for factor, level in record.point.items():
            seen.setdefault(factor, set()).add(text(level))
    for factor in swept:
        levels[factor] = seen.get(factor, set())
    if "kind" in swept:
        levels["l4"] = levels["kind"]
    arms = {p for r in records for p in (r.definition.path, *r.definition.features)}
    evidence = {name for r in records for name in _evidence(r.evidence)}
    kernels = {f"kernel.{r.definition.kernel.split()[0]}" for r in records if r.definition.kernel}
    more = _more(plan, records)
    every = names | evidence | kernels | more if records else set()
    return Offer(
        frozenset(every), frozenset(arms), {name: frozenset(own) for name, own in levels.items()}
    )


def _more(plan: Plan, records: Sequence[Record]) -> set[str]:
    """What the plan's own words promise, once it was measured."""
    more = {"spread"} if plan.repeat.spread else set()
    if any(record.deviations for record in records):
        more.add("deviations")
    if any(record.repeat > 1 for record in records):
        more.add("mean")
    if any(len({reading.cpu for reading in r.evidence.cpu} - {None}) > 1 for r in records):
        more.add("cores")
    rounds = {(r.repeat, r.arm) for r in records if r.definition.turn_ms}
    if len(rounds) > len({repeat for repeat, _ in rounds}):
        more.add("at-once")
    return more


def _evidence(evidence: Evidence) -> Iterator[str]:
    for name in evidence.__struct_fields__:
        if getattr(evidence, name) not in (None, {}, (), "", 0):
            yield EVIDENCE + name


def _judged(
    run: Run, records: Sequence[Record], judgement: Judgement, *, with_tester: bool
) -> dict[str, set[str]]:
    judged: dict[str, set[str]] = {}
    for value in values(judgement):
        if _counts(value.definition, with_tester=with_tester):
            own = judged.setdefault(value.plan, set())
            parts = value.definition.path, *value.definition.features
            own |= {value.quantity, value.quantity.rpartition(".")[2]}
            own |= {f"{value.quantity} of {part}" for part in parts}
    checks = judgement.cross_checks
    marks = (
        ("change", judgement.comparisons),
        ("step", judgement.ladders),
        ("watched", judgement.watched),
        ("cross-check", [c for c in checks if _counts(c.definition, with_tester=with_tester)]),
        ("claims", claims(records, judgement.points)),
        ("rates-at-load", [rate for rate in rates_at(records) if rate.pps]),
        ("rises", [points[0] for points in rising.searched(judgement.points)]),
    )
    for line in sized(records):
        own = judged.setdefault(line.plan, set())
        own |= {"loss-by-size"} | ({"by-size"} if line.cost else set())
    for name, results in marks:
        for result in results:
            judged.setdefault(result.plan, set()).add(name)
    if run.ab and _firmwares(run.ab):
        old, new = ({r.plan for r in records if r.arm == arm and _is_ok(r)} for arm in (OLD, NEW))
        for plan in old & new:
            judged.setdefault(plan, set()).add("firmwares")
    return judged


def _is_ok(record: Record) -> bool:
    return record.status == "ok"


def _firmwares(test: AB) -> bool:
    """Whether an A/B test is of two firmwares, as far as both sides tell the same of theirs."""
    old, new = (_facts(side.inventory) for side in (test.old, test.new))
    return any(old[name] != new[name] for name in FIRMWARE if name in old and name in new)


def _counts(definition: Definition, *, with_tester: bool) -> bool:
    return with_tester or definition.path != DIRECT


def _known(run: Run) -> Iterator[str]:
    """Of the station and of the gateway, as they were before the run."""
    if run.station.placement:
        yield "station.placement"
    yield from (f"{STATION}{name}" for name in run.station.made_of)
    for name, fact in _facts(run.before).items():
        yield from (f"{INVENTORY}{name}", f"{INVENTORY}{name}={fact}")


def _facts(inventory: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a gateway: no fact that is empty or `unknown`."""
    facts = inventory.get("gateway") or {}
    return {name: fact for name, fact in facts.items() if fact not in ("", None, UNKNOWN)}
