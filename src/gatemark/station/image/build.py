# SPDX-License-Identifier: Apache-2.0
"""The stock image of a virtual gateway: kernel and initramfs, made once and kept.

    /init -> busybox       starts /etc/rc once, and dropbear again whenever it ends
    /usr/sbin              ip, tc, nft and so on: before busybox's own, which are in /bin
    /usr/lib/.../xtables   what iptables-legacy loads for a rule's words
    /lib                   the libraries that these need, by the name that they ask for
    /lib/modules/VERSION   the modules that a gateway may want

The same packages make the same bytes.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Final

from gatemark.error import UnavailableError
from gatemark.station.image import cpio, elf
from gatemark.station.image.arch import Arch
from gatemark.station.image.cache import SUMS, kept
from gatemark.station.image.module import SUFFIXES, Module, depends, indexes, name_of, ordered, read
from gatemark.station.image.package import Told, files, packages
from gatemark.store import xdg

PACKAGES: Final = (
    *("busybox", "conntrack", "dropbear-bin", "ethtool", "iproute2", "iptables", "nftables"),
    "wireguard-tools",
)
# With the libraries that they are linked to (OpenSSL, D-Bus, systemd) 12 MB, twice while it boots:
# too much for 64 MiB.
LARGE: Final = ("ppp", "tcpdump")
ROOMY_MIB: Final = 128
SERVICES: Final = (
    "dhcpcd-base",
    "dnsmasq-base",
    "igmpproxy",
    "radvd",
    "tayga",
)  # another 2 MB, twice
ROOMIER_MIB: Final = 192
XTABLES: Final = "xtables-legacy-multi"  # one program by many names
TOOLS: Final = (
    *("bridge", "conntrack", "dhcpcd", "dnsmasq", "dropbear", "ethtool", "igmpproxy", "ip", "nft"),
    *("pppd", "radvd", "tayga", "tc", "tcpdump", "wg", XTABLES),
)
NAMES: Final = {
    f"{tool}-legacy{what}": XTABLES
    for tool in ("iptables", "ip6tables")
    for what in ("", "-restore", "-save")
}
EXTENSIONS: Final = ("libxt_standard.so", "libxt_udp.so", "pppoe.so")
BUSYBOX: Final = "bin/busybox"
MERGED: Final = "usr/lib/modules/"
FORMAT: Final = "8"  # a new number where the same parts are put together otherwise

# What a gateway may want; what these depend on comes with them. NICs first.
MODULES: Final = (
    *("virtio_pci", "virtio_net", "e1000", "pcnet32"),
    *("nf_tables", "nf_conntrack_netlink", "nf_flow_table", "nf_flow_table_inet", "nf_log_syslog"),
    *("nft_chain_nat", "nft_masq", "nft_nat", "nft_redir", "nft_ct", "nft_limit", "nft_log"),
    *("nft_fib", "nft_fib_inet", "nft_fib_ipv4", "nft_fib_ipv6", "nft_flow_offload", "nft_hash"),
    *("iptable_filter", "ip6table_filter", "xt_tcpudp"),
    *("nft_numgen", "nft_objref", "nft_quota", "nft_connlimit", "nft_tproxy", "nft_socket"),
    *("nft_reject", "nft_reject_inet", "nft_reject_ipv4", "nft_reject_ipv6"),
    *("bridge", "br_netfilter", "8021q", "veth", "dummy", "ifb", "macvlan", "tun"),
    *("sch_fq_codel", "sch_cake", "sch_htb", "sch_tbf", "sch_netem", "sch_ingress", "sch_fq"),
    *("sch_prio", "sch_sfq", "sch_hfsc", "sch_red", "sch_codel", "sch_pie"),
    *("cls_u32", "cls_flower", "cls_bpf", "cls_matchall", "cls_fw", "cls_basic"),
    *("act_mirred", "act_police", "act_gact", "act_skbedit", "act_bpf", "act_pedit", "act_ctinfo"),
    *("wireguard", "pppoe", "pktgen", "tcp_bbr"),
    *("algif_aead", "chacha20poly1305", "chacha_generic", "poly1305_generic"),
)
# Of tunnels, where there is room for them. The last are random numbers, which seqiv begins with.
TUNNELS: Final = (
    *("sit", "ip_gre", "ip6_tunnel", "l2tp_eth", "l2tp_netlink", "tcp_dctcp"),
    *("esp4", "esp6", "xfrm_user", "xfrm_interface", "gcm", "ghash_generic", "ctr", "seqiv"),
    *("drbg", "jitterentropy_rng", "sha512_generic", "hmac"),
)
# Below lib/modules/VERSION/kernel/: where these are, and all that they depend on.
PLACES: Final = ("net/", "lib/", "crypto/", "arch/", "drivers/net/", "drivers/virtio/")
PLACES_LEFT: Final = ("drivers/net/wireless/", "net/mac80211/", "net/bluetooth/")

INITTAB: Final = """::sysinit:/etc/rc
::respawn:/usr/sbin/dropbear -F -E -s -r /etc/dropbear/host_key
::shutdown:/bin/busybox sync
"""
PASSWD: Final = "root:x:0:0:root:/root:/bin/sh\n"
# What the inventory calls its firmware.
RELEASE: Final = "PRETTY_NAME=\"Gatemark's image of the distribution's kernel and busybox\"\n"


@dataclass(frozen=True, slots=True)
class Image:
    """The image that a machine boots."""

    kernel: Path
    initramfs: Path


@dataclass(slots=True)
class Parts:
    """The files that were found in the packages."""

    kernel: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)  # path -> content: programs, libraries
    links: dict[str, str] = field(default_factory=dict)  # path -> where it points
    modules: dict[str, Module] = field(default_factory=dict)

    def take(self, path: str, inside: bytes | str) -> None:
        """Keep a file of a package, if an image may want it."""
        if isinstance(inside, str):
            self.links[path] = inside
        elif path.endswith(SUFFIXES):
            self.modules[name_of(path)] = read(path, inside)
        elif path.startswith("boot/vmlinu"):
            self.kernel = inside
        else:
            self.files[path] = inside

    def library(self, name: str) -> bytes:
        """A library by the name that a program asks for, whatever link leads to it."""
        results = {PurePosixPath(path).name: path for path in (*self.links, *self.files)}
        while name in results and results[name] in self.links:
            name = PurePosixPath(self.links[results[name]]).name
        if name not in results:
            raise UnavailableError(f"no library {name} in the packages of a virtual gateway")
        return self.files[results[name]]


def stock(arch: Arch, kernel: str, memory_mib: int, announce: Told, release: str = "") -> Image:
    """The image of a kernel's package; made if it is not there. Raises UnavailableError.

    Large tools, and servers, are left out where the machine has little memory.
    """
    roomier = memory_mib >= ROOMIER_MIB
    large = LARGE if memory_mib >= ROOMY_MIB else ()
    tools = (*PACKAGES, *large, *(SERVICES if roomier else ()))
    tunnels = TUNNELS if roomier else ()
    source = packages(arch.debian, kernel, tools, announce, release)
    recipe = "\0".join((FORMAT, (source / SUMS).read_text(), _rc(), INITTAB, *MODULES, *tunnels))
    key = hashlib.sha256(recipe.encode()).hexdigest()[:12]

    def make(place: Path) -> None:
        announce(f"building the image of {arch.debian}'s virtual gateway, once")
        parts = parts_of(source)
        (place / "kernel").write_bytes(parts.kernel)
        (place / "initramfs").write_bytes(cpio.archive(tree(parts, tunnels)))

    place = kept(xdg.cache() / "image" / f"{arch.debian}-{key}", make)
    return Image(place / "kernel", place / "initramfs")


def _rc() -> str:
    return (resources.files("gatemark.station.image") / "rc").read_text()


def ordinary(path: str) -> bool:
    """Return whether a path may be of use: most of a kernel's package is not."""
    if path.endswith(SUFFIXES):
        place = path.partition("/kernel/")[2]
        return place.startswith(PLACES) and not place.startswith(PLACES_LEFT)
    name = PurePosixPath(path).name
    library = ".so" in name and "/gconv/" not in path
    return path.startswith("boot/vmlinu") or path == BUSYBOX or library or _tool(path)


def parts_of(source: Path, wanted: Callable[[str], bool] = ordinary) -> Parts:
    """Return the `wanted` files of the packages in a folder."""
    parts = Parts()
    for package in sorted(source.glob("*.deb")):
        for path, inside in files(package, wanted):
            # Since trixie modules are below usr/, to which older tools have a link.
            parts.take(path.removeprefix("usr/") if path.startswith(MERGED) else path, inside)
    return parts


def _tool(path: str) -> bool:
    place = PurePosixPath(path)
    return place.name in TOOLS and place.parent.name in ("bin", "sbin")


def _extension(path: str) -> bool:
    return PurePosixPath(path).name in EXTENSIONS


def tree(parts: Parts, more: Sequence[str] = ()) -> dict[str, cpio.Entry]:
    """The root file system, without what makes one machine another; with `more` modules."""
    tools = {PurePosixPath(path).name: data for path, data in parts.files.items() if _tool(path)}
    return {
        "init": cpio.link(BUSYBOX),
        "bin/sh": cpio.link("busybox"),
        BUSYBOX: cpio.program(parts.files[BUSYBOX]),
        "sbin/modprobe": cpio.link(f"/{BUSYBOX}"),
        "dev/console": cpio.node(5, 1),
        "etc/rc": cpio.program(_rc().encode()),
        "etc/inittab": cpio.file(INITTAB.encode()),
        "etc/passwd": cpio.file(PASSWD.encode()),
        "etc/os-release": cpio.file(RELEASE.encode()),
        "root": cpio.folder(0o700),
        **{f"usr/sbin/{name}": cpio.program(data) for name, data in tools.items()},
        **{f"usr/sbin/{name}": cpio.link(tool) for name, tool in NAMES.items() if tool in tools},
        **{path: cpio.program(data) for path, data in parts.files.items() if _extension(path)},
        **libraries(parts, (parts.files[BUSYBOX], *tools.values())),
        **modules_of(parts.modules, (*MODULES, *more)),
    }


def libraries(parts: Parts, programs: Iterable[bytes]) -> dict[str, cpio.Entry]:
    """Return the libraries of programs, and the loader where they look for it."""
    datas: dict[str, bytes] = {}
    for data in programs:
        for loader in filter(None, (elf.interpreter(data),)):
            datas[loader.lstrip("/")] = parts.library(PurePosixPath(loader).name)
        for name in _needed(parts, data, datas):
            datas[f"lib/{name}"] = parts.library(name)
    return {path: cpio.program(data) for path, data in datas.items()}


def _needed(parts: Parts, data: bytes, results: Mapping[str, bytes]) -> Iterator[str]:
    for name in elf.needed(data):
        if f"lib/{name}" not in results:
            yield name
            yield from _needed(parts, parts.library(name), results)


def modules_of(there: Mapping[str, Module], wanted: Sequence[str]) -> dict[str, cpio.Entry]:
    """The modules that are wanted, with the indexes that modprobe reads."""
    names = ordered(depends(there), wanted)
    chosen = {name: there[name] for name in names}
    if not chosen:
        return {}
    folder = next(iter(chosen.values())).path.partition("/kernel/")[0]
    texts = {name: text.encode() for name, text in indexes(chosen, folder).items()}
    return {
        **{module.path: cpio.file(module.data) for module in chosen.values()},
        **{f"{folder}/{name}": cpio.file(text) for name, text in texts.items()},
    }
