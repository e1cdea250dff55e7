# SPDX-License-Identifier: Apache-2.0
"""The columns that gm-agent's `watch` gives (agent/PROTOCOL.md), from what a shell loop read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gatemark.node.reader import reader
from gatemark.probe.loop import Sample, cost_ns
from gatemark.store.series import Series

PAGE_BYTES: Final = 4096  # nearly everywhere; a shell cannot ask
HEX: Final = "^[0-9a-f]{8} "  # the rows of several files in /proc/net

Row = dict[str, dict[str, int]]  # of what -> column -> value


@dataclass(frozen=True, slots=True)
class Source:
    """Where one kind of columns comes from."""

    what: str  # its name in the agent's `watch`
    file: str
    pattern: str  # of the file's lines that are wanted, as grep -E knows them; {devices}: names
    read: Callable[[Sequence[str]], Row]  # from those lines
    asks: Mapping[str, Any] = field(default_factory=dict)  # what `watch` is asked for besides


def patterns(sources: Iterable[Source], devices: Iterable[str]) -> list[str]:
    """Return the patterns for these files, to be joined by `|`."""
    names = "|".join(device.replace(".", "[.]") for device in devices)
    return [source.pattern.replace("{devices}", names) for source in sources]


@reader("what the shell loop of the probes read")
def columns(samples: Sequence[Sample], sources: Iterable[Source]) -> dict[str, Any]:
    """A report as `watch` gives it; what a sample lacks makes its kind absent."""
    report: dict[str, Any] = {"t_ns": [sample.t_ns for sample in samples], "absent": []}
    report["cpu_ns"], report["cpu_over_ns"] = cost_ns(samples)
    for source in sources:
        if not samples or not all(sample.lines.get(source.file) for sample in samples):
            report["absent"].append(source.what)
            continue
        rows = [source.read(sample.lines[source.file]) for sample in samples]
        names = [name for name in rows[0] if all(name in row for row in rows)]
        table = {name: _transposed([row[name] for row in rows]) for name in names}
        report[source.what] = table.get("", table)
    return report


def flat(report: Mapping[str, Any]) -> Series:
    """A report's nested columns as series: `inside.softnet.0.processed`."""
    series: dict[str, tuple[Sequence[int], Sequence[float]]] = {}

    def walk(name: str, value: Any) -> None:
        match value:
            case dict():
                for key, inner in value.items():
                    walk(f"{name}.{key}", inner)
            case [int() | float(), *_] if len(value) == len(report["t_ns"]):
                series[name] = report["t_ns"], value

    walk("inside", {key: value for key, value in report.items() if key != "t_ns"})
    return series


def _transposed(rows: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    return {name: [row[name] for row in rows] for name in rows[0]}
