# SPDX-License-Identifier: Apache-2.0
"""The far end of a tunnel as a program: `end GATE HOST MAC NAME HOME PATH`, until stdin closes.

    gateway ---- GATE  this program  HOST ---- WAN host

What comes from the gateway in the tunnel leaves by HOST as a bare packet; what the WAN host sends
leaves by GATE in the tunnel. Anything else, as ARP and reports of groups, passes as it is. Packets
around others that are longer than PATH bytes are dropped without a word, as by a way whose MTU is
less. MAC is the gateway's. A line on stdin is answered with what was counted, as JSON.
"""

import json
import os
import select
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from gatemark.station.far import wire
from gatemark.station.far.tunnel import L2tp, Tunnel, tunnel
from gatemark.station.far.wireguard import WireGuard

ALL: Final = 3  # ETH_P_ALL
# Without a name in Python: SO_RCVBUFFORCE of socket(7), SOL_PACKET.
BUFFER_FORCE, PACKET_LEVEL = 33, 263
IGNORE_OUTGOING: Final = 23  # PACKET_IGNORE_OUTGOING, since Linux 4.20
BUFFER_BYTES: Final = 16 << 20
LONGEST: Final = 1 << 16
AT_ONCE: Final = 64  # frames of one side before the other has its turn
SHORTEST: Final = 34  # Ethernet's and IPv4's headers
GROUP: Final = 1  # of the first byte of a frame's sink: what is for a group is no test packet
IP: Final = frozenset((wire.IPV4, wire.IPV6))

Turn = Callable[[bytes], bytes | None]
Owed = Callable[[bytes], Iterator[bytes]]


class End:
    """The work on each frame, and how many there were."""

    def __init__(self, held: Tunnel, mac: bytes, path_bytes: int) -> None:
        self._tunnel = held
        self._mac = mac
        self._path_bytes = path_bytes
        self._is_framed = isinstance(held, L2tp)
        self.count = {"out": 0, "in": 0, "bare": 0, "passed": 0, "long": 0}

    def from_gateway(self, frame: bytes) -> bytes | None:
        """Take a packet out of the tunnel; None where it goes no further."""
        if frame[12:14] not in IP or frame[0] & GROUP or len(frame) < SHORTEST:
            return self._passed(frame)
        inner = self._tunnel.take_out(frame[14:])
        if inner is None:
            self.count["bare"] += 1
            return frame
        if len(frame) - 14 > self._path_bytes:
            self.count["long"] += 1
            return None
        if not inner:
            self.count["passed"] += 1  # of the tunnel itself
            return None
        self.count["out"] += 1
        if self._is_framed:
            return inner
        return frame[:12] + wire.ETHERTYPE[inner[0] >> 4] + inner

    def from_host(self, frame: bytes) -> bytes | None:
        """Put a packet for the gateway into the tunnel."""
        if frame[12:14] not in IP or frame[:6] != self._mac or len(frame) < SHORTEST:
            return self._passed(frame)
        if wire.version(frame[14:]) not in self._tunnel.families:
            return self._passed(frame)
        packet = self._tunnel.put_in(frame if self._is_framed else wire.unpadded(frame[14:]))
        if not packet:
            return None
        if len(packet) > self._path_bytes:
            self.count["long"] += 1
            return None
        self.count["in"] += 1
        return frame[:12] + wire.ETHERTYPE[packet[0] >> 4] + packet

    def owed(self, frame: bytes) -> Iterator[bytes]:
        """Yield what the tunnel itself answers the gateway, whose frame this was."""
        while isinstance(self._tunnel, WireGuard) and self._tunnel.answers:
            packet = self._tunnel.answers.pop(0)
            yield frame[6:12] + frame[:6] + wire.ETHERTYPE[packet[0] >> 4] + packet

    def _passed(self, frame: bytes) -> bytes:
        self.count["passed"] += 1
        return frame


def opened(device: str) -> socket.socket:
    """A raw socket that hears what comes in at a device. Raises OSError."""
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    made.setsockopt(socket.SOL_SOCKET, BUFFER_FORCE, BUFFER_BYTES)
    made.setsockopt(PACKET_LEVEL, IGNORE_OUTGOING, 1)
    made.setblocking(False)
    made.bind((device, ALL))
    return made


def carry(source: socket.socket, sink: socket.socket, turn: Turn, owed: Owed | None = None) -> None:
    """Carry what waits at one side to the other, a few frames at most; `owed` goes back."""
    for _ in range(AT_ONCE):
        try:
            frame = source.recv(LONGEST)
        except OSError:  # none waits, or its port is gone
            return
        if out := turn(frame):
            send(sink, out)
        for back in owed(frame) if owed else ():
            send(source, back)


def send(sink: socket.socket, frame: bytes) -> None:
    """Send a frame, but for a full queue, or a frame longer than the port's MTU."""
    with suppress(OSError):
        sink.send(frame)


def tell(line: str) -> None:
    """Answer with a line."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


def main(words: list[str]) -> None:
    """Serve both sides until stdin closes."""
    gate_device, host_device, mac, name, home, path_bytes = words
    end = End(tunnel(name, home), bytes.fromhex(mac.replace(":", "")), int(path_bytes))
    gate, host = opened(gate_device), opened(host_device)
    tell("ready")
    poll = select.poll()
    for each in (sys.stdin.fileno(), gate, host):
        poll.register(each, select.POLLIN)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if gate.fileno() in ready:
            carry(gate, host, end.from_gateway, end.owed)
        if host.fileno() in ready:
            carry(host, gate, end.from_host)
        if sys.stdin.fileno() in ready:
            if not os.read(sys.stdin.fileno(), LONGEST):
                return
            tell(json.dumps(end.count))


if __name__ == "__main__":
    main(sys.argv[1:])
