# SPDX-License-Identifier: Apache-2.0
"""A table of ours in the gateway's netfilter: added and taken away whole, no other touched."""

from gatemark.error import NodeError
from gatemark.gateway.changes import Changes
from gatemark.node.quoted import sh, shell
from gatemark.node.remote.look import Look
from gatemark.node.shell import door

# Where a packet of each path meets the filter hooks (net/netfilter/, nft(8) "ADDRESS FAMILIES").
# Of `switch` those that it passes by br_netfilter.
HOOKS = {
    "switch": ("forward",),
    "route": ("forward",),
    "nat": ("forward",),
    "hairpin": ("forward",),
    "endpoint": ("input", "output"),
}

FREE = "{here} || exit 0; echo {taken} >&2; exit 1"
INET = 1  # NFPROTO_INET, include/uapi/linux/netfilter.h
REFUSED = "the gateway's kernel refuses these rules: "
ADD = "printf %s {rules} | nft -f -"
# Added first, so that it is there to be deleted: one program. Where nothing can be added all is
# well as long as there is no such table.
GONE = "printf %s {lines} | nft -f - 2> /dev/null || ! {here}"


def filter_chains(path: str, rules: str) -> str:
    """The same rules in a chain at each filter hook that the path's packets pass."""
    return "".join(
        f"  chain {hook} {{\n    type filter hook {hook} priority filter\n{rules}  }}\n"
        for hook in HOOKS[path]
    )


async def add(changes: Changes, name: str, chains: str) -> None:
    """Add `table inet NAME`; its undo deletes that table alone.

    Raises NodeError, and touches nothing, if there is a table of that name already;
    UnavailableError with the kernel's word if it lacks what the chains need.
    """
    here = shell("nft list table inet {name} > /dev/null 2>&1", name=name)
    taken = f"a table inet {name} is there already: remove or rename it"
    if near := door(changes.node) or await Look.at(changes.node, what=("tables",)):
        if (INET, name) in near.nft_tables():
            raise NodeError(f"{changes.node.name}: {taken}", taken)
    else:
        await changes.node.run(*sh(shell(FREE, here=here, taken=taken)))
    await changes.attempt(
        shell(ADD, rules=f"table inet {name} {{\n{chains}}}\n"),
        undo=shell(GONE, lines=f"add table inet {name}\ndelete table inet {name}\n", here=here),
        refused=REFUSED,
    )
