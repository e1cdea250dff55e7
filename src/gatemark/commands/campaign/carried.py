# SPDX-License-Identifier: Apache-2.0
"""The two processes that carry a distributed campaign, and the executor of `--executor`."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gatemark import scratch
from gatemark.error import UnavailableError, UsageError
from gatemark.fleet import carrier, listen
from gatemark.fleet.ledger import Ledger
from gatemark.fleet.local import Local
from gatemark.store import xdg

if TYPE_CHECKING:
    from gatemark.fleet.dask import Dask

LOCAL: Final = "local"
EXECUTOR, KEYS = "executor", "keys"  # in the ledger
ADDRESS: Final = re.compile(
    r"(?:dask|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(?P<port>\d+))?"
)
NAME: Final = re.compile(r"[\w.+#/-]{1,200}")


def keys_folder(folder: Path | None) -> Path:
    """The folder of an option, or where a laboratory's keys are by default."""
    return folder or xdg.state() / "keys"


def address_of(word: str) -> str:
    """`dask://HOST` as Dask has it, encrypted. Raises UsageError."""
    if not (match := ADDRESS.fullmatch(word)):
        raise UsageError(f"{word}: write dask://HOST, or dask://HOST:PORT [{carrier.PORT}]")
    return f"tls://{match['host']}:{match['port'] or carrier.PORT}"


def check(executor: str, keys: Path | None) -> None:
    """Raise GatemarkError where nobody can be asked by such words."""
    if executor != LOCAL:
        address_of(executor)
        carrier.secure(keys_folder(keys))
        require()


def keep(folder: Path, executor: str, keys: Path | None) -> None:
    """Have the ledger know who carries its blocks out."""
    ledger = Ledger.open(folder, lambda: 0.0)
    ledger.put(EXECUTOR, executor)
    ledger.put(KEYS, str(keys_folder(keys).resolve()) if executor != LOCAL else "")
    ledger.close()


def is_elsewhere(ledger: Ledger) -> bool:
    """Return whether a scheduler has a campaign's blocks carried out."""
    return ledger.meta(EXECUTOR) not in ("", LOCAL)


def executor_of(ledger: Ledger, folder: Path) -> "Local | Dask":
    """Choose who carries a campaign's blocks out. Raises GatemarkError."""
    if not is_elsewhere(ledger):
        return Local(folder)
    require()
    from gatemark.fleet.dask import Dask

    return Dask(
        folder, address_of(ledger.meta(EXECUTOR)), Path(ledger.meta(KEYS)), ledger.meta("id")
    )


def require() -> None:
    """Raise UnavailableError where Dask is not installed."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise UnavailableError("Dask is not installed: pip install 'gatemark[dask]'") from None


def scheduler(keys: Path | None, host: str, port: int) -> None:
    """Be the scheduler until the end. Raises GatemarkError."""
    secrets = carrier.secure(keys_folder(keys))
    require()
    import dask

    words = ["--protocol", "tls", "--port", str(port), "--no-dashboard", "--no-show"]
    with scratch.folder() as place:  # else it is a name that all users know, and stays
        dask.config.set(secrets | carrier.SCHEDULER | {"temporary-directory": str(place)})
        listen.tighten()
        from distributed.cli import dask_scheduler

        listen.bound(dask_scheduler)
        dask_scheduler.main([*words, *(["--host", host] if host else [])])


def worker(address: str, station: str, keys: Path | None, folder: Path) -> None:
    """Be the worker of a station until a signal, or the scheduler's end. Raises GatemarkError."""
    if not NAME.fullmatch(station):
        raise UsageError(f"--station {station!r}: write it as the campaign file has it")
    at = address_of(address)
    secrets = carrier.secure(keys_folder(keys))
    require()
    import dask

    dask.config.set(secrets | carrier.WORKER)
    listen.tighten()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.chdir(folder)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror}: name another --folder") from None
    from distributed.cli import dask_worker

    listen.bound(dask_worker)
    token = f"{carrier.resource(station)}=1"
    words = ["--name", station, "--nthreads", "1", "--no-nanny", "--memory-limit", "0"]
    words += ["--resources", token, "--no-dashboard", "--local-directory", str(Path("dask"))]
    dask_worker.main([at, *words])
