# SPDX-License-Identifier: Apache-2.0
"""`gatemark price`: what each rule of a firewall costs a packet, and what to write instead."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.price.read import Rules

STATION_HELP = "The virtual gateway that counts.  [qemu-x86]"
LAN_HELP = "The rules' name of the LAN interface.  [the first like lan]"
WAN_HELP = "The rules' name of the WAN interface.  [the first like wan]"
CLIENT_HELP = "Address of the LAN host.  [in the rules' first private network]"
PORT_HELP = "TCP port that the packets are for.  [443]"
PACKETS_HELP = "Packets that each advice is tried with.  [10000]"
FAMILIES = ("both", "ipv4", "ipv6")


def price(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Of `nft list ruleset` or iptables-save.")
    ],
    station: Annotated[str, typer.Option(metavar="STATION", help=STATION_HELP)] = "qemu-x86",
    lan: Annotated[str, typer.Option(metavar="NAME", help=LAN_HELP)] = "",
    wan: Annotated[str, typer.Option(metavar="NAME", help=WAN_HELP)] = "",
    client: Annotated[str, typer.Option(metavar="ADDRESS", help=CLIENT_HELP)] = "",
    port: Annotated[int, typer.Option(metavar="NUMBER", min=1, max=65535, help=PORT_HELP)] = 443,
    family: Annotated[
        str, typer.Option(metavar="FAMILY", help="both, ipv4 or ipv6.  [both]")
    ] = "both",
    udp: Annotated[bool, typer.Option("--udp", help="UDP beside TCP.")] = False,
    packets: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, max=100_000, help=PACKETS_HELP)
    ] = 10_000,
    json_: Annotated[
        bool, typer.Option("--json", help="One JSON object a packet, rule, advice.")
    ] = False,
) -> None:
    """Price each rule of a firewall, and say what is cheaper.

    Packets cross a virtual gateway with the rules of FILE, and instructions are counted.

    Nothing of FILE leaves this machine, and nothing of the machine's own rules is touched.
    """
    from gatemark.node import checked
    from gatemark.price import answer as words
    from gatemark.price.course import Asked
    from gatemark.price.course import price as measured
    from gatemark.price.read import read
    from gatemark.run import stop
    from gatemark.station.load import load
    from gatemark.station.qemu.lab import VirtualLab
    from gatemark.station.recover import recover
    from gatemark.tell.verb import diff

    choice.check("--family", family, FAMILIES)
    rules = read(file)
    _check(rules, file, lan, wan, client)
    lab = load(station)
    if not isinstance(lab, VirtualLab):
        raise UsageError(f"--station {station}: instructions are counted on qemu-x86 and the like")
    families = ("ipv4", "ipv6") if family == "both" else (family,)
    ports = {gate: checked.device(name) for gate, name in rules.ports(lan, wan).items()}
    asked = Asked(
        rules,
        file.name,
        port,
        families,
        ("tcp", "udp") if udp else ("tcp",),
        ports,
        client or rules.client,
        packets,
    )
    lab.count()
    lab.enter()

    def tell(text: str) -> None:
        output.say(text, err=True)

    for line in stop.later(recover):
        tell(line)
    answered = stop.run(measured(lab, asked, tell), tell)
    if json_:
        output.lines(words.rows(answered))
    else:
        diff.tell(words.lines(answered))


def _check(rules: "Rules", file: Path, lan: str, wan: str, client: str) -> None:
    """Raise UsageError where an option does not fit the file."""
    from ipaddress import IPv4Address

    for option, name in (("--lan", lan), ("--wan", wan)):
        if name and name not in rules.names:
            raise UsageError(f"{option} {name}: no such interface in {file}")
    try:
        IPv4Address(client or "192.0.2.1")
    except ValueError:
        raise UsageError(f"--client {client}: an address of IPv4 is 192.168.1.77") from None
