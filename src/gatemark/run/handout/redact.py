# SPDX-License-Identifier: Apache-2.0
"""What is left out of a file that strangers read, and what stands in its place.

    keys, passwords, PSKs, tokens     "(left out)"
    MAC addresses                     mac-1, mac-2: the same one by the same name
    public addresses, ULAs, EUI-64    ipv4-1, ipv6-1, with the prefix length
    host and user names, homes        name-1; ~
    comments in rules                 "..." unless OpenWrt wrote them

Kept are addresses that identify nobody: private IPv4, loopback, link-local without a MAC in it,
multicast, and those of documentation and benchmarks (RFC 5737, 3849, 2544, 5180).
"""

import re
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final

OUT: Final = "(left out)"
PEM: Final = re.compile(r"-----BEGIN [^-]+-----.*?(-----END [^-]+-----|\Z)", re.DOTALL)
PUBLIC_KEY: Final = re.compile(r"\bAAAA[0-9A-Za-z+/]{20,}={0,2}")
FINGERPRINT: Final = re.compile(r"(?<=\bSHA256:)[0-9A-Za-z+/]{43}")  # of a key, as sshd logs it
CURVE_KEY: Final = re.compile(r"(?<![0-9A-Za-z+/])[0-9A-Za-z+/]{42,43}={1,2}(?![0-9A-Za-z+/=])")
LONG_HEX: Final = re.compile(r"\b[0-9A-Fa-f]{32,}\b")
USER_INFO: Final = re.compile(r"(?<=://)[^/\s@]+(?=@)")
SECRET: Final = re.compile(
    r"""(?P<name>[\w.@\[\]-]*(?:passw|passphrase|psk|secret|token|key|pin\b|username|login|"""
    r"""identity|credential)[\w-]*)(?P<is>["']?\s*[=:]\s*)(?P<value>'[^'\n]*'?|"[^"\n]*"?|[^\n]+)""",
    re.IGNORECASE,
)
MAC: Final = re.compile(
    r"(?<![0-9A-Fa-f:.-])[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}"
    r"(?![0-9A-Fa-f:-])"
)
BARE_MAC: Final = re.compile(  # as in the name of a host
    r"(?<![0-9A-Fa-f])(?=[0-9]*[a-fA-F])[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"
)
NO_DEVICES_MAC: Final = re.compile(r"(00:){5}00|(ff:){5}ff|33:33(:..){4}|01:(00:5e|80:c2)(:..){3}")
IPV4: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)")
IPV6: Final = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:)[0-9A-Fa-f:.]{3,}(?![\w:])")
KEPT4: Final = [
    *map(ip_network, ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8")),
    *map(ip_network, ("169.254.0.0/16", "172.16.0.0/12", "192.0.2.0/24", "192.168.0.0/16")),
    *map(ip_network, ("198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3")),
]
KEPT6: Final = [
    *map(ip_network, ("::/127", "fe80::/10", "ff00::/8", "2001:db8::/32", "2001:2::/48")),
    *map(ip_network, ("64:ff9b::/96",)),
]
MASKS: Final = re.compile(r"(255|254|252|248|240|224|192|128|0)\.")
EUI64: Final = 0xFFFE  # in the middle of an interface's half that is made of a MAC
HOME: Final = re.compile(r"/(?:home/[^/\s\"']+|root)\b")
COMMENT: Final = re.compile(r'\bcomment "([^"]*)"')
# What fw4 itself writes, and the names of the rules that OpenWrt comes with.
OWN_COMMENT: Final = re.compile(
    r"!fw4: (Accept|Defer|Drop|Handle|Masquerade|Prevent|Rate|Reject|Zone) .*"
    r"|!fw4: Allow-(DHCP-Renew|Ping|IGMP|DHCPv6|MLD|ICMPv6-(Input|Forward)|IPSec-ESP|ISAKMP)"
)
NOBODYS: Final = ("", "openwrt", "root", "localhost", "lede", "debian", "nobody", "(none)")


class Redaction:
    """Takes it out of one text after another; a thing keeps its name from text to text."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """`names`: of hosts and users, to be replaced wherever they stand alone."""
        self._known: dict[str, dict[str, str]] = {}
        self._secrets = 0
        words = {name for name in names if name.lower() not in NOBODYS and len(name) > 1}
        each = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        self._names = re.compile(rf"(?<![\w-])(?:{each})(?![\w-])") if each else None

    def text(self, text: str) -> str:
        """A text without what is nobody else's."""
        for pattern in (PEM, PUBLIC_KEY, FINGERPRINT, USER_INFO):
            text = pattern.sub(self._out, text)
        text = SECRET.sub(self._value, text)
        for pattern in (CURVE_KEY, LONG_HEX):
            text = pattern.sub(self._out, text)
        text = COMMENT.sub(self._comment, text)
        for pattern in (MAC, BARE_MAC):
            text = pattern.sub(lambda match: self._mac(match[0]), text)
        text = IPV6.sub(lambda match: self._address(match[0]), text)
        text = IPV4.sub(lambda match: self._address(match[0]), text)
        if self._names:
            text = self._names.sub(lambda match: self._alias("name", match[0]), text)
        return HOME.sub("~", text)

    @property
    def counts(self) -> dict[str, int]:
        """How many different things were taken out, by kind."""
        counts = {kind: len(known) for kind, known in self._known.items()}
        return counts | ({"secret": self._secrets} if self._secrets else {})

    def leave_out(self) -> str:
        """What stands for a value that was left out by its name; it is counted."""
        self._secrets += 1
        return OUT

    def _out(self, match: re.Match[str]) -> str:
        del match
        return self.leave_out()

    def _value(self, match: re.Match[str]) -> str:
        if OUT.startswith(match["value"]) or match["value"].strip("'\"") in ("", "ask"):
            return match[0]
        return f"{match['name']}{match['is']}{self.leave_out()}"

    def _comment(self, match: re.Match[str]) -> str:
        return match[0] if OWN_COMMENT.fullmatch(match[1]) else 'comment "..."'

    def _mac(self, text: str) -> str:
        if NO_DEVICES_MAC.fullmatch(text.lower().replace("-", ":")):
            return text
        return self._alias("mac", re.sub("[:-]", "", text.lower()))

    def _address(self, text: str) -> str:
        try:
            address = ip_address(text.rstrip(":.") if text.endswith((".", "::.")) else text)
        except ValueError:
            return text
        if _tells_nobody(address) or (address.version == 4 and MASKS.match(text)):
            return text
        return self._alias(f"ipv{address.version}", str(address))

    def _alias(self, kind: str, thing: str) -> str:
        known = self._known.setdefault(kind, {})
        return known.setdefault(thing, f"{kind}-{len(known) + 1}")


def _tells_nobody(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in KEPT4)
    made_of_mac = int(address) >> 24 & 0xFFFF == EUI64
    return not made_of_mac and any(address in network for network in KEPT6)
