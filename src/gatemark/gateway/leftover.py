# SPDX-License-Identifier: Apache-2.0
"""The leftovers of a user's command on the gateway: seen by its settings, and undone.

A lab and a virtual machine are ours, so what came is removed and what changed is written back, as
far as the settings have it; a second look says whether that was all. Nothing is undone on a box:
others may have changed it meanwhile.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gatemark.gateway.difference import first, unlike
from gatemark.node.ask import ask
from gatemark.node.inventory import settings_of
from gatemark.node.quoted import Script, joined, literal, literals, shell
from gatemark.node.script import script
from gatemark.station.wiring import Gateway

Settings = Mapping[str, str]
Pairs = Mapping[str, tuple[str, str]]
# What else a command may leave: of no interest where only the run's own features are compared.
MORE: Final = literals(
    {
        # Without the contents of sets, which packets fill and time empties.
        "ruleset": "nft -s -t list ruleset || nft -s list ruleset",
        # Of a namespace of its own, where nobody else's are; but for the shell that asks.
        "programs": "[ /proc/self/ns/net -ef /proc/1/ns/net ] && exit; "
        "read -r own rest < /proc/self/stat; for p in /proc/[0-9]*; do "
        "[ $p/ns/net -ef /proc/self/ns/net ] || continue; "
        "case ${p#/proc/} in $own|$$) continue;; esac; "
        "read -r name < $p/comm && echo ${p#/proc/} $name; done",
        # Of all tables; those of `local` come and go with addresses.
        "routes": "for v in -4 -6; do ip $v route show table all | "
        "sed -e '/ table local/d' -e 's/ expires [0-9]*sec//' -e \"s/^/$v /\"; done",
        "routing rules": 'for v in -4 -6; do ip $v rule show | sed "s/^/$v /"; done',
        "neighbours": "for v in -4 -6; do ip $v neigh show nud permanent; "
        "ip $v neigh show proxy; done",
        # Without what counts packets.
        "ipsec": "ip xfrm policy; ip xfrm state | grep -E '^src|proto'",
        "filters": "for d in /sys/class/net/*; do for at in '' ingress egress; do "
        'tc filter show dev ${d##*/} $at | sed "s/^/${d##*/} $at /"; done; done',
        "sysctls": "cd /proc/sys; grep -rs '' net | grep -v conntrack_count | sed 's/:/ /'",
    }
)
TABLE: Final = re.compile(r"^table (\S+) (\S+) \{", re.MULTILINE)
LINK: Final = re.compile(r"^\d+: ([^:@\s]+)\S*: .*? mtu (\d+)", re.MULTILINE)
ADDRESS: Final = re.compile(r"^\d+: +(\S+) +inet6? (\S+)(.*)", re.MULTILINE)
QUEUE: Final = re.compile(r"^qdisc (\S+) \S+ dev (\S+) (root|parent ffff:fff1)", re.MULTILINE)
PREFERENCE: Final = re.compile(r"^(-\d) (\d+):", re.MULTILINE)
ROUNDS: Final = 2  # who takes a port's last address away takes its neighbours, too
ONCE: Final = "{{ {command}; }} 2> /dev/null || true"


async def look(gateway: Gateway) -> dict[str, str]:
    """Return the gateway's settings now. Raises NodeError."""
    devices = gateway.devices.values()
    return await ask(gateway.node, settings_of(devices) | MORE)


async def undo(gateway: Gateway, was: Settings) -> tuple[str, str]:
    """Undo what differs from an earlier look; returns what that was, and what is left of it.

    Raises NodeError.
    """
    other = _other(was, await look(gateway))
    if not other:
        return "", ""
    if gateway.journal:
        return first(other), first(other)
    rest = other
    for _ in range(ROUNDS):
        await script(gateway.node, undoing(rest))
        if not (rest := _other(was, await look(gateway))):
            break
    return first(other), first(rest) if rest else ""


def _other(was: Settings, now: Settings) -> Pairs:
    """Return what differs; a program that ended is nothing that was left."""
    old, new = (settings.get("programs", "").splitlines() for settings in (was, now))
    came = "\n".join(line for line in new if line not in old)
    return unlike({**was, "programs": ""}, {**now, "programs": came})


def undoing(other: Pairs) -> Script:
    """The script that undoes what differs; a command that fails stops no other."""
    commands = (each for key, way in WAYS.items() if key in other for each in way(*other[key]))
    return joined([*(shell(ONCE, command=command) for command in commands), literal("true")])


def _programs(was: str, now: str) -> Iterator[Script]:
    """Programs that came. The run itself ends those that it knows of."""
    del was
    for line in now.splitlines():
        yield shell("kill -9 {pid}; sleep 0.1", pid=line.split()[0])


def _rules(was: str, now: str) -> Iterator[Script]:
    """Tables that came. A rule in a table of others has no name of its own."""
    old = set(TABLE.findall(was))
    for family, name in TABLE.findall(now):
        if (family, name) not in old:
            yield shell("nft delete table {family} {name}", family=family, name=name)


def _links(was: str, now: str) -> Iterator[Script]:
    """Links that came, and the MTU of others."""
    old = dict(LINK.findall(was))
    for name, mtu in LINK.findall(now):
        if name not in old:
            yield shell("ip link delete dev {name}", name=name)
        elif old[name] != mtu:
            yield shell("ip link set dev {name} mtu {mtu}", name=name, mtu=old[name])


def _addresses(was: str, now: str) -> Iterator[Script]:
    """Addresses that came or went; one with other words behind it than before is given anew."""
    old, new = ADDRESS.findall(was), ADDRESS.findall(now)
    for verb, own, others in (("del", new, old), ("add", old, new)):
        for device, address, words in own:
            if (device, address, words) not in others:
                at_once = ["nodad"] if verb == "add" and "nodad" in words.split() else []
                yield shell(
                    "ip addr {verb} {address} dev {device} {at_once}",
                    verb=verb,
                    address=address,
                    device=device,
                    at_once=at_once,
                )


def _routes(was: str, now: str) -> Iterator[Script]:
    yield from _lines("route", was, now)


def _routing(was: str, now: str) -> Iterator[Script]:
    """Rules that choose a table of routes: `-4 1998: from all fwmark 0x1 lookup 100`."""
    yield from _lines(
        "rule", PREFERENCE.sub(r"\1 pref \2", was), PREFERENCE.sub(r"\1 pref \2", now)
    )


def _lines(what: str, was: str, now: str) -> Iterator[Script]:
    """Yield the lines of `ip` as it takes them, with the family before."""
    old, new = was.splitlines(), now.splitlines()
    for verb, own, others in (("del", new, old), ("add", old, new)):
        for line in own:
            if line not in others:
                family, *words = line.split()
                yield shell(
                    "ip {family} {what} {verb} {words}",
                    family=family,
                    what=what,
                    verb=verb,
                    words=words,
                )


def _neighbours(was: str, now: str) -> Iterator[Script]:
    """Addresses that came, and those that were taken away: `ADDRESS dev PORT lladdr MAC ...`."""
    old, new = (set(text.splitlines()) for text in (was, now))
    for verb, lines in (("del", new - old), ("replace", old - new)):
        for line in sorted(lines):
            words = [word for word in line.split() if word not in ("PERMANENT", "proxy")]
            kind = ["proxy"] if line.split()[-1] == "proxy" else []
            last = [] if kind or verb == "del" else ["nud", "permanent"]
            yield shell("ip neigh {verb} {words}", verb=verb, words=[*kind, *words, *last])


def _ipsec(was: str, now: str) -> Iterator[Script]:
    """All of it, where there was none."""
    if now and not was:
        yield shell("ip xfrm policy flush; ip xfrm state flush")


def _queues(was: str, now: str) -> Iterator[Script]:
    """Queues that came in the place of the one that the kernel gave a port, and what filters."""
    old = set(QUEUE.findall(was))
    for kind, device, at in QUEUE.findall(now):
        if (kind, device, at) not in old:
            place = "root" if at == "root" else kind
            yield shell("tc qdisc del dev {device} {place}", device=device, place=place)


def _sysctls(was: str, now: str) -> Iterator[Script]:
    """Yield the scripts that set back the sysctls that were there."""
    old = dict(line.split(" ", 1) for line in was.splitlines() if " " in line)
    for line in now.splitlines():
        name, _, value = line.partition(" ")
        if old.get(name, value) != value:
            yield shell("echo {value} > /proc/sys/{name}", value=old[name], name=name)


WAYS: Final = {
    "programs": _programs,
    "ruleset": _rules,
    "sysctls": _sysctls,
    "interfaces": _links,
    "addresses": _addresses,
    "routes": _routes,
    "routing rules": _routing,
    "neighbours": _neighbours,
    "ipsec": _ipsec,
    "qdiscs": _queues,
}
