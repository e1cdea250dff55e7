# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's firewall as it is in the kernel: fw4's table, read back after each change.

fw4 renders its rules out of uci and loads them at one stroke. Where that fails (no flock(1), an
include with a fault) the old rules stay and little is printed; so the rules themselves are read.
Chains are named by zones: `forward_wan` is what comes in from there, `accept_to_lan` lets it out.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.error import StationError
from gatemark.node.quoted import Script, literal, sh, shell
from gatemark.station.wiring import Gateway

RULES: Final = ("nft", "-s", "list", "table", "inet", "fw4")
FLOWTABLE: Final = re.compile(r"^\tflowtable ft \{\n(.*?)^\t\}$", re.MULTILINE | re.DOTALL)
CHAIN: Final = re.compile(r"^\tchain (\S+) \{\n(.*?)^\t\}$", re.MULTILINE | re.DOTALL)
OFFLOADED: Final = re.compile(r"\bflow (add|offload) @")
# A reload empties chains and removes none, so one that only our change called for would stay.
SWEEP: Final = """
nft list table inet fw4 | sed -n 's/^\\tchain \\(.*\\) {{$/\\1/p' | while read -r chain; do
  case {known} in
    *" $chain "*) ;;
    *) nft delete chain inet fw4 "$chain" 2> /dev/null || true ;;
  esac
done
"""
# A reload sets rules and nothing else; lifetimes move by themselves, and an address that was just
# given is tentative for a second.
NETWORK: Final = literal(
    "(ip -o addr show; ip route show; ip -6 route show) | "
    "sed -e 's/[ \\\\]*valid_lft.*//' -e 's/ expires [0-9]*sec//' -e 's/ tentative//'"
)


@dataclass(frozen=True, slots=True)
class Meant:
    """The intended effect of the rules between two ports."""

    lan: str  # devices
    wan: str
    lan_zone: str
    wan_zone: str
    masquerade: bool  # what leaves by the WAN port has its address

    @property
    def opens(self) -> tuple[tuple[str, str], ...]:
        """From which zone to which new flows may go; replies always may."""
        up = (self.lan_zone, self.wan_zone)
        return (up,) if self.masquerade else (up, up[::-1])


@dataclass(frozen=True, slots=True)
class Rules:
    """fw4's table: the lines of each chain."""

    chains: Mapping[str, str]
    flowtable: str = ""  # the lines of its flow table; "" where it has none

    @property
    def offloads(self) -> bool:
        """Return whether known flows go by its flow table."""
        return bool(OFFLOADED.search(self._of("forward")))

    @property
    def offloads_hardware(self) -> bool:
        """Return whether the drivers have that table."""
        return self.offloads and "flags offload" in self.flowtable

    def opens(self, source: str, target: str) -> bool:
        """Return whether any new flow may go from zone to zone; some kind alone does not count."""
        jump = ["jump", f"accept_to_{target}"]
        return any(line.split()[:2] == jump for line in self._of(f"forward_{source}").splitlines())

    def differences(self, meant: Meant) -> Iterator[str]:
        """Yield what is not as it is meant, each in some words."""
        for device, zone in ((meant.lan, meant.lan_zone), (meant.wan, meant.wan_zone)):
            lines = self._of("forward").splitlines()
            if not any(f'"{device}"' in line and f"jump forward_{zone} " in line for line in lines):
                yield f"nothing that {device} receives is let into zone {zone}"
        for source, target in meant.opens:
            if not self.opens(source, target):
                yield f"zone {source} is not open to zone {target}"
        if ("masquerade" in self._of(f"srcnat_{meant.wan_zone}")) is not meant.masquerade:
            does = "does not masquerade" if meant.masquerade else "masquerades"
            yield f"zone {meant.wan_zone} {does}"
        if self.offloads:
            yield "flows are offloaded past the rules"

    def _of(self, chain: str) -> str:
        return self.chains.get(chain, "")


def rules(listed: str) -> Rules:
    """Out of what nft lists."""
    match = FLOWTABLE.search(listed)
    return Rules(dict(CHAIN.findall(listed)), match[1] if match else "")


def swept(before: Rules) -> Script:
    """Remove chains that were not there before and that nothing leads to."""
    return shell(SWEEP, known=f" {' '.join(before.chains)} ")


async def read(gateway: Gateway) -> Rules:
    """The rules that it has now. Raises NodeError if it has none of fw4's."""
    return rules(await gateway.run(*RULES))


async def network(gateway: Gateway) -> str:
    """Its addresses and routes, a line each."""
    return await gateway.run(*sh(NETWORK))


async def check(gateway: Gateway, meant: Meant, before: str) -> None:
    """Raise StationError if the rules are not as meant, or addresses and routes as `before`."""
    wrong = list((await read(gateway)).differences(meant))
    if wrong:
        raise StationError(
            f"{gateway.name}: its firewall was reloaded and is not as it was set: "
            f"{'; '.join(wrong)}: look at `fw4 print` and `logread` there"
        )
    old, new = before.splitlines(), (await network(gateway)).splitlines()
    if lost := [line.strip() for line in old if line not in new]:
        raise StationError(f"{gateway.name}: the reload of its firewall took '{lost[0]}' away")
