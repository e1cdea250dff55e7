# SPDX-License-Identifier: Apache-2.0
"""Namespaces of our own: with them an ordinary user builds the lab, where the kernel allows it.

The process goes into a user, a network and a mount namespace (user_namespaces(7)) in which it is
root over what it makes there, and over nothing else. Nobody else sees that, and it is gone with the
last process in it, however that one ends. What root of the machine alone may do is still refused
(station/ability.py). No PID namespace: the gateway's kernel threads are found in /proc.

Mounts stay slaves of the machine's (mount_namespaces(7)): a namespace that root removes meanwhile
is not kept alive by our copy of its mount.
"""

import ctypes
import os
from contextlib import suppress
from pathlib import Path

from gatemark.error import UnavailableError

NEW_NAMESPACES = 0x00020000 | 0x10000000 | 0x40000000  # CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET
CAP_SYS_ADMIN = 21
NS_GET_USERNS = 0xB701  # ioctl_ns(2)
BIND = 4096 | 16384  # MS_BIND, MS_REC
MNT_DETACH = 2
RUN = Path("/run")
LABS = ("netns", "gatemark")  # what labs keep in /run; those of root are not ours

# Sysctls that forbid it: the value that does, and one that allows it.
SYSCTLS = (
    ("user.max_user_namespaces", "0", "10000"),
    ("user.max_net_namespaces", "0", "10000"),
    ("user.max_mnt_namespaces", "0", "10000"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
)


def needed() -> bool:
    """Return whether we cannot make namespaces: not root, or root of a namespace alone."""
    return os.geteuid() != 0 or not os.access(RUN, os.W_OK) or not _is_ours("net")


def _is_ours(kind: str) -> bool:
    """Return whether a namespace is of our user namespace: not so in a rootless --net=host."""
    from fcntl import ioctl  # a machine that only reads may have none

    try:
        with Path(f"/proc/self/ns/{kind}").open("rb") as namespace:
            owner = ioctl(namespace, NS_GET_USERNS)
    except OSError:  # it is one above ours
        return False
    try:
        return os.path.samestat(os.fstat(owner), Path("/proc/self/ns/user").stat())
    finally:
        os.close(owner)


def inside() -> bool:
    """Return whether we are in a user namespace that lacks users of the machine."""
    return Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]


def capable() -> bool:
    """Return whether we may make namespaces without a user namespace: CAP_SYS_ADMIN."""
    lines = Path("/proc/self/status").read_text().splitlines()
    effective = next((line.split()[1] for line in lines if line.startswith("CapEff:")), "0")
    return bool(int(effective, 16) >> CAP_SYS_ADMIN & 1)


def enter() -> None:
    """Go into namespaces of our own for good, if they are needed.

    Call it before any thread starts (unshare(2)). Raises UnavailableError with the fix.
    """
    if not needed():
        return
    try:
        _unshare()
    except OSError as error:
        raise UnavailableError(f"rights: {_refusal(error)}") from None
    try:
        _cover_run()
    except OSError as error:
        text = f"not root, and /run cannot be covered by one of our own ({error.strerror})"
        raise UnavailableError(f"rights: {text}; run with sudo") from None
    try:
        _try_sys()
    except OSError as error:
        text = f"not root, and /sys cannot be mounted, as in a container ({error.strerror})"
        raise UnavailableError(f"rights: {text}; give it --privileged") from None


def _unshare() -> None:
    user, group = os.geteuid(), os.getegid()
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NAMESPACES):
        raise _last_error()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")


def _cover_run() -> None:
    """A /run of our own, since `ip netns` keeps its names there; the rest of it is bound back."""
    names = [path.name for path in RUN.iterdir()]
    was = os.open(RUN, os.O_PATH | os.O_DIRECTORY)
    try:
        _mount("gatemark", RUN, "tmpfs", 0, "mode=755")
        for name in names:
            _bring_back(Path(f"/proc/self/fd/{was}/{name}"), RUN / name)
    finally:
        os.close(was)
    (RUN / "netns").mkdir()
    with suppress(OSError):
        os.chdir(Path.cwd())  # where it lay below /run: now by the new mount, as all paths go


def _try_sys() -> None:
    """Mount what `ip netns exec` mounts, for a moment; a container that masks /sys forbids it."""
    place = RUN / "netns"
    _mount("gatemark", place, "sysfs", 0, "")
    ctypes.CDLL(None).umount2(os.fsencode(place), MNT_DETACH)


def _bring_back(old: Path, new: Path) -> None:
    if old.is_symlink():
        new.symlink_to(old.readlink())
    elif old.is_dir() and new.name not in LABS:
        new.mkdir()
        with suppress(OSError):  # an odd mount that stays away does no harm
            _mount(str(old), new, "", BIND, "")


def _mount(source: str, target: Path, kind: str, flags: int, data: str) -> None:
    words = [os.fsencode(word) for word in (source, target, kind)]
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(data)):
        raise _last_error()


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def _refusal(error: OSError) -> str:
    """Why the kernel refused, and the fix."""
    for name, forbids, allows in SYSCTLS:
        if _sysctl(name) == forbids:
            return (
                f"not root, and {name} is {forbids}, so an ordinary user gets no namespaces; "
                f"run with sudo, or allow them: `sudo sysctl -w {name}={allows}`"
            )
    return (
        f"not root, and this system gives an ordinary user no namespaces ({error.strerror}), "
        "as in a container or chroot; run with sudo"
    )


def _sysctl(name: str) -> str:
    try:
        return Path("/proc/sys", *name.split(".")).read_text().strip()
    except OSError:
        return ""
