# SPDX-License-Identifier: Apache-2.0
"""The columns that gm-agent's `watch` gives (agent/PROTOCOL.md), from what a shell loop read."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gatemark.probe.loop import Sample, cost_ns

MS_PER_TICK = 10  # USER_HZ is 100 (proc_stat(5))
Row = dict[str, dict[str, int]]  # of what -> column -> value

STAT = "/proc/stat"
SOFTNET = "/proc/net/softnet_stat"
DEV = "/proc/net/dev"
MEMINFO = "/proc/meminfo"
CONNTRACK = "/proc/net/stat/nf_conntrack"
SLABINFO = "/proc/slabinfo"  # for root alone
ZONEINFO = "/proc/zoneinfo"
PAGE_BYTES = 4096  # nearly everywhere; a shell cannot ask

# Caches that an entry in the table of connections may be made of: itself, and its extensions, which
# are of 64 to 256 bytes (net/netfilter/nf_conntrack_extend.c).
SLABS: Final = ("nf_conntrack", *(f"kmalloc-{size}" for size in (64, 96, 128, 192, 256)))

# Column -> place after the name.
CPU: Final = {"user": 0, "system": 2, "softirq": 6, "irq": 5, "idle": 3, "steal": 7, "nice": 1}
PORT: Final = {
    "rx_bytes": 0,
    "rx_packets": 1,
    "rx_errors": 2,
    "rx_dropped": 3,
    "tx_bytes": 8,
    "tx_packets": 9,
    "tx_errors": 10,
    "tx_dropped": 11,
}
TABLE: Final = ("drop", "early_drop", "insert_failed", "chainlength")  # the last since 5.15
SLAB: Final = ("active", "objects", "object_bytes")


def _cpu(lines: Sequence[str]) -> Row:
    rows = [line.split() for line in lines if line.startswith("cpu")]
    return {
        name.removeprefix("cpu"): {
            f"{kind}_ms": int(ticks[place]) * MS_PER_TICK for kind, place in CPU.items()
        }
        for name, *ticks in rows
        if name != "cpu"
    }


def _softnet(lines: Sequence[str]) -> Row:
    """One row for each CPU that is on, in hex (net/core/net-procfs.c)."""
    names = ("processed", "dropped", "squeezed")
    return {
        str(cpu): {name: int(word, 16) for name, word in zip(names, line.split(), strict=False)}
        for cpu, line in enumerate(lines)
    }


def _interfaces(lines: Sequence[str]) -> Row:
    rows = [line.partition(":") for line in lines]
    return {
        name.strip(): {column: int(row.split()[place]) for column, place in PORT.items()}
        for name, _, row in rows
    }


def _memory(lines: Sequence[str]) -> Row:
    kib = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    free = kib.get("MemFree", 0)
    told = {
        "total_bytes": kib.get("MemTotal", 0),
        "free_bytes": free,
        "available_bytes": kib.get("MemAvailable", free),  # Linux 3.14
        "slab_bytes": kib.get("Slab", 0),
    }
    return {"": {name: value * 1024 for name, value in told.items()}}


def _conntrack(lines: Sequence[str]) -> Row:
    """A head, and a row in hex for each CPU; the entries stand in each of them alike."""
    head, *rows = [line.split() for line in lines]
    cpus = [dict(zip(head, (int(word, 16) for word in row), strict=False)) for row in rows]
    sums = {name: sum(cpu.get(name, 0) for cpu in cpus) for name in TABLE}
    return {"": {"entries": cpus[0]["entries"] if cpus else 0, **sums}}


def _slab(lines: Sequence[str]) -> Row:
    rows = [line.split() for line in lines]
    return {
        name: {column: int(word) for column, word in zip(SLAB, words, strict=False)}
        for name, *words in rows
    }


def _pagesets(lines: Sequence[str]) -> Row:
    pages = sum(int(line.split()[1]) for line in lines)
    return {"": {"listed_bytes": pages * PAGE_BYTES}}


@dataclass(frozen=True, slots=True)
class Source:
    """Where one kind of columns comes from."""

    file: str
    pattern: str  # of its lines that are wanted, as grep -E knows them; {devices}: names
    read: Callable[[Sequence[str]], Row]


HEX: Final = "^[0-9a-f]{8} "
SOURCES: Final[Mapping[str, Source]] = {
    "cpu": Source(STAT, "^cpu[0-9]", _cpu),
    "softnet": Source(SOFTNET, HEX, _softnet),
    "interfaces": Source(DEV, "^ *({devices}):", _interfaces),
    "memory": Source(MEMINFO, "^(MemTotal|MemFree|MemAvailable|Slab):", _memory),
    "conntrack": Source(CONNTRACK, f"^entries|{HEX}", _conntrack),
    "slab": Source(SLABINFO, f"^({'|'.join(SLABS)}) ", _slab),
    "pagesets": Source(ZONEINFO, "^ +count: ", _pagesets),
}


def patterns(what: Iterable[str], devices: Iterable[str]) -> list[str]:
    """What is wanted of the files, to be joined by `|`."""
    names = "|".join(device.replace(".", "[.]") for device in devices)
    return [SOURCES[one].pattern.replace("{devices}", names) for one in what]


def columns(found: Sequence[Sample], what: Iterable[str]) -> dict[str, Any]:
    """A report as `watch` gives it; what a sample lacks makes its kind absent."""
    report: dict[str, Any] = {"t_ns": [sample.t_ns for sample in found], "absent": []}
    report["cpu_ns"], report["cpu_over_ns"] = cost_ns(found)
    for one in what:
        source = SOURCES[one]
        if not found or not all(sample.lines.get(source.file) for sample in found):
            report["absent"].append(one)
            continue
        rows = [source.read(sample.lines[source.file]) for sample in found]
        names = [name for name in rows[0] if all(name in row for row in rows)]
        table = {name: _turned([row[name] for row in rows]) for name in names}
        report[one] = table.get("", table)
    return report


def _turned(rows: Sequence[Mapping[str, int]]) -> dict[str, list[int]]:
    return {name: [row[name] for row in rows] for name in rows[0]}
