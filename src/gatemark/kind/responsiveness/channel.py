# SPDX-License-Identifier: Apache-2.0
"""An HTTP/2 connection over a socket of ours, with TLS or without (RFC 9113), in no hurry to queue.

A probe that travels beside a load waits behind what its sender has written already. So a sender
writes no more than 5 ms of its connection's rate ahead of what TCP has sent, in records that fill
whole segments: the wait that is measured is then the network's, not our own queue's.
"""

import array
import fcntl
import os
import socket
import ssl
import termios
import time
from collections import deque
from typing import Final

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

# Of a stream and of a connection. What a client may send ahead, its own probes wait behind: of
# 16 connections with 16 MiB each, as long as 17 s at 30 Mbit/s, where TCP's buffers are the limit.
CLIENT_WINDOW_BYTES: Final = 16 << 20
SERVER_WINDOW_BYTES: Final = 1 << 20
LEAST_AHEAD_BYTES: Final = 1460  # TCP_NOTSENT_LOWAT: a full segment
AHEAD_S: Final = 0.005  # of the connection's rate
RATE_NS: Final = 100_000_000  # how often the rate is taken
LARGEST_FRAME_BYTES: Final = 16_384  # SETTINGS_MAX_FRAME_SIZE (RFC 9113 section 6.5.2)
FRAME_HEAD_BYTES: Final = 9
# Of a TLS record: head, tag, and the type (RFC 8446) or the explicit nonce (RFC 5288).
RECORD_BYTES: Final = {"TLSv1.3": 5 + 16 + 1, "TLSv1.2": 5 + 16 + 8}
READ_BYTES: Final = 64 << 10  # at once: others have their turn then
MOST_LEFT_BYTES: Final = 256 << 10  # for an end that does not read
NOT_SENT: Final = 0x894B  # SIOCOUTQNSD (linux/sockios.h): bytes that TCP has not sent yet
FILL: Final = os.urandom(LARGEST_FRAME_BYTES)


class ClosedError(Exception):
    """The other end closed or broke the connection; the text says how."""


def chunk_bytes(ahead_bytes: int, mss_bytes: int, overhead_bytes: int, begun_bytes: int = 0) -> int:
    """Payload of a DATA frame that, with all heads, fills whole segments within `ahead_bytes`.

    `begun_bytes` are in the last segment already. A segment that is not full is a packet all the
    same, and buffers may count packets.
    """
    most = min(ahead_bytes, LARGEST_FRAME_BYTES + overhead_bytes)
    size = max(1, most // mss_bytes) * mss_bytes - begun_bytes % mss_bytes - overhead_bytes
    if size <= 0:
        size += mss_bytes
    return max(1, min(LARGEST_FRAME_BYTES, size))


def queued(sock: socket.socket, request: int) -> int:
    """Bytes in a socket's send queue: all that is not acknowledged, or of it what is not sent."""
    count = array.array("i", [0])
    fcntl.ioctl(sock.fileno(), request, count)
    return count[0]


class Channel:
    """One connection. Whoever has it waits for its socket; all methods raise ClosedError."""

    def __init__(
        self, sock: socket.socket, tls: ssl.SSLContext | None, *, client: bool, host: str = ""
    ) -> None:
        self.sock = sock
        self.read_ns = 0  # when the last bytes were read
        self.payload_bytes = 0  # of DATA frames that were made here
        self.wire_bytes = 0  # that the kernel took
        self.mss_bytes = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
        self._marks: deque[tuple[int, int]] = deque()  # wire bytes, payload bytes: at a frame's end
        self._acked_bytes = 0
        self._out = bytearray()
        self._came, self._goes = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = (
            tls.wrap_bio(
                self._came, self._goes, server_side=not client, server_hostname=host or None
            )
            if tls
            else None
        )
        self._is_client = client
        self._window_bytes = CLIENT_WINDOW_BYTES if client else SERVER_WINDOW_BYTES
        self.is_open = False  # handshakes are over: requests can be made
        self.old: bytearray | None = None  # a server's: what a client without h2 said
        self._rate = 0.0  # bytes/s
        self._rated = time.monotonic_ns(), 0
        self._ahead_bytes = 0
        self._set_ahead(LEAST_AHEAD_BYTES)
        # What comes is checked in full; what goes is ours.
        self.http = h2.connection.H2Connection(
            h2.config.H2Configuration(
                client_side=client,
                validate_outbound_headers=False,
                normalize_outbound_headers=False,
            )
        )
        self.http.local_settings = h2.settings.Settings(
            client=client,
            initial_values={
                h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: self._window_bytes,
                h2.settings.SettingCodes.MAX_FRAME_SIZE: LARGEST_FRAME_BYTES,
                h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1000,
                **({h2.settings.SettingCodes.ENABLE_PUSH: 0} if client else {}),
            },
        )

    @property
    def version(self) -> str:
        """The version of TLS: `TLSv1.3`; "" without."""
        return (self._tls and self._tls.version()) or ""

    @property
    def cipher(self) -> str:
        """Its name; "" without TLS."""
        cipher = self._tls.cipher() if self._tls else None
        return cipher[0] if cipher else ""

    def greet(self) -> None:
        """Begin: shake hands, or without TLS talk at once (prior knowledge)."""
        if self._tls is None:
            self._opened()
        else:
            self._shake()

    def receive(self) -> list[h2.events.Event]:
        """Read what is there and return what it means; once more is called for the rest."""
        try:
            piece = self.sock.recv(READ_BYTES)
        except BlockingIOError:
            return []
        except OSError as error:
            raise ClosedError(error.strerror or str(error)) from None
        self.read_ns = time.monotonic_ns()
        if not piece:
            raise ClosedError("closed by the other end")
        if self._tls is None:
            return self._heard(piece)
        self._came.write(piece)
        if not self.is_open and not self._shake():
            return []
        return self._heard(self._plain())

    def push(self) -> None:
        """Send what HTTP has to say."""
        self.say(b"" if self.old is not None else self.http.data_to_send())

    def say(self, plain: bytes) -> None:
        """Send some bytes."""
        if plain and self._tls is not None:
            self._tls.write(plain)
            plain = self._goes.read()
        self._out += plain
        if not self.flush() and len(self._out) > MOST_LEFT_BYTES:
            raise ClosedError("it does not read what it asked for")

    def flush(self) -> bool:
        """Hand to the kernel what is left; whether it took all."""
        while self._out:
            try:
                taken = self.sock.send(self._out)
            except BlockingIOError:
                return False
            except OSError as error:
                raise ClosedError(error.strerror or str(error)) from None
            self.wire_bytes += taken
            del self._out[:taken]
        return True

    @property
    def has_left(self) -> bool:
        """Return whether bytes wait for room in the kernel."""
        return bool(self._out)

    def feed(self, stream: int) -> bool:
        """Make DATA frames of a load until TCP has enough unsent; whether the window had room.

        At most the payload of a largest frame at once, so that others have their turn. One frame
        at once would be too little: where turns are long the rate falls, and with it the frames.
        For a client without h2 they are pieces without frames.
        """
        if not self.flush():
            return True
        self._look_ahead()
        ends_bytes = self.payload_bytes + LARGEST_FRAME_BYTES
        while self.payload_bytes < ends_bytes and not self._out:
            if 2 * (begun := queued(self.sock, NOT_SENT)) >= self._ahead_bytes:
                break  # so does the kernel (sk_stream_memory_free(), include/net/sock.h)
            if not self._feed_frame(stream, begun):
                return False
        return True

    def _feed_frame(self, stream: int, begun: int) -> bool:
        record = RECORD_BYTES.get(self.version, 0)
        overhead = record if self.old is not None else record + FRAME_HEAD_BYTES
        size = chunk_bytes(self._ahead_bytes, self.mss_bytes, overhead, begun)
        if self.old is not None:
            self.say(FILL[:size])
        elif (size := min(size, self.http.local_flow_control_window(stream))) > 0:
            self.http.send_data(stream, FILL[:size])
            self.push()
        else:
            return False
        self.payload_bytes += size
        self._marks.append((self.wire_bytes + len(self._out), self.payload_bytes))
        return True

    def acked_bytes(self) -> int:
        """Payload of a load that the other host's TCP has acknowledged, by whole frames."""
        acked = self.wire_bytes - queued(self.sock, termios.TIOCOUTQ)
        while self._marks and self._marks[0][0] <= acked:
            self._acked_bytes = self._marks.popleft()[1]
        return self._acked_bytes

    def ahead_bytes(self) -> int:
        """The bytes that a message would wait for on this host: made here, not sent by TCP."""
        return len(self._out) + queued(self.sock, NOT_SENT)

    def close(self) -> None:
        """Close, and break what refers to itself in circles: nobody collects them."""
        self.sock.close()
        self.http.__dict__.clear()

    def _opened(self) -> None:
        self.is_open = True
        self.http.initiate_connection()
        self.http.increment_flow_control_window(self._window_bytes - 65_535)
        self.push()

    def _shake(self) -> bool:
        assert self._tls is not None
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            self._out += self._goes.read()
            self.flush()
            return False
        except ssl.SSLCertVerificationError as error:
            self._out += self._goes.read()
            self.flush()
            raise ClosedError(f"its TLS certificate does not fit: {error.verify_message}") from None
        except ssl.SSLError as error:
            raise ClosedError(f"TLS: {_reason(error)}") from None
        self._out += self._goes.read()
        if self._tls.selected_alpn_protocol() == "h2":
            self._opened()
        elif self._is_client:
            raise ClosedError("TLS: the other end does not speak h2")
        else:
            self.is_open, self.old = True, bytearray()
            self.flush()
        return True

    def _plain(self) -> bytes:
        assert self._tls is not None
        pieces = []
        try:
            while piece := self._tls.read(READ_BYTES):
                pieces.append(piece)
            raise ClosedError("closed by the other end")
        except ssl.SSLWantReadError:
            return b"".join(pieces)
        except ssl.SSLError as error:
            raise ClosedError(f"TLS: {_reason(error)}") from None

    def _heard(self, data: bytes) -> list[h2.events.Event]:
        if self.old is not None:
            self.old += data
        if self.old is not None or not data:
            return []
        try:
            return self.http.receive_data(data)
        except (h2.exceptions.ProtocolError, ValueError) as error:
            raise ClosedError(f"HTTP/2: {error}") from None

    def _look_ahead(self) -> None:
        """Follow the connection's rate."""
        now = time.monotonic_ns()
        since, before = self._rated
        if now - since < RATE_NS:
            return
        rate = (self.wire_bytes - before) * 1e9 / (now - since)
        self._rate = (self._rate + rate) / 2 if self._rate else rate
        self._rated = now, self.wire_bytes
        wanted = max(LEAST_AHEAD_BYTES, round(AHEAD_S * self._rate))
        if not 0.9 < wanted / self._ahead_bytes < 1.1:
            self._set_ahead(wanted)

    def _set_ahead(self, count: int) -> None:
        self._ahead_bytes = count
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, count)


def _reason(error: ssl.SSLError) -> str:
    return (error.reason or str(error)).replace("_", " ").lower()


def is_over(event: h2.events.Event, stream: int) -> bool:
    """Return whether an event is the end of a stream's answer."""
    return isinstance(event, h2.events.StreamEnded) and event.stream_id == stream
