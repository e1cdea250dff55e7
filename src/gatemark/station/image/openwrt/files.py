# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's root file system out of its own tree, as its Makefiles lay it out.

package/base-files, target/linux/TARGET, netifd, firewall4, procd, dropbear   copied whole
sqm-scripts     the same, where the sources have it
shim/           ours: what OpenWrt has in C or as a patch, and how the ports are called
STAGE           programs and libraries that were compiled (`userland.py`)
"""

import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.station.image import cpio
from gatemark.station.image.arch import Arch
from gatemark.station.image.openwrt.sources import FOLDERS, SQM, inside

PATH: Final = "/usr/sbin:/usr/bin:/sbin:/bin"
# Folder of the unpacked sources -> where its files go; later ones win.
COPIED: Final = (
    ("openwrt/package/base-files/files", ""),
    ("openwrt/target/linux/{target}/base-files", ""),
    ("openwrt/package/network/config/netifd/files", ""),
    ("firewall4/root", ""),
    ("openwrt/package/system/uci/files", ""),
    ("sqm-scripts/src", "usr/lib/sqm/"),
)
# Processor -> target and subtarget of OpenWrt's that are nearest, and how it calls the core. Where
# the sources have no files of a target, those of every target do.
TARGETS: Final = {
    "x86_64": ("x86", "64", "x86_64"),
    "mips": ("malta", "le", "mipsel_24kc"),
    "aarch64": ("armsr", "armv8", "aarch64_generic"),
}
# Files that a Makefile puts somewhere else, and whether they can be run.
PLACED: Final = (
    ("openwrt/target/linux/generic/other-files/init", "etc/gatemark/init", True),
    ("netifd/scripts/netifd-proto.sh", "lib/netifd/netifd-proto.sh", False),
    ("netifd/scripts/utils.sh", "lib/netifd/utils.sh", False),
    ("openwrt/package/system/procd/files/procd.sh", "lib/functions/procd.sh", False),
    ("openwrt/package/system/procd/files/hotplug.json", "etc/hotplug.json", False),
    ("openwrt/package/system/procd/files/hotplug-preinit.json", "etc/hotplug-preinit.json", False),
    ("openwrt/package/system/procd/files/reload_config", "sbin/reload_config", True),
    ("openwrt/package/system/procd/files/service", "sbin/service", True),
    ("openwrt/package/system/ubox/files/log.init", "etc/init.d/log", True),
    ("openwrt/package/system/ubox/files/modules.conf", "etc/modules.conf", False),
    ("openwrt/package/network/services/dropbear/files/dropbear.init", "etc/init.d/dropbear", True),
    (
        "openwrt/package/network/services/dropbear/files/dropbear.config",
        "etc/config/dropbear",
        False,
    ),
    (
        "openwrt/package/network/services/dropbear/files/dropbear.defaults",
        "etc/uci-defaults/50-dropbear",
        False,
    ),
)
# The same of sqm-scripts, where the sources have it, and its service.
SQM_PLACED: Final = (
    ("sqm-scripts/src/run-openwrt.sh", "usr/lib/sqm/run.sh", True),
    ("sqm-scripts/platform/openwrt/sqm-init", "etc/init.d/sqm", True),
    ("sqm-scripts/platform/openwrt/sqm-uci", "etc/config/sqm", False),
    ("sqm-scripts/platform/openwrt/sqm.conf", "etc/sqm/sqm.conf", False),
    ("sqm-scripts/platform/openwrt/sqm-hotplug", "etc/hotplug.d/iface/11-sqm", False),
)
SQM_SERVICES: Final = ("sqm",)
SHIMS: Final = {
    "init": ("init",),
    "kmodloader": ("sbin/kmodloader",),
    "lock": ("bin/lock",),
    "nothing": ("sbin/block", "sbin/mount_root"),
    "board": ("etc/board.d/10_gatemark",),
    "control": ("etc/uci-defaults/90_gatemark",),
    "rc.local": ("etc/rc.local",),
}
# Program of the stage -> where OpenWrt has it; all else is where the stage has it.
MOVED: Final = {
    "bin/ubus": "bin/ubus",
    "bin/uci": "sbin/uci",
    "bin/jsonpath": "usr/bin/jsonfilter",
    "sbin/kmodloader": "",  # of a shim
}
FOLDER: Final = {  # the first that fits
    "bin/": "usr/bin/",
    "sbin/": "sbin/",
    "lib/ucode/": "usr/lib/ucode/",
    "lib/": "lib/",
    "share/": "usr/share/",
}
# Services, and when they are started is read in their files.
SERVICES: Final = (
    *("boot", "system", "sysctl", "log", "dropbear", "firewall", "network", "packet_steering"),
    *("done", "umount"),
)
ORDER: Final = re.compile(r"^(START|STOP)=(\d+)$", re.MULTILINE)
TMP: Final = "/tmp"  # noqa: S108  the guest's: OpenWrt keeps there what a restart forgets
LINKS: Final = {
    "var": "tmp",
    "etc/mtab": "/proc/mounts",
    "etc/resolv.conf": f"{TMP}/resolv.conf",
    "etc/TZ": f"{TMP}/TZ",
    "etc/localtime": f"{TMP}/localtime",
}
EMPTY: Final = (
    *("dev", "etc/config", "etc/crontabs", "etc/rc.d", "etc/udhcpc.user.d", "lib/firmware"),
    *("mnt", "overlay", "proc", "sys", "usr/lib", "www"),
)
# Users and groups that packages of OpenWrt's ask for (USERID in their Makefiles).
USERS: Final = {
    "etc/passwd": "ubus:x:81:81:ubus:/var/run/ubus:/bin/false\n",
    "etc/group": "ubus:x:81:ubus\n",
    "etc/shadow": "ubus:x:0:0:99999:7:::\n",
}
# CONFIG_TARGET_PREINIT_DISABLE_FAILSAFE: nobody is there to press a key while it boots.
PREINIT: Final = f"""pi_suppress_stderr=""
fs_failsafe_wait_timeout=1
pi_init_path="{PATH}"
pi_init_env=""
pi_init_cmd="/sbin/init"
pi_init_suppress_stderr=""
pi_ifname=""
pi_ip="192.168.1.1"
pi_netmask="255.255.255.0"
pi_broadcast="192.168.1.255"
pi_preinit_net_messages=""
pi_preinit_no_failsafe_netmsg=""
pi_preinit_no_failsafe="y"
"""
# What OpenWrt's VERSION_SED_SCRIPT replaces, in the files that it is run on.
VERSIONED: Final = (
    *("etc/banner", "etc/device_info", "etc/openwrt_release", "etc/openwrt_version"),
    "usr/lib/os-release",
)
PATHED: Final = ("sbin/hotplug-call", "etc/preinit", "etc/profile")


def copied(root: Path, arch: Arch, parts: Mapping[str, Path]) -> dict[str, cpio.Entry]:
    """Return the files that need no compiler; `root` has the unpacked archives."""
    tree = dict(_copies(root, TARGETS[arch.name][0]))
    has_sqm = SQM in parts
    for source, place, runs in (*PLACED, *(SQM_PLACED if has_sqm else ())):
        data = inside(root, root / source).read_bytes()
        tree[place] = (cpio.program if runs else cpio.file)(data)
    for name, places in SHIMS.items():
        tree |= dict.fromkeys(places, cpio.program(shim(name).encode()))
    tree["lib/preinit/00_preinit.conf"] = cpio.file(PREINIT.encode())
    _fill(tree, arch, parts)
    for place, line in USERS.items():
        tree[place] = cpio.file(tree[place].data + line.encode())
    tree["etc/shadow"] = cpio.file(tree["etc/shadow"].data, 0o600)
    tree |= {place: cpio.link(target) for place, target in LINKS.items()}
    tree |= {place: cpio.folder() for place in EMPTY}
    tree |= {"root": cpio.folder(0o700), "tmp": cpio.folder(0o1777)}
    return tree | dict(_started(tree, (*SERVICES, *(SQM_SERVICES if has_sqm else ()))))


def shim(name: str) -> str:
    """A file of ours."""
    return (resources.files("gatemark.station.image.openwrt") / "shim" / name).read_text()


def _copies(root: Path, target: str) -> Iterator[tuple[str, cpio.Entry]]:
    for folder, place in COPIED:
        source = root / folder.format(target=target)
        for path in sorted(source.rglob("*")):
            name = f"{place}{path.relative_to(source)}"
            if path.is_symlink():
                yield name, cpio.link(str(path.readlink()))
            elif path.is_file():
                runs = path.stat().st_mode & 0o100
                yield name, (cpio.program if runs else cpio.file)(inside(root, path).read_bytes())


def _fill(tree: dict[str, cpio.Entry], arch: Arch, parts: Mapping[str, Path]) -> None:
    """Put in what a build puts into templates."""
    target, subtarget, core = TARGETS[arch.name]
    revision = parts[FOLDERS].name.removesuffix(".tar.gz").rpartition("-")[2]
    words = {"%D": "OpenWrt", "%d": "openwrt", "%V": "SNAPSHOT", "%v": "snapshot", "%R": revision}
    words |= {"%C": revision, "%S": f"{target}/{subtarget}", "%A": core, "%t": "", "%M": "OpenWrt"}
    words |= {"%m": "https://openwrt.org/", "%P": "Generic", "%h": "v0", "%B": "0"}
    words |= dict.fromkeys(("%u", "%b", "%s", "%f"), "https://openwrt.org/")
    for name in VERSIONED:
        tree[name] = _replaced(tree[name], words)
    for name in PATHED:
        tree[name] = _replaced(tree[name], {"%PATH%": PATH})
    tree["etc/inittab"] = _replaced(tree["etc/inittab"], {"@GRUB_SERIAL@": arch.console})


def _replaced(entry: cpio.Entry, words: Mapping[str, str]) -> cpio.Entry:
    text = entry.data.decode()
    for old, new in words.items():
        text = text.replace(old, new)
    return cpio.Entry(entry.mode, text.encode())


def _started(
    tree: Mapping[str, cpio.Entry], services: Iterable[str]
) -> Iterator[tuple[str, cpio.Entry]]:
    """The links in etc/rc.d that `/etc/init.d/SERVICE enable` makes."""
    for name in services:
        for word, at in ORDER.findall(tree[f"etc/init.d/{name}"].data.decode()):
            when = {"START": "S", "STOP": "K"}[word]
            yield f"etc/rc.d/{when}{at}{name}", cpio.link(f"../init.d/{name}")


def compiled(tar: Path) -> Iterator[tuple[str, bytes | str]]:
    """Yield what was compiled, where OpenWrt has it: path and content, or where a link points."""
    with tarfile.open(tar) as archive:
        for member in archive:
            place = _place(member.name)
            if not place:
                continue
            if member.issym():
                yield place, member.linkname
            elif (inside := archive.extractfile(member)) is not None:
                yield place, inside.read()


def _place(name: str) -> str:
    if name in MOVED:
        return MOVED[name]
    for before, after in FOLDER.items():
        if name.startswith(before):
            return after + name.removeprefix(before)
    return ""
