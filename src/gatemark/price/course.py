# SPDX-License-Identifier: Apache-2.0
"""A file of rules from reading to answer: boot, name the ports, price, weigh advice."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.error import NodeError
from gatemark.judge.capacity.line import Line
from gatemark.node.quoted import joined, literal, shell
from gatemark.node.script import script as run
from gatemark.price import queue
from gatemark.price.advise import advices
from gatemark.price.answer import Answer
from gatemark.price.corpus import corpus
from gatemark.price.gateway import Counted
from gatemark.price.session import Session, session
from gatemark.price.survey import survey
from gatemark.price.text import Rules
from gatemark.price.traffic import L4, Kind, kinds
from gatemark.price.weigh import weighed
from gatemark.station.qemu.lab import VirtualLab

SEED: Final = 1
DUMMY: Final = "[ -e /sys/class/net/{name} ] || ip link add {name} type dummy 2> /dev/null || true"
# Ends that are of the file's user: reached by a route and a known neighbour.
REACH: Final = (
    "ip route replace {address} dev {device}; "
    "ip neigh replace {address} lladdr {mac} dev {device} nud permanent"
)
BEYOND: Final = "ip route replace default via {address} dev {device}"
# What a kernel does by time, so that a packet's way would be another one on a busy machine: it
# answers so many refused packets a second, and waits for the console where a rule logs.
BY_TIME: Final = literal("""
dmesg -n 1
for limit in ipv4/icmp_ratelimit ipv6/icmp/ratelimit; do echo 0 > /proc/sys/net/$limit; done
echo 1000000 > /proc/sys/net/ipv4/icmp_msgs_per_sec
echo 1000000 > /proc/sys/net/ipv4/icmp_msgs_burst
""")


@dataclass(frozen=True, slots=True)
class Asked:
    """The question: a file, and how it is priced."""

    rules: Rules
    name: str  # of the file
    service: int
    families: tuple[str, ...]
    l4s: tuple[L4, ...]
    ports: dict[str, str]
    client: str
    packets: int
    line: Line | None = None  # an access line, and the clock of the processor at it
    clock_hz: float = 0.0


async def price(lab: VirtualLab, asked: Asked, tell: Callable[[str], None]) -> Answer:
    """Boot a guest and price a file's rules in it. Raises GatemarkError."""
    async with session(lab, asked.service, asked.rules.ends(asked.client)) as booted:
        await ready(booted, asked.ports, asked.rules.names, asked.client)
        about = await lab.gateway.run("uname", "-rm")
        release, machine = about.split()
        every = kinds(asked.families, asked.l4s)
        made = await survey(booted, asked.rules, every, tell)
        ports = asked.ports or dict(lab.gateway.devices)
        packets = corpus(asked.rules.text, booted.ends, asked.packets, SEED)
        gates = {gate: ports.get(gate, "") for gate in GATES}
        instead = advices(made.chains, made.meets, gates) if packets else ()
        rows, together = await weighed(booted, asked.rules, made, instead, packets, tell)
    notes = [*asked.rules.notes, *_mapped(asked)]
    where = f"{machine}, Linux {release}"
    line, clock_hz = asked.line, asked.clock_hz
    return Answer(
        asked.name, where, made, rows, together, bool(asked.packets), line, clock_hz, notes
    )


async def queues(
    lab: VirtualLab, asked: Asked, tell: Callable[[str], None]
) -> tuple[str, dict[Kind, Counted], list[queue.Priced]]:
    """Boot a guest and price a file's queues in it. Raises GatemarkError."""
    async with session(lab, asked.service, {}) as booted:
        await ready(booted, asked.ports, (), "")
        where = await lab.gateway.run("uname", "-rm")
        every = [kind for kind in kinds(asked.families, asked.l4s) if kind.state == "known"]
        file = queue.read(asked.name, asked.rules.text)
        return (where.strip(), *await queue.priced(booted, file, every, tell))


# Names of services and protocols that rules may have; the guest's image has none.
NAMES: Final = (Path("/etc/services"), Path("/etc/protocols"))
NAMED: Final = "printf %s {text} > {path}"
GATES: Final = ("gw0", "gw1")


async def ready(booted: Session, ports: dict[str, str], names: Iterable[str], client: str) -> None:
    """Name the test ports, make what other interfaces rules name, and find the way to the ends."""
    lab = booted.lab
    if ports:
        await lab.rename(ports)
        booted.renamed()
    others = [name for name in names if name not in {*ports.values(), "lo"}]
    script = [BY_TIME, *(shell(DUMMY, name=name) for name in others)]
    devices = lab.gateway.devices
    if client:
        mac = lab.ports["lan0"].mac
        script.append(shell(REACH, address=client, device=devices["gw0"], mac=mac))
    wan = lab.ports["wan0"]
    script += [
        shell(BEYOND, address=wan.address(family), device=devices["gw1"])
        for family in ("ipv4", "ipv6")
    ]
    script += [
        shell(NAMED, text=file.read_text(encoding="utf-8"), path=str(file))
        for file in NAMES
        if file.is_file()
    ]
    try:
        await run(lab.gateway.node, joined(script))
    except NodeError as error:
        raise NodeError(f"{lab.name}: the guest is not made ready: {error}") from None


def _mapped(asked: Asked) -> Iterable[str]:
    if asked.ports:
        lan, wan = asked.ports.get("gw0"), asked.ports.get("gw1")
        yield f"LAN is {lan or 'not named'}, WAN is {wan or 'not named'}: else --lan, --wan"
    if asked.client:
        yield f"the LAN host is {asked.client}: else --client"
