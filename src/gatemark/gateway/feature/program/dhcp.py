# SPDX-License-Identifier: Apache-2.0
"""The feature `dhcp:SERVER[:WORD...]`: the gateway leases addresses to the hosts of its LAN.

    lease=S    seconds that an address is leased for (3600)
    file       each lease is written into a file, where the program runs; else they are in memory

16 000 addresses of RFC 6598, which no test network has; the LAN port gets one of them. dnsmasq does
not look whether an address is in use (`--no-ping`): it waits three seconds for that, six times.
"""

import json
from typing import Any, Final

from gatemark.gateway.feature.asked import Asked, Wanted
from gatemark.gateway.program import Program, needs
from gatemark.node.quoted import literal, sh, shell

NETWORK: Final = "100.64.0.0/18"
ADDRESS: Final = "100.64.0.1"
FIRST, LAST = "100.64.0.16", "100.64.63.250"
MASK: Final = "255.255.192.0"
LEASE_S: Final = 3600
ADD: Final = f"ip addr add {ADDRESS}/18 dev {{lan}}"
REMOVE: Final = (
    f"case $(ip -o addr show dev {{lan}}) in *' {ADDRESS}/18 '*) "
    f"ip addr del {ADDRESS}/18 dev {{lan}};; esac"
)
DNSMASQ: Final = """{needs}exec dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 \\
  --interface={lan} --except-interface=lo --bind-interfaces --user= --pid-file="$PWD/pid" \\
  --log-facility=- --quiet-dhcp --dhcp-authoritative {leases} \\
  --dhcp-lease-max=20000 --dhcp-range={span} --no-ping"""
KEPT: Final = literal('--dhcp-leasefile="$PWD/leases"')
# Kea writes its files below its own folders, unless these say otherwise.
KEA: Final = """{needs}printf %s {config} > kea.json
export KEA_PIDFILE_DIR="$PWD" KEA_LOCKFILE_DIR="$PWD" KEA_LOGGER_DESTINATION=stderr
exec kea-dhcp4 -c ./kea.json"""


async def apply(asked: Asked) -> None:
    """The LAN port's address in the network that is leased from."""
    lan = asked.gateway.devices["gw0"]
    await asked.changes.make(shell(ADD, lan=lan), undo=shell(REMOVE, lan=lan))


def program(wanted: Wanted) -> Program:
    """The server at the LAN port."""
    server, *words = wanted.arguments
    lan = wanted.gateway.devices["gw0"]
    lease_s = next((int(text.partition("=")[2]) for text in words if "=" in text), LEASE_S)
    is_kept = "file" in words
    if server == "kea":
        config = json.dumps(kea(lan, lease_s, is_kept=is_kept))
        script = shell(KEA, needs=needs("kea-dhcp4", "kea-dhcp4-server"), config=config)
        return Program(name=wanted.word, command=sh(script), device=lan)  # by a packet socket
    script = shell(
        DNSMASQ,
        needs=needs("dnsmasq", "dnsmasq-base"),
        lan=lan,
        leases=KEPT if is_kept else literal("--leasefile-ro"),
        span=f"{FIRST},{LAST},{MASK},{lease_s}",
    )
    return Program(name=wanted.word, command=sh(script), ready="sockets bound exclusively")


def kea(lan: str, lease_s: int, *, is_kept: bool) -> dict[str, Any]:
    """Return the configuration of Kea: one network at the LAN port."""
    network = {
        "id": 1,
        "subnet": NETWORK,
        "interface": lan,
        "pools": [{"pool": f"{FIRST} - {LAST}"}],
    }
    log = {"name": "kea-dhcp4", "severity": "WARN", "output_options": [{"output": "stderr"}]}
    return {
        "Dhcp4": {
            "interfaces-config": {"interfaces": [f"{lan}/{ADDRESS}"], "re-detect": False},
            "lease-database": {"type": "memfile", "persist": is_kept, "name": "./kea-leases4.csv"},
            "authoritative": True,
            "valid-lifetime": lease_s,
            "subnet4": [network],
            "loggers": [log],
        }
    }
