# SPDX-License-Identifier: Apache-2.0
"""The feature `fw4-without:CHAIN:N`: OpenWrt's own ruleset without a part of it.

    everything       no table of fw4's; what the path needs is set as on any Linux, and no more
    empty            the base chains that have no rule: each is a hook that every packet passes
    CHAIN            a base chain, hook and all; any other chain is emptied, as rules lead to it
    CHAIN:N          its Nth rule alone

What a packet takes less without a part is what that part costs it. A packet may go another way
then: without the rule for known connections each packet meets the rules behind it.
"""

from typing import Final

from gatemark.gateway import fw4, nat, openwrt, route
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import Script, literal, shell

EVERYTHING: Final = "everything"
EMPTY: Final = "empty"
WHOLE_CHAIN: Final = "0"  # where no rule of it is named
PATHS: Final = {"route": (route.apply,), "nat": (route.apply, nat.apply)}
TABLE: Final = "nft delete table inet fw4"
CHAIN: Final = """
nft list chain inet fw4 {chain} > /dev/null 2>&1 || {{ echo {absent} >&2; exit 1; }}
nft flush chain inet fw4 {chain}
if nft list chain inet fw4 {chain} | grep -q ' hook '; then nft delete chain inet fw4 {chain}; fi
"""
# A chain's own line and that of its hook are all that there is of one.
HOLLOW: Final = literal("""
nft list table inet fw4 | sed -n 's/^\\tchain \\(.*\\) {$/\\1/p' | while read -r chain; do
  listed=$(nft list chain inet fw4 "$chain")
  if [ "$(printf '%s\\n' "$listed" | wc -l)" = 5 ] && printf %s "$listed" | grep -q ' hook '; then
    nft delete chain inet fw4 "$chain" || exit 1
  fi
done
""")
RULE: Final = """
handle=$(nft -a list chain inet fw4 {chain} 2> /dev/null |
  sed -n 's/^\\t\\t.* # handle \\([0-9]*\\)$/\\1/p' | sed -n {number}p)
[ -n "$handle" ] || {{ echo {absent} >&2; exit 1; }}
nft delete rule inet fw4 {chain} handle "$handle"
"""
# At one stroke: a gateway is never between two rulesets. The first line is for where there is none.
# What nft has listed it may refuse, in words of its own that it does not read: then fw4 renders it.
WHOLE: Final = """
printf '%s\\n' 'table inet fw4 {{}}' 'delete table inet fw4' {listed} | nft -f - || {reload}
"""


async def apply(asked: Asked) -> None:
    """Take the part away."""
    chain, number = asked.arguments
    listed = await asked.gateway.run(*fw4.RULES)
    undo = shell(WHOLE, listed=listed, reload=openwrt.RELOAD)
    await asked.changes.attempt(_script(chain, number), undo=undo)
    if chain == EVERYTHING:
        for part in PATHS[asked.path]:
            await part(asked.gateway, asked.changes)


def _script(chain: str, number: str) -> Script:
    if chain == EVERYTHING:
        return literal(TABLE)
    if chain == EMPTY:
        return HOLLOW
    if number != WHOLE_CHAIN:
        absent = f"fw4 has no chain {chain} with {number} rules on this path"
        return shell(RULE, chain=chain, number=number, absent=absent)
    return shell(CHAIN, chain=chain, absent=f"fw4 has no chain {chain} on this path")
