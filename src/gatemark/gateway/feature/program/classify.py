# SPDX-License-Identifier: Apache-2.0
"""The feature `classify:BY[:WORD...]`: the gateway classifies the flows of its LAN, and marks them.

    jumping    a window of a flow's packets is read and begun anew when it is full
    sliding    it is read at every packet once it is full
    flows=N    kept at a time, of IPv4 and IPv6 each (16 384)
    new=N      of a LAN host a second, and at once (50, and 512)
    guard=N    bytes/s, of both ways, from which on a flow has no priority (125 000)

gm-classifier attaches a BPF program at both of tc's hooks of the LAN port, with the model that
ships. A packet of a real-time flow, or of one on probation, gets the mark of gateway/mark.py;
`first=marked` of a shaper puts it first. Mark, tables and program end with the trial.
"""

from typing import Final

from gatemark.classifier import shipped
from gatemark.gateway import mark
from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import OFFLOADED, Program, counting

MODEL: Final = "real-time"
PREFERRED: Final = "realtime"
HEAD: Final = "seen,other"  # the first line of its counters, once it is attached
OPTIONS: Final = {"flows": "--flows", "new": "--new-flows", "guard": "--guard"}
COUNTERS: Final = counting(
    r"^(?P<seen>\d+),\d+,(?P<untracked>\d+),(?P<marked>\d+),(?P<decisions>\d+),(?P<no_room>\d+)"
    rf",(?P<{OFFLOADED}>\d+)$"
)


async def apply(asked: Asked) -> None:
    """Nothing is set: the program does it all."""
    del asked


def program(wanted: Wanted) -> Program:
    """The classifier at the LAN port."""
    by, *words = wanted.arguments
    device, model = wanted.gateway.devices["gw0"], shipped.path(MODEL)
    options = (word.partition("=") for word in words)
    return Program(
        name=wanted.word,
        classifies=True,
        command=(
            *("attach", str(model), device, "--priority", PREFERRED, "--mark", mark.WORD),
            *(("--sliding",) if by == "sliding" else ()),
            *(part for key, _, value in options for part in (OPTIONS[key], value)),
        ),
        files=(model,),
        ready=HEAD,
        device=device,
        counters=COUNTERS,
    )
