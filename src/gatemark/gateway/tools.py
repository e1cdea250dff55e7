# SPDX-License-Identifier: Apache-2.0
"""The means to set a gateway, found on it, and why an arm is not for it."""

from dataclasses import dataclass

from gatemark.error import NOT_HERE
from gatemark.node.quoted import literal, sh
from gatemark.plan.feature import FEATURES, LEGACY, parts, programs, properties
from gatemark.plan.model import Arm
from gatemark.plan.shaper.shape import CLASSES
from gatemark.station.mode import Mode
from gatemark.station.wiring import NAMES, Gateway

TOOLS = ("ip", "nft", "tc", "ethtool", "uci", "fw4", "iptables-legacy", "iptables")
NEEDED = {"switch": ("ip",), "nat": ("nft",), "hairpin": ("nft",)}  # by path
OPENWRT_NEEDED = {"switch": ("ip",)} | dict.fromkeys(("route", "nat", "hairpin"), ("uci", "fw4"))
LEGACY_TOOLS = "iptables-legacy|iptables"  # one of them
ROLES = {
    "switch": ("gw0", "gw2"),
    "route": ("gw0", "gw1"),
    "nat": ("gw0", "gw1"),
    "hairpin": ("gw0", "gw1", "gw2"),
    "endpoint": ("gw0",),
}

LOOK = literal(
    f"for tool in {' '.join(TOOLS)}; do command -v $tool > /dev/null && echo $tool; done; true"
)


async def look(gateway: Gateway) -> frozenset[str]:
    """The tools that it has. Raises NodeError."""
    return frozenset((await gateway.run(*sh(LOOK))).split())


@dataclass(frozen=True, slots=True)
class Means:
    """A gateway's tools, and the path that it is on by itself."""

    gateway: Gateway
    tools: frozenset[str] = frozenset(TOOLS)
    observed: str = ""  # mode `observe`: the path that it is on; "" where none was seen

    def lacks(self, arm: Arm) -> str:
        """Why an arm cannot be measured on this gateway, or nothing."""
        if arm.path == "direct":
            return ""
        if reason := self._wiring(arm):
            return f"{NOT_HERE}{reason}"
        if self.gateway.mode is Mode.OBSERVE:
            return self._observed(arm)
        needs = [tool for tool in self._needs(arm) if not self.tools & {*tool.split("|")}]
        return f"{NOT_HERE}no {needs[0].split('|')[0]} on the gateway" if needs else ""

    def _wiring(self, arm: Arm) -> str:
        if arm.path == "endpoint" and not self.gateway.agent:
            return "the gateway itself is an end of it, and no agent may run there"
        if any(its.driver for its in properties(arm.features)) and not self.gateway.agent:
            return "an agent holds the program of xdp, and none may run on the gateway"
        absent = [role for role in ROLES.get(arm.path, ()) if role not in self.gateway.devices]
        return f"no {NAMES[absent[0]]} on the gateway" if absent else ""

    def _observed(self, arm: Arm) -> str:
        fix = '[gateway] set = "apply" in the station file sets it'
        running = programs(arm.features)  # they set nothing
        if wanted := [feature for feature in arm.features if feature not in running]:
            return f"the gateway is taken as it is, so without {', '.join(wanted)}: {fix}"
        if arm.path in ("endpoint", self.observed):
            return ""
        on = f"on the path {self.observed}" if self.observed else "on no path that was seen"
        return f"the gateway is taken as it is, {on}: {fix}"

    def _needs(self, arm: Arm) -> tuple[str, ...]:
        openwrt = self.gateway.mode is Mode.OPENWRT
        path = OPENWRT_NEEDED if openwrt else NEEDED
        features = (tool for feature in arm.features for tool in _need(*parts(feature)))
        return (*path.get(arm.path, ()), *filter(None, features))


def _need(name: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The tools that set a feature; `|` between those of which one is enough."""
    if LEGACY in arguments:
        return (LEGACY_TOOLS,)
    return (FEATURES[name].tool, *(("nft",) if CLASSES in arguments else ()))
