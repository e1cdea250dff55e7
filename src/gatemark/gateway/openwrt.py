# SPDX-License-Identifier: Apache-2.0
"""Paths on OpenWrt, by uci and its firewall (fw4), as its documentation describes them.

https://openwrt.org/docs/guide-user/firewall/firewall_configuration and
https://openwrt.org/docs/guide-user/base-system/uci; run on its own userland (docs/openwrt.md).

Changes are staged and never committed: `uci set` keeps them in /tmp/.uci, where the firewall's
reload finds them, and a restart forgets them. The undo reverts what we staged, option by option,
so that what somebody else stages meanwhile stays. Whoever pulls the plug has their own
configuration back.
"""

import re
from collections.abc import Sequence
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import fw4
from gatemark.gateway.changes import Changes
from gatemark.gateway.far import LAN
from gatemark.gateway.wan import WAN
from gatemark.node.quoted import Script, joined, literal, sh, shell
from gatemark.station.wiring import Gateway

OWN: Final = "gatemark"  # begins the name of each section of ours
NAME: Final = re.compile(r"[A-Za-z0-9_-]+")
FLOWS: Final = ("flow_offloading", "flow_offloading_hw")
STEERING: Final = "packet_steering"  # the one option of `network` that netifd does not read

# Zones are asked of the firewall itself, by their ports; their sections are sought by zone.
FIND = """
section() {{
  uci -X show firewall | sed -n "s/^firewall\\.\\([^.]*\\)\\.name='$1'\\$/\\1/p" |
  while read -r id; do if [ "$(uci -q get "firewall.$id")" = zone ]; then echo "$id"; fi; done
}}
if ! command -v flock > /dev/null; then
  echo "no flock here, without which fw4 reloads nothing and says nothing: install it" >&2; exit 1
fi
for device in {lan} {wan}; do
  if ! zone=$(fw4 -q device "$device") || [ -z "$zone" ]; then
    echo "no firewall zone has the port $device: put its network into one" >&2; exit 1
  fi
  echo "$zone $(section "$zone")"
done
uci -X show firewall.@defaults[0] | sed -n 's/^firewall\\.\\(.*\\)=defaults$/defaults \\1/p'
"""
# Another's are theirs to finish.
STAGED = """
if uci changes {file} | grep {which} | grep -q .; then
  echo "somebody has staged changes: uci commit" {file}", or uci revert" {file} >&2; exit 1
fi
"""
MASQUERADE = "uci set firewall.{zone}.masq={masq}"
# None of the packets goes by a short cut.
NO_FLOWS = "uci -q delete firewall.{defaults}.{option} || true"
OPEN = """
uci set firewall.{own}=forwarding
uci set firewall.{own}.src={source}
uci set firewall.{own}.dest={target}
"""
REVERT = "uci -q revert firewall.{what} || true"
RELOAD = literal("/etc/init.d/firewall reload")


async def route(gateway: Gateway, changes: Changes) -> None:
    """WAN's zone without masquerading, and LAN and WAN open to each other."""
    await _stage(gateway, changes, masquerade=False)


async def nat(gateway: Gateway, changes: Changes) -> None:
    """WAN's zone with masquerading, and LAN open to it: what OpenWrt comes with."""
    await _stage(gateway, changes, masquerade=True)


async def _stage(gateway: Gateway, changes: Changes, *, masquerade: bool) -> None:
    """Stage, reload, and read back what the kernel has then. Raises StationError."""
    await require_unstaged(gateway, "firewall")
    lan, wan = gateway.devices[LAN], gateway.devices[WAN]
    (lan_zone, _), (wan_zone, section), (_, defaults) = await sections(gateway, lan, wan)
    meant = fw4.Meant(lan, wan, lan_zone, wan_zone, masquerade)
    before, rules = await fw4.network(gateway), await fw4.read(gateway)
    closed = [way for way in meant.opens if not rules.opens(*way)]
    words = [shell(MASQUERADE, zone=section, masq="1" if masquerade else "0")]
    words += without_flows(defaults)
    reverts = [f"{section}.masq", *(f"{defaults}.{option}" for option in FLOWS)]
    for at, (source, target) in enumerate(closed):
        words.append(shell(OPEN, own=f"{OWN}{at}", source=source, target=target))
        reverts.append(f"{OWN}{at}")
    await changes.make(joined((*words, RELOAD)), undo=undo(reverts, rules))
    await fw4.check(gateway, meant, before)


async def require_unstaged(gateway: Gateway, file: str, which: Sequence[str] = (".",)) -> None:
    """Raise NodeError where somebody has staged changes of a configuration file.

    `which` of them count is said in words of grep's.
    """
    await gateway.run(*sh(shell(STAGED, file=file, which=which)))


async def sections(gateway: Gateway, lan: str, wan: str) -> list[tuple[str, str]]:
    """Zone and section of LAN and WAN, and the section of the defaults. Raises NodeError."""
    return _names(gateway, await gateway.run(*sh(shell(FIND, lan=lan, wan=wan))))


def without_flows(defaults: str, options: Sequence[str] = FLOWS) -> list[Script]:
    """Return the options that each path stages, whatever the owner has committed."""
    return [shell(NO_FLOWS, defaults=defaults, option=option) for option in options]


def undo(reverts: Sequence[str], before: fw4.Rules, of_path: Sequence[Script] = ()) -> Script:
    """Revert options and sections of the firewall, reload, and remove chains that only they had.

    A revert takes all that was staged of an option. What the path, which stays, had staged of it is
    staged again by `of_path`.
    """
    words = [shell(REVERT, what=what) for what in reverts]
    return joined((*words, *of_path, RELOAD, fw4.swept(before)))


def _names(gateway: Gateway, printed: str) -> list[tuple[str, str]]:
    """Zone and section of LAN and WAN, and the section of the defaults."""
    rows = [line.split() for line in printed.splitlines()]
    sound = len(rows) == 3 and all(len(row) == 2 for row in rows)
    if not sound or not all(NAME.fullmatch(name) for row in rows for name in row):
        raise UnavailableError(
            f"{gateway.name}: its firewall's zones are not understood: each is to have one section "
            "with its name, and there is to be one `config defaults`: look at `uci show firewall`"
        )
    return [(first, second) for first, second in rows]
