# SPDX-License-Identifier: Apache-2.0
"""`gatemark capture` as a process, and datagrams for it."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from command import environment

PORT = 4000
# Datagrams of many sizes; each begins with its number.
SEND = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(int(sys.argv[2])):
    s.sendto(i.to_bytes(4, "big") + bytes(i * 37 % 1400), (sys.argv[1], 4000))
"""


def payload(number: int) -> bytes:
    """What the datagram of a number holds."""
    return number.to_bytes(4, "big") + bytes(number * 37 % 1400)


def command(*words: str) -> list[str]:
    """The command line."""
    return [sys.executable, "-m", "gatemark", "capture", "--json", *words]


@contextmanager
def capturing(
    argv: Sequence[str], to: int | None = subprocess.PIPE
) -> Iterator["subprocess.Popen[bytes]"]:
    """A capture that has begun."""
    process = subprocess.Popen(argv, stdout=to, stderr=subprocess.PIPE, env=environment())
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        assert first.startswith(b"{"), first + process.stderr.read()
        yield process
    finally:
        process.kill()
        process.wait()


def last(process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    """Its last words, once it has ended by itself."""
    errors = process.communicate(timeout=60)[1].splitlines()
    assert process.returncode == 0, errors
    words: dict[str, Any] = json.loads(errors[-1])
    return words


def read(file: Path) -> list[bytes]:
    """The payloads of a file's datagrams, as tcpdump reads them."""
    argv = ["tcpdump", "-nxr", str(file)]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    packets: list[bytearray] = []
    for line in text.splitlines():
        if not line.startswith("\t0x"):
            packets.append(bytearray())
        else:
            packets[-1] += bytes.fromhex(line.partition(":")[2])
    return [bytes(packet[28:]) for packet in packets]  # behind the headers of IP and UDP
