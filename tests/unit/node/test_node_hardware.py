# SPDX-License-Identifier: Apache-2.0
"""What a box is made of, from what kernels of several processors really print."""

from gatemark.node import hardware, processor
from gatemark.plan.fact import FACTS
from gatemark.store.run import UNKNOWN

# QEMU's Malta board, Linux 6.1 for 24Kc.
MALTA = """system type\t\t: MIPS Malta
machine\t\t\t: mti,malta
processor\t\t: 0
cpu model\t\t: MIPS 24Kc V0.0  FPU V0.0
BogoMIPS\t\t: 415.74
wait instruction\t: yes
microsecond timers\t: yes
tlb_entries\t\t: 16
extra interrupt vector\t: yes
hardware watchpoint\t: yes, count: 1, address/irw mask: [0x0ff8]
isa\t\t\t: mips1 mips2 mips32r1 mips32r2
ASEs implemented\t: mips16
"""
# TP-Link Archer C7 v2, OpenWrt 23.05, ath79.
ATH79 = """system type\t\t: Qualcomm Atheros QCA9558 ver 1 rev 0
machine\t\t\t: TP-Link Archer C7 v2
processor\t\t: 0
cpu model\t\t: MIPS 74Kc V5.0
BogoMIPS\t\t: 358.80
"""
ATH79_LOG = """[    0.000000] SoC: Qualcomm Atheros QCA9558 ver 1 rev 0
[    0.000000] Primary instruction cache 64kB, VIPT, 4-way, linesize 32 bytes.
[    0.000000] Primary data cache 32kB, 4-way, VIPT, cache aliases, linesize 32 bytes
[    0.000000] Clocks: CPU:720.000MHz, DDR:600.000MHz, AHB:200.000MHz, Ref:40.000MHz
[    0.412130] spi-nor spi0.0: s25fl128s1 (16384 Kbytes)
"""
ATH79_MTD = """dev:    size   erasesize  name
mtd0: 00020000 00010000 "u-boot"
mtd1: 00fa0000 00010000 "firmware"
"""
RALINK_LOG = "[    0.000000] CPU Clock: 880MHz\n[    0.9] nand: 128 MiB, SLC, erase size: 128 KiB\n"
# Raspberry Pi 2, 32 bit, and an aarch64 router.
ARMV7 = """processor\t: 0
model name\t: ARMv7 Processor rev 5 (v7l)
BogoMIPS\t: 38.40
Features\t: half thumb fastmult vfp edsp neon
CPU implementer\t: 0x41
CPU architecture: 7
CPU variant\t: 0x0
CPU part\t: 0xc07
CPU revision\t: 5

Hardware\t: BCM2835
Revision\t: a01041
"""
ARM64 = """processor\t: 0
BogoMIPS\t: 25.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0xd03
CPU revision\t: 4
"""
X86 = """processor\t: 0
vendor_id\t: GenuineIntel
cpu family\t: 6
model\t\t: 92
model name\t: Intel(R) Celeron(R) CPU N3350 @ 1.10GHz
cpu MHz\t\t: 1096.802
cache size\t: 1024 KB
"""
NOTHING = dict.fromkeys(hardware.QUESTIONS, "")


def test_a_processor_has_its_name() -> None:
    names = {
        MALTA: "MIPS 24Kc V0.0  FPU V0.0",
        ARMV7: "Arm Cortex-A7",
        ARM64: "Arm Cortex-A53",
        ARMV7.replace("0xc07", "0xfff"): "ARMv7 Processor rev 5 (v7l)",
        X86: "Intel(R) Celeron(R) CPU N3350 @ 1.10GHz",
        "": "",
    }
    assert {cpuinfo: processor.name(cpuinfo) for cpuinfo in names} == names


def test_a_chip_is_named_by_its_device_tree_first() -> None:
    chips = {
        (MALTA, ""): "MIPS Malta",
        (ATH79, "tplink,archer-c7-v2\nqca,qca9558"): "qca,qca9558",
        (ARMV7, ""): "BCM2835",
        (X86, ""): "",
    }
    assert {told: processor.soc(*told) for told in chips} == chips


def test_the_clock_is_found_where_a_kernel_tells_it() -> None:
    e500 = "processor\t: 0\ncpu\t: e500v2\nclock\t: 800.000000MHz\n"
    told = [
        ({"cpuinfo": X86}, "1096.802"),
        ({"cpuinfo": X86, "max_khz": "2400000"}, "2400"),
        ({"cpuinfo": ATH79, "boot_log": ATH79_LOG}, "720"),
        ({"cpuinfo": MALTA, "boot_log": RALINK_LOG}, "880"),
        ({"cpuinfo": ARM64, "tree_hz": "2faf0800"}, "800"),
        ({"cpuinfo": ARM64, "tree_hz": " 00 00 00 00 2f af 08 00"}, "800"),
        ({"cpuinfo": e500}, "800.000000"),
        ({"cpuinfo": MALTA}, ""),
    ]
    assert [(raw, processor.mhz(raw)) for raw, _ in told] == told


def test_caches_are_found_where_a_kernel_tells_them() -> None:
    told = [
        ({"caches": "1 Data 32K\n2 Unified 512K"}, "L1 Data 32K, L2 Unified 512K"),
        ({"boot_log": ATH79_LOG}, "L1 Instruction 64K, L1 Data 32K"),
        ({"cpuinfo": X86}, "1024 KB"),
        ({"cpuinfo": MALTA}, ""),
    ]
    assert [(raw, processor.caches(raw)) for raw, _ in told] == told


def test_a_router_is_told_whole() -> None:
    told = {
        "model": "TP-Link Archer C7 v2",
        "compatible": "tplink,archer-c7-v2\nqca,qca9558",
        "cpuinfo": ATH79,
        "processors": "1",
        "architecture": "mips",
        "meminfo": "MemTotal:         123456 kB",
        "mtd": ATH79_MTD,
        "boot_log": ATH79_LOG,
        "swconfig": "Found: switch0 - mdio-bus.0 / Atheros AR8327 rev. 4",
        "ports": "eth0 ag71xx 1000\neth1 ag71xx -1\nwlan0 ath9k -1 wireless",
        "firmware": "OpenWrt 23.05.0 r23497-6637af95aa",
    }
    assert hardware.hardware(NOTHING | told) == {
        "model": "TP-Link Archer C7 v2",
        "soc": "qca,qca9558",
        "processor": "MIPS 74Kc V5.0",
        "architecture": "mips",
        "processors": "1",
        "cpu_mhz": "720",
        "caches": "L1 Instruction 64K, L1 Data 32K",
        "memory": "120.6 MiB",
        "memory_mhz": "600",
        "bus": "AHB",
        "bus_mhz": "200",
        "flash": "16 MiB (u-boot 128 KiB, firmware 15.62 MiB)",
        "storage": UNKNOWN,
        "switch": "mdio-bus.0 / Atheros AR8327 rev. 4",
        "nics": "eth0 ag71xx 1000 Mbit/s, eth1 ag71xx",
        "wireless": "wlan0 ath9k",
        "firmware": "OpenWrt 23.05.0 r23497-6637af95aa",
    }


def test_what_a_box_does_not_tell_is_unknown() -> None:
    assert hardware.hardware(NOTHING) == dict.fromkeys(FACTS, UNKNOWN)


def test_a_fact_has_more_than_one_source() -> None:
    told: list[tuple[dict[str, str], str, str]] = [
        ({"boot_log": RALINK_LOG}, "flash", "128 MiB"),
        ({"mtd": ATH79_MTD}, "flash", "partitions u-boot 128 KiB, firmware 15.62 MiB"),
        (
            {"blocks": "mmcblk0 31116288\nsda 250069680 WDC X"},
            "storage",
            "mmcblk0 14.84 GiB, sda 119.2 GiB WDC X",
        ),
        ({"ports": "eth0 mtk_soc_eth 1000 switch=mtk"}, "switch", "DSA, tag mtk"),
        ({"ports": "eth0 e1000 1000"}, "wireless", "none"),
        ({"cpuinfo": MALTA}, "model", "mti,malta"),
    ]
    read = [(raw, key, hardware.hardware(NOTHING | raw)[key]) for raw, key, _ in told]
    assert read == told
