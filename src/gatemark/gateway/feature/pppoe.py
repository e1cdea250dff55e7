# SPDX-License-Identifier: Apache-2.0
"""The feature `pppoe`: the line is a PPPoE session (RFC 2516).

    LAN host ---- gw0  gateway  gm-ppp | gm-near ==== gm-far | gm-ppp  far end  gw1 ---- WAN host
                                         8 bytes longer               in the same kernel

A pppd at each end: they negotiate LCP, IPCP and IPV6CP, then the kernel carries the packets, for
both ends (gateway/far.py). Both are given the session's number, so nothing is discovered: the
distribution's pppoe-server has its sessions in user space, and each packet would go through it.
A packet has 1 492 bytes at most, as on a line.
"""

from typing import Final

from gatemark.gateway import far
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import literal, shell

TUNNEL: Final = "gm-ppp"
LINK_MTU: Final = 1500  # Ethernet's own: 8 bytes less are left (RFC 2516 section 7)
SESSION: Final = 1

THERE: Final = literal("""
modprobe -q pppoe 2> /dev/null || true
[ -e /proc/net/pppoe ] || { echo 'no PPPoE in its kernel' >&2; exit 1; }
command -v pppd > /dev/null || {
  echo 'no pppd on it: our image has one where memory_mib is 128 or more' >&2; exit 1
}
""")
# What the near end says stands in the error if they do not come together.
CONNECTED = """
{in_far}
tunnel={tunnel}
near_mac=$(cat /sys/class/net/{near}/address)
far_mac=$(in_far cat /sys/class/net/{far}/address)
end="ifname $tunnel noauth noccp novj lcp-restart 1 +ipv6 updetach"
in_far pppd plugin pppoe.so nic-{far} pppoe-sess {session}:$near_mac $end \\
  {far_ip}:{near_ip} ipv6 ::2,::1 > /dev/null 2>&1 &
pppd plugin pppoe.so nic-{near} pppoe-sess {session}:$far_mac $end \\
  {near_ip}:{far_ip} ipv6 ::1,::2 >&2
{routes}
for _ in 1 2 3 4 5 6 7 8 9 10; do
  if ping -c 1 -W 1 {far_ip} && ping -c 1 -W 1 fe80::2%{tunnel}; then exit 0; fi > /dev/null 2>&1
  sleep 0.5
done
echo 'the two ends of the session do not meet' >&2; exit 1
"""
# They are known by their port; the pattern does not match itself.
ENDED: Final = literal("""
ends() { grep -ls 'nic-gm-[nf]' /proc/[0-9]*/cmdline | cut -d / -f 3; }
for signal in TERM KILL; do
  for one in $(ends); do kill -$signal "$one" 2> /dev/null || true; done
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ "$(ends)" ] || exit 0
    sleep 0.2
  done
done
echo 'pppd does not end' >&2; exit 1
""")


async def apply(asked: Asked) -> None:
    """Put a far end before the WAN port, and a session with it in the way."""
    far.require(asked.gateway)
    await asked.changes.attempt(THERE, undo=literal(":"))
    put = await far.put(asked, LINK_MTU, TUNNEL)
    _, far_ip = far.ENDS
    words = shell(
        CONNECTED,
        in_far=far.IN_FAR,
        near=far.NEAR,
        far=far.FAR,
        near_ip=put.near_ip,
        far_ip=far_ip,
        tunnel=TUNNEL,
        session=SESSION,
        routes=put.routes,
    )
    await asked.changes.make(words, undo=ENDED)
