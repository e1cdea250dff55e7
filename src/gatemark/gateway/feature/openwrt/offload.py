# SPDX-License-Identifier: Apache-2.0
"""The feature `offload:BY` by the firewall's `flow_offloading` and `flow_offloading_hw`.

fw4 puts the devices of all zones into one flow table. Where a driver takes none, it says so in its
log and falls back to software; so the table is read back, and the driver's own word is asked for.

Whether a packet went past is counted as on any Linux, by a counter of ours at the forward hook.
"""

from typing import Final

from gatemark.error import StationError, UnavailableError
from gatemark.gateway import fw4, openwrt, table
from gatemark.gateway.feature import offload
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import joined, sh, shell

COUNTER: Final = """  counter usual { }
  chain forward {
    type filter hook forward priority filter
    counter name usual
  }
"""
SET: Final = "uci set firewall.{defaults}.{option}=1"
# As fw4 tries it; one driver that refuses is enough. A bridge stands for its ports.
TRY: Final = """
for device in {ports}; do
  set -- /sys/class/net/"$device"/brif/*
  [ -e "$1" ] || set -- "$device"
  for port; do
    port=${{port##*/}}
    word=$(printf 'add table inet gatemark-try
add flowtable inet gatemark-try ft {{ hook ingress priority 0; devices = {{ "%s" }};
flags offload; }}
' "$port" | nft -c -f - 2>&1) || echo "$port: $(echo "$word" | sed -n 's/.*Error: //p' | head -n 1)"
  done
done
"""

seen = offload.seen  # by the same counter


async def apply(asked: Asked) -> None:
    """Stage it, reload, and read the flow table back."""
    (by,) = asked.arguments
    gateway, hardware = asked.gateway, by == "hardware"
    options = openwrt.FLOWS if hardware else openwrt.FLOWS[:1]
    lan, wan = asked.ports
    *_, (_, defaults) = await openwrt.sections(gateway, lan, wan)
    before = await fw4.read(gateway)
    words = [shell(SET, defaults=defaults, option=option) for option in options]
    of_path = openwrt.without_flows(defaults, options)
    undo = openwrt.undo([f"{defaults}.{option}" for option in options], before, of_path)
    await asked.changes.make(joined((*words, openwrt.RELOAD)), undo=undo)
    rules = await fw4.read(gateway)
    if not rules.offloads:
        raise StationError(
            f"{gateway.name}: flow_offloading is set, and its rules have no flow table: look at "
            "`fw4 print` and `logread` there"
        )
    if hardware and not rules.offloads_hardware:
        refused = await gateway.run(*sh(shell(TRY, ports=asked.ports)))
        why = "; ".join(refused.splitlines()) or "its firewall does not say why"
        raise UnavailableError(f"fw4 falls back to software, as a driver takes no flows: {why}")
    await table.add(asked.changes, offload.NAME, COUNTER)
