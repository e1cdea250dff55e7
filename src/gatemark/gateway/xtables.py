# SPDX-License-Identifier: Apache-2.0
"""A chain of ours in the gateway's legacy xtables: added and taken away whole.

The kernel registers the table `filter` as it is used for the first time, and gives it up with its
module alone. Where it is built in, an empty table would stay at the hooks of every later trial: so
a kernel that has it built in must have it in use already.
"""

from collections.abc import Sequence
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway.changes import Changes
from gatemark.gateway.table import HOOKS
from gatemark.station.wiring import Gateway

CHAIN: Final = "GATEMARK"
# For each family: its tool, what says that the host has the family, the kernel's module.
FAMILIES: Final = (
    ("iptables", "/proc/net/ip_tables_names", "iptable_filter", "/proc/net/arp"),
    ("ip6tables", "/proc/net/ip6_tables_names", "ip6table_filter", "/proc/net/if_inet6"),
)
OURS: Final = "iptable_filter ip6table_filter xt_tcpudp ip_tables ip6_tables x_tables"

# Which tool speaks to xtables: its own name, or the plain one of a host that has no other.
FIND = """
for tool in {name}-legacy {name}; do
  case $($tool -V 2> /dev/null) in *nf_tables* | "") ;; *) echo $tool; break;; esac
done
[ ! -e {host} ] || echo there
! grep -qx filter {names} 2> /dev/null || echo used
! grep -q '^{module} ' /proc/modules || echo loaded
"""
LOADED = "cut -d' ' -f1 /proc/modules"
# Loading it registers nothing yet where it is built in, so nothing of this attempt stays.
LOAD = """
modprobe -q {module} || true
grep -q '^{module} ' /proc/modules || {{
  echo "this kernel has {module} built in, and would keep an empty table at its hooks" >&2; exit 1
}}
"""
# A chain of that name is somebody else's: a run of ours that was cut off has been undone by now.
FREE = """
! {tool} -w -nL {chain} > /dev/null 2>&1 || {{
  echo "a chain {chain} is there already: remove or rename it" >&2; exit 1
}}
"""
ADD = """
{tool}-restore -w -n <<'GATEMARK-RULES'
*filter
:{chain} - [0:0]
{rules}
COMMIT
GATEMARK-RULES
"""
TAKE = """
if grep -qx filter {names} 2> /dev/null && {tool} -w -nL {chain} > /dev/null 2>&1; then
  for hook in {hooks}; do
    while {tool} -w -D $hook -j {chain} 2> /dev/null; do :; done
  done
  {tool} -w -F {chain}; {tool} -w -X {chain}
fi
"""
UNLOAD = """
for module in {modules}; do
  case " {was} " in *" $module "*) ;; *) rmmod $module 2> /dev/null || true;; esac
done
"""


async def add(gateway: Gateway, changes: Changes, path: str, rules: Sequence[str]) -> None:
    """Send what crosses the filter hooks of a path through these rules, IPv4 and IPv6.

    Raises UnavailableError where the gateway has no xtables, or could not be given back.
    """
    was = (await gateway.run("sh", "-c", LOADED + " 2> /dev/null || true")).split()
    await changes.make(":", undo=UNLOAD.format(modules=OURS, was=" ".join(was)))
    hooks = [hook.upper() for hook in HOOKS[path]]
    lines = [f"-A {CHAIN} {rule}" for rule in rules]
    lines += [f"-I {hook} -j {CHAIN}" for hook in hooks]
    for name, names, module, host in FAMILIES:
        find = FIND.format(name=name, host=host, names=names, module=module)
        said = (await gateway.run("sh", "-c", find)).split()
        if "there" not in said:
            continue
        if not said[0].startswith(name):
            raise UnavailableError(f"no {name}-legacy on the gateway")
        tool = said[0]
        load = "" if {"used", "loaded"} & {*said} else LOAD.format(module=module)
        await changes.attempt(load + FREE.format(tool=tool, chain=CHAIN), undo="")
        await changes.attempt(
            ADD.format(tool=tool, chain=CHAIN, rules="\n".join(lines)),
            undo=TAKE.format(tool=tool, chain=CHAIN, names=names, hooks=" ".join(hooks)),
        )
