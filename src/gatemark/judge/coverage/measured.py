# SPDX-License-Identifier: Apache-2.0
"""The holdings of a run: of trials that counted, and of facts that are known, alone."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gatemark.judge.capacity.sized import sized
from gatemark.judge.change import rising
from gatemark.judge.change.claim import claims
from gatemark.judge.change.diff import SOFTWARE
from gatemark.judge.coverage.declared import levels_of, text
from gatemark.judge.coverage.offer import DIRECT, INVENTORY, STATION, Offer, Reading
from gatemark.judge.judgement import Judgement
from gatemark.judge.point.group import group
from gatemark.judge.point.load import rates_at
from gatemark.judge.values import values
from gatemark.plan.model import NEW, OLD, Plan
from gatemark.store.record import Definition, Evidence, Record, Scalar
from gatemark.store.run import AB, UNKNOWN, Run

EVIDENCE: Final = "evidence."
# What tells one firmware from another; the hash is of all its packages.
FIRMWARE: Final = ("firmware_sha256", *SOFTWARE)
WHOLE: Final = ("rapl", "hwmon")  # meters of a processor or a machine, not of a gateway's supply
WORKS: Final = 0.01  # load of a CPU that takes part: below it are the ticks of an idle one


def held(
    run: Run, records: Sequence[Record], judgement: Judgement, *, with_tester: bool = False
) -> dict[str, Offer]:
    """Return what a run holds, plan by plan: of trials that counted alone.

    Of the gateway: what the tester did without it shows that there is a ceiling, and no more unless
    it is asked for.
    """
    own = [r for r in records if _is_ok(r) and _counts(r.definition, with_tester=with_tester)]
    whole = _of_plans(run, own, judgement, with_tester=with_tester)
    known = frozenset(_known(run))
    offers = {}
    for plan in run.plans:
        members = [record for record in own if record.plan == plan.name]
        readings = [*_measured(plan, members)]
        if members:
            readings += _judged(plan, judgement, with_tester=with_tester)
        more = whole.get(plan.name, set()) | _promised(plan, members) | known
        offers[plan.name] = _offer(readings, more if members else frozenset())
    direct = (r for r in records if r.definition.path == DIRECT and _is_ok(r))
    for name in {record.plan for record in direct} & offers.keys():
        offers[name] = offers[name]._replace(names=offers[name].names | {"ceiling"})
    return offers


def _offer(readings: Sequence[Reading], more: set[str] | frozenset[str]) -> Offer:
    levels: dict[str, set[str]] = {}
    for reading in readings:
        for factor, level in reading.levels.items():
            levels.setdefault(factor, set()).add(level)
    return Offer(
        frozenset(more).union(*(reading.names for reading in readings)),
        frozenset().union(*(reading.arms for reading in readings)),
        {factor: frozenset(texts) for factor, texts in levels.items()},
        tuple(readings),
    )


def _measured(plan: Plan, records: Sequence[Record]) -> Iterator[Reading]:
    """The evidence of the records, each once: repeats of a point mostly have the same."""
    seen = set()
    for record in records:
        names = set(_evidence(record.evidence))
        if record.evidence.meter not in ("", *WHOLE):
            names.add("metered")
        if record.definition.kernel:
            names.add(f"kernel.{record.definition.kernel.split()[0]}")
        key = record.arm, record.definition, *record.point.items(), frozenset(names)
        if key not in seen:
            seen.add(key)
            yield _reading(plan, record.arm, names, record.definition, record.point)


def _judged(plan: Plan, judgement: Judgement, *, with_tester: bool) -> Iterator[Reading]:
    """Each value; `QUANTITY of FEATURE` names what its arm has."""
    for value in values(judgement):
        own = value.plan == plan.name and _counts(value.definition, with_tester=with_tester)
        if own and value.n and math.isfinite(value.value):
            parts = value.definition.path, *value.definition.features
            names = {value.quantity, value.quantity.rpartition(".")[2]}  # up.queue_mean_ns
            names |= {f"{name} of {part}" for name in names for part in parts}
            yield _reading(plan, value.arm, names, value.definition, value.point)


def _reading(
    plan: Plan, arm: str, names: set[str], definition: Definition, point: Mapping[str, Scalar]
) -> Reading:
    """Names at a point. Where its plan varies no factor, the trial's own definition has it."""
    swept = {*plan.sweep, *(factor for case in plan.case for factor in case)}
    levels = {name: own for name, (own, *_) in levels_of(plan).items() if name not in swept}
    defined = {name: getattr(definition, name) for name in definition.__struct_fields__}
    levels |= {n: text(own) for n, own in defined.items() if n in levels and own is not None}
    levels |= {name: text(level) for name, level in point.items()} | {"l4": definition.l4}
    parts = frozenset((definition.path, *definition.features))
    return Reading(
        (plan.name, arm), frozenset(names), parts, levels, frozenset(swept & point.keys())
    )


def _promised(plan: Plan, records: Sequence[Record]) -> set[str]:
    """Names that the plan's own words promise, once it was measured."""
    more = set()
    repeated = any(record.repeat > 1 for record in records)
    if repeated:
        more.add("mean")
    if plan.repeat.spread and repeated:
        more.add("spread")
    if any(record.deviations for record in records):
        more.add("deviations")
    if any(len(_working(record)) > 1 for record in records):
        more.add("cores")
    rounds = {(r.repeat, r.arm) for r in records if r.definition.turn_ms}
    if len(rounds) > len({repeat for repeat, _ in rounds}):
        more.add("at-once")
    return more


def _working(record: Record) -> set[int]:
    """The CPUs that the gateway's threads used."""
    return {r.cpu for r in record.evidence.cpu if r.cpu is not None and r.busy >= WORKS}


def _evidence(evidence: Evidence) -> Iterator[str]:
    """Yield what is not empty, and the counts of its tables that are not 0."""
    for name in evidence.__struct_fields__:
        table = getattr(evidence, name)
        if table and not _is_empty(table):
            yield EVIDENCE + name
        if isinstance(table, Mapping):
            yield from (f"{EVIDENCE}{name}.{key}" for key, count in table.items() if count)


def _is_empty(fact: object) -> bool:
    """Return whether it is empty: no text but blanks or `unknown`, no table but of such."""
    if isinstance(fact, str):
        return fact.strip().casefold() in ("", UNKNOWN)
    if isinstance(fact, Mapping):
        return all(map(_is_empty, fact.values()))
    if isinstance(fact, list | tuple):
        return all(map(_is_empty, fact))
    return fact is None


def _of_plans(
    run: Run, records: Sequence[Record], judgement: Judgement, *, with_tester: bool
) -> dict[str, set[str]]:
    """Names that are judged of a plan as a whole, by plan."""
    judged: dict[str, set[str]] = {}
    groups = group(records)
    checks = judgement.cross_checks
    marks = (
        ("change", judgement.comparisons),
        ("step", [ladder for ladder in judgement.ladders if any(s.costs for s in ladder.steps)]),
        ("watched", judgement.watched),
        ("cross-check", [c for c in checks if _counts(c.definition, with_tester=with_tester)]),
        ("claims", [c for c in claims(records, judgement.points) if c.holds != "cannot be told"]),
        ("rates-at-load", [rate for rate in rates_at(groups) if rate.pps]),
        ("rises", [points[0] for points in rising.searched(judgement.points)]),
    )
    for line in sized(groups):
        own = judged.setdefault(line.plan, set())
        own |= {"loss-by-size"} | ({"by-size"} if line.cost else set())
    for name, results in marks:
        for result in results:
            judged.setdefault(result.plan, set()).add(name)
    if run.ab:
        old, new = ({r.plan for r in records if r.arm == arm} for arm in (OLD, NEW))
        for plan in old & new:
            judged.setdefault(plan, set()).update(_firmwares(run.ab))
    return judged


def _firmwares(test: AB) -> Iterator[str]:
    """Tell what an A/B test compares: two firmwares of one box, as far as both sides tell the same.

    A factory's firmware beside another's needs a box that a factory made: no virtual gateway.
    """
    old, new = (_facts(side.inventory) for side in (test.old, test.new))
    both = old.keys() & new.keys()
    if "processor" in both and old["processor"] != new["processor"]:
        return  # two boxes
    if any(old[name] != new[name] for name in both.intersection(FIRMWARE)):
        yield "firmwares"
        makers = {str(side.get("firmware", "")).split(" ")[0] for side in (old, new)} - {""}
        if len(makers) > 1 and not (test.old.station.virtual or test.new.station.virtual):
            yield "factory"


def _is_ok(record: Record) -> bool:
    return record.status == "ok"


def _counts(definition: Definition, *, with_tester: bool) -> bool:
    return with_tester or definition.path != DIRECT


def _known(run: Run) -> Iterator[str]:
    """Facts of the station and of the gateway, as they were before the run."""
    if run.station.placement:
        yield "station.placement"
    yield from (f"{STATION}{name}" for name, fact in run.station.made_of.items() if fact)
    for name, fact in _facts(run.before).items():
        yield from (f"{INVENTORY}{name}", f"{INVENTORY}{name}={fact}")


def _facts(inventory: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a gateway: no fact that is empty or `unknown`."""
    facts = inventory.get("gateway") or {}
    return {name: fact for name, fact in facts.items() if not _is_empty(fact)}
