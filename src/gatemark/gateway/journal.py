# SPDX-License-Identifier: Apache-2.0
"""The undo of our changes, kept on the device and here, so a lost connection loses nothing.

The device has it as a script, /tmp/gatemark-NAME-BOOT.sh, that its owner can run as well. BOOT is
the kernel's boot id: a device that restarted has another, has lost our changes with the old one,
and there is nothing to undo. The tester's copy is written first, so it knows of every change that
the device may have seen; the device's copy is there for another tester, or a lost disk, and for
the device itself when its lease is over (node/remote/lease.sh). It is then a script that says so:
the tester's copy must not undo what others have set in the meantime.
"""

import fcntl
import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gatemark.error import BusyError, StationError
from gatemark.gateway.undo import undo_script
from gatemark.node import shared
from gatemark.node.quoted import Script, as_written, joined, literal, shell, word
from gatemark.node.remote.look import Look
from gatemark.node.script import script
from gatemark.node.shell import Node
from gatemark.store import file, xdg

BOOT_ID = "/proc/sys/kernel/random/boot_id"  # random(4)
DEVICE_FOLDER = "/tmp"  # noqa: S108  every busybox box can write there, most in memory
UNDONE, GIVEN_BACK = "undone", "given-back"
OTHER_BOOT = 3  # exit code of our scripts on a device that restarted

# The device's copy if it is ours alone, else the tester's; none of them is needed again.
OPEN = """
{functions}
if ours {path}; then
sh {path}
case $? in 0) done=undone ;; 4) done=given-back ;; *) done=failed ;; esac
else
failed=
{mine}
[ -z "$failed" ] && done={had} || done=failed
fi
for script in {all}; do ours "$script" && rm -f "$script"; done
echo "$done"
"""

GUARD = f"""[ "$(cat {BOOT_ID})" = {{boot}} ] || {{{{
echo "the device restarted, so nothing of ours is set any more" >&2; exit {{code}}; }}}}
"""
HEAD = "# Gatemark changed this device; this script, run by `sh`, gives it back."
# By `printf`, which a shell has itself: an undo may be of any length.
WRITE = f"""{{functions}}
printf '{HEAD}\\n%s' {{undo}} | put {{path}} || {{{{
if taken {{path}}; then
echo {{path}}: 'another user made it: remove it; nothing was changed' >&2
else
echo '{DEVICE_FOLDER}: cannot be written, so no undo can be kept there: free some of it; \
nothing was changed' >&2
fi
exit 1; }}}}
"""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The tester's copy."""

    boot: str
    undos: tuple[str, ...]  # in the order of their changes


def state_folder() -> Path:
    """Where the tester's copies are. Raises UnavailableError without a home."""
    return xdg.state() / "undo"


class Journal:
    """The journal of one device, by the name that the tester knows it by: root@192.0.2.1."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self.name = name
        self.word = re.sub(r"[^\w.@-]+", "-", name)
        self.folder = folder or state_folder()
        self.path = self.folder / f"{self.word}.json"
        self.boot = ""
        self._lock: int | None = None

    @property
    def on_device(self) -> str:
        """The device's copy."""
        return f"{DEVICE_FOLDER}/gatemark-{self.word}-{self.boot}.sh"

    async def open(self, node: Node) -> str:
        """Take the device for this run, and undo what an earlier one left there.

        Returns a line that says what was undone, or nothing. Raises StationError if another run
        has the device, NodeError if it is not reached or an undo failed; that is tried but once.
        """
        self._take()
        self.boot = (await node.run("cat", BOOT_ID)).strip()
        left, own_script = self._left(), literal("")
        if left and left.boot == self.boot:
            own_script = undo_script([as_written(undo) for undo in left.undos])
        output = await script(
            node,
            shell(
                OPEN,
                functions=shared.SHELL,
                path=self.on_device,
                mine=own_script,
                had=UNDONE if own_script else "",
                all=shell("{before}*.sh", before=f"{DEVICE_FOLDER}/gatemark-{self.word}-"),
            ),
        )
        self.path.unlink(missing_ok=True)
        match output.strip().splitlines()[-1:]:
            case [word] if word == UNDONE:
                return f"{self.name}: undid what a run that was cut off had left set"
            case [word] if word == GIVEN_BACK:
                return f"{self.name}: what a run that was cut off had left set was undone"
            case ["failed"]:
                return (
                    f"{self.name}: what a run that was cut off had left set could not all be "
                    "undone: restart the device to be sure"
                )
        return ""

    async def renew(self, node: Node) -> bool:
        """Return whether the device restarted since it was looked at last. Raises NodeError."""
        seen = await Look.at(node, (BOOT_ID,))
        boot = (seen.read(BOOT_ID) if seen else await node.run("cat", BOOT_ID)).strip()
        was, self.boot = self.boot, boot
        return bool(was) and was != boot

    def close(self) -> None:
        """Let others have the device."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def save(self, undos: Sequence[Script]) -> None:
        """Write the tester's copy; without undos there is none. Raises StationError."""
        try:
            if undos:
                kept = Kept(boot=self.boot, undos=tuple(map(str, undos)))
                file.write(self.path, msgspec.json.encode(kept))
            else:
                self.path.unlink(missing_ok=True)
        except OSError as error:
            raise StationError(f"{self.path}: {error.strerror}: nothing was changed") from None

    def keep(self, undos: Sequence[Script]) -> Script:
        """Write the tester's copy; returns the shell lines that write the device's."""
        self.save(undos)
        return joined((self._guard(), self._write(undos)), by="")

    def around(self, text: Script, left: Sequence[Script]) -> Script:
        """An undo that runs only if the device did not restart, and then leaves these undos."""
        ended = literal('[ -z "$failed" ] || exit 1\n')
        return joined((self._guard(0), text, ended, self._write(left)), by="")

    def _guard(self, code: int = OTHER_BOOT) -> Script:
        return shell(GUARD, boot=self.boot, code=code)

    def _write(self, undos: Sequence[Script]) -> Script:
        if not undos:
            return shell("rm -f {path}\n", path=self.on_device)
        script = word(undo_script(undos))
        return shell(WRITE, functions=shared.SHELL, path=self.on_device, undo=script)

    def _left(self) -> Kept | None:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Kept)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError) as error:
            raise StationError(f"{self.path}: {error}: look at it, then remove it") from None

    def _take(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self.folder / f"{self.word}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StationError(f"{self.folder}: {error.strerror}: set XDG_STATE_HOME") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            raise BusyError(f"{self.name}: another run measures it: wait for its end") from None
        self._lock = lock
