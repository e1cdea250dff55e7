# SPDX-License-Identifier: Apache-2.0
"""`gatemark`, and `python -m gatemark`: run a verb, tell a failure in one line."""

import os
import signal
import sys
from collections.abc import Sequence

from gatemark.error import FaultsError, GatemarkError
from gatemark.printable import one_line

STOPPED = 130  # exit code: Ctrl-C, as shells count it


def main() -> None:
    """Run the command line; a failure becomes one line and its exit code."""
    # ip, tc, nft and ethtool live where neither cron nor an ordinary user looks.
    os.environ["PATH"] = f"{os.environ.get('PATH') or os.defpath}:/usr/sbin:/sbin"
    # Typer reads values with pydantic, which else looks for plugins in every package here.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if os.environ.pop("GATEMARK_COMPLETE", ""):
        _complete()
        return
    debug = _take_debug() or bool(os.environ.get("GATEMARK_DEBUG"))
    try:
        from gatemark.commands.app import app  # a missing library is told too

        app(prog_name="gatemark")  # also where it is `python -m gatemark`
    except Exception as error:
        if debug:
            raise
        _end(_lines(error), error.exit_code if isinstance(error, GatemarkError) else 1)
    except KeyboardInterrupt:
        _stop()
    except SystemExit as end:
        if end.code == STOPPED:  # Typer's silent end of a Ctrl-C
            _stop()
        _ignore()
        raise


def _complete() -> None:
    """What Tab offers. Silent where it fails: there is a half-typed line on the terminal."""
    try:
        from gatemark.commands.app import app
        from gatemark.commands.console.complete import candidates

        results = candidates(app, sys.argv[1:])
    except (Exception, KeyboardInterrupt):
        results = []
    sys.stdout.write("".join(f"{value}\t{text}\n" for value, text in results))


def _take_debug() -> bool:
    """Take `--debug` out of the command line, wherever it stands before a `--`."""
    ours = sys.argv[: sys.argv.index("--")] if "--" in sys.argv else sys.argv
    if "--debug" not in ours:
        return False
    sys.argv.remove("--debug")
    return True


def _stop() -> None:
    _ignore()
    _end(["stopped"], STOPPED)


def _ignore() -> None:
    """A Ctrl-C would break into the ending, or kill it: Python takes its handler away at exit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(texts: Sequence[str], code: int) -> None:
    for text in texts:
        print(f"gatemark: {one_line(text)}", file=sys.stderr)  # noqa: T201
    _ignore()
    try:
        if sys.stdout:  # none where it was closed: `>&-`
            sys.stdout.flush()
    except OSError:  # what is left in the buffer would fail again at exit, with a code of its own
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _lines(error: Exception) -> Sequence[str]:
    match error:
        case FaultsError():
            return error.faults
        case GatemarkError():
            return [str(error)]
        case OSError(strerror=str(reason), filename=name):
            return [f"{name}: {reason}" if name else reason]
    text = f"{type(error).__name__}: {error}".splitlines()[0]
    if sys.platform != "linux":  # whatever a verb that measures ran into
        return [f"what measures takes Linux; here runs are read, reported and exported ({text})"]
    return [f"a fault of gatemark's own ({text}); `gatemark --debug ...` shows where"]


if __name__ == "__main__":
    main()
