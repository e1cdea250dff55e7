# SPDX-License-Identifier: Apache-2.0
"""Files on a host that has only a shell: put there, verified, a program started once, removed."""

import asyncio
import hashlib
from pathlib import Path
from typing import Final, Protocol

from gatemark.error import NodeError, UnavailableError
from gatemark.node import shared
from gatemark.node.elf import HEADER_BYTES, arch
from gatemark.node.quoted import joined, literal, sh

FOLDERS: Final = ("/tmp", "/var/tmp", "/dev/shm", "~")  # noqa: S108 (the device's, not ours)
TRY_S = 30.0  # a folder, or a processor, on which this takes longer is of no use

# What its own programs are made for. Any of the three is there, and the last part of the third
# is not looked at.
HEADER = literal(
    f"{{ head -c {HEADER_BYTES} /proc/self/exe || "
    f"dd if=/proc/self/exe bs={HEADER_BYTES} count=1 || cat /proc/self/exe; }} 2> /dev/null"
)

# $1.. folders. What a run that was killed left there; not while somebody has the host's lease, who
# did this himself, and may use such files.
CLEAN = joined(
    (
        shared.SHELL,
        literal(
            """
for lease in /tmp/gatemark-lease-*; do [ -d "$lease" ] && exit; done
for place; do [ "$place" = "~" ] && place=$HOME; sweep "$place"; done
exit 0
"""
        ),
    )
)

# $1 folder, $2 name. In a folder of its own: in one of everybody's nobody else's is written or run.
PUT = joined(
    (
        shared.SHELL,
        literal("""
[ "$1" = "~" ] || HOME=$1
folder=$(fresh "$HOME" gatemark-once) && cd "$folder" || exit 1
umask 077
cat > "$2" && chmod 700 "$2" && pwd && exit 0
cd / && rm -rf "$folder"
exit 1
"""),
    )
)

# $1.. files. Each with its folder.
FORGET = literal('for file; do rm -rf "${file%/*}"; done')

# $1 file. The sum, by what the host has for it; else the file itself.
SUM = literal("""
for sum in sha256sum md5sum; do
  if type $sum > /dev/null 2>&1; then echo $sum; exec $sum < "$1"; fi
done
echo cat; exec cat "$1"
""")

SUMS: Final = {b"sha256sum": "sha256", b"md5sum": "md5"}

# $0 file. A processor that lacks an instruction kills it, and a shell says little of that.
START = literal('"$0" --help || { echo "it does not run there (exit code $?)" >&2; exit 1; }')

FILE: Final = "gm-file"  # what is no program of ours is called so there


class Host(Protocol):
    """A host with a shell, to and from which bytes can be sent."""

    @property
    def name(self) -> str:
        """Return the name in messages."""

    @property
    def lost(self) -> str:
        """Why there is no connection; empty while one stands."""

    async def pipe(self, *command: str, stdin: bytes = b"") -> bytes:
        """Run to the end, bytes in and bytes out. Raises NodeError if it fails."""


async def arch_of(host: Host) -> str:
    """The kind of a host's processor. Raises GatemarkError where nothing is built for it."""
    try:
        return arch((await host.pipe(*sh(HEADER)))[:HEADER_BYTES])
    except UnavailableError as error:
        raise UnavailableError(f"{host.name}: {error}") from None


async def clean(host: Host) -> None:
    """Remove what runs left there that were killed. Raises NodeError."""
    await host.pipe(*sh(CLEAN, "clean", *FOLDERS))


async def push(host: Host, file: Path, name: str = FILE, *, runs: bool = False) -> str:
    """Put a file there and verify it; one that `runs` is started once. Returns its path.

    Raises GatemarkError.
    """
    data = await asyncio.to_thread(file.read_bytes)
    passed_over = []
    for folder in FOLDERS:
        try:
            async with asyncio.timeout(TRY_S):
                return await _put(host, folder, name, data, runs=runs)
        except NodeError as error:
            if host.lost:
                raise
            passed_over.append(f"{folder}: {str(error).rpartition('failed: ')[2]}")
        except TimeoutError:
            passed_over.append(f"{folder}: not done in {TRY_S:g} s")
    called = name if runs else file.name
    raise NodeError(
        f"{host.name}: no place for {called} ({len(data) >> 10} KiB): {'; '.join(passed_over)}; "
        "make room in one of these, or measure without it"
    )


async def forget(host: Host, *paths: str) -> None:
    """Remove them. Raises NodeError if the host is lost."""
    await host.pipe(*sh(FORGET, "forget", *paths))


async def _put(host: Host, folder: str, name: str, data: bytes, *, runs: bool) -> str:
    name = f"{name}-{hashlib.sha256(data).hexdigest()[:12]}"
    there = await host.pipe(*sh(PUT, "put", folder, name), stdin=data)
    path = f"{there.decode(errors='replace').strip()}/{name}"
    try:
        _verify(data, await host.pipe(*sh(SUM, "sum", path)))
        if runs:
            await host.pipe(*sh(START, path))
    except NodeError:
        if not host.lost:
            await forget(host, path)
        raise
    return path


def _verify(binary: bytes, output: bytes) -> None:
    """Compare what a host says of the file with ours. Raises NodeError."""
    by, _, there = output.partition(b"\n")
    if by == b"cat":
        same = there == binary
    else:
        ours = hashlib.new(SUMS.get(by, "sha256"), binary, usedforsecurity=False)
        same = by in SUMS and there.split()[:1] == [ours.hexdigest().encode()]
    if not same:
        raise NodeError("failed: it is not what was sent")
