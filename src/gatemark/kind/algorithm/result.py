# SPDX-License-Identifier: Apache-2.0
"""The outcome of a kernel: operations/s and ns of each, phase by phase, and what it takes.

The program's lists of ns have a value for each of its repeats. A phase's value is their median; of
several instances the operations are summed, and the ns are those of the middle one. A list that is
called `insert_ns` is of the phase insert, whose values are `insert.ns` and `insert.ops_s`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from statistics import median
from typing import Any, Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.kind.algorithm.load import EACH, loads
from gatemark.kind.algorithm.plan import KERNEL
from gatemark.plan.model import TrialSpec, Workload
from gatemark.plan.words import FILES, text
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind, Values
from gatemark.store.record import Definition

NS: Final = "ns"
DEPENDENT: Final = "dependent"  # look-ups that each wait for the one before: a mode, not a phase
# Numbers of the platform's own, the quantity of each, and its factor. Of several rounds the best
# counts, as STREAM has it.
NUMBERS: Final = {
    "mhz": ("clock_hz", 1e6),
    **{f"{way}_mb_s": (f"{way}_bytes_per_s", 1e6) for way in ("copy", "scale", "add", "triad")},
}
LATENCY: Final = "latency"  # a measure: ns of a load, by the size of the memory it is from
SIZES: Final = ("bytes", "peak_bytes", "build_s", "states")  # of the largest instance
HEADLINES: Final = ("", "query", "find")  # the phase that the kernel's own rate is of

Report = Mapping[str, Any]


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of a kernel alone."""
    words = (f"{key}={_named(key, text(value))}" for key, value in sorted(load.words.items()))
    return replace(
        both,
        quantity=KERNEL,
        l4=load.kind,
        rate_layer="operations/s",
        duration_s=0.0,
        kernel=" ".join((load.command, *words)),
        level=load.level,
        instances=load.instances,
    )


def outcome(spec: TrialSpec, raw: Raw) -> tuple[Values, None]:
    """The values. Raises InvalidTrialError where the program timed nothing."""
    del spec
    reports = _reports(raw)
    phases = {name: _phase(reports, name) for name in _phases(reports)}
    values: Values = dict(_numbers(reports[0]))
    if not phases and not values:
        raise InvalidTrialError("the kernel reported no times")
    for name, (ns, ops_s) in phases.items():
        if name == DEPENDENT:
            values["dependent_ns"] = ns
        elif name:
            values |= {f"{name}.ns": ns, f"{name}.ops_s": ops_s}
    if phases:
        first = next((name for name in HEADLINES if name in phases), next(iter(phases)))
        values |= {"ns": phases[first][0], "ops_s": phases[first][1]}
        values["repeats_spread_ratio"] = max(_spread(report[_list(first)]) for report in reports)
        values |= _counted(reports[0], phases, first)
        values |= _answers(reports[0])
    return values | _sizes(reports, values.get("ops_s", 0.0)), None


def _counted(report: Report, phases: Iterable[str], first: str) -> Values:
    """Return the counts of an operation; that of the headline has no phase's name."""
    values: Values = {}
    for phase in phases:
        of = "" if phase in (first, DEPENDENT) else f"{phase}."
        for name in EACH:
            if (each := report.get(_list(phase, name))) is not None:
                values[f"{of}{name}_each"] = float(each)
    return values


def _answers(report: Report) -> Values:
    """Return the share of absent keys that a filter takes for members; it never misses one."""
    absent, queries, positives = (report.get(name) for name in ("absent", "queries", "positives"))
    if not absent or queries is None or positives is None:
        return {}
    return {"false_positive_ratio": (positives - (queries - absent)) / absent}


def _sizes(reports: Sequence[Report], ops_s: float) -> Values:
    """Memory and time that the structure takes, and the bytes that went through it."""
    values: Values = {}
    if payload_bytes := reports[0].get("payload_bytes"):
        bytes_each = float(payload_bytes) / float(reports[0]["operations"])
        values["bytes_per_s"] = bytes_each * ops_s
    for name in SIZES:
        sizes = [size for report in reports if isinstance(size := report.get(name), int | float)]
        if sizes:
            values[name] = float(max(sizes))
    return values


def _numbers(report: Report) -> Iterator[tuple[str, float]]:
    """Yield the platform's numbers that are no times."""
    for name, (quantity, factor) in NUMBERS.items():
        if number := report.get(name):
            yield quantity, (max(number) if isinstance(number, list) else number) * factor
    if report.get("measure") == LATENCY and report.get(NS):
        yield "cache_latency_ns", report[NS][0]
        yield "memory_latency_ns", report[NS][-1]


def evidence(raw: Raw) -> dict[str, Any]:
    """Return the program's whole output."""
    return {"kernels": tuple(dict(report) for report in _reports(raw))}


def _reports(raw: Raw) -> Sequence[Report]:
    reports: Sequence[Report] = raw.ways[0].sender["records"]
    return reports


def _phases(reports: Sequence[Report]) -> Iterator[str]:
    """Names of the phases that every instance timed: "" has no name."""
    for name, value in reports[0].items():
        prefix = name.removesuffix(NS)
        is_timed = prefix != name and f"{prefix}operations" in reports[0]
        if is_timed and isinstance(value, list) and all(name in report for report in reports):
            yield prefix.removesuffix("_")


def _list(phase: str, name: str = NS) -> str:
    return f"{phase}_{name}" if phase else name


def _phase(reports: Sequence[Report], name: str) -> tuple[float, float]:
    """ns of an operation, and operations/s of all instances together."""
    each = [median(report[_list(name)]) for report in reports]
    if min(each) <= 0:
        raise InvalidTrialError(f"the kernel took no time: {_list(name)} has {min(each):g}")
    return median(each), sum(1e9 / ns for ns in each)


def _spread(times: Sequence[float]) -> float:
    """From the fastest repeat to the slowest, by their median."""
    return (max(times) - min(times)) / median(times)


def _named(key: str, value: str) -> str:
    """A word as a definition has it: a file by its name, wherever it lies."""
    return PurePath(value).name if key in FILES else value


KIND: Final = Kind(loads, define, outcome, evidence=evidence)
