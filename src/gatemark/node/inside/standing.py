# SPDX-License-Identifier: Apache-2.0
"""A shell that stays on a host of this machine and runs one command after the other.

To enter a namespace for a single `cat` takes three programs and a mount of /sys, and a trial asks a
dozen times. The shell enters once. Its standard input is its lease: it ends when whoever started it
is gone, however that ended.

A thread talks to it, so that it belongs to no event loop: a station may outlive one.
"""

import asyncio
import os
import secrets
import selectors
import shlex
import signal
import subprocess
from contextlib import suppress
from typing import IO, Final

from gatemark.error import NodeError
from gatemark.node.bound import OUTPUT_BYTES, PIECE_BYTES, Tail, in_short, too_much
from gatemark.node.reader import reader

Process = subprocess.Popen[bytes]
Asked = tuple[int, bytes, str]  # exit code, output, the last of the errors

# The command has a subshell of its own, so it leaves no variable, folder or option behind. The mark
# is on a line of its own at the end of what the command writes to either pipe. `printf` is the
# shell's own, so what it hands over may be longer than a program's arguments.
ASK: Final = """\
{given}( exec {command} ){nothing}
printf '\\n%d {mark}\\n' $?; printf '\\n{mark}\\n' >&2
"""


class Standing:
    """The shell that `argv` starts: when it is first asked, and anew where it is gone."""

    def __init__(self, argv: tuple[str, ...]) -> None:
        self._argv = argv
        self._process: Process | None = None
        self._busy = False

    @property
    def busy(self) -> bool:
        """Return True while it runs a command: it has no time for another."""
        return self._busy

    async def run(self, name: str, argv: tuple[str, ...], stdin: str = "") -> Asked:
        """Run a command of the host `name`, with `stdin` to read.

        Raises NodeError where there is no such shell, the command prints too much, or the shell
        ends before it. The shell is gone then, and where this is cancelled.
        """
        process = self._there()  # not in the thread: whoever cancels this has to find it
        self._busy = True
        task = asyncio.create_task(asyncio.to_thread(self._run, process, name, argv, stdin))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            self.close()  # so the thread reads to the end
            await asyncio.gather(task, return_exceptions=True)  # it fails, which nobody asks for
            raise
        finally:
            self._busy = False

    def close(self) -> None:
        """End it, and what it runs."""
        process, self._process = self._process, None
        if process:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _run(self, process: Process, name: str, argv: tuple[str, ...], stdin: str) -> Asked:
        try:
            return _ask(process, name, argv, stdin)
        except (EOFError, BrokenPipeError):
            self.close()
            raise NodeError(f"{name}: '{in_short(argv)}' failed: its shell was ended") from None
        except BaseException:
            self.close()
            raise

    def _there(self) -> Process:
        if self._process is None or self._process.poll() is not None:
            self._process = _start(self._argv)
        return self._process


def no_program(argv: tuple[str, ...]) -> NodeError:
    """The error of a command whose program this machine lacks."""
    return NodeError(f"no '{argv[0]}' on this machine; `gatemark doctor` says how to get it")


def _start(argv: tuple[str, ...]) -> Process:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
    except FileNotFoundError:
        raise no_program(argv) from None


def _ask(process: Process, name: str, argv: tuple[str, ...], stdin: str) -> Asked:
    """Raises EOFError or BrokenPipeError where it ended, NodeError where that is too much."""
    assert process.stdin
    assert process.stdout
    assert process.stderr
    mark = secrets.token_hex(8)
    given, nothing = (f"printf %s {shlex.quote(stdin)} | ", "") if stdin else ("", " < /dev/null")
    ask = ASK.format(given=given, command=shlex.join(argv), nothing=nothing, mark=mark)
    _write(process.stdin, ask.encode())
    out, out_end = bytearray(), f" {mark}\n".encode()
    errors, errors_end = Tail(), f"\n{mark}\n"
    with selectors.DefaultSelector() as pipes:
        pipes.register(process.stdout, selectors.EVENT_READ)
        pipes.register(process.stderr, selectors.EVENT_READ)
        while not (out.endswith(out_end) and errors.text.endswith(errors_end)):
            for key, _ in pipes.select():
                piece = os.read(key.fd, PIECE_BYTES)
                if not piece:
                    raise EOFError
                if key.fileobj is process.stderr:
                    errors.feed(piece)
                else:
                    out += piece
            if len(out) > OUTPUT_BYTES:
                raise too_much(name, argv, OUTPUT_BYTES)
    text, _, code = out.removesuffix(out_end).rpartition(b"\n")
    return _code(bytes(code)), bytes(text), errors.text.removesuffix(errors_end)


def _write(pipe: IO[bytes], data: bytes) -> None:
    while data:
        data = data[os.write(pipe.fileno(), data) :]


@reader("an exit code")
def _code(text: bytes) -> int:
    return int(text)
