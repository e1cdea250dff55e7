# SPDX-License-Identifier: Apache-2.0
"""Probe `cpu`: the gateway's CPUs as it reads them itself, from /proc/stat.

The kernel's tick looks who has the CPU a hundred times a second, so this is right for a CPU that is
saturated, and means little for one that is not (docs/measured.md). Where threads can be read from
outside, those are the better measure; a box has nothing else.
"""

from collections.abc import Collection, Sequence
from typing import Final

from gatemark.probe.column import Row, Source
from gatemark.probe.probe import Outcome, Probe, Seen, Sent
from gatemark.probe.window import Report, window
from gatemark.store.record import CpuReading

IDLE, STOLEN, NICE = "idle_ms", "steal_ms", "nice_ms"
MS_PER_TICK: Final = 10  # USER_HZ is 100 (proc_stat(5))
# Mode of a CPU -> its places after the name. A CPU that waits for I/O (place 4) is idle.
MODES: Final = {
    "user": (0,),
    "system": (2,),
    "softirq": (6,),
    "irq": (5,),
    "idle": (3, 4),
    "steal": (7,),
    "nice": (1,),
}


def rows(lines: Sequence[str]) -> Row:
    """One row for each CPU; the one for all of them is left out."""
    cpus = [line.split() for line in lines if line.startswith("cpu")]
    return {
        name.removeprefix("cpu"): {
            f"{mode}_ms": sum(int(ticks[place]) for place in places) * MS_PER_TICK
            for mode, places in MODES.items()
        }
        for name, *ticks in cpus
        if name != "cpu"
    }


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """Each CPU; the values that come of them are worked out in run/reading.py.

    A gateway that is a namespace reads all of this machine's, with what others do there: nothing
    of that is its own, unless it is asked for beside the soak, to compare the two.
    """
    soaked = isinstance(seen.own.get("soak"), dict)
    if sent.own is not None and not soaked:
        return Outcome()
    span = sent.t0_ns, sent.t1_ns
    inside = cpu_inside(seen.watched, sent.own, *span, sent.delivered_pps, soaked=soaked)
    return Outcome(evidence={"inside": inside})


def cpu_inside(
    report: Report,
    own: Collection[int] | None,
    t0_ns: int,
    t1_ns: int,
    received_pps: float,
    *,
    soaked: bool = False,
) -> tuple[CpuReading, ...]:
    """Busy share of each CPU while it was sent; `own`: those that are the gateway's, None: all.

    What a hypervisor took is waiting: the CPU was ready and others had it. Where loops soaked what
    was left over (probe/kind/soak.py), their time is booked as nice, and was idle but for them.
    """
    sending = window(report, t0_ns, t1_ns) if "cpu" in report else None
    if sending is None:
        return ()
    readings = []
    for name, columns in report["cpu"].items():
        risen = {mode: sending.change(column) for mode, column in columns.items()}
        total = sum(risen.values())
        if total <= 0 or (own is not None and int(name) not in own):
            continue
        left = risen[IDLE] + (risen.get(NICE, 0) if soaked else 0)
        busy = (total - left - risen[STOLEN]) / total
        readings.append(
            CpuReading(
                thread=f"cpu{name}",
                cpu=int(name),
                busy=busy,
                waiting=risen[STOLEN] / total,
                ns_per_packet=busy * 1e9 / received_pps if received_pps else None,
                modes={mode.removesuffix("_ms"): rise / total for mode, rise in risen.items()},
            )
        )
    return tuple(readings)


PROBE: Final = Probe(outcome, column=Source("cpu", "/proc/stat", "^cpu[0-9]", rows))
