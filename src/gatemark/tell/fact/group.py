# SPDX-License-Identifier: Apache-2.0
"""Words of what is wrong with groups: which stop, and what was seen of it."""

from typing import Final

from gatemark.tell.fact.say import Entries

STOPS: Final = (
    "{share:percent} of the groups stop {ns:ns} after a member joined, and it is still one: "
)
CLAUSE: Final = "stops {share:percent} of the groups while they have a member"

ENTRIES: Final[Entries] = {
    "group.never": (
        "{share:percent} of the groups never come to their member: nobody forwards them. Look for "
        "a proxy that does not run, and for what drops IGMP or MLD.",
        "never brings {share:percent} of the groups to their member",
    ),
    "group.unasked": (
        f"{STOPS}nobody asked who is a member, so the gateway forgot it. Switch a querier on.",
        f"{CLAUSE}, as nobody asks for members",
    ),
    "group.querier": (
        f"{STOPS}nobody asked for {{silent:ns}} who is a member, and every {{every:ns}} before. "
        "The querier has stopped.",
        f"{CLAUSE}, as the querier stops",
    ),
    "group.left": (
        f"{STOPS}another member left then. The gateway does not ask whether one is left: switch "
        "quickleave (fast leave) off where a port has several members.",
        f"{CLAUSE}, as another member leaves",
    ),
    "group.forgotten": (
        f"{STOPS}members are asked, so the gateway or its proxy forgets it. See `bridge mdb` and "
        "`ip mroute` on the gateway.",
        f"{CLAUSE}, and forgets them",
    ),
}
