# SPDX-License-Identifier: Apache-2.0
"""A NIC of this machine: what it is like now, and how it is brought back to that.

Moving a device to another namespace closes it there (net/core/dev.c, dev_change_net_namespace):
addresses, routes, neighbours, its sysctls and whether it was up are lost; its MTU and what ethtool
sets go along, as whatever we set there does.

Addresses and routes are kept as the kernel tells them, by `ip ... save`, so that every flag,
lifetime and metric is there. They name the device by number, so it gets its old number again.
"""

import base64
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Any

import msgspec
from pyroute2 import IPRoute, NetlinkError

from gatemark.error import StationError
from gatemark.node.inside.netlink import inside

# What `ip` can save: its words, in the order in which they are put back.
SAVED = (
    ("-4", "address"),
    ("-6", "address"),
    ("-4", "route", "table", "all"),
    ("-6", "route", "table", "all"),
)
MAGIC_BYTES = 4  # in front of what `ip` saves
PROTOCOL_AT = 16 + 5  # who made a route: in a struct rtmsg behind its header (rtnetlink(7))
BY_KERNEL = 2  # RTPROT_KERNEL: of an address, so it comes with that again
SYSCTLS = ("ipv4/conf", "ipv6/conf", "ipv4/neigh", "ipv6/neigh")
UP = 0x1  # IFF_UP
# A feature of `ethtool -k`, not the name of several, which are indented behind it: that is on where
# one of them is, and switches them all.
SWITCHED = re.compile(
    r"^(?:[ \t]+|(?!.*\n[ \t]))([\w-]+): (on|off)(?: \[requested (on|off)\])?$", re.MULTILINE
)
LIFETIMES = re.compile(r"(valid|preferred)_lft \S+")


class Nic(msgspec.Struct, frozen=True, kw_only=True):
    """A NIC as it was found."""

    name: str
    index: int
    up: bool
    mtu: int
    features: dict[str, bool]  # of `ethtool -k`, those that can be switched, as they were asked for
    saved: list[str]  # of SAVED, base64
    sysctls: dict[str, str]  # "ipv4/conf/rp_filter": "0"
    addresses: list[str]  # as `ip` tells them, for people and to compare


def read(name: str) -> Nic:
    """A NIC of this namespace. Raises StationError if there is none of that name."""
    with IPRoute() as here:
        link = _link(here, name)
    return Nic(
        name=name,
        index=link["index"],
        up=bool(link["flags"] & UP),
        mtu=link.get("mtu"),
        features=_features(name),
        saved=[base64.b64encode(_save(name, words)).decode() for words in SAVED],
        sysctls=dict(_sysctls(name)),
        addresses=_addresses(name),
    )


def require_movable(name: str) -> None:
    """Raise StationError, with the fix, if taking this NIC would take more than a test port.

    That is: part of a bridge or bond, ground of another device, in use by the default route or by
    an SSH session, or shaped by a queueing discipline that cannot be put back.
    """
    with IPRoute() as here:
        link = _link(here, name)
        links = here.get_links()
        names = {link["index"]: link.get("ifname") for link in links}
        if master := link.get("master"):
            raise StationError(f"{name}: it is part of {names.get(master)}: take it out of that")
        if above := _above(links, link["index"]):
            raise StationError(f"{name}: {above} stands on it: remove that first")
        if _is_way_out(here, link["index"]):
            raise StationError(
                f"{name}: this machine's default route goes by it, so it is no test port: "
                "name another NIC, or remove the route"
            )
    if session := _session(name):
        raise StationError(
            f"{name}: an SSH session from {session} comes in by it, so it is no test port: "
            "name another NIC"
        )
    if queueing := _queueing(name):
        raise StationError(
            f"{name}: its queueing discipline ({queueing}) would be lost: "
            f"`tc qdisc del dev {name} root` first"
        )


def move(name: str, index: int, source: str | None, target: str | int) -> None:
    """Move a NIC between namespaces; `source` None is ours, `target` a name or an open file.

    It keeps its name, and its number where that is free (Linux 5.12). Raises StationError.
    """
    with inside(source) if source else IPRoute() as here:
        now = _link(here, name)["index"]
        request: dict[str, Any] = {"index": now, "ifname": name, "net_ns_fd": target}
        try:
            here.link("set", **request, new_ifindex=index)
        except NetlinkError:
            try:
                here.link("set", **request)
            except NetlinkError as error:
                raise StationError(f"{name}: the kernel does not move it: {error}") from None


def clear(name: str, space: str) -> None:
    """Remove the VLAN devices that stand on a NIC in a namespace of ours."""
    with inside(space) as there:
        index = _link(there, name)["index"]
        for get_link in there.get_links():
            if get_link.get("link") == index and get_link["index"] != index:
                there.link("del", index=get_link["index"])


def is_there(name: str, space: str | None = None) -> bool:
    """Return whether a device of that name is in a namespace (None: in ours)."""
    try:
        with inside(space) if space else IPRoute() as there:
            return bool(there.link_lookup(ifname=name))
    except FileNotFoundError:
        return False


def put_back(was: Nic) -> None:
    """Bring a NIC of this namespace to what it was. Raises StationError if it is not that then."""
    name = was.name
    with IPRoute() as here:
        here.link("set", index=_link(here, name)["index"], mtu=was.mtu)
    _switch(name, was.features)
    for key, value in was.sysctls.items():
        _write_sysctl(name, key, value)
    _ip("link", "set", "dev", name, "up" if was.up else "down")
    for words, kept in zip(SAVED, was.saved, strict=True):
        _restore(words[:2], base64.b64decode(kept))
    if faults := list(_differences(was, read(name))):
        raise StationError(f"{name}: given back, but {'; '.join(faults)}")


def _differences(was: Nic, now: Nic) -> Iterator[str]:
    for what in ("up", "mtu", "addresses"):
        before, after = getattr(was, what), getattr(now, what)
        if before != after:
            yield f"{what} was {before} and is {after}"
    for feature, on in was.features.items():
        if now.features.get(feature) != on:
            yield f"{feature} was {'on' if on else 'off'}: `ethtool -K {was.name} {feature} ...`"


def _link(here: IPRoute, name: str) -> Any:
    results = here.link_lookup(ifname=name)
    if not results:
        raise StationError(f"{name}: no such NIC on this machine (`ip link` shows them)")
    return here.get_links(results[0])[0]


def _above(links: Iterable[Any], index: int) -> str:
    """The device of this namespace that stands on another: a VLAN, a macvlan."""
    for link in links:
        peer_elsewhere = link.get("link_netnsid") is not None
        if link.get("link") == index and link["index"] != index and not peer_elsewhere:
            return str(link.get("ifname"))
    return ""


def _is_way_out(here: IPRoute, index: int) -> bool:
    routes = [*here.get_default_routes(AF_INET), *here.get_default_routes(AF_INET6)]
    return any(route.get("oif") == index for route in routes)


def _features(name: str) -> dict[str, bool]:
    text = _run("ethtool", "-k", name).stdout.decode()
    return {match[1]: (match[3] or match[2]) == "on" for match in SWITCHED.finditer(text)}


def _switch(name: str, features: dict[str, bool]) -> None:
    now = _features(name)
    changed = {what: on for what, on in features.items() if now.get(what) != on}
    if changed:
        words = [word for what, on in changed.items() for word in (what, "on" if on else "off")]
        _run("ethtool", "-K", name, *words)


def _save(name: str, words: Sequence[str]) -> bytes:
    family, kind, *rest = words
    stdout = _run("ip", family, kind, "save", *rest, "dev", name).stdout
    messages = _messages(stdout[MAGIC_BYTES:])
    if kind == "route":
        messages = [message for message in messages if message[PROTOCOL_AT] != BY_KERNEL]
    elif family == "-6":
        messages.reverse()  # the kernel tells them from the last that was added to the first
    return stdout[:MAGIC_BYTES] + b"".join(messages)


def _messages(data: bytes) -> list[bytes]:
    """Netlink messages, each with its length in front (netlink(7))."""
    results = []
    while data:
        length = int.from_bytes(data[:4], sys.byteorder)
        results.append(data[:length])
        data = data[length:]
    return results


def _restore(words: Sequence[str], kept: bytes) -> None:
    """Restore what was there; `ip` passes over what is there already, as the kernel's own entries.

    It reads routes three times, those that others lead by first, so no pipe will do.
    """
    if not kept:
        return
    with tempfile.TemporaryFile() as file:
        file.write(kept)
        file.seek(0)
        command = ["ip", *words, "restore"]
        done = subprocess.run(
            command, stdin=file, capture_output=True, check=False, start_new_session=True
        )
    if done.returncode:
        raise StationError(f"{' '.join(command)}: {done.stderr.decode().strip()}")


def _addresses(name: str) -> list[str]:
    """Without what runs down by itself, and without those that the kernel forms by itself."""
    text = _run("ip", "-o", "address", "show", "dev", name).stdout.decode()
    rows = [
        LIFETIMES.sub("", line.partition(name)[2].replace("\\", " ")) for line in text.splitlines()
    ]
    return sorted(
        " ".join(word for word in row.split() if word != "tentative")
        for row in rows
        if " link " not in row
    )


def _session(name: str) -> str:
    """Return who is logged in to this machine by an address of the NIC, over SSH."""
    text = _run("ip", "-o", "address", "show", "dev", name).stdout.decode()
    findall = set(re.findall(r" inet6? ([^\s/]+)", text))
    command = ("ss", "-Htn", "state", "established", "sport", "=", ":22")
    for row in _run(*command).stdout.decode().splitlines():
        *_, own, far = row.split()[:4]
        if re.sub(r"^\[(::ffff:)?|%.*|\]$", "", own.rpartition(":")[0]) in findall:
            return far
    return ""


def _queueing(name: str) -> str:
    """A queueing discipline that somebody set: those that the kernel chose have handle 0."""
    rows = _run("tc", "qdisc", "show", "dev", name).stdout.decode().splitlines()
    for row in rows:
        _, kind, handle, *_ = row.split()
        if handle != "0:":
            return f"{kind} {handle}"
    return ""


def _sysctls(name: str) -> Iterator[tuple[str, str]]:
    for place in SYSCTLS:
        for path in sorted(Path("/proc/sys/net", place, name).glob("*")):
            try:
                yield f"{place}/{path.name}", path.read_text().strip()
            except OSError:  # stable_secret, before there is one
                continue


def _write_sysctl(name: str, key: str, value: str) -> None:
    place, _, what = key.rpartition("/")
    path = Path("/proc/sys/net", place, name, what)
    try:
        if path.read_text().strip() != value:
            path.write_text(value)
    except OSError:  # one that only tells
        return


def _ip(*words: str) -> None:
    done = _run("ip", *words)
    if done.returncode:
        raise StationError(f"ip {' '.join(words)}: {done.stderr.decode().strip()}")


def _run(*command: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(command, capture_output=True, check=False, start_new_session=True)
