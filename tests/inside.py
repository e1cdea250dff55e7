# SPDX-License-Identifier: Apache-2.0
"""The command line in the test's own process: a start takes ten times as long as most verbs do.

For verbs that enter no namespace and start nothing that outlasts them. That a process of its own
ends in the same way is for the tests that start one (command.py).
"""

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from unittest import mock

from command import Done, environment

from gatemark.__main__ import main


class Stream(io.TextIOWrapper):
    """A stream that is kept, and which may say that it is a terminal's."""

    def __init__(self, *, terminal: bool = False) -> None:
        self.kept = io.BytesIO()
        self._terminal = terminal
        super().__init__(self.kept, "utf-8", write_through=True)

    def isatty(self) -> bool:
        return self._terminal


def data(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    terminal: bool = False,
) -> tuple[int, bytes, str]:
    """The exit code of `gatemark WORDS`, what it wrote on stdout, and on stderr."""
    out, err = Stream(terminal=terminal), Stream(terminal=terminal)
    more = {"TERM": "xterm-256color"} if terminal else {}
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.StringIO()),
        mock.patch.object(sys, "argv", ["gatemark", *map(str, words)]),
        mock.patch.object(sys.modules["__main__"], "__package__", None),  # else it is pytest's
        mock.patch.dict(os.environ, environment({**more, **(env or {})}), clear=True),
        contextlib.chdir(cwd or Path.cwd()),
        as_before(),
    ):
        code = ended()
    return code, out.kept.getvalue(), err.kept.getvalue().decode()


def gatemark(
    *words: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Done:
    """`gatemark WORDS` that writes text into pipes."""
    code, out, err = data(*words, env=env, cwd=cwd)
    return Done(code, io.TextIOWrapper(io.BytesIO(out), "utf-8").read(), err)


def on_terminal(*words: str | Path, env: Mapping[str, str] | None = None) -> str:
    """What `gatemark WORDS` writes on stdout where that is a terminal."""
    return data(*words, env=env, terminal=True)[1].decode()


def accepted(
    refusals: Iterable[tuple[str, str]], code: int = 2, cwd: Path | None = None
) -> dict[str, Done]:
    """The command lines that are not refused: in one line on stderr that begins so, without data.

    With each the words that its refusal begins with.
    """
    ended_so = {(words, begins): gatemark(*words.split(), cwd=cwd) for words, begins in refusals}
    return {
        words: done
        for (words, begins), done in ended_so.items()
        if (done.code, done.out, done.err.count("\n")) != (code, "", 1)
        or not done.err.startswith(f"gatemark: {begins}")
    }


def ended() -> int:
    """The code with which the command line in `sys.argv` ends."""
    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    return 0


@contextlib.contextmanager
def as_before() -> Iterator[None]:
    """What a command changes of its process is as it was."""
    handler, hook = signal.getsignal(signal.SIGINT), sys.excepthook
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        sys.excepthook = hook
