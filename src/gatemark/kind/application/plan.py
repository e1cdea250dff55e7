# SPDX-License-Identifier: Apache-2.0
"""An application in a plan: which, and how long it is judged.

Real programs at both ends. `application` (`ssh`): `call-sip`, `call-webrtc`, `call-janus`, `srt`,
`rtsp`, `ssh`, `mosh`, `vnc`, `dns`, `mqtt`, `game`, `openarena`, `page-h1`, `page-h2`, `page-h3`,
`film`, `dash`, `torrent`, `rsync`, `smb`, `quic`; judged for `duration_s`, from `start_s` on, under
way before (docs/applications.md). In the lab and beside boxes whose tester is this machine. On the
path `endpoint` (`direction` = receive) the server is on the gateway, in the lab alone.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.kind.application import programs
from gatemark.kind.application.programs import APPLICATIONS, EVERY
from gatemark.kind.rules import Able, Rules
from gatemark.plan.model import Plan, Workload
from gatemark.plan.toml import nearest

LONGEST_S: Final = 120.0
AROUND_S: Final = 4.0  # before and after the judged time: programs start, and end


def faults(load: Workload) -> Iterator[str]:
    """Yield each key that is out of its bounds, with its fix."""
    if load.application not in APPLICATIONS:
        fix = nearest(load.application, list(APPLICATIONS)) or f": {', '.join(APPLICATIONS)}"
        yield f"`application` = '{load.application}': no such application{fix}"
        return
    least_s = APPLICATIONS[load.application].least_s
    if not least_s <= load.duration_s <= LONGEST_S:
        yield (
            f"`duration_s` = {load.duration_s:g}: {load.application} takes {least_s:g} to "
            f"{LONGEST_S:g}"
        )
    if load.direction not in ("up", "receive"):
        fix = "leave it out, or write receive on the path endpoint"
        yield f"`direction` = {load.direction}: its user is on the LAN; {fix}"
    if load.dscp:
        yield f"`dscp` = {load.dscp}: an application marks its packets itself; leave it out"


def lasts_s(load: Workload) -> float:
    """The judged time, with what it takes to be under way."""
    return load.duration_s + AROUND_S


def require(plans: Iterable[Plan]) -> None:
    """Raise UnavailableError with the command that installs what these plans play."""
    programs.require(programs.played(plans))


def able() -> Able:
    """Return the applications that can be played here, and the command that installs the others."""
    there = [name for name in APPLICATIONS if not programs.missing([name])]
    lacking = programs.missing(APPLICATIONS)
    text = f"can be played: {', '.join(there) or 'none'}"
    return Able("applications", text, programs.fix(lacking) if lacking else "")


KIND: Final = Rules(
    keys="duration_s application",
    yields=tuple(quality.quantity for each in EVERY for quality in each.qualities),
    headlines={each.about: each.qualities[0].quantity for each in EVERY},
    only={
        "family": ("ipv4", "applications are played over ipv4 alone"),
        "driver": ("gatemark", "it has programs of its own; leave it out"),
    },
    faults=faults,
    lasts_s=lasts_s,
    streams=True,
    is_labelled=True,
    is_captured=True,
    asks_besides=True,
    require=require,
    able=able,
)
