# SPDX-License-Identifier: Apache-2.0
"""The feature `dns:SERVER[:WORD...]`: the gateway answers the names of its LAN, asking the WAN.

    cache=N      answers that it keeps (1000, as OpenWrt does)
    forward=N    questions that it may wait for at once (150, as dnsmasq does)

dnsmasq alone, without a file of a system. What it counts is in its last words.
"""

from typing import Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program, counting, needs
from gatemark.node.quoted import literal, sh, shell

PORT: Final = 5300  # of the WAN host that knows the answers: no service of a system has it
OPTIONS: Final = {"cache": "1000", "forward": "150"}
READY: Final = "started, version"
COMMAND: Final = """{needs}exec dnsmasq --keep-in-foreground --conf-file=/dev/null --no-resolv \\
  --no-hosts --port=53 --interface={lan} --except-interface=lo --bind-interfaces \\
  --user= --pid-file="$PWD/pid" \\
  --log-facility=- --cache-size={cache} --dns-forward-max={forward} --server={server}"""
COUNTERS: Final = counting(
    r"queries forwarded (?P<forwarded>\d+), queries answered locally (?P<local>\d+)"
)


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """The forwarder at the LAN port."""
    _, *words = wanted.arguments
    given = OPTIONS | dict(text.split("=") for text in words)
    script = shell(
        COMMAND,
        needs=needs("dnsmasq", "dnsmasq-base"),
        lan=wanted.gateway.devices["gw0"],
        server=f"{wanted.far}#{PORT}",
        **given,
    )
    return Program(
        name=wanted.word,
        command=sh(script),
        ready=READY,
        question=literal("kill -USR1 $(cat pid); sleep 1"),
        counters=COUNTERS,
    )
