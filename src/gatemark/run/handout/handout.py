# SPDX-License-Identifier: Apache-2.0
"""One file about a station, for who is asked for help: check, inventory, configuration.

Markdown, so that it can be pasted where such questions are asked. Nothing in it identifies a
person, a device or a line (`redact.py`), and the file says what was left out.
"""

import getpass
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import gatemark
from gatemark.error import GatemarkError
from gatemark.node.ask import ask
from gatemark.node.inventory import inventory
from gatemark.node.quoted import literal
from gatemark.node.remote.ssh import Ssh
from gatemark.printable import printable
from gatemark.run.handout import uci
from gatemark.run.handout.redact import Redaction
from gatemark.run.survey import Row
from gatemark.station.ssh.box import Box
from gatemark.station.station import Station
from gatemark.station.wiring import Gateway
from gatemark.tell.words import markdown

QUESTIONS: Final = {
    "host": literal("uname -n; hostname 2> /dev/null"),
    "uci": uci.SHOW,
    "log": literal("(logread || dmesg) | tail -n 40"),
}
SHORT: Final = 10  # digits of a hash: enough to compare by
KINDS: Final = {
    "secret": "secrets and options not known to hold none",
    "mac": "MAC addresses",
    "ipv4": "public IPv4 addresses",
    "ipv6": "public IPv6 addresses, ULAs and those made of a MAC",
    "name": "names of hosts and users",
}


@dataclass(slots=True)
class Answers:
    """What a station's gateway and this machine answered."""

    facts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # gateway, tester
    answers: Mapping[str, str] = field(default_factory=dict)  # by QUESTIONS
    lacking: str = ""  # why there is nothing of it


async def look(station: Station) -> Answers:
    """Ask while the station is up, or where it did not come up by a connection of our own."""
    if isinstance(station, Box) and station.box.lost:
        box = Ssh("gateway", station.asked.login)
        try:
            await box.connect()
        except GatemarkError as error:
            return Answers(lacking=str(error))
        try:
            return await _asked(Gateway(box, station.gateway.devices))
        finally:
            await box.close()
    return await _asked(station.gateway)


async def _asked(gateway: Gateway) -> Answers:
    try:
        facts = await inventory(gateway.node, gateway.devices.values(), gateway.stated)
        return Answers(facts, await ask(gateway.node, QUESTIONS))
    except GatemarkError as error:
        return Answers(lacking=str(error))


def handout(name: str, file: str, rows: Sequence[Row], known: Answers) -> str:
    """The file's text; `file` is the station file's."""
    redaction = Redaction(_names(known))
    body = "\n".join(_sections(file, rows, known, redaction))
    counts = redaction.counts
    left = ", ".join(f"{counts[kind]} {text}" for kind, text in KINDS.items() if kind in counts)
    head = (
        f"# Gatemark station report: {markdown.text(redaction.text(name))}",
        "",
        f"gatemark {gatemark.__version__}, Python {platform.python_version()}. "
        f"Left out or renamed: {left or 'nothing'}. Read it before you hand it on.",
        "",
    )
    text = "\n".join((*head, body, ""))
    return "\n".join(map(printable, text.split("\n")))


def _names(known: Answers) -> set[str]:
    hosts = {platform.node(), *known.answers.get("host", "").split()}
    return {*hosts, *(host.partition(".")[0] for host in hosts), _user()}


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user that this machine has no name for
        return ""


def _sections(
    file: str, rows: Sequence[Row], known: Answers, redaction: Redaction
) -> Iterator[str]:
    yield from _block("Check", redaction.text("\n".join(row.line for row in rows)))
    yield from _block("Station file", redaction.text(file), "toml")
    if known.lacking:
        yield from _block("Gateway", redaction.text(known.lacking))
    for host, facts in known.facts.items():
        yield f"## {host.title()}\n"
        short, long = _parted(facts)
        yield from (
            f"- {markdown.text(key)}: {markdown.text(redaction.text(fact))}"
            for key, fact in short.items()
        )
        yield ""
        for key, text in long.items():
            yield from _block(key, redaction.text(text), level=3)
    if configured := uci.shown(known.answers.get("uci", ""), redaction):
        yield from _block("OpenWrt's configuration", configured)
    if log := known.answers.get("log"):
        yield from _block("Log", redaction.text(log))


def _parted(facts: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Facts of one line, and those of several."""
    texts = {key: str(value) for key, value in facts.items()}
    texts |= {key: text[:SHORT] for key, text in texts.items() if key.endswith("sha256")}
    if "uci" in texts:  # a sum over passwords as well
        texts["uci"] = texts["uci"][:SHORT]
    long = {key: text for key, text in texts.items() if "\n" in text}
    return {key: text for key, text in texts.items() if key not in long}, long


def _block(title: str, text: str, kind: str = "text", level: int = 2) -> Iterator[str]:
    """A text that may hold anything, so no line of it ends its block."""
    yield from (
        f"{'#' * level} {markdown.text(title)}",
        "",
        *markdown.fenced(kind, text.split("\n")),
        "",
    )
