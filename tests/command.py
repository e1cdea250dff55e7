# SPDX-License-Identifier: Apache-2.0
"""The command line as its user has it: a process of its own, its two streams and its exit code.

`gatemark` forks its process from one that has imported what all verbs import, which alone would
take as long as most verbs do. It is started whole where another program starts it, or where it is
to find other modules.
"""

import multiprocessing
import os
import pty
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
GATEMARK = (sys.executable, "-m", "gatemark")

PATIENCE_S = 60.0
# Nothing that looks at the environment as it is imported, and nothing that begins a thread.
FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(
    ["gatemark.__main__", "gatemark.commands.app", "gatemark.judge.judge", "duckdb", "rich.console"]
)


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Ours, with the sources of this checkout; an empty value in `more` takes a name away."""
    env = os.environ | {"PYTHONPATH": str(SOURCES), "COLUMNS": "100"} | dict(more or {})
    return {name: value for name, value in env.items() if value}


def gatemark(
    *words: str | Path,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    before: Sequence[str] = (),
) -> Done:
    """`gatemark WORDS`, started through the command `before` where one is given."""
    if not before and "PYTHONPATH" not in (env or {}):
        return _forked([str(word) for word in words], environment(env), cwd or Path.cwd())
    done = subprocess.run(
        [*before, *GATEMARK, *map(str, words)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(env),
        cwd=cwd,
        check=False,
        timeout=PATIENCE_S,
    )
    return Done(done.returncode, done.stdout, done.stderr)


def _forked(words: list[str], env: dict[str, str], cwd: Path) -> Done:
    pipes = [FORK.Pipe(duplex=False) for _ in range(2)]
    process = FORK.Process(target=_child, args=(words, env, cwd, *(end for _, end in pipes)))
    process.start()
    for _, end in pipes:
        end.close()
    with ThreadPoolExecutor(len(pipes)) as pool:
        out, err = pool.map(_read, [end for end, _ in pipes])
    process.join(PATIENCE_S)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(f"gatemark {' '.join(words)} closed its streams and did not end")
    return Done(process.exitcode, out, err)


def _read(pipe: Connection) -> str:
    with open(os.dup(pipe.fileno()), encoding="utf-8") as stream:  # noqa: PTH123  no path
        pipe.close()
        return stream.read()


def _child(
    words: list[str], env: dict[str, str], cwd: Path, out: Connection, err: Connection
) -> None:
    """Become `gatemark WORDS`, with the streams that such a process has."""
    null = os.open(os.devnull, os.O_RDONLY)
    for place, fd in enumerate((null, out.fileno(), err.fileno())):
        os.dup2(fd, place)
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
    for end in (out, err):
        end.close()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["gatemark", *words]
    from gatemark.__main__ import main  # where the sources' folder is known

    main()


def on_terminal(*words: str | Path, env: dict[str, str]) -> str:
    """What `gatemark WORDS` writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*GATEMARK, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment({"TERM": "xterm-256color", **env}),
    ):
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 1 << 16):
                said += part
        except OSError:  # EIO: nobody has the other end open any more
            pass
    os.close(ours)
    return said.decode()
