# SPDX-License-Identifier: Apache-2.0
"""The inventory of a host and its settings: taken before and after a run, so a change shows."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gatemark.error import UsageError
from gatemark.node import hardware
from gatemark.node.ask import ask
from gatemark.node.quoted import Script, literal, literals, shell
from gatemark.node.shell import Local, Node
from gatemark.plan.fact import FACTS
from gatemark.plan.toml import line_of, refuse_unknown_keys

# How a gateway is set. Nothing is changed by asking, and nothing that moves by itself is told:
# no counters, no dates, no lifetimes. One that a host lacks the tool for leaves its key out.
ASKED = "PORTS={ports}\n{question}"  # of the test ports' devices
SYSCTLS = (
    "net/ipv4/ip_forward",
    "net/ipv4/conf/all/rp_filter",
    "net/ipv4/tcp_congestion_control",
    "net/ipv6/conf/all/forwarding",
    # What the kernel resets as it becomes a router.
    "net/ipv4/conf/all/accept_redirects",
    "net/ipv4/conf/*/forwarding",
    "net/ipv6/conf/*/forwarding",
    "net/ipv6/conf/*/accept_ra",
    "net/core/default_qdisc",
    "net/core/netdev_budget",
    "net/core/netdev_max_backlog",
    "net/core/bpf_jit_enable",
    "net/core/rps_sock_flow_entries",
    "net/core/rmem_max",
    "net/core/wmem_max",
    "net/bridge/bridge-nf-call-iptables",
    "net/netfilter/nf_conntrack_max",
    "net/netfilter/nf_conntrack_buckets",
    "net/netfilter/nf_conntrack_tcp_timeout_established",
    "net/netfilter/nf_conntrack_udp_timeout",
    "net/netfilter/nf_conntrack_udp_timeout_stream",
    "net/netfilter/nf_conntrack_acct",
    "net/netfilter/nf_conntrack_checksum",
    "net/netfilter/nf_conntrack_helper",
)
# What OpenWrt does to a packet besides its rules' own verdicts, by the options that switch it.
OPTIONS = (
    "masq|masq6|mtu_fix|flow_offloading|flow_offloading_hw|drop_invalid|syn_flood|"
    "synflood_protect|auto_helper|helper|packet_steering"
)
SETTINGS = literals(
    {
        "interfaces": "ip -o link show",
        # An address that was just given is tentative for a second.
        "addresses": "ip -o addr show | sed -e 's/[ \\\\]*valid_lft.*//' -e 's/ tentative//'",
        "routes": "(ip route show; ip -6 route show) | sed 's/ expires [0-9]*sec//'",
        "offloads": "command -v ethtool > /dev/null || exit; "
        "for d in $PORTS; do echo $d; ethtool -k $d | grep -E ': (on|off)$'; done",
        # With what a port is made of: the ports of a bridge, the device below a switch.
        "steering": "cd /sys/class/net; for d in $PORTS; do for p in $d $d/lower_* "
        "$d/lower_*/lower_*; do for f in $p/queues/rx-*/rps_cpus $p/threaded; do "
        "[ -e $f ] && echo $f $(cat $f); done; done; done",
        "qdiscs": "tc qdisc show",
        "ruleset": "nft -s list ruleset",
        "iptables": "(iptables-save; ip6tables-save) | "
        "sed -e '/^#/d' -e 's/ \\[[0-9]*:[0-9]*\\]$//'",
        "forwarding": "cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding",
        "conntrack_max": "cat /proc/sys/net/netfilter/nf_conntrack_max",
        "conntrack_buckets": "cat /proc/sys/net/netfilter/nf_conntrack_buckets",
        "sysctls": f"cd /proc/sys; for f in {' '.join(SYSCTLS)}; do "
        "[ -e $f ] && echo $f $(cat $f); done",
        "staged": "uci changes",
        "openwrt": "command -v uci > /dev/null || exit; "
        f"(uci -q show firewall; uci -q show network.globals) | grep -E '\\.({OPTIONS})='; "
        "nft list flowtables; nft list ct helpers table inet fw4",
        # Its passwords are in it, so it is no text of a record.
        "uci": "command -v uci > /dev/null && uci export | md5sum",
    }
)
# What its software is, besides how it is set. A firmware's hash is of its release, its kernel and
# the packages that it is made of; a kernel's, of the options that it was built with.
KERNEL = {"kernel": literal("uname -srm")} | literals(
    {
        "kernel_config_sha256": "f=/boot/config-$(uname -r); if [ -e /proc/config.gz ]; then "
        "zcat /proc/config.gz | sha256sum; elif [ -e $f ]; then sha256sum < $f; fi | cut -c1-64",
        "firmware_sha256": "for f in /etc/os-release /etc/openwrt_release /usr/lib/opkg/status "
        "/lib/apk/db/installed /var/lib/dpkg/status; do [ -e $f ] && cat $f; done | "
        "cat - /proc/version | sha256sum | cut -c1-64",
        "smt": "cat /sys/devices/system/cpu/smt/control || echo none",
    }
)
# What OpenWrt's own settings do to packets besides what a path needs; nothing on other systems.
OPENWRT = {
    "openwrt": literal(
        "command -v fw4 > /dev/null || exit; rules=$(nft list table inet fw4); "
        'has() { echo "$rules" | grep -q "$1" && echo "$2"; }; '
        "has 'maxseg size set rt mtu' 'MSS clamped (mtu_fix)'; "
        "has 'limit rate .*SYN' 'TCP SYN limited (syn_flood)'; "
        "has 'invalid : drop' 'invalid packets dropped (drop_invalid)'; "
        "has 'flow \\(add\\|offload\\) @' 'flows offloaded (flow_offloading)'; "
        "has 'flags offload' 'flows offloaded to drivers (flow_offloading_hw)'; "
        "has ' ct helper set' 'connection tracking helpers'; "
        "has notrack 'packets untracked (notrack)'; "
        "v=$(uci -q get network.@globals[0].packet_steering) && echo packet_steering $v; "
        "cat /etc/sysctl.d/*.conf /etc/sysctl.conf | grep -E '^net\\.(core|netfilter)'; true"
    )
}
TESTER = literals(
    {
        "kernel": "uname -srvm",
        "system": ". /etc/os-release; echo $PRETTY_NAME",
        "processor": "grep 'model name' /proc/cpuinfo | head -n 1 | cut -d: -f2",
        "processors": "nproc",
        "memory": "grep MemTotal /proc/meminfo | tr -s ' '",
        "clocksource": "cat /sys/devices/system/clocksource/clocksource0/current_clocksource",
        "nft": "nft --version",
        "iproute2": "ip -V",
    }
)


async def inventory(
    gateway: Node, devices: Iterable[str], texts: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Gateway, with its test ports' devices, and tester; each key a text.

    `texts` is what a station file says of the gateway: it knows better.
    """
    own = hardware.QUESTIONS | KERNEL | OPENWRT | settings_of(devices)
    raw = await ask(gateway, own)
    kept = {name: raw[name] for name in (*KERNEL, *OPENWRT, *SETTINGS)}
    facts = hardware.hardware(raw) | dict(texts or {}) | _facts(kept)
    if texts:
        facts["told"] = ", ".join(texts)
    return {"gateway": facts, "tester": await _tester()}


async def settings(gateway: Node, devices: Iterable[str]) -> dict[str, str]:
    """Return a gateway's settings, to be compared with a later reading. Raises NodeError."""
    return _facts(await ask(gateway, settings_of(devices)))


def stated(table: Mapping[str, Any], path: Path) -> dict[str, str]:
    """Return the facts of `[gateway.inventory]`. Raises UsageError with file and line."""
    refuse_unknown_keys(table, list(FACTS), path, "gateway.inventory")
    for key, value in table.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            line = line_of(path, key, table="gateway.inventory")
            raise UsageError(f"{path}:{line}: {key}: write a text or a number")
    return {key: str(value) for key, value in table.items()}


async def _tester() -> dict[str, str]:
    tester = _facts(await ask(Local(), TESTER))
    config = Path("/proc/config.gz")
    if config.exists():
        tester["kernel_config_sha256"] = hashlib.sha256(config.read_bytes()).hexdigest()
    return tester


def settings_of(devices: Iterable[str]) -> dict[str, Script]:
    """The questions after how a gateway is set, by name."""
    ports = " ".join(devices)
    return {name: shell(ASKED, ports=ports, question=asked) for name, asked in SETTINGS.items()}


def _facts(answers: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in answers.items() if text}
