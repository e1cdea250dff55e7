# SPDX-License-Identifier: Apache-2.0
"""The names of a kernel's functions, from its own /proc/kallsyms."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gatemark.node.quoted import Script, literal, sh, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Node
from gatemark.store import xdg

KALLSYMS: Final = literal("cat /proc/kallsyms")
# Those of BPF programs stand there while it is allowed; it is as it was afterwards.
BEHIND: Final = """
allowed=/proc/sys/net/core/bpf_jit_kallsyms
before=$(cat $allowed 2> /dev/null || :)
[ -z "$before" ] || echo 1 > $allowed
tail -c +$(({length} + 1)) /proc/kallsyms
[ -z "$before" ] || echo "$before" > $allowed
"""
SIGN: Final = literal("cat /proc/version; grep -m 2 ' [tT] ' /proc/kallsyms")
LOADED: Final = literal("cut -d' ' -f1,6 /proc/modules")  # names and addresses: cheap to ask again
CODE: Final = frozenset("tTwW")
USER: Final = "user space"
UNKNOWN: Final = "unknown"
# What a compiler split off or specialised is of the function that it is named after.
PARTS: Final = re.compile(r"\.(cold|part|isra|constprop|llvm)\b.*")
PROGRAM: Final = re.compile(r"^bpf_prog_[0-9a-f]{16}_(?=.)")  # before a BPF program's name: its tag
# Labels behind the code of a section: what lies there is of no function, as vectors that a kernel
# copies or writes as it boots.
ENDS: Final = frozenset({"_etext", "_einittext"})
WIDTHS: Final = {8: 1 << 31, 16: 1 << 63}  # digits of an address -> where the kernel begins


@dataclass(frozen=True, slots=True)
class Function:
    """A function, and where its first instruction is."""

    name: str
    address: int


class Symbols:
    """Function by address. `lines` are those of /proc/kallsyms."""

    def __init__(self, lines: Iterable[str]) -> None:
        texts: dict[int, str] = {}
        self.kernel = 1 << 63  # addresses below are user space
        self.mask = (1 << 64) - 1
        for line in lines:
            words = line.split()
            if len(words) < 3 or words[1] not in CODE or not int(words[0], 16):
                continue
            self.kernel = WIDTHS.get(len(words[0]), self.kernel)
            if len(words[0]) == 8:
                self.mask = (1 << 32) - 1
            address, name = int(words[0], 16), PARTS.sub("", PROGRAM.sub("", words[2]))
            # Where several names stand for one place a function's goes before a section's.
            if address not in texts or texts[address].startswith(("_", "$")):
                texts[address] = UNKNOWN if name in ENDS else name
        self._addresses = sorted(texts)
        self._names = [texts[address] for address in self._addresses]

    def __len__(self) -> int:
        return len(self._addresses)

    @property
    def narrow(self) -> bool:
        """Return whether the kernel's addresses have 32 bits."""
        return self.mask < 1 << 32

    def function(self, address: int) -> Function:
        """Which function an address lies in; a user program's are one."""
        address &= self.mask
        if address < self.kernel:
            return Function(USER, 0)
        at = bisect_right(self._addresses, address) - 1
        if at < 0:
            return Function(UNKNOWN, 0)
        return Function(self._names[at], self._addresses[at])

    def enters(self, address: int) -> bool:
        """Return whether it is a function's first instruction."""
        address &= self.mask
        at = bisect_right(self._addresses, address) - 1
        return at >= 0 and self._addresses[at] == address


class Names:
    """A gateway's symbols, read anew where its modules changed, or its BPF programs may have.

    A slow gateway takes a minute to say them all over SSH. Those of the kernel itself are the same
    in each boot unless it moves about, so they are kept here; modules stand behind them.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._kernel = ""
        self._loaded = ""
        self._symbols: Symbols | None = None

    async def read(self, *, anew: bool = False) -> Symbols:
        """Return the present symbols; `anew`: BPF programs may have come. Raises NodeError."""
        loaded = await self._read(LOADED)
        if anew or self._symbols is None or loaded != self._loaded:
            kernel = self._kernel = self._kernel or await self._kept()
            modules = await self._read(shell(BEHIND, length=len(kernel.encode())))
            self._symbols = read(kernel, modules)
            self._loaded = loaded
        return self._symbols

    def forget(self) -> None:
        """After a restart."""
        self._kernel, self._loaded, self._symbols = "", "", None

    async def _kept(self) -> str:
        """The kernel's own, from an earlier time if it is the same kernel at the same place."""
        sign = hashlib.sha256((await self._read(SIGN)).encode()).hexdigest()
        file = xdg.cache() / f"symbols-{sign[:16]}"
        if not file.exists():
            lines = (await self._read(KALLSYMS)).splitlines(keepends=True)
            kept = "".join(line for line in lines if not line.endswith("]\n"))
            xdg.make(file.parent)
            part = file.with_suffix(".part")
            part.write_text(kept)
            part.replace(file)
        return file.read_text()

    async def _read(self, script: Script) -> str:
        return await self._node.run(*sh(script))


@reader("its kernel's symbols")
def read(kernel: str, modules: str) -> Symbols:
    """The symbols in /proc/kallsyms, the kernel's own and those of its modules."""
    return Symbols([*kernel.splitlines(), *modules.splitlines()])
