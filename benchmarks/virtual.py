# SPDX-License-Identifier: Apache-2.0
"""Virtual gateways: how steady is one whose clock counts instructions, and what do probes cost?

`steady`: x86-64 with icount, at overload through route and NAT; one trial that does not count, then
six trials. Goal: a range under 2 % of the median. `probes`: MIPS 24Kc at overload, packets
forwarded with and without probes, interleaved. Goal: a ratio of at least 0.99. `counted`: the same
in instructions, because the rates scatter by more. It is what probes execute in a second, as a
share of what the guest executes in a second of overload. The boot with icount takes two to three
minutes. `pktgen`: our sender on the x86-64 gateway and the kernel's own, in turns within one boot;
both are counted where they arrive.
"""

import argparse
import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from statistics import median
from typing import cast

import msgspec

from benchmarks.compare import Comparison, compare, compare_less, progress, show
from gatemark.plan.model import Arm, Plan, Repeat, TrialSpec, Workload
from gatemark.plan.model import Probe as Probing
from gatemark.plan.order import order
from gatemark.probe import reader, registry
from gatemark.probe.probe import Place
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.counting import Counting
from gatemark.station.cpu import ANY_CPU
from gatemark.station.load import load
from gatemark.station.qemu.lab import VirtualLab
from gatemark.station.recover import recover
from gatemark.station.wiring import Port

PARTS = ("steady", "probes", "counted", "pktgen")
ICOUNT = 5  # 32 ns per instruction, the clock of a slow router
STEADY = 0.02
STEADY_PPS, STEADY_S = 12_000.0, 3.0
PROBES_PPS, PROBES_S = 70_000.0, 2.0
ALL_MS = (100, 1000)  # between two samples
LITTLE = 0.01  # most that probes may execute, of what the guest executes
LOOKED_S = 5.0  # time in which the instructions of the probes are counted
PROBES = ("cpu", "softirq", "memory", "conntrack", "interfaces")
FRAMES = (64, 512, 1514)  # bytes with Ethernet's header, without its check sequence
SENT_S = 2.0
PACKETS = 60_000  # of pktgen, each time
# pktgen takes a device, then its settings, and sends until all are out; times are in µs.
PKTGEN = """
set -e
modprobe pktgen
cd /proc/net/pktgen
echo rem_device_all > kpktgend_0
echo add_device {device} > kpktgend_0
for word in "count {count}" "pkt_size {size}" "delay 0" "clone_skb 0" "src_min {src}" \
  "src_max {src}" "dst {dst}" "dst_mac {mac}" "udp_dst_min 9" "udp_dst_max 9"; do
  echo "$word" > {device}
done
echo start > pgctrl
grep Result: {device}
"""


def main() -> None:
    """Measure the chosen parts; print the comparisons with the goals."""
    parser = argparse.ArgumentParser(prog="benchmarks.virtual", description=__doc__)
    parser.add_argument("--part", choices=PARTS, help="only this one (default: all)")
    parser.add_argument("--rounds", type=int, default=6, help="trials that count (default: 6)")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    recover()
    rows: list[Comparison] = []
    measures = (_steady, _probes, _counted, _pktgen)
    for part, measure in zip(PARTS, measures, strict=True):
        if options.part in (None, part):
            rows += asyncio.run(measure(options.rounds))
    progress("")
    show(rows, json_=options.json)


async def _steady(rounds: int) -> list[Comparison]:
    model = replace(cast(VirtualLab, load("qemu-x86")).model, icount=ICOUNT)
    progress("booting x86-64 with icount")
    rows: list[Comparison] = []
    async with Bench(VirtualLab("icount", model)) as bench:
        for path in ("route", "nat"):
            rates: list[float] = []
            for spec in _specs(path, rounds + 1, STEADY_PPS, STEADY_S):
                progress(f"{path}, trial {spec.repeat} of {rounds + 1}")
                rates.append(await _received(bench, spec))
            counted = rates[1:]
            spread = (max(counted) - min(counted)) / median(counted)
            progress(f"{path}: {[round(rate) for rate in rates]} packets/s")
            what = f"icount, {path}, {round(median(counted))} packets/s: range over median"
            rows.append(compare_less(what, [spread], "target", [STEADY], "ratio"))
    return rows


async def _probes(rounds: int) -> list[Comparison]:
    progress("booting MIPS 24Kc")
    kinds: dict[str, tuple[int, int]] = {f"each {ms} ms": (ms, 0) for ms in ALL_MS}
    kinds["as shipped"] = (reader.INTERVAL_MS, reader.SHARE_PPM)
    rates: dict[str, list[float]] = {name: [] for name in ("none", *kinds)}
    async with Bench(cast(VirtualLab, load("qemu-mips"))) as bench:
        specs = _specs("route", rounds + 1, PROBES_PPS, PROBES_S)
        for spec in specs:
            for name, kept in rates.items():
                progress(f"probes {name}, round {spec.repeat} of {rounds + 1}")
                probes = () if name == "none" else PROBES
                reader.INTERVAL_MS, reader.SHARE_PPM = kinds.get(name, (0, 0))
                rate = await _received(bench, msgspec.structs.replace(spec, probes=probes))
                if spec.repeat > 1:  # the first after a boot is a third too low
                    kept.append(rate)
    return list(_costs(rates))


def _costs(rates: dict[str, list[float]]) -> Iterator[Comparison]:
    none = rates.pop("none")
    for name, with_probes in rates.items():
        yield compare(f"MIPS forwards with probes {name}", with_probes, "none", none, "packets/s")


async def _counted(rounds: int) -> list[Comparison]:
    """Instructions/s of the probes, as a share of what the guest executes at overload."""
    progress("booting MIPS 24Kc, counted")
    lab = cast(VirtualLab, load("qemu-mips"))
    lab.count()
    async with Bench(lab) as bench:
        counter = cast(Counting, lab.counting).counter()
        spec, *_ = _specs("route", 1, PROBES_PPS, PROBES_S)
        await _received(bench, spec)  # the first after a boot does not count
        began, since = counter.total, time.monotonic()
        await _received(bench, spec)
        most = (counter.total - began) / PROBES_S
        progress(
            f"{most / 1e6:.0f} million instructions/s at most ({time.monotonic() - since:.0f} s)"
        )
        shares = {
            ms: [await _executed(bench, ms) / most for _ in range(rounds)] for ms in (*ALL_MS, 0)
        }
    idle = median(shares.pop(0))
    return [
        compare_less(
            f"MIPS, probes each {ms} ms: share of all it can execute",
            [share - idle for share in executed],
            "target",
            [LITTLE] * rounds,
            "ratio",
        )
        for ms, executed in shares.items()
    ]


async def _executed(bench: Bench, interval_ms: int) -> float:
    """Instructions/s while only probes are at work; 0 ms: without any probe."""
    reader.INTERVAL_MS, reader.SHARE_PPM = interval_ms, 0
    place = Place(bench.station.gateway, ANY_CPU, LOOKED_S)
    probes = reader.Reader(place, registry.asked(PROBES if interval_ms else ()).values())
    await probes.start()
    counter = cast(Counting, bench.station.counting).counter()
    began = counter.total
    await asyncio.sleep(LOOKED_S)
    executed = counter.total - began
    await probes.abort()
    return executed / LOOKED_S


async def _pktgen(rounds: int) -> list[Comparison]:
    """Packets/s that reach the LAN host, of our sender on the gateway and of the kernel's."""
    progress("booting x86-64")
    rows: list[Comparison] = []
    async with Bench(cast(VirtualLab, load("qemu-x86"))) as bench:
        for frame in FRAMES:
            load_ = Workload(frame_bytes=frame + 4, duration_s=SENT_S, direction="send")
            ours, theirs = [], []
            for spec in _planned("endpoint", rounds, load_):
                progress(f"{frame} bytes, round {spec.repeat} of {rounds}")
                ours.append(await _received(bench, spec))
                theirs.append(await _kernel_sent(bench, frame))
            what = f"in the guest, {frame} bytes"
            rows.append(compare(what, ours, "pktgen", theirs, "packets/s"))
    return rows


async def _kernel_sent(bench: Bench, frame: int) -> float:
    ports = bench.station.ports
    gateway, host = ports["gw0"], ports["lan0"]
    script = PKTGEN.format(
        device=gateway.device,
        count=PACKETS,
        size=frame,
        src=gateway.address("ipv4"),
        dst=host.address("ipv4"),
        mac=host.mac,
    )
    with lock.machine(progress):
        before = await _arrived(host)
        result = await gateway.node.run("sh", "-c", script)
        arrived = await _arrived(host) - before
    took = re.search(r"(\d+)\(c\d+", result)
    assert took, result
    return arrived / (int(took[1]) / 1e6)


async def _arrived(port: Port) -> int:
    return int(await port.node.run("cat", f"/sys/class/net/{port.device}/statistics/rx_packets"))


def _specs(path: str, times: int, rate_pps: float, duration_s: float) -> list[TrialSpec]:
    return _planned(path, times, Workload(flows=64, duration_s=duration_s, rate_pps=rate_pps))


def _planned(path: str, times: int, workload: Workload) -> list[TrialSpec]:
    plan = Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name=f"virtual/{path}",
        arm=(Arm(path=path, name=path),),  # type: ignore[arg-type]
        workload=workload,
        repeat=Repeat(times=times),
        probe=Probing(),
    )
    return sorted(order([plan], seed=1), key=lambda spec: spec.repeat)


async def _received(bench: Bench, spec: TrialSpec) -> float:
    with lock.machine(progress):
        record, _ = await trial.run(bench, spec, lambda *_: None)
    if record.status != "ok":
        raise RuntimeError(record.reason)
    return record.values["received_pps"]


if __name__ == "__main__":
    main()
