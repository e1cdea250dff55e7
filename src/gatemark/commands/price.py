# SPDX-License-Identifier: Apache-2.0
"""`gatemark price`: what each rule of a firewall costs a packet, and what to write instead."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gatemark.commands.console import choice, output
from gatemark.commands.option.line import access_line
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.price.text import Rules

FILE_HELP = "Rules (nft, iptables-save), settings or backup of OpenWrt, `tc -s qdisc`."
STATION_HELP = "The virtual gateway that counts.  [qemu-x86]"
LAN_HELP = "The rules' name of the LAN interface.  [the first like lan]"
WAN_HELP = "The rules' name of the WAN interface.  [the first like wan]"
CLIENT_HELP = "Address of the LAN host.  [in the rules' first private network]"
PORT_HELP = "TCP port that the packets are for.  [443]"
PACKETS_HELP = "Packets that each advice is tried with; 0: no advice.  [10000]"
LINE_HELP = "Also the load of a MIPS 24Kc at this line, in Mbit/s: 500/50."
CLOCK_HELP = "Its clock.  [560]"
MIPS = "mipsel"  # cycles an instruction are known of
FAMILIES = ("both", "ipv4", "ipv6")


def price(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)],
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
    line: Annotated[str, typer.Option(metavar="DOWN/UP", help=LINE_HELP)] = "",
    clock: Annotated[float, typer.Option(metavar="MHZ", min=50, max=2000, help=CLOCK_HELP)] = 560.0,
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
    from gatemark.price import queue
    from gatemark.price.course import Asked, queues
    from gatemark.price.course import price as measured
    from gatemark.price.read import QUEUES, read
    from gatemark.price.sides import virtual
    from gatemark.run import stop
    from gatemark.station.recover import recover
    from gatemark.tell.verb import diff

    choice.check("--family", family, FAMILIES)
    rules = read(file)
    lab = virtual(station)
    wanted = access_line(line) if line else None
    if wanted and lab.model.arch.debian != MIPS:
        raise UsageError(f"--line {line}: cycles are known of MIPS: --station qemu-mips")
    _check(rules, file, lan, wan, client)
    lab.count()
    lab.enter()

    def tell(text: str) -> None:
        output.say(text, err=True)

    for left in stop.later(recover):
        tell(left)
    asked = Asked(
        rules,
        file.name,
        port,
        ("ipv4", "ipv6") if family == "both" else (family,),
        ("tcp", "udp") if udp else ("tcp",),
        {gate: checked.device(name) for gate, name in rules.ports(lan, wan).items()},
        client or rules.client,
        packets,
        wanted,
        1e6 * clock,
    )
    if rules.form == QUEUES:
        where, bare, rows = stop.run(queues(lab, asked, tell), tell)
        if json_:
            output.lines(queue.data(rows))
        else:
            diff.tell(queue.lines(where, bare, rows, rules.notes))
        return
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
