# SPDX-License-Identifier: Apache-2.0
"""A way to a Dask scheduler that may die: a new client where the old one lost it."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gatemark.error import GatemarkError
from gatemark.fleet import carrier
from gatemark.fleet.executor import AwayError

CONNECT_S: Final = 5.0
ASK_S: Final = 10.0  # an answer of a worker to a short question
AGAIN_S: Final = 0.2
LOST: Final = ("KilledWorker", "NoValidWorkerError")  # a task's error where its worker is gone
LEAST_TRIES: Final = 5  # a machine that was suspended knows no patience by the clock alone


class Link:
    """To `tls://HOST:PORT`, by a laboratory's keys; `renewed` is called with each new client."""

    def __init__(self, address: str, keys: Path, renewed: Callable[[Any], None]) -> None:
        self.address = address
        self.patience_s = 60.0  # that the scheduler may be away
        self._keys = keys
        self._renewed = renewed
        self._client: Any = None
        self._there = time.monotonic()  # when the scheduler was last there
        self._tries = 0  # since then

    def client(self) -> Any:
        """Dask's; None: the scheduler is away just now. Raises AwayError if it stays so."""
        if self._client is not None and self._client.status == "running":
            self._there, self._tries = time.monotonic(), 0
            return self._client
        self.close()
        try:
            self._client = _client(self.address, self._keys)
        except OSError as error:  # a timeout is one, and what TLS refuses
            self._tries += 1
            is_late = time.monotonic() > self._there + self.patience_s
            if is_late and self._tries >= LEAST_TRIES:
                raise AwayError(
                    f"{self.address}: no scheduler of these keys: {error}; "
                    "`gatemark campaign scheduler` starts one, then `gatemark campaign resume`"
                ) from None
            return None
        self._renewed(self._client)
        return self._client

    def workers(self) -> dict[str, str] | None:
        """Station -> address of its worker, of those that are there; None: nobody tells."""
        if not (client := self.client()):
            return None
        try:
            identity = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=ASK_S)
        except Exception:
            return None
        return {str(worker["name"]): str(at) for at, worker in identity["workers"].items()}

    def tell(self, place: str, *words: object) -> bool:
        """Have a station's worker call a function beside its task; whether it did."""
        at = (self.workers() or {}).get(place)
        client = self.client()
        if not client or not at:
            return False
        try:
            client.sync(client._run, *words, workers=[at], callback_timeout=ASK_S)
        except Exception:
            return False
        return True

    def ask(self, place: str, patience_s: float, *call: Any) -> Any:
        """Return the answer of a station's worker; asked again where it was lost.

        Raises GatemarkError with what the worker raises, AwayError where it does not answer.
        """
        until, tries = time.monotonic() + patience_s, 0
        why, answer, fault = "no scheduler", None, ""
        while time.monotonic() < until or tries < LEAST_TRIES:
            tries += 1
            if client := self.client():
                try:
                    if answer is None:
                        answer = send(client, place, f"{place}-ask", *call)
                    return answer.result(timeout=ASK_S)
                except TimeoutError:  # a worker does one thing after another: it would begin anew
                    why = "no answer yet"
                except Exception as error:
                    why = str(error) or type(error).__name__
                    fault = why if is_raised(answer, error) else ""
                    answer = None
            time.sleep(AGAIN_S)
        if fault:
            raise GatemarkError(f"{place}: its worker: {fault}")
        raise AwayError(f"{place}: its worker does not answer: {why}")

    def close(self) -> None:
        """Leave the scheduler."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                client.close(timeout=CONNECT_S)


def is_raised(future: Any, error: BaseException) -> bool:
    """Return whether the called function raised it, and not Dask on the way."""
    is_error = future is not None and future.status == "error"
    return is_error and type(error).__name__ not in LOST


def send(client: Any, place: str, name: str, *call: Any) -> Any:
    """The future of a function that a station's own worker alone may call, and only once.

    Dask keeps the error of a name, so no two have the same.
    """
    return client.submit(
        *call,
        key=f"{name}-{time.monotonic_ns()}",
        workers=[place],
        allow_other_workers=False,
        resources={carrier.resource(place): 1},
        retries=0,
        pure=False,
    )


def _client(address: str, keys: Path) -> Any:
    """A new client, whose own words nobody needs. Raises OSError."""
    import dask
    import distributed

    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set(carrier.secure(keys))
    return distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
