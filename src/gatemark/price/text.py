# SPDX-License-Identifier: Apache-2.0
"""Rules as nft loads them: their words, the interfaces and networks that they name.

No grammar of ours: an interface is what stands behind a word that takes one. The guest needs them
before it loads a rule.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_address, ip_network
from typing import Final

# Interfaces: behind a word that takes them, or in a set or a definition of them.
TAKES: Final = re.compile(
    r"\b(?:iifname|oifname|iif|oif|device|devices =)\s+(?:!=\s*|==\s*|vmap\s*|map\s*)?"
    r'(\{[^{}]*\}|"[^"\n]+"|[$\w.@*-]+)'
)
REMARK: Final = re.compile(r'(?P<kept>"[^"\n]*")|#[^\n]*')
DEEP: Final = 3  # definitions of definitions
DEFINED: Final = re.compile(r"^[ \t]*define[ \t]+(\w+)[ \t]*=[ \t]*(\{[^{}]*\}|.*)$", re.MULTILINE)
NAME: Final = re.compile(r"[A-Za-z][\w.@-]{0,14}")
LAN: Final = (
    "br-lan",
    "lan",
    "br0",
    "bridge",
    "int",
    "inside",
    "home",
    "trusted",
    "eth1",
    "enp2",
    "ens19",
)
WAN: Final = ("wan", "pppoe", "ppp", "ext", "internet", "red", "outside", "uplink", "eth0", "enp1")
PRIVATE: Final = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")))
# Where a packet from the WAN side comes from, if rules do not name it: the test network's own is
# dropped by who drops networks of tests (RFC 6890). None leaves the guest.
SERVERS: Final = tuple(
    map(ip_address, ("198.19.1.254", "151.101.2.132", "8.8.8.8", "84.200.69.80"))
)
ADDRESS: Final = re.compile(r"\b(\d{1,3}(?:\.\d{1,3}){3})(?:/(\d{1,2}))?\b")


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules as nft loads them."""

    text: str
    form: str  # nft, json, iptables
    names: tuple[str, ...] = ()  # of interfaces, in the file's order
    notes: tuple[str, ...] = ()

    def ports(self, lan: str = "", wan: str = "") -> dict[str, str]:
        """The interfaces that stand for the LAN and the WAN port; none where there is none."""
        left = [name for name in self.names if name not in (lan, wan, "lo")]
        wan = wan or _like(left, WAN)
        lan = lan or _like([name for name in left if name != wan], LAN)
        rest = [name for name in left if name not in (lan, wan)]
        lan = lan or (rest.pop(0) if rest else "")
        wan = wan or (rest.pop(0) if rest else "")
        return {gate: name for gate, name in (("gw0", lan), ("gw1", wan)) if name}

    @property
    def client(self) -> str:
        """An address in the first private network that the rules name; nothing without one."""
        for network in self._networks:
            if any(network.subnet_of(private) for private in PRIVATE):  # type: ignore[arg-type]
                wide = network if network.prefixlen <= 24 else network.supernet(new_prefix=24)
                return str(wide.network_address + 77)
        return ""

    @property
    def server(self) -> str:
        """An address of the WAN side that no network of the rules has; the last where all are."""
        named = [network for network in self._networks if network.prefixlen]
        free = (at for at in SERVERS if not any(at in network for network in named))
        return str(next(free, SERVERS[-1]))

    def ends(self, client: str = "") -> dict[str, str]:
        """Addresses of the LAN side, unless it is the station's own, and of the WAN side."""
        client = client or self.client
        return {"wan": self.server} | ({"lan": client} if client else {})

    @property
    def _networks(self) -> Iterator[IPv4Network]:
        """The networks and addresses that the rules name, in order."""
        for address, length in ADDRESS.findall(self.text):
            with suppress(ValueError):
                network = ip_network(f"{address}/{length or 32}", strict=False)
                assert isinstance(network, IPv4Network)
                yield network


def _like(names: Sequence[str], words: Iterable[str]) -> str:
    return next((name for word in words for name in names if word in name), "")


def interfaces(text: str) -> list[str]:
    """Interfaces that rules of nft name, in their order."""
    text = REMARK.sub(lambda match: match["kept"] or "", text)
    defined = {f"${name}": value for name, value in DEFINED.findall(text)}
    words = dict.fromkeys(word for taken in TAKES.findall(text) for word in _words(taken))
    for _ in range(DEEP):  # a definition may be made of others
        words = dict.fromkeys(word for name in words for word in _words(defined.get(name, name)))
    return [*filter(NAME.fullmatch, words)]


def _words(value: str) -> list[str]:
    """The names in a value, a set, or a map, of which what is behind a colon is no name."""
    return re.findall(r"[$\w.@*-]+", re.sub(r":[^,}]*", "", value))
