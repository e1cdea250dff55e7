# SPDX-License-Identifier: Apache-2.0
"""The facts of a processor by /proc/cpuinfo and its neighbours, which differ by architecture."""

import re
from collections.abc import Mapping

# Main identification register, implementer 0x41 (Arm): "part number" of the cores' manuals.
ARM_PARTS = {
    "0xb76": "ARM1176",
    "0xc05": "Cortex-A5",
    "0xc07": "Cortex-A7",
    "0xc08": "Cortex-A8",
    "0xc09": "Cortex-A9",
    "0xc0e": "Cortex-A17",
    "0xc0f": "Cortex-A15",
    "0xd03": "Cortex-A53",
    "0xd04": "Cortex-A35",
    "0xd05": "Cortex-A55",
    "0xd07": "Cortex-A57",
    "0xd08": "Cortex-A72",
    "0xd09": "Cortex-A73",
    "0xd0a": "Cortex-A75",
    "0xd0b": "Cortex-A76",
    "0xd0c": "Neoverse-N1",
}
ARM = "0x41"

# What a kernel says as it starts: ath79 "Clocks: CPU:400.000MHz, DDR:400.000MHz, AHB:200.000MHz",
# others "CPU Clock: 580MHz" (arch/mips/ath79/clock.c, arch/mips/ralink/).
CLOCKS = re.compile(r"\b(CPU|DDR|AHB)(?: clock)?: ?(\d+(?:\.\d+)?) ?MHz", re.IGNORECASE)
# "Primary instruction cache 32kB, VIPT, 4-way, linesize 32 bytes." (arch/mips/mm/c-r4k.c)
MIPS_CACHE = re.compile(r"Primary (instruction|data) cache (\d+) ?kB", re.IGNORECASE)


def fields(cpuinfo: str) -> dict[str, str]:
    """Name -> value of the first processor's lines, names in lower case."""
    texts: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        if colon and value.strip():
            texts.setdefault(name.strip().lower(), value.strip())
    return texts


def name(cpuinfo: str) -> str:
    """The core or the processor by its name; "" where the kernel tells none."""
    stated = fields(cpuinfo)
    if stated.get("cpu implementer") == ARM and (part := ARM_PARTS.get(stated.get("cpu part", ""))):
        return f"Arm {part}"
    # x86, MIPS, older Arm kernels, PowerPC
    shown_texts = (stated.get(key) for key in ("model name", "cpu model", "processor", "cpu"))
    return next((text for text in shown_texts if text and not text.isdigit()), "")


def soc(cpuinfo: str, compatible: str) -> str:
    """The chip that the processor is in: from the device tree, which names the board first."""
    if compatible:
        return compatible.splitlines()[-1]
    texts = fields(cpuinfo)
    return texts.get("system type") or texts.get("hardware", "")


def mhz(raw: Mapping[str, str]) -> str:
    """The processor's clock: its highest where it has several."""
    if re.fullmatch("[0-9]{1,9}", raw.get("max_khz", "")):
        return f"{int(raw['max_khz']) / 1000:g}"
    if tree := re.fullmatch(r"[0-9a-f]{8}|[0-9a-f]{16}", raw.get("tree_hz", "").replace(" ", "")):
        return f"{int(tree[0], 16) / 1e6:g}"
    if "cpu" in (texts := clocks(raw.get("boot_log", ""))):
        return texts["cpu"]
    printed_texts = fields(raw.get("cpuinfo", ""))
    clock = printed_texts.get("cpu mhz") or printed_texts.get("clock", "").removesuffix("MHz")
    return clock if re.fullmatch(r"\d+(\.\d+)?", clock) else ""


def clocks(boot_log: str) -> dict[str, str]:
    """Clocks in MHz of processor (cpu), memory (ddr) and bus (ahb) that the kernel printed."""
    return {word.lower(): f"{float(value):g}" for word, value in CLOCKS.findall(boot_log)}


def caches(raw: Mapping[str, str]) -> str:
    """The caches of one core: `L1 Data 32K, L1 Instruction 32K, L2 Unified 512K`."""
    if listed := raw.get("caches", "").splitlines():
        return ", ".join(f"L{line}" for line in listed)
    mips = MIPS_CACHE.findall(raw.get("boot_log", ""))
    if mips:
        return ", ".join(f"L1 {kind.capitalize()} {size}K" for kind, size in mips)
    return fields(raw.get("cpuinfo", "")).get("cache size", "")
