# SPDX-License-Identifier: Apache-2.0
"""Paths on OpenWrt, by uci and its firewall (fw4), as its documentation describes them.

Written from https://openwrt.org/docs/guide-user/firewall/firewall_configuration and
https://openwrt.org/docs/guide-user/base-system/uci; nobody has run it on a device yet.

Changes are staged and never committed: `uci set` keeps them in /tmp/.uci, where the firewall's
reload finds them, and a restart forgets them. So `uci revert` is the undo, and whoever pulls the
plug has their own configuration back.
"""

from gatemark.gateway.changes import Changes
from gatemark.node.quoted import joined, literal, sh, shell
from gatemark.station.wiring import Gateway

UNTESTED = (
    'set = "openwrt" is untested: written from OpenWrt\'s documentation, run by nobody yet; '
    "look at `nft list ruleset` on the device before you trust its numbers"
)

# The section of the zone that the WAN port is in: its networks' name, as OpenWrt calls them.
ZONE = literal("""
at=0; zone=
while name=$(uci -q get firewall.@zone[$at].name); do
  if [ "$name" = wan ]; then zone=$at; fi
  at=$((at + 1))
done
if [ -z "$zone" ]; then echo "no firewall zone named wan: name one so" >&2; exit 1; fi
""")
# Packets may come from the WAN as well as from the LAN, and none of them by a short cut.
OPEN = """
uci set firewall.@zone[$zone].masq={masq}
uci set firewall.@zone[$zone].forward=ACCEPT
uci -q delete firewall.@defaults[0].flow_offloading || true
uci -q delete firewall.@defaults[0].flow_offloading_hw || true
if [ {masq} = 0 ]; then
  section=$(uci add firewall forwarding)
  uci set firewall.$section.src=wan; uci set firewall.$section.dest=lan
fi
/etc/init.d/firewall reload
"""
STAGED = literal("""
if [ -n "$(uci changes firewall)" ]; then
  echo "somebody has staged changes: uci commit firewall, or uci revert firewall" >&2; exit 1
fi
""")
UNDO = literal("uci revert firewall\n/etc/init.d/firewall reload")


async def route(gateway: Gateway, changes: Changes) -> None:
    """The zone `wan` without masquerading, and open to the LAN."""
    await _stage(gateway, changes, masq=0)


async def nat(gateway: Gateway, changes: Changes) -> None:
    """The zone `wan` with masquerading: what OpenWrt comes with."""
    await _stage(gateway, changes, masq=1)


async def _stage(gateway: Gateway, changes: Changes, masq: int) -> None:
    await gateway.run(*sh(STAGED))  # another's staged changes would be reverted with ours
    await changes.make(joined((ZONE, shell(OPEN, masq=masq))), undo=UNDO)
