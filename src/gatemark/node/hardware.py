# SPDX-License-Identifier: Apache-2.0
"""The parts of a box, as a busybox shell can read them; what it does not name is unknown."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from gatemark.node import processor
from gatemark.node.quoted import literals
from gatemark.node.reader import ODD
from gatemark.plan.fact import FACTS
from gatemark.store.run import UNKNOWN

# No ethtool, lscpu, od or bash is taken for granted, and nothing that is not in every busybox.
QUESTIONS: Final = literals(
    {
        "model": "cat /tmp/sysinfo/model || tr -d '\\0' < /proc/device-tree/model || "
        "echo $(cat /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name)",
        "compatible": "tr '\\0' '\\n' < /proc/device-tree/compatible",
        "cpuinfo": "head -n 60 /proc/cpuinfo",
        "processors": "grep -c '^processor' /proc/cpuinfo",
        "architecture": "uname -m",
        "max_khz": "cat /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
        "tree_hz": "for f in /proc/device-tree/cpus/cpu@*/clock-frequency; do "
        "hexdump -v -e '1/1 \"%02x\"' $f || od -An -v -tx1 $f; break; done",
        "caches": "for d in /sys/devices/system/cpu/cpu0/cache/index*; do "
        "[ -e $d/size ] && echo $(cat $d/level $d/type $d/size); done",
        "meminfo": "grep MemTotal /proc/meminfo",
        "mtd": "cat /proc/mtd",
        "blocks": "for d in /sys/block/*; do "
        "[ -e $d/device ] && echo ${d##*/} $(cat $d/size $d/device/model); done",
        "boot_log": "dmesg | grep -i -E 'clocks?: ?(cpu|[0-9])|primary .*cache|kbytes\\)|"
        "nand: [0-9]|switch[0-9]: ' | head -n 40",
        "swconfig": "swconfig list",
        "ports": "for n in /sys/class/net/*; do [ -e $n/device ] || continue; "
        "d=$(readlink $n/device/driver); s=$(cat $n/speed); w=; [ -e $n/phy80211 ] && w=wireless; "
        "t=; [ -e $n/dsa/tagging ] && t=switch=$(cat $n/dsa/tagging); "
        "echo ${n##*/} ${d##*/} ${s:--1} $w $t; done",
        "firmware": "if [ -e /etc/os-release ]; then . /etc/os-release; "
        'else . /etc/openwrt_release; fi; echo "${OPENWRT_RELEASE:-${PRETTY_NAME:-'
        '$DISTRIB_DESCRIPTION}}"',
    }
)

# "m25p80 spi0.0: s25fl064k (8192 Kbytes)", "nand: 128 MiB, SLC, erase size: 128 KiB"
FLASH_CHIP = re.compile(r"\S+ \((\d+) Kbytes\)|nand: (\d+) MiB", re.IGNORECASE)
SWITCH_CHIP = re.compile(r"switch\d+: (.+?) (?:switch )?registered", re.IGNORECASE)
SECTOR_BYTES = 512  # of /sys/block/*/size, whatever the disk has
NO_SPEED = ("-1", "4294967295")  # no link, or a port that has none


def hardware(raw: Mapping[str, str]) -> dict[str, str]:
    """The facts of `FACTS` from the answers to `QUESTIONS`; each is there, perhaps `unknown`."""
    cpuinfo, clocks = raw["cpuinfo"], processor.clocks(raw["boot_log"])
    texts: dict[str, str] = {
        "model": raw["model"] or processor.fields(cpuinfo).get("machine", ""),
        "soc": processor.soc(cpuinfo, raw["compatible"]),
        "processor": processor.name(cpuinfo),
        "architecture": raw["architecture"],
        "processors": raw["processors"] if raw["processors"] != "0" else "",
        "cpu_mhz": _or_unknown(processor.mhz, raw),
        "caches": processor.caches(raw),
        "memory": _or_unknown(_memory, raw["meminfo"]),
        "memory_mhz": clocks.get("ddr", ""),
        "bus": "AHB" if "ahb" in clocks else "",
        "bus_mhz": clocks.get("ahb", ""),
        "flash": _or_unknown(_flash, raw["mtd"], raw["boot_log"]),
        "storage": _or_unknown(_storage, raw["blocks"]),
        "switch": _switch(raw),
        **_ports(raw["ports"].splitlines()),
        "firmware": raw["firmware"],
    }
    return {key: texts.get(key) or UNKNOWN for key in FACTS}


def _or_unknown(read: Callable[..., str], *given: Any) -> str:
    """Return what is read of a text, or nothing where it is odd: other facts remain."""
    try:
        return read(*given)
    except ODD:
        return ""


def _memory(meminfo: str) -> str:
    """Return the kernel's and others' memory: a little less than the chips hold."""
    words = meminfo.split()
    return size(int(words[1]) * 1024) if len(words) > 1 else ""


def _flash(mtd: str, boot_log: str) -> str:
    """The chip's size where the kernel printed it, and the partitions; these may overlap."""
    rows = [line.replace('"', "").split(None, 3) for line in mtd.splitlines()[1:]]
    parts = [f"{row[3]} {size(int(row[1], 16))}" for row in rows if len(row) > 3]
    chips = [
        size(int(kbytes) << 10 if kbytes else int(mbytes) << 20)
        for kbytes, mbytes in FLASH_CHIP.findall(boot_log)
    ]
    listed = f"({', '.join(parts)})" if chips else f"partitions {', '.join(parts)}"
    return " ".join((*chips, listed)) if parts else " ".join(chips)


def _storage(blocks: str) -> str:
    return ", ".join(map(_block, blocks.splitlines()))


def _block(line: str) -> str:
    name, sectors, *model = line.split()
    return " ".join((name, size(int(sectors) * SECTOR_BYTES), *model))


def _switch(raw: Mapping[str, str]) -> str:
    """From swconfig, from DSA (its tag's kind), or from what the kernel printed."""
    if match := re.search(r"Found: \S+ - (.+)", raw["swconfig"]):
        return match[1]
    if match := re.search(r"switch=(\S+)", raw["ports"]):
        return f"DSA, tag {match[1]}"
    match = SWITCH_CHIP.search(raw["boot_log"])
    return match[1] if match else ""


def _ports(lines: list[str]) -> dict[str, str]:
    """Wired and wireless: `eth0 ag71xx 1000 Mbit/s, eth1 ag71xx`."""
    kinds: dict[str, list[str]] = {"nics": [], "wireless": []}
    for line in filter(str.strip, lines):
        device, *words = line.split()
        texts = [word for word in words if not word.lstrip("-").isdigit() and "=" not in word]
        driver = next((word for word in texts if word != "wireless"), "driver unknown")
        speeds = [w for w in words if w.lstrip("-").isdigit() and w not in NO_SPEED]
        speed = f" {speeds[0]} Mbit/s" if speeds else ""
        kinds["wireless" if "wireless" in words else "nics"].append(f"{device} {driver}{speed}")
    facts = {kind: ", ".join(texts) for kind, texts in kinds.items()}
    return facts | {"wireless": facts["wireless"] or ("none" if facts["nics"] else "")}


def size(count: int) -> str:
    """Bytes in the largest unit that leaves at least one: 64 MiB."""
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.4g} {unit}"
