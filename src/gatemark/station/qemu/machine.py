# SPDX-License-Identifier: Apache-2.0
"""One run of QEMU: its options, its processors' threads, its end.

It is started inside a namespace of the lab, with its network cards' taps and its images as open
files. So it needs no right of its own: it runs as nobody, behind its filter of system calls. What
removes the lab's namespaces ends it too (recover.py), and it dies with us. Nothing listens
anywhere: its monitor is one end of a pair of sockets.

    gateway's CPU     vCPU threads: every instruction of the guest, and nothing else
    tester's CPU      QEMU's main thread: it carries frames between the taps and the guest's cards,
                      before whatever the tester does there

The guest's console is another pair of sockets (console.py); its end is shown when a boot fails.
"""

import asyncio
import os
import platform
import shutil
import socket
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from gatemark.error import StationError, UnavailableError
from gatemark.node import nobody
from gatemark.node.bound import Tail
from gatemark.node.reader import reader
from gatemark.node.shell import FIRST, Namespace
from gatemark.node.shield import begun, kill
from gatemark.station.image.arch import Arch
from gatemark.station.qemu.console import Console
from gatemark.station.qemu.guest import VIRTIO, Model
from gatemark.station.qemu.handed import Handed
from gatemark.station.qemu.qmp import Monitor
from gatemark.station.thread import Thread
from gatemark.store import xdg

NICS: Final = {VIRTIO: "virtio-net-pci", "e1000": "e1000", "pcnet": "pcnet"}
KVM: Final = Path("/dev/kvm")
# QEMU's filter of system calls (seccomp(2)): it starts no program, becomes no other user, and keeps
# the classes and CPUs that we give its threads.
DENIED: Final = ("obsolete", "elevateprivileges", "spawn", "resourcecontrol")
SANDBOX: Final = ("-sandbox", ",".join(("on", *(f"{what}=deny" for what in DENIED))))
PLUGIN: Final = "-plugin"  # which counts instructions
LEAVE_S = 5.0
CARRIER_PRIORITY = 1  # of its main thread, in class FIFO: the least, so an emulated line goes first
# What a guest changes of its disk goes to /var/tmp: a folder of the caller's own may be closed to
# nobody.
TEMPORARY: Final = "TMPDIR"
# Of translated code that emulation keeps; forwarding needs little of it. With QEMU's own choice, of
# 1 GiB, a reset takes minutes: what was translated is then discarded piece by piece.
TRANSLATED_MIB = 64


@dataclass(frozen=True, slots=True)
class Card:
    """A network card of the guest, and the tap's file on our side."""

    mac: str
    tap: int


def require(arch: Arch) -> None:
    """Raise UnavailableError if QEMU is not here for a processor."""
    if not shutil.which(arch.emulator):
        raise UnavailableError(
            f"no {arch.emulator} here for a virtual gateway: apt-get install {arch.package}"
        )


def kvm_refused(model: Model) -> str:
    """Why KVM cannot be tried on this machine, or nothing."""
    arch = model.arch
    if model.icount is not None:
        return "instructions can only be counted by emulation"
    if arch.host != platform.machine():
        return f"{arch.debian} is emulated on this {platform.machine()}"
    if not KVM.exists():
        return f"no {KVM}"
    if not os.access(KVM, os.R_OK | os.W_OK):
        return f"{KVM} is not for this user"
    if nobody.is_there() and not _for_all() and not _group():
        return f"{KVM} is for root alone, and QEMU is not root: chgrp kvm {KVM}; chmod 660 {KVM}"
    return _remembered(arch)


def _for_all() -> bool:
    both = stat.S_IROTH | stat.S_IWOTH
    return KVM.stat().st_mode & both == both


def _group() -> tuple[int, ...]:
    """The group that may use KVM, but for root's."""
    both, device = stat.S_IRGRP | stat.S_IWGRP, KVM.stat()
    return (device.st_gid,) if device.st_gid and device.st_mode & both == both else ()


def _remembered(arch: Arch) -> str:
    """Why KVM failed since this machine was started; trying it again takes as long again."""
    try:
        boot, _, why = _memory(arch).read_text().partition(" ")
    except OSError:
        return ""
    return why if boot == _boot() else ""


def remember(arch: Arch, why: str) -> None:
    """KVM did not bring a guest up."""
    xdg.make(_memory(arch).parent)
    _memory(arch).write_text(f"{_boot()} {why}")


def _memory(arch: Arch) -> Path:
    return xdg.cache() / f"kvm-{arch.debian}"


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


class Machine:
    """QEMU, running. `start` makes it, `stop` ends it."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        monitor: Monitor,
        console: Console,
        errors: "Errors",
    ) -> None:
        self.process = process
        self.monitor = monitor
        self.console = console
        self._errors = errors

    @classmethod
    async def start(
        cls,
        model: Model,
        accel: str,
        cards: Sequence[Card],
        place: Namespace,
        cpus: tuple[int, int],
        more: Callable[[Handed], Sequence[str]] = lambda _: (),
    ) -> "Machine":
        """Start it; `cpus` are the gateway's and the emulator's. Raises StationError.

        `more` makes further options of QEMU, and hands it the files in them.

        The taps' files are QEMU's alone afterwards: they end with it.
        """
        monitor, console = socket.socketpair(), socket.socketpair()
        theirs = [pair[1] for pair in (monitor, console)]
        handed = Handed()
        gateway, emulator = cpus
        try:
            further = [*more(handed)]
            words = options(_lent(model, handed), accel, counted=PLUGIN in further)
            words += [*_wired(model.nic, cards), *further]
            lines = [end.fileno() for end in theirs]
            words += _lines(*lines)
            files = [*lines, *(card.tap for card in cards), *handed.files]
            command = place.argv(
                *("taskset", "-c", str(emulator), *FIRST),
                *nobody.words(*(_group() if accel == "kvm" else ())),
                *(model.arch.emulator, *SANDBOX, "-name", place.netns, *words),
            )
            process = await begun(
                asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                    env={name: word for name, word in os.environ.items() if name != TEMPORARY},
                    pass_fds=files,
                    start_new_session=True,
                )
            )
        except OSError as error:
            raise StationError(f"{model.arch.emulator} did not start: {error}") from None
        finally:
            handed.close()
            for end in theirs:
                end.close()
            for card in cards:
                os.close(card.tap)
        errors = Errors(process)
        try:
            return await cls._met(process, errors, (monitor[0], console[0]), gateway)
        except BaseException as error:
            why = await errors.bury()
            if isinstance(error, StationError | OSError):
                raise StationError(f"{model.arch.emulator} did not start: {why}") from None
            raise

    @classmethod
    async def _met(
        cls,
        process: asyncio.subprocess.Process,
        errors: "Errors",
        lines: tuple[socket.socket, socket.socket],
        cpu: int,
    ) -> "Machine":
        """Speak with it, and have the guest's processors on `cpu`. Raises StationError, OSError."""
        with ExitStack() as held:
            console = await Console.open(lines[1])
            held.callback(console.close)
            monitor = await Monitor.open(lines[0])
            held.callback(monitor.close)
            machine = cls(process, monitor, console, errors)
            for thread in await machine.threads(cpu):
                # Another user's thread: without CAP_SYS_NICE it stays on the emulator's CPU.
                with suppress(PermissionError):
                    os.sched_setaffinity(thread.pid, {cpu})
            held.pop_all()
        return machine

    def hasten(self) -> None:
        """Let its main thread go before the sender on its CPU, which never rests.

        In the normal class it waits until the sender's call into the kernel ends, or for a tick:
        meanwhile frames lie in the taps, the guest rests, and the tester is the limit. What threads
        it makes later are of the normal class, and the scheduler keeps a part of the CPU for that.
        Raises PermissionError.
        """
        os.sched_setscheduler(
            self.process.pid,
            os.SCHED_FIFO | os.SCHED_RESET_ON_FORK,
            os.sched_param(CARRIER_PRIORITY),
        )

    @property
    def alive(self) -> bool:
        """Return whether it runs."""
        return self.process.returncode is None

    async def threads(self, cpu: int) -> list[Thread]:
        """The threads that run the guest's instructions, as bound to `cpu`."""
        return vcpus(await self.monitor.ask("query-cpus-fast"), cpu)

    def carrier(self, cpu: int) -> Thread:
        """The thread that carries frames between the taps and the guest's cards."""
        return Thread("emulator", self.process.pid, cpu, carries=True)

    async def reset(self) -> None:
        """Press its reset button; it has begun anew when this returns.

        QEMU only notes the request, and acts before its main loop takes the next one.
        """
        await self.monitor.ask("system_reset")
        await self.monitor.ask("query-status")
        self.console.forget()

    async def settle(self, writes: Iterable[tuple[int, int]]) -> None:
        """Write bytes to I/O ports of the board. Raises StationError."""
        for port, byte in writes:
            text = await self.monitor.ask(
                "human-monitor-command", **{"command-line": f"o /b {port:#x} {byte:#x}"}
            )
            if text:
                raise StationError(f"virtual machine: {text.strip()}")

    async def stop(self) -> None:
        """End it at once: nothing on it is worth keeping."""
        self.monitor.close()
        self.console.close()
        await self._errors.bury()


class Errors:
    """The end of QEMU's standard error, until QEMU is ended."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        self._process = process
        self._tail = Tail()
        self._draining = asyncio.create_task(self._tail.drain(process.stderr))

    async def bury(self) -> str:
        """End QEMU; its last words."""
        kill(self._process)
        await self._process.wait()
        await self._draining
        lines = self._tail.text.strip().splitlines()
        return lines[-1] if lines else "it ended without a word"


@reader("the list of the virtual machine's processors")
def vcpus(listed: Any, cpu: int) -> list[Thread]:
    """The threads of QEMU's list, as bound to `cpu`; processors that take turns have one."""
    made: dict[int, Thread] = {}
    for item in listed:
        pid = int(item["thread-id"])
        made.setdefault(pid, Thread(f"vcpu{int(item['cpu-index'])}", pid, cpu))
    return [*made.values()]


def options(model: Model, accel: str, *, counted: bool = False) -> list[str]:
    """QEMU's command line, but for the network cards and the monitor."""
    how = {"tcg": f"tcg,tb-size={TRANSLATED_MIB}"}.get(accel, accel)
    if counted and model.cpus > 1:
        how += ",thread=single"  # two threads would lose counts (counter/counter.c)
    words = [*model.arch.board, "-accel", how, "-m", str(model.memory_mib)]
    words += ["-smp", _processors(model, accel, counted=counted)]
    words += ["-nodefaults", "-no-user-config", "-display", "none"]
    words += ["-cpu", "host"] if accel == "kvm" else []
    if model.icount is not None:
        # Without align guest time runs several times too fast.
        words += ["-icount", f"shift={model.icount},align=on,sleep=on"]
    if model.kernel:
        own = filter(None, (model.arch.append, model.append))
        line = " ".join((f"console={model.arch.console} quiet panic=1", *own))
        words += ["-kernel", str(model.kernel), "-append", line]
    if model.initramfs:
        words += ["-initrd", str(model.initramfs)]
    if model.disk:
        words += ["-snapshot", "-drive", f"file={_escaped(model.disk)},if=virtio"]
    return words


def _processors(model: Model, accel: str, *, counted: bool) -> str:
    """Processors, and a place for one more.

    Before 8.1 QEMU leaves out the memory barriers of a guest that can have one processor alone
    (tcg_gen_mb). But the thread of its virtio cards sees the guest's memory meanwhile: a card that
    is asked to send just as it goes to rest rests for ever, after some 10^5 packets of a few
    uploads. The place stays empty. A guest whose instructions are counted has none, so that its
    numbers stay: it is sent packet by packet.
    """
    alone = model.cpus == 1 and accel == "tcg" and model.icount is None
    return "1,maxcpus=2" if alone and model.nic == VIRTIO and not counted else str(model.cpus)


def _escaped(path: Path) -> str:
    """A path in an option with commas."""
    return str(path.absolute()).replace(",", ",,")


def _lent(model: Model, handed: Handed) -> Model:
    """The same, with its files as QEMU can open them."""

    def lent(path: Path | None) -> Path | None:
        return handed.lent(path) if path else None

    return replace(
        model,
        kernel=lent(model.kernel),
        initramfs=lent(model.initramfs),
        disk=handed.shared(model.disk) if model.disk else None,
    )


def _lines(monitor: int, console: int) -> list[str]:
    """Its monitor and its serial line, by the files of their ends."""
    words = ["-chardev", f"socket,id=monitor,fd={monitor}", "-mon", "chardev=monitor,mode=control"]
    return [*words, "-chardev", f"socket,id=console,fd={console}", "-serial", "chardev:console"]


def _wired(nic: str, cards: Sequence[Card]) -> list[str]:
    """Its network cards, in the order that the guest finds them in."""
    words: list[str] = []
    for at, card in enumerate(cards):
        words += ["-netdev", f"tap,id=net{at},fd={card.tap}"]
        words += ["-device", f"{NICS[nic]},netdev=net{at},mac={card.mac},romfile="]
    return words
