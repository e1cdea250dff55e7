# SPDX-License-Identifier: Apache-2.0
"""The drops of rules that count, and the refusals of connection tracking.

A rule without a counter, and an nftables chain's policy, count nothing: their sum is the kernel's
reason NETFILTER_DROP (probe `freed`).
"""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Final

from gatemark.error import NodeError
from gatemark.node.quoted import literal
from gatemark.probe.drop.part import Part, View, of_files, summed
from gatemark.store.drops import EVENT, NETFILTER, Drop

# Thousands of rules are little where only those come that drop and count. A table's and a chain's
# heads say where a rule is.
RULES: Final = (
    'all=$(nft -a list ruleset) && echo "$all" | '
    "grep -E '^table|^\tchain|counter packets.* (drop|reject|jump handle_reject)' || true"
)
NFT: Final = literal(f"command -v nft > /dev/null && {{ {RULES}; }}")
HEAD: Final = re.compile(r"(?:table (?P<table>\S+ \S+)|\tchain (?P<chain>\S+)) \{")
COUNTED: Final = re.compile(
    r"\s*(?P<match>.*?)\s?counter packets (?P<packets>\d+) bytes \d+ (?P<rest>.*?)"
    r"(?: # handle (?P<handle>\d+))?"
)
# OpenWrt's firewall counts what it rejects at the jump to a chain that does nothing else.
VERDICT: Final = re.compile(r"(?:^|\s)(?:drop|reject|jump handle_reject)\b")

# Only where the older tables are in use: looking at them would load them. Programs of one name
# print nft's rules, too, which were read above.
NAMES: Final = "/proc/net/ip_tables_names"
LEGACY: Final = literal(
    "[ ! -s /proc/net/ip_tables_names ] || "
    "{ save=$(command -v iptables-legacy-save || command -v iptables-save) && $save -c | "
    "grep -E '^[*]|^:.* DROP |-j (DROP|REJECT)' || true; }"
)
SAVED: Final = re.compile(
    r"\[(?P<packets>\d+):\d+\] -A (?P<chain>\S+) (?P<rule>.*-j (?:DROP|REJECT).*)"
)
POLICY: Final = re.compile(r":(?P<chain>\S+) DROP \[(?P<packets>\d+):\d+\]")


def rules_near(view: View) -> str | None:
    """Nothing where no rule counts; what one is nft has to print."""
    return None if view.door.has_counters() else ""


def legacy_near(view: View) -> str | None:
    """Nothing where no older table is in use."""
    with suppress(NodeError):  # a kernel without them
        return None if view.door.read(NAMES) else ""
    return ""


MAX: Final = "/proc/sys/net/netfilter/nf_conntrack_max"
STAT: Final = "/proc/net/stat/nf_conntrack"

TABLE: Final = {"drop": NETFILTER, "insert_failed": NETFILTER, "early_drop": EVENT}
AGAIN: Final = {"insert_failed": "conntrack drop"}  # nf_ct_resolve_clash counts one in both


def nft(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Each rule that counts and drops, by its text without the counter."""
    del devices
    table = chain = ""
    for line in lines:
        if head := HEAD.match(line):
            table, chain = head["table"] or table, head["chain"] or ""
        elif (rule := COUNTED.fullmatch(line)) and VERDICT.search(rule["rest"]):
            where = f"{table} {chain} handle {rule['handle']}"
            text = f"{rule['match']} {rule['rest']}".strip()
            count = int(rule["packets"])
            yield Drop(stage=NETFILTER, cause=f'nft rule "{text}"', where=where, packets=count)


def legacy(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """Each rule of iptables that drops, and the chains' policies."""
    del devices
    table = ""
    for line in lines:
        if line.startswith("*"):
            table = line[1:]
        elif rule := SAVED.fullmatch(line):
            text, where = f'iptables rule "{rule["rule"]}"', f"{table} {rule['chain']}"
            yield Drop(stage=NETFILTER, cause=text, where=where, packets=int(rule["packets"]))
        elif rule := POLICY.fullmatch(line):
            text, where = "iptables policy DROP", f"{table} {rule['chain']}"
            yield Drop(stage=NETFILTER, cause=text, where=where, packets=int(rule["packets"]))


def conntrack(lines: list[str], devices: Collection[str]) -> Iterator[Drop]:
    """`early_drop` is no loss: an older connection was forgotten for a new one."""
    del devices
    for name, count in summed(lines, TABLE).items():
        again = AGAIN.get(name, "")
        cause = f"conntrack {name}"
        yield Drop(stage=TABLE[name], cause=cause, packets=count, counted_in=again)


PARTS: Final = (
    Part("nft rules", NFT, nft, "no nft, or it may not list", near=rules_near),
    Part("iptables rules", LEGACY, legacy, "no iptables-save", near=legacy_near),
    of_files("conntrack", (STAT,), conntrack, "no nf_conntrack in /proc/net/stat", with_file=MAX),
)
