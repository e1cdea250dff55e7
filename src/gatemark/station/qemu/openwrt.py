# SPDX-License-Identifier: Apache-2.0
"""A virtual gateway whose userland is OpenWrt: when it has booted, and its addresses by uci.

SSH is there before the network is. The addresses are netifd's own, so that they outlast a
`network reload`; the guest ends with the laboratory, so they are committed.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from gatemark.node.quoted import Script, joined, literal, shell
from gatemark.station.wiring import Port

NETWORKS: Final = {"gw0": "lan", "gw1": "wan"}  # role -> its network, as shim/board calls it
OPTIONS: Final = {"ipv4": "ipaddr", "ipv6": "ip6addr"}
LOADED_S: Final = 240  # from SSH to the last service, emulated on a busy machine
UP: Final = "up"

# Each of these waits for something, and prints UP, or after a while what it lacks: who asks has the
# patience for as many tries as a busy machine takes, and a command has not.
TRIES: Final = 15  # a second and more each
# As long as `done` has not run something may still be set: it is the last (etc/rc.d/S95done).
BOOTED: Final = f"""
within={TRIES}
until [ -e /tmp/run/fw4.state ] && [ -e /tmp/gatemark.booted ]; do
  within=$((within - 1))
  if [ "$within" = 0 ]; then echo "its services are not up: $(logread | tail -n 1)"; exit 0; fi
  sleep 1
done
echo {UP}
"""
STATIC: Final = """
uci set network.{network}.proto=static
uci -q delete network.{network}.ipaddr || true
uci -q delete network.{network}.ip6addr || true
uci -q delete network.{network}.ip6assign || true
"""
ADDRESS: Final = "uci add_list network.{network}.{option}={address}"
RELOAD: Final = literal("uci commit network; /etc/init.d/network reload")
GIVEN: Final = f"""
within={TRIES}
until ip -o addr show | grep -qF " "{{address}}" "; do
  within=$((within - 1))
  if [ "$within" = 0 ]; then echo "netifd gave no port "{{address}}; exit 0; fi
  sleep 1
done
echo {UP}
"""
# netifd takes its time, and each network that comes up reloads the firewall some seconds later.
# Nothing is measured before that is over.
QUIET: Final = f"""
within={TRIES} quiet=0
until [ "$quiet" = 3 ]; do
  if ps w | grep -q '[h]otplug-call'; then quiet=0; else quiet=$((quiet + 1)); fi
  within=$((within - 1))
  if [ "$within" = 0 ]; then echo "netifd still sets its networks"; exit 0; fi
  sleep 1
done
echo {UP}
"""


def booted() -> Script:
    """Wait until its services are up."""
    return literal(BOOTED)


def addressed(ports: Mapping[str, Port]) -> Script:
    """Its LAN and WAN with the addresses of their roles, and nothing besides."""
    return joined((literal("set -e"), *_words(ports), RELOAD))


def settled(ports: Mapping[str, Port]) -> Iterator[Script]:
    """Wait until they have these addresses, and nothing is set any more."""
    for role in NETWORKS:
        for family in OPTIONS:
            yield shell(GIVEN, address=str(ports[role].interface(family)))
    yield literal(QUIET)


def _words(ports: Mapping[str, Port]) -> Iterator[Script]:
    for role, network in NETWORKS.items():
        yield shell(STATIC, network=network)
        for family, option in OPTIONS.items():
            address = str(ports[role].interface(family))
            yield shell(ADDRESS, network=network, option=option, address=address)
