# SPDX-License-Identifier: Apache-2.0
"""Settings as lines to type on a box: by uci where OpenWrt has a word for it, else by its shell."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

Ports = Sequence[str]  # devices of the test ports
Lines = Iterator[str]

FASTPATH: Final = (
    "nft 'table inet fastpath {{ flowtable ft {{ hook ingress priority filter; devices = {{ "
    "{devices} }};{flags} }}; chain forward {{ type filter hook forward priority filter; meta "
    "l4proto {{ tcp, udp }} flow add @ft; }}; }}'"
)
MASKS: Final = {
    "softirq": "0",
    "one": "1",
    "rps": "$(printf %x $(((1 << $(nproc)) - 2)))",
    "all": "$(printf %x $(((1 << $(nproc)) - 1)))",
}
PACKET_STEERING: Final = {"softirq": "0", "all": "2"}
MERGING: Final = {
    "off": "gro off",
    "on": "gro on rx-gro-list off rx-udp-gro-forwarding off",
    "udp": "gro on rx-gro-list off rx-udp-gro-forwarding on",
    "list": "gro on rx-udp-gro-forwarding off rx-gro-list on",
}
QUEUES: Final = {"none": "noqueue", "pfifo": "pfifo limit 1000"}
UNCUT: Final = "ethtool -K {} tx-gso-list off 2> /dev/null || true"


def lines(settings: Sequence[str], ports: Ports, *, openwrt: bool) -> list[str]:
    """Return the lines, in the order in which they are typed."""
    made: list[str] = []
    for setting in settings:
        name, _, word = setting.partition(":")
        by_uci = UCI.get(name) if openwrt else None
        typed = [*by_uci(word)] if by_uci else []
        made += typed or [*SHELL[name](word, ports)]
    return made


def _steering(to: str, ports: Ports) -> Lines:
    for port in ports:
        yield f"echo {int(to == 'threaded')} > /sys/class/net/{port}/threaded"
        yield (
            f"for q in /sys/class/net/{port}/queues/rx-*; do "
            f"echo {MASKS.get(to, '0')} > $q/rps_cpus; done"
        )


def _irq(to: str, ports: Ports) -> Lines:
    for at, port in enumerate(ports):
        cpu = {"first": "0", "last": "$(($(nproc) - 1))"}.get(to, f"$(({at} % $(nproc)))")
        yield (
            f"cd -P /sys/class/net/{port}/device; [ -d msi_irqs ] || cd ..; "
            f"for i in $(ls msi_irqs); do echo {cpu} > /proc/irq/$i/smp_affinity_list; done"
        )


def _offload(by: str, ports: Ports) -> Lines:
    flags = " flags offload;" if by == "hardware" else ""
    yield FASTPATH.format(devices=", ".join(f'"{port}"' for port in ports), flags=flags)


def _gro(how: str, ports: Ports) -> Lines:
    for port in ports:
        yield f"ethtool -K {port} {MERGING[how]}"
        if how == "list":
            yield UNCUT.format(port)


def _defer(us: str, ports: Ports) -> Lines:
    for port in ports:
        yield f"echo {int(us) * 1000} > /sys/class/net/{port}/gro_flush_timeout"
        yield f"echo 2 > /sys/class/net/{port}/napi_defer_hard_irqs"


def _queue(by: str, ports: Ports) -> Lines:
    for port in ports:
        yield f"tc qdisc replace dev {port} root {QUEUES.get(by, by)}"


def _uci_offload(by: str) -> Lines:
    yield "uci set firewall.@defaults[0].flow_offloading=1"
    if by == "hardware":
        yield "uci set firewall.@defaults[0].flow_offloading_hw=1"
    yield "uci commit firewall; service firewall reload"


def _uci_steering(to: str) -> Lines:
    if to in PACKET_STEERING:
        yield f"uci set network.@globals[0].packet_steering={PACKET_STEERING[to]}"
        yield "uci commit network; /etc/init.d/packet_steering reload"


SHELL: Final[dict[str, Callable[[str, Ports], Lines]]] = {
    "steering": _steering,
    "irq": _irq,
    "offload": _offload,
    "gro": _gro,
    "defer": _defer,
    "queue": _queue,
}
UCI: Final[dict[str, Callable[[str], Lines]]] = {
    "offload": _uci_offload,
    "steering": _uci_steering,
}
