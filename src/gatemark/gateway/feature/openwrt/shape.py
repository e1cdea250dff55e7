# SPDX-License-Identifier: Apache-2.0
"""The feature `shape:BY:MBIT:WORD...` by sqm-scripts (SQM), where the box has them.

SQM holds what leaves by the WAN port there, as any Linux does. What comes in by that port it holds
before it is routed, at a device of its own (ifb); on any Linux that is held at the LAN port.

What SQM has no words for is set by tc, as on any Linux. So is all of it where the box has no SQM,
as that is how a box without it can be shaped. By which means it was set is a note of each trial.
A box that has SQM and cannot run it is skipped with SQM's word: by tc it would be another shaper
than the one that its owner would use.
"""

from typing import Final

from gatemark.error import StationError, UnavailableError
from gatemark.gateway import openwrt
from gatemark.gateway.changes import NOTHING
from gatemark.gateway.feature import shape
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.feature.openwrt import sqm
from gatemark.gateway.wan import WAN
from gatemark.node.quoted import Script, joined, literal, sh, shell
from gatemark.plan.shaper.shape import parse
from gatemark.station.wiring import Gateway

SECTION: Final = f"{openwrt.OWN}_shape"
THERE: Final = "there"
REGISTERED: Final = "registered"  # procd knows its service
# What of SQM the box has, and the devices of its kind, a word each.
LOOK: Final = literal(f"""
if [ -x /etc/init.d/sqm ] && uci -q show sqm > /dev/null; then echo {THERE}; fi
if ubus call service list '{{"name":"sqm"}}' | grep -q '"sqm"'; then echo {REGISTERED}; fi
ip -o link show type ifb | sed 's/^[0-9]*: \\([^:@]*\\).*/\\1/'
""")
# Of its owner's own, one that would be started beside ours, and what else has the way in.
TAKEN: Final = """
uci -X show sqm | sed -n 's/^sqm\\.\\([^.]*\\)=queue$/\\1/p' | while read -r id; do
  if [ "$(uci -q get sqm."$id".interface)" = {port} ] &&
    [ "$(uci -q get sqm."$id".enabled)" = 1 ]; then
    echo {port} is shaped by its "owner's" SQM: /etc/init.d/sqm stop {port}, uci set \\
      sqm."$id".enabled=0 and uci commit sqm
  fi
done
case $(tc qdisc show dev {port}) in
  *' ffff: '*) echo {port} has an ingress qdisc of its "owner's": tc qdisc del dev {port} ingress ;;
esac
"""
SET: Final = f"uci set sqm.{SECTION}.{{option}}={{value}}"
# It ends well whatever happens; so its own word is read, and the file that it leaves at its end.
START: Final = f"""
uci set sqm.{SECTION}=queue
{{staged}}
printed=$(/etc/init.d/sqm start {{port}} 2>&1) || true
why=$(printf '%s\\n' "$printed" | sed -n -e '/FAILURE/d' -e 's/Error: //' -e 's/.*ERROR: //p' |
  sort -u | head -n 3)
if [ -n "$why" ] || [ ! -e /var/run/sqm/{{port}}.state ]; then
  echo SQM does not start: ${{{{why:-it does not say why, see logread}}}} >&2; exit 1
fi
"""
# What was made by half has no file by which SQM would stop it.
STOP: Final = f"""
/etc/init.d/sqm stop {{port}} > /dev/null 2>&1 || true
uci -q revert sqm.{SECTION} || true
{{unregister}}
case $(tc qdisc show dev {{port}} root) in ''|*' {shape.KERNELS_OWN} '*) ;;
  *) tc qdisc del dev {{port}} root ;;
esac
case $(tc qdisc show dev {{port}}) in *' ffff: '*) tc qdisc del dev {{port}} ingress ;; esac
ip -o link show type ifb | sed 's/^[0-9]*: \\([^:@]*\\).*/\\1/' | while read -r device; do
  case {{known}} in *" $device "*) ;; *) ip link del "$device" ;; esac
done
"""
UNREGISTER: Final = literal("""ubus call service delete '{"name":"sqm"}' || true""")
SHOW: Final = "tc -d qdisc show dev {port}; tc class show dev {port}"
FILTERS: Final = "tc filter show dev {port} parent ffff: 2> /dev/null || true"


async def apply(asked: Asked) -> None:
    """Stage a queue, let SQM start it, and look at what the kernel has then."""
    gateway, wanted = asked.gateway, parse(asked.arguments)
    there = (await gateway.run(*sh(LOOK))).split()
    why = "the box has no sqm-scripts" if THERE not in there else sqm.lacks(wanted, asked.path)
    if why:
        asked.notes.append(f"shape is set by tc: {why}")
        await shape.apply(asked)
        return
    queue, port = sqm.queue(wanted), gateway.devices[WAN]
    await _require_free(gateway, port)
    undo = _stop(port, there)
    await asked.changes.attempt(_start(port, queue), undo=undo)
    if fault := await _fault(gateway, port, queue):
        raise StationError(f"{gateway.name}: SQM has started, and {fault}: see `logread` there")
    asked.notes.append(f"shape is set by SQM: {queue.script}")


async def _require_free(gateway: Gateway, port: str) -> None:
    """Raise UnavailableError where its owner has shaped it, NodeError where they have staged it."""
    await openwrt.require_unstaged(gateway, "sqm")
    if why := (await gateway.run(*sh(shell(TAKEN, port=port)))).strip():
        raise UnavailableError(why.splitlines()[0])
    await shape.require_free(gateway, port)


def _start(port: str, queue: sqm.Queue) -> Script:
    options = queue.options(port)
    staged = joined(shell(SET, option=option, value=value) for option, value in options.items())
    return shell(START, staged=staged, port=port)


def _stop(port: str, there: list[str]) -> Script:
    unregister = NOTHING if REGISTERED in there else UNREGISTER
    known = f" {' '.join(there)} "
    return shell(STOP, port=port, unregister=unregister, known=known)


async def _fault(gateway: Gateway, port: str, queue: sqm.Queue) -> str:
    """Return what of both ways is not as it is meant; "" for nothing."""
    ways = {port: queue.up_kbit}
    if queue.down_kbit:
        inwards = sqm.redirected(await gateway.run(*sh(shell(FILTERS, port=port))))
        if not inwards:
            return f"what comes in by {port} is not redirected"
        ways[inwards] = queue.down_kbit
    for device, kbit in ways.items():
        if kbit and (fault := sqm.fault(await _shown(gateway, device), queue, kbit)):
            return f"{device} {fault}"
    return ""


async def _shown(gateway: Gateway, device: str) -> str:
    return await gateway.run(*sh(shell(SHOW, port=device)))
