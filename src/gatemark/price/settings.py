# SPDX-License-Identifier: Apache-2.0
"""Settings of OpenWrt as rules of nft: OpenWrt's own uci and fw4 make them.

    package firewall ──> uci import ──> networks become devices ──> fw4 print ──> rules

They run from the userland that `gatemark station image openwrt` built, in a folder that is their
whole file system: as nobody, without a network, and gone afterwards. No guest boots for it. There
is no netifd, so a network is a device of its name; what fw4 makes of a network's addresses (NAT of
the LAN to itself) is missing.
"""

import os
import platform
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gatemark import scratch
from gatemark.error import UnavailableError, UsageError
from gatemark.node import nobody
from gatemark.node.quoted import literal, sh
from gatemark.price.text import Rules, interfaces
from gatemark.printable import one_line
from gatemark.station.image import cpio, sandbox
from gatemark.station.image.arch import ARCHES
from gatemark.station.image.openwrt.image import image
from gatemark.station.image.sandbox import APART

RENDER_S: Final = 60.0
LEFT_OUT: Final = ("lib/modules/", "lib/firmware/")
CONFIG: Final = "etc/config"
FOLDERS: Final = ("tmp/price", "tmp/.uci", CONFIG, "var/run")  # in .uci is what was changed
# fw4 asks which kernel it is for, and is answered as by a guest.
KERNEL: Final = "Linux version 6.1.0\n"
MADE: Final = "rules as OpenWrt's fw4 makes them; a network is a device, NAT reflection is left out"
NOTE: Final = "note "  # begins a line that is no rule
FAULT: Final = "[!] "  # begins fw4's own
OWN: Final = "disabling reflection"  # for want of a network's addresses
MOST_FAULTS: Final = 4
RENDER: Final = literal("""
set -e
cd /tmp/price
: > firewall
uci -c /tmp/price import 2>&1
u() { uci -q -c /tmp/price "$@"; }
i=0
while u get "firewall.@zone[$i]" > /tmp/price/null; do
  networks=$(u get "firewall.@zone[$i].network" || true)
  u delete "firewall.@zone[$i].network" || true
  for network in $networks; do
    case $network in
      lan) network=br-lan ;;
      wan6) network=wan ;;
    esac
    u add_list "firewall.@zone[$i].device=$network" || true
  done
  i=$((i + 1))
done
while u get "firewall.@include[0]" > /tmp/price/null; do
  echo "note a file that the settings include is not here: $(u get 'firewall.@include[0].path')"
  u delete "firewall.@include[0]"
done
u export firewall > /etc/config/firewall
ACTION=print utpl -S /usr/share/firewall4/main.uc 2>&1
""")


def rendered(path: Path, text: str) -> Rules:
    """The rules of a firewall's settings. Raises UsageError, UnavailableError without OpenWrt."""
    with scratch.folder() as folder:
        root = folder / "root"
        for name, entry in _userland():
            _put(root / name, entry)
        for name in (*FOLDERS, "proc"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / CONFIG / "firewall").unlink(missing_ok=True)
        (root / "proc/version").write_text(KERNEL)
        printed = _run(path, root, text)
    return made(path, printed)


def _userland() -> Iterator[tuple[str, cpio.Entry]]:
    arch = ARCHES.get(platform.machine())
    if arch is None:
        raise UnavailableError("settings of OpenWrt: no image of its userland for this machine")
    data = image(arch).initramfs.read_bytes()
    for name, entry in cpio.entries(data):
        if not name.startswith(LEFT_OUT):
            yield name, entry


def _put(path: Path, entry: cpio.Entry) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if stat.S_ISDIR(entry.mode):
        path.mkdir(exist_ok=True)
    elif stat.S_ISLNK(entry.mode):
        path.symlink_to(entry.data.decode())
    elif stat.S_ISREG(entry.mode):
        path.write_bytes(entry.data)
        path.chmod(stat.S_IMODE(entry.mode))


def _run(path: Path, root: Path, text: str) -> str:
    """Run the script in there: as nobody, or as who we are in namespaces of their own."""
    apart: tuple[str, ...] = (*APART, "--user", "--map-root-user")
    who: tuple[str, ...] = ()
    if sandbox.is_nobody():
        apart, who = APART, (f"--userspec={nobody.NOBODY}:{nobody.NOBODY}", "--groups=")
        for name in FOLDERS:
            os.chown(root / name, nobody.NOBODY, nobody.NOBODY)
    bound = ("setpriv", "--no-new-privs", "chroot", *who, str(root))
    try:
        done = subprocess.run(
            [*apart, *bound, *sh(RENDER)],
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=RENDER_S,
            check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{path}: OpenWrt's fw4 took longer than {RENDER_S:g} s") from None
    if done.returncode:
        why = (done.stdout.strip() or done.stderr.strip() or "it failed").splitlines()[-1]
        if why.startswith(("unshare:", "setpriv:", "chroot:")):
            raise UnavailableError(f"{path}: its fw4 cannot be run here: {one_line(why)}: be root")
        raise UsageError(f"{path}: OpenWrt refuses these settings: {one_line(why)}")
    return done.stdout


def made(path: Path, printed: str) -> Rules:
    """Make rules of what fw4 printed. Raises UsageError where that are none."""
    lines = printed.splitlines()
    notes = [line.removeprefix(NOTE) for line in lines if line.startswith(NOTE)]
    faults = [line.removeprefix(FAULT) for line in lines if line.startswith(FAULT)]
    faults = [line for line in faults if OWN not in line]
    notes += [f"fw4: {line}" for line in faults[:MOST_FAULTS]]
    if len(faults) > MOST_FAULTS:
        notes.append(f"fw4 has {len(faults) - MOST_FAULTS} more such lines: see `fw4 check`")
    kept = [line for line in lines if line.startswith(("table ", "\t", "}", "flush ")) or not line]
    rules = "".join(f"{line}\n" for line in kept if not line.strip().startswith("include "))
    if "chain " not in rules:
        raise UsageError(f"{path}: OpenWrt's fw4 makes no rule of these settings")
    notes.append(MADE)
    return Rules(rules, "nft", tuple(interfaces(rules)), tuple(map(one_line, notes)))
