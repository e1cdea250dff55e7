# SPDX-License-Identifier: Apache-2.0
"""Send what wants priority and should not have it: `serve PORT`, or `WAY SERVER PORT SECONDS`.

`dressed` is bulk behind headers of RTP, which the server sends back. `small` is 5 000 packets/s of
20 bytes, `flows` 10 000 new flows a second. It prints how many packets it sent.
"""

import socket
import struct
import sys
import time

RATES = {"dressed": (1000, 1200), "small": (5000, 20), "flows": (10_000, 60)}  # packets/s, bytes
FIRST = 2000  # port of the first flow
ROUND = 60_000


def say(what: object) -> None:
    """Print it at once."""
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def serve(port: int) -> None:
    """Send back what comes."""
    end = socket.socket(type=socket.SOCK_DGRAM)
    end.bind(("", port))
    say("listening")
    while True:
        data, whence = end.recvfrom(2000)
        end.sendto(data, whence)


def send(way: str, to: tuple[str, int], seconds: float) -> int:
    """Send at a rate; what this machine was too slow for is left out."""
    rate, size = RATES[way]
    end = socket.socket(type=socket.SOCK_DGRAM)
    began, sent = time.monotonic(), 0
    while (now := time.monotonic() - began) < seconds:
        if sent >= now * rate:
            time.sleep(0.0005)
            continue
        if way == "flows":
            end.close()
            end = socket.socket(type=socket.SOCK_DGRAM)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            end.bind(("", FIRST + sent % ROUND))
        head = struct.pack("!BBHII", 0x80, 96, sent & 0xFFFF, sent, 7) if way == "dressed" else b""
        end.sendto(head + bytes(size - len(head)), to)
        sent += 1
    return sent


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    say(send(sys.argv[1], (sys.argv[2], int(sys.argv[3])), float(sys.argv[4])))
