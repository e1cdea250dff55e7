# SPDX-License-Identifier: Apache-2.0
"""Our responsiveness server and client in a namespace of their own, over its loopback."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gatemark.kind.responsiveness.tls import certificate
from gatemark.node import isolated

ADDRESS, PORT = "127.0.0.1", 4043
NAME = "gm-test-rpm"


class Program:
    """One of the two programs; its messages one by one."""

    def __init__(self, role: str, request: dict[str, Any]) -> None:
        command = isolated.python(f"gatemark.kind.responsiveness.{role}")
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(inside(*command), stdin=pipe, stdout=pipe, text=True)
        assert self.next()["ev"] == "hello"
        self.tell(request)

    def tell(self, message: dict[str, Any]) -> None:
        """A line to it."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def next(self) -> dict[str, Any]:
        """Its next line; {} at the end."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        message: dict[str, Any] = json.loads(line) if line else {}
        return message

    def last(self) -> dict[str, Any]:
        """What it ends with: `done`, or `error`."""
        while (message := self.next())["ev"] not in ("done", "error"):
            pass
        return message

    def close(self) -> dict[str, Any]:
        """End it in order; its report, {} where it has ended before."""
        if self._process.returncode is not None:
            return {}
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        rest = [json.loads(line) for line in self._process.stdout or ()]
        if self._process.stdout:
            self._process.stdout.close()
        self._process.wait(timeout=20)
        return rest[-1] if rest else {}


def inside(*command: str) -> tuple[str, ...]:
    """The command in the namespace."""
    return ("ip", "netns", "exec", NAME, *command)


@contextmanager
def namespace() -> Iterator[None]:
    """One with a loopback."""
    subprocess.run(("ip", "netns", "add", NAME), check=True)
    try:
        subprocess.run(("ip", "-n", NAME, "link", "set", "lo", "up"), check=True)
        yield
    finally:
        subprocess.run(("ip", "netns", "del", NAME), check=True)


def request(address: str = ADDRESS, *, tls: bool = True) -> tuple[dict[str, Any], str]:
    """What both are asked for; the key of the server's certificate."""
    pem, key = certificate([address])
    family = 6 if ":" in address else 4
    place = {"address": address, "port": PORT, "family": family, "tls": tls, "certificate": pem}
    return place | {"congestion": "cubic", "dscp": 0, "cpu": -1}, key


@contextmanager
def server(asked: dict[str, Any], key: str) -> Iterator[Program]:
    """A server that listens."""
    program = Program("server", asked | {"key": key})
    try:
        assert program.next()["ev"] == "ready"
        yield program
    finally:
        program.close()


def client(asked: dict[str, Any], way: str = "up", interval_ms: int = 200) -> Program:
    """A client that has begun."""
    more = {"ways": [way], "interval_ms": interval_ms, "capacity_bps": 0, "seed": 1, "tick_ms": 0}
    program = Program("client", more | asked)
    if program.next()["ev"] == "ready":
        program.tell({"cmd": "start"})
    return program
