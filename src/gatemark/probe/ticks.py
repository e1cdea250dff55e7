# SPDX-License-Identifier: Apache-2.0
"""The gateway's CPUs as it reads them itself, from /proc/stat.

The kernel's tick looks who has the CPU a hundred times a second, so this is right for a CPU that is
saturated, and says little of one that is not (docs/measured.md). Where threads can be read from
outside, those are the truth; a box has nothing else.
"""

from collections.abc import Collection

from gatemark.probe.window import Report, window
from gatemark.store.record import CpuReading

IDLE, STOLEN, NICE = "idle_ms", "steal_ms", "nice_ms"


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
    was left over (probe/soak.py), their time is booked as nice, and was idle but for them.
    """
    seen = window(report, t0_ns, t1_ns) if "cpu" in report else None
    if seen is None:
        return ()
    readings = []
    for name, columns in report["cpu"].items():
        risen = {kind: seen.change(column) for kind, column in columns.items()}
        whole = sum(risen.values())
        if whole <= 0 or (own is not None and int(name) not in own):
            continue
        left = risen[IDLE] + (risen.get(NICE, 0) if soaked else 0)
        busy = (whole - left - risen[STOLEN]) / whole
        readings.append(
            CpuReading(
                thread=f"cpu{name}",
                cpu=int(name),
                busy=busy,
                waiting=risen[STOLEN] / whole,
                ns_per_packet=busy * 1e9 / received_pps if received_pps else None,
                modes={kind.removesuffix("_ms"): rise / whole for kind, rise in risen.items()},
            )
        )
    return tuple(readings)
