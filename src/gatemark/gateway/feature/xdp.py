# SPDX-License-Identifier: Apache-2.0
"""The feature `xdp`: a program at the test ports' drivers forwards what it can, past the stack.

The kernel's own routes and neighbours say where to (`bpf_fib_lookup`), so what they do not know,
and all that is not plain IPv4 or IPv6, goes the usual way. The program is held by an agent on the
gateway (agent/src/verbs/forward.c) and gone with it. It is in the driver where every port's driver
takes one, else at the kernel's generic hook, behind the making of the packet that it would save.
"""

from collections.abc import Mapping

from gatemark.gateway.feature.asked import Asked

VERB = "forward"


async def apply(asked: Asked) -> None:
    """Let an agent hold it."""
    await asked.changes.hold(VERB, {"devices": list(asked.ports)})


async def seen(asked: Asked, before: Mapping[str, int]) -> dict[str, int]:
    """The program's own counts, and whether it is in the drivers."""
    agent = asked.changes.held(VERB)
    agent.tell({"cmd": "count"})
    counts = await agent.event("count")
    return {
        **{
            name: counts[key] - before.get(name, 0)
            for name, key in (("forwarded", "forwarded"), ("usual", "passed"))
        },
        "native": int(agent.ready["mode"] == "native"),
    }
