# SPDX-License-Identifier: Apache-2.0
"""Files that people have, as rules that the guest's own nft loads: no grammar of ours.

`nft list ruleset` as text or JSON goes in as it is. `iptables-save` goes through the distribution's
own translator, as nobody. Interfaces that a file names are looked for by their words, since the
guest needs them before it loads a rule.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Network, ip_network
from pathlib import Path
from shutil import which
from typing import Final

from gatemark.error import UnavailableError, UsageError
from gatemark.node import nobody
from gatemark.printable import one_line

MOST_BYTES: Final = 10_000_000
TRANSLATE_S: Final = 60.0
INCLUDE: Final = re.compile(r"^\s*include\b")
IPTABLES: Final = re.compile(r"^\*(filter|nat|mangle|raw|security)\s*$", re.MULTILINE)
QUEUES: Final = re.compile(r"^qdisc \w+ \w*:", re.MULTILINE)
UCI: Final = re.compile(r"^\s*(package \w|config \w)", re.MULTILINE)
OF_IPV6: Final = re.compile(r"ip6tables-save|icmpv6|icmp6|::")
# Interfaces: behind a word that takes them, or in a set or a definition of them.
TAKES: Final = re.compile(
    r"\b(?:iifname|oifname|iif|oif|device|devices =)\s+(?:!=\s*|==\s*|vmap\s*|map\s*)?"
    r'(\{[^}]*\}|"[^"]+"|[$\w.@*-]+)'
)
REMARK: Final = re.compile(r'(?P<kept>"[^"\n]*")|#[^\n]*')
DEEP: Final = 3  # definitions of definitions
DEFINED: Final = re.compile(r"^\s*define\s+(\w+)\s*=\s*(\{[^}]*\}|.*)$", re.MULTILINE)
OLD: Final = re.compile(r"(?:^|\s)(?:-i|-o|--physdev-in|--physdev-out)\s+(\S+)")
IN_JSON: Final = re.compile(r'"key":\s*"[io]if(?:name)?"\}\},\s*"right":\s*("[^"]+"|\{[^}]*\})')
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
        wan = wan or _like(left, WAN, ())
        lan = lan or _like([name for name in left if name != wan], LAN, ())
        rest = [name for name in left if name not in (lan, wan)]
        lan = lan or (rest.pop(0) if rest else "")
        wan = wan or (rest.pop(0) if rest else "")
        return {gate: name for gate, name in (("gw0", lan), ("gw1", wan)) if name}

    @property
    def client(self) -> str:
        """An address in the first private network that the rules name; nothing without one."""
        for address, length in ADDRESS.findall(self.text):
            try:
                network = ip_network(f"{address}/{length or 32}", strict=False)
            except ValueError:
                continue
            assert isinstance(network, IPv4Network)
            if any(network.subnet_of(private) for private in PRIVATE):  # type: ignore[arg-type]
                wide = network if network.prefixlen <= 24 else network.supernet(new_prefix=24)
                return str(wide.network_address + 77)
        return ""


def _like(names: Iterable[str], words: Iterable[str], _: object) -> str:
    names = list(names)
    return next((name for word in words for name in names if word in name), "")


def read(path: Path) -> Rules:
    """Read a file of rules. Raises UsageError with the file, the line and what to do."""
    text = _text(path)
    start = text.lstrip()
    if start.startswith(("{", "[")):
        return _json(path, text)
    if IPTABLES.search(text):
        return _translated(path, text)
    for form, what in ((QUEUES, "queues (`tc -s qdisc`)"), (UCI, "settings of OpenWrt (uci)")):
        if form.search(text):
            raise UsageError(
                f"{path}: {what} are not priced yet: on the box, `nft list ruleset` prints the "
                "rules that are"
            )
    for number, line in enumerate(text.splitlines(), 1):
        if INCLUDE.match(line):
            raise UsageError(
                f"{path}:{number}: `include` names a file that is not here: "
                "`nft list ruleset` on the gateway prints the rules in one"
            )
    return Rules(text, "nft", tuple(_names(text)))


def _text(path: Path) -> str:
    try:
        if path.is_dir():
            raise UsageError(f"{path}: a folder: settings of OpenWrt are not priced yet")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UsageError(f"{path}: {size} bytes: rules have {MOST_BYTES} at most")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}:{line}: not UTF-8: is this a file of rules?") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise UsageError(f"{path}:{line}: a zero byte: is this a file of rules?")
    if not text.strip():
        raise UsageError(f"{path}: empty: `nft list ruleset` or `iptables-save` fills it")
    return text


def _json(path: Path, text: str) -> Rules:
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UsageError(f"{path}:{line}: no JSON of `nft -j list ruleset`") from None
    if not isinstance(data, dict) or not isinstance(data.get("nftables"), list):
        raise UsageError(f'{path}: no "nftables" in it: `nft -j list ruleset` writes one')
    again = json.dumps(data)
    names = [name for right in IN_JSON.findall(again) for name in re.findall(r'"([^"]+)"', right)]
    return Rules(again, "json", tuple(dict.fromkeys(filter(NAME.fullmatch, names))))


def _names(text: str) -> list[str]:
    """Interfaces that rules of nft name, in their order."""
    text = REMARK.sub(lambda match: match["kept"] or "", text)
    defined = {f"${name}": value for name, value in DEFINED.findall(text)}
    names: list[str] = []
    for taken in TAKES.findall(text):
        words = _words(taken)
        for _ in range(DEEP):  # a definition may be made of others
            words = [word for name in words for word in _words(defined.get(name, name))]
        names += filter(NAME.fullmatch, words)
    return [*dict.fromkeys(names)]


def _words(value: str) -> list[str]:
    """The names in a value, a set, or a map, of which what is behind a colon is no name."""
    return re.findall(r"[$\w.@*-]+", re.sub(r":[^,}]*", "", value))


def _translated(path: Path, text: str) -> Rules:
    """Rules of iptables as those of nft; what has no translation is named."""
    program = ("ip6tables" if OF_IPV6.search(text) else "iptables") + "-restore-translate"
    if not which(program):
        raise UnavailableError(f"{path}: no {program} here: apt-get install iptables")
    try:
        with os.fdopen(os.memfd_create("rules"), "w") as file:  # nobody may open it
            file.write(text)
            file.flush()
            name = f"/proc/self/fd/{file.fileno()}"
            done = subprocess.run(
                [*nobody.words(), program, "-f", name],
                pass_fds=[file.fileno()],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=TRANSLATE_S,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{path}: {program} took longer than {TRANSLATE_S:g} s") from None
    if done.returncode:
        why = one_line((done.stderr.strip().splitlines() or ["it failed"])[-1])
        raise UsageError(f"{path}: {program}: {why}")
    lines = done.stdout.splitlines()
    left = [line[2:] for line in lines if line.startswith("# -")]
    notes = [f"not translated, so not priced: {one_line(line)}" for line in left]
    names = [name for name in OLD.findall(text) if NAME.fullmatch(name)]
    kept = "".join(f"{line}\n" for line in lines if not line.startswith("#"))
    notes.append("rules of iptables, priced as nft's own that stand for them")
    return Rules(kept, "iptables", tuple(dict.fromkeys(names)), tuple(notes))
