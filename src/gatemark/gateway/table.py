# SPDX-License-Identifier: Apache-2.0
"""A table of ours in the gateway's netfilter: added and taken away whole, no other touched."""

from collections.abc import Awaitable, Callable

from gatemark.station.wiring import Gateway

# Where a packet of each path meets the filter hooks (net/netfilter/, nft(8) "ADDRESS FAMILIES").
HOOKS = {"route": ("forward",), "nat": ("forward",), "endpoint": ("input", "output")}


def filter_chains(path: str, rules: str) -> str:
    """The same rules in a chain at each filter hook that the path's packets pass."""
    return "".join(
        f"  chain {hook} {{\n    type filter hook {hook} priority filter\n{rules}  }}\n"
        for hook in HOOKS[path]
    )


async def add(gateway: Gateway, name: str, chains: str) -> Callable[[], Awaitable[None]]:
    """Add `table inet NAME`; the undo deletes that table alone.

    Raises NodeError, and touches nothing, if there is a table of that name already.
    """
    delete = ("nft", "delete", "table", "inet", name)
    await gateway.run("nft", "create", "table", "inet", name)
    try:
        await gateway.run("nft", "-f", "-", stdin=f"table inet {name} {{\n{chains}}}\n")
    except BaseException:
        await gateway.run(*delete)
        raise

    async def undo() -> None:
        await gateway.run(*delete)

    return undo
