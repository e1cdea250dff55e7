# SPDX-License-Identifier: Apache-2.0
"""A chain of ours in the gateway's legacy xtables: added and taken away whole.

The kernel registers the table `filter` in a namespace as it is used there for the first time, and
gives it up with its module alone. An empty table would stay at the hooks of every later trial: so
where it is not in use already, its module must be one that can be taken away.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from gatemark.error import UnavailableError
from gatemark.gateway.changes import Changes
from gatemark.gateway.table import HOOKS
from gatemark.node.quoted import joined, literal, sh, shell
from gatemark.node.shell import Here
from gatemark.station.wiring import Gateway

CHAIN: Final = "GATEMARK"
OURS: Final = "iptable_filter ip6table_filter xt_tcpudp ip_tables ip6_tables x_tables"

# Which tool speaks to xtables: its own name, or the plain one of a host that has no other.
FIND: Final = """
for tool in {name}-legacy {name}; do
  case $($tool -V 2> /dev/null) in *nf_tables* | "") ;; *) echo $tool; break;; esac
done
[ ! -e {host} ] || echo there
! grep -qx filter {names} 2> /dev/null || echo used
! grep -q {loaded} /proc/modules || echo loaded
"""
LOADED: Final = literal("cut -d' ' -f1 /proc/modules 2> /dev/null || true")
# Loading it registers nothing yet where it is built in, so nothing of this attempt stays.
LOAD: Final = """
modprobe -q {module} || true
grep -q {loaded} /proc/modules || {{ echo {why} >&2; exit 1; }}
"""
UNREGISTER: Final = "! grep -q {loaded} /proc/modules || rmmod {module}"
# A chain of that name is somebody else's: a run of ours that was cut off has been undone by now.
FREE: Final = """
! {tool} -w -nL {chain} > /dev/null 2>&1 || {{ echo {taken} >&2; exit 1; }}
"""
ADD: Final = "printf '%s\\n' '*filter' {rules} COMMIT | {tool}-restore -w -n"
TAKE: Final = """
if grep -qx filter {names} 2> /dev/null && {tool} -w -nL {chain} > /dev/null 2>&1; then
  for hook in {hooks}; do
    while {tool} -w -D $hook -j {chain} 2> /dev/null; do :; done
  done
  {tool} -w -F {chain}; {tool} -w -X {chain}
fi
"""
UNLOAD: Final = """
for module in {modules}; do
  case {was} in *" $module "*) ;; *) rmmod $module 2> /dev/null || true;; esac
done
"""


class Family(NamedTuple):
    """IPv4 or IPv6 on a host."""

    name: str  # of the tool
    host: str  # what a host has that has the family
    module: str
    names: str  # the file of the tables that are in use


FAMILIES: Final = (
    Family("iptables", "/proc/net/arp", "iptable_filter", "/proc/net/ip_tables_names"),
    Family("ip6tables", "/proc/net/if_inet6", "ip6table_filter", "/proc/net/ip6_tables_names"),
)


async def add(gateway: Gateway, changes: Changes, path: str, rules: Sequence[str]) -> None:
    """Send what crosses the filter hooks of a path through these rules, IPv4 and IPv6.

    Raises UnavailableError where the gateway has no xtables, or could not be given back.
    """
    was = (await gateway.run(*sh(LOADED))).split()
    undo = shell(UNLOAD, modules=OURS.split(), was=f" {' '.join(was)} ")
    await changes.make(literal(":"), undo=undo)
    for family in FAMILIES:
        find = shell(FIND, **family._asdict(), loaded=f"^{family.module} ")
        words = (await gateway.run(*sh(find))).split()
        if "there" not in words:
            continue
        if words[0] not in (family.name, f"{family.name}-legacy"):
            raise UnavailableError(f"no {family.name}-legacy on the gateway")
        if "used" not in words:
            await _load(gateway, changes, family.module, loaded="loaded" in words)
        await _chain(changes, words[0], family, path, rules)


async def _load(gateway: Gateway, changes: Changes, module: str, *, loaded: bool) -> None:
    if isinstance(gateway.node, Here):
        raise UnavailableError(
            "a namespace keeps an empty table of xtables at its hooks for as long as it is there; "
            "a virtual gateway can be given back"
        )
    why = f"this kernel has {module} built in, and would keep an empty table at its hooks"
    load = shell(LOAD, module=module, loaded=f"^{module} ", why=why)
    undo = shell(UNREGISTER, module=module, loaded=f"^{module} ")
    again = shell("modprobe -q {module}", module=module) if loaded else literal(":")
    await changes.attempt(load, undo=joined((undo, again)))


async def _chain(
    changes: Changes, tool: str, family: Family, path: str, rules: Sequence[str]
) -> None:
    hooks = [hook.upper() for hook in HOOKS[path]]
    taken = f"a chain {CHAIN} is there already: remove or rename it"
    free = shell(FREE, tool=tool, chain=CHAIN, taken=taken)
    await changes.attempt(free, undo=literal(":"))
    lines = [f":{CHAIN} - [0:0]", *(f"-A {CHAIN} {rule}" for rule in rules)]
    lines += [f"-I {hook} -j {CHAIN}" for hook in hooks]
    await changes.attempt(
        shell(ADD, tool=tool, rules=lines),
        undo=shell(TAKE, tool=tool, chain=CHAIN, names=family.names, hooks=hooks),
    )
