# SPDX-License-Identifier: Apache-2.0
"""What a host is and how it is set: taken before and after a run, so that a change shows."""

import asyncio
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gatemark.node.shell import Local, Node

# Busybox's sh is enough for each; one that a host lacks leaves its key out.
PORTS = "$PORTS"  # the test ports' devices
GATEWAY = {
    "kernel": "uname -srm",
    "interfaces": "ip -o link show",
    "processor": "grep -m1 'model name' /proc/cpuinfo | cut -d: -f2",
    "cpu_mhz": "grep -m1 'cpu MHz' /proc/cpuinfo | cut -d: -f2",
    "offloads": f"for d in {PORTS}; do echo $d; ethtool -k $d | grep -E ': (on|off)$'; done",
    "qdiscs": "tc qdisc show",
    "ruleset": "nft list ruleset",
    "forwarding": "cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding",
    "conntrack_max": "cat /proc/sys/net/netfilter/nf_conntrack_max",
    "conntrack_buckets": "cat /proc/sys/net/netfilter/nf_conntrack_buckets",
}
TESTER = {
    "kernel": "uname -srvm",
    "system": ". /etc/os-release; echo $PRETTY_NAME",
    "processor": "grep -m1 'model name' /proc/cpuinfo | cut -d: -f2",
    "processors": "nproc",
    "memory": "grep MemTotal /proc/meminfo | tr -s ' '",
    "clocksource": "cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
    "nft": "nft --version",
    "iproute2": "ip -V",
}


async def inventory(gateway: Node, devices: Iterable[str]) -> dict[str, Any]:
    """Gateway, with its test ports' devices, and tester; each key a text."""
    tester = await _ask(Local(), TESTER)
    config = Path("/proc/config.gz")
    if config.exists():
        tester["kernel_config_sha256"] = hashlib.sha256(config.read_bytes()).hexdigest()
    ports = " ".join(devices)
    questions = {name: asked.replace(PORTS, ports) for name, asked in GATEWAY.items()}
    return {"gateway": await _ask(gateway, questions), "tester": tester}


async def _ask(node: Node, questions: dict[str, str]) -> dict[str, str]:
    said = await asyncio.gather(
        *(
            node.run("sh", "-c", f"({question}) 2>/dev/null || true")
            for question in questions.values()
        )
    )
    answers = zip(questions, said, strict=True)
    return {name: text.strip() for name, text in answers if text.strip()}
