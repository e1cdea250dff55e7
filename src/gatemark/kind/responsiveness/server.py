# SPDX-License-Identifier: Apache-2.0
"""The server of a responsiveness test: small and endless objects, uploads, and where they are.

It runs on the WAN host. Clients of others can test through the bench by it: where things are stands
under `/.well-known/nq`, as the draft has it, and under `/config`, where tools in the field look
first; in both by the draft's names and by those of such tools. An end or an error of a stream is
that stream's alone (RFC 9113 sections 5.1 and 5.4.2), one of a connection that connection's.

Asked for (one line of JSON): `address`, `port`, `family` (4, 6), `tls` with `certificate` and `key`
(PEM), `congestion`, `dscp`, `peers` (addresses that it answers; none: all), `cpu`. Reports: `bytes`
uploaded, `rate` (of them, in bins), `cpu_ns`, `asked` (by path), `ended` (connections, by what
ended them), `strangers`, `ahead_bytes` (what small answers beside a load had before them on this
host).
"""

import resource
import socket
import ssl
import time
from collections import Counter, deque
from typing import Final

import h2.events
import h2.exceptions

from gatemark.kind.responsiveness import http1, job, tls, where
from gatemark.kind.responsiveness.bins import Bins
from gatemark.kind.responsiveness.channel import Channel, ClosedError
from gatemark.kind.responsiveness.loop import Loop
from gatemark.kind.responsiveness.sockets import listener
from gatemark.workload import talk

SMALL, LARGE, UPLOAD = "/small", "/large", "/upload"
PATHS: Final = (SMALL, LARGE, UPLOAD, *where.PATHS)
BYTES: Final = "application/octet-stream"
JSON: Final = "application/json"
# h2 on an answer to a stream that is closed, or that it has forgotten since.
GONE: Final = (h2.exceptions.NoSuchStreamError, h2.exceptions.StreamIDTooLowError)
OLD_BODIES: Final = {SMALL: b"1", UPLOAD: b""}  # of answers without h2
OLD: Final = 0  # the stream of an endless object without h2
TURN_NS: Final = 1_000_000_000
MOST_OPEN: Final = 2000  # connections
MOST_STREAMS: Final = 8000  # of all together, some KiB each; a client of ours has two of each
OTHER_FILES: Final = 64  # that a process has open besides
BACKLOG: Final = 512


class Served:
    """One connection to the server."""

    def __init__(self, server: "Server", sock: socket.socket) -> None:
        self.server = server
        self.channel = Channel(sock, server.tls, client=False)
        self.is_closed = False
        self.is_load = False
        self.streams = 0
        self._endless: deque[int] = deque()  # streams of endless objects, which take turns
        self._uploads: dict[int, int] = {}  # stream -> bytes so far
        self._old_requests: http1.Requests | None = None
        self._is_last = False  # its client wants it closed after what is written
        self._bodies: dict[int, bytes] = {}  # stream -> what is left of a small answer

    def fileno(self) -> int:
        """Of its socket."""
        return self.channel.sock.fileno()

    def begin(self) -> None:
        """Greet."""
        try:
            self.channel.greet()
        except ClosedError as error:
            self.close(str(error))

    def readable(self) -> None:
        """Answer what was asked; small answers go before the next frame of a load."""
        try:
            for event in self.channel.receive():
                self._event(event)
            self.server.count(self, self.channel.http.open_inbound_streams)
            if self.is_closed:
                return
            self._pour()
            if self.channel.old is not None:
                self._old(self.channel.old)
            self.channel.push()
        except (ClosedError, http1.OddError) as error:
            self.close(str(error))
        except h2.exceptions.ProtocolError as error:
            self.close(f"HTTP/2: {error}")
        else:
            self._want()

    def writable(self) -> None:
        """Send what is left, then one frame of an endless object."""
        try:
            if self.channel.flush() and self._endless:
                self._endless.rotate(-1)
                if not self.channel.feed(self._endless[0]):
                    self._endless.rotate(-1)  # its window is full
                    self.server.loop.want(self, write=self.channel.has_left)
                    return
        except ClosedError as error:
            self.close(str(error))
        else:
            self._want()

    def close(self, why: str) -> None:
        """End it, and note why."""
        if not self.is_closed:
            self.is_closed = True
            self.server.ended[why] += 1
            self.server.loop.drop(self)
            self.channel.close()
            self.server.streams -= self.streams
            del self.server.open[self]

    def _want(self) -> None:
        if self._is_last and not self.channel.has_left:
            self.close("the client wanted no more")
            return
        self.server.loop.want(self, write=self.channel.has_left or bool(self._endless))

    def _event(self, event: h2.events.Event) -> None:
        """Answer an event; its stream may be closed by one that came in the same read."""
        try:
            self._answer_event(event)
        except GONE as error:
            self._gone(error.stream_id)

    def _answer_event(self, event: h2.events.Event) -> None:
        match event:
            case h2.events.RequestReceived(stream_id=int(stream), headers=list(headers)):
                self._request(stream, dict(headers))
            case h2.events.DataReceived(stream_id=int(stream), data=bytes(data)):
                self._came(stream, len(data), int(event.flow_controlled_length or 0))
            case h2.events.StreamEnded(stream_id=int(stream)) if stream in self._uploads:
                del self._uploads[stream]
                self._answer(stream, b"", "text/plain")
            case h2.events.StreamReset(stream_id=int(stream)):
                self._gone(stream)
            case h2.events.ConnectionTerminated():
                raise ClosedError("the client ended it")

    def _request(self, stream: int, headers: dict[bytes, bytes]) -> None:
        path = headers.get(b":path", b"").decode(errors="replace").partition("?")[0]
        self.server.asked[path if path in PATHS else "other"] += 1
        authority = headers.get(b":authority", b"").decode(errors="replace")
        only_head = headers.get(b":method") == b"HEAD"
        match path:
            case "/small":
                if self.is_load:
                    self.server.ahead_bytes.append(self.channel.ahead_bytes())
                self._answer(stream, b"1", BYTES, only_head=only_head)
            case "/large" if only_head:
                self._head(stream, 200, BYTES, ended=True)
            case "/large":
                self.is_load = True
                self._head(stream, 200, BYTES, ended=False)
                self._endless.append(stream)
            case "/upload":
                self.is_load = True
                self._uploads[stream] = 0
            case "/.well-known/nq" | "/config" if len(authority) <= where.LONGEST_AUTHORITY:
                self._answer(stream, self._where(authority), JSON, only_head=only_head)
            case _:
                self._head(stream, 404, "text/plain", ended=True)

    def _old(self, pending: bytearray) -> None:
        """Answer a client without h2. Behind an endless object nothing is asked any more."""
        self._old_requests = self._old_requests or http1.Requests(pending)
        for asked in self._old_requests.take():
            if self._is_last or self._endless:
                pending.clear()
            elif isinstance(asked, int):
                self.is_load = True
                self.server.came.add(self.channel.read_ns, asked)
            elif isinstance(asked, http1.Waits):
                self.channel.say(http1.GO_ON)
            else:
                self._old_answer(asked)

    def _old_answer(self, asked: http1.Asked) -> None:
        self.server.asked[asked.path if asked.path in PATHS else "other"] += 1
        only_head = asked.method == "HEAD"
        if asked.path == LARGE:
            self.is_load = not only_head
            self._endless.extend(() if only_head else (OLD,))
            self.channel.say(http1.endless(BYTES))
        else:
            is_where = asked.path in where.PATHS and len(asked.host) <= where.LONGEST_AUTHORITY
            body = self._where(asked.host) if is_where else OLD_BODIES.get(asked.path)
            kind = JSON if is_where else BYTES
            self.channel.say(http1.answer(body, kind, only_head=only_head))
        self._is_last = (asked.is_last or asked.path == LARGE) and not self._endless

    def _where(self, authority: str) -> bytes:
        return where.configuration(authority, secure=self.server.tls is not None)

    def _came(self, stream: int, size: int, taken: int) -> None:
        if taken:
            self.channel.http.acknowledge_received_data(taken, stream)
        if stream in self._uploads:
            self._uploads[stream] += size
            self.server.came.add(self.channel.read_ns, size)

    def _gone(self, stream: int) -> None:
        self._uploads.pop(stream, None)
        self._bodies.pop(stream, None)
        if stream in self._endless:
            self._endless.remove(stream)

    def _answer(self, stream: int, body: bytes, kind: str, *, only_head: bool = False) -> None:
        ended = only_head or not body
        self._head(stream, 200, kind, ended=ended, size=len(body))
        if not ended:
            self._bodies[stream] = body

    def _pour(self) -> None:
        """Send small answers as far as the client's windows reach (RFC 9113 section 6.9)."""
        http = self.channel.http
        for stream, body in tuple(self._bodies.items()):
            left = body
            while left and (window := http.local_flow_control_window(stream)) > 0:
                size = min(len(left), window, http.max_outbound_frame_size)
                http.send_data(stream, left[:size], end_stream=size == len(left))
                left = left[size:]
            self._bodies[stream] = left
        self._bodies = {stream: left for stream, left in self._bodies.items() if left}

    def _head(self, stream: int, status: int, kind: str, *, ended: bool, size: int = -1) -> None:
        headers = [(":status", str(status)), ("content-type", kind)]
        headers += [("content-length", str(size))] if size >= 0 else []
        self.channel.http.send_headers(stream, headers, end_stream=ended)


class Server:
    """The listening socket and all connections."""

    is_load = False
    is_closed = False

    def __init__(self, request: talk.Request, loop: Loop) -> None:
        self.loop = loop
        self.tls = (
            tls.server_context(request["certificate"], request["key"]) if request["tls"] else None
        )
        self.peers = frozenset(request.get("peers", ()))
        self.asked: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.ahead_bytes: list[int] = []
        self.came = Bins()
        self.strangers = 0
        self.open: dict[Served, None] = {}  # the oldest first
        self.streams = 0  # of all together
        self._most = min(MOST_OPEN, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - OTHER_FILES)
        self.sock = listener(request, BACKLOG)

    def fileno(self) -> int:
        """Of the listening socket."""
        return self.sock.fileno()

    def readable(self) -> None:
        """Take all connections that wait."""
        while True:
            try:
                sock, address = self.sock.accept()
            except BlockingIOError:
                return
            except OSError:  # it was gone before it was taken, or there is no descriptor left
                return
            if (self.peers and address[0] not in self.peers) or not self._has_room():
                self.strangers += 1
                sock.close()
                continue
            sock.setblocking(False)
            served = Served(self, sock)
            self.open[served] = None
            self.loop.add(served, write=False)
            served.begin()

    def count(self, served: Served, streams: int) -> None:
        """Take note of a connection's streams; of too many who has most loses his."""
        self.streams += streams - served.streams
        served.streams = streams
        while self.streams > MOST_STREAMS:
            most = max(self.open, key=lambda served: served.streams)
            most.close("it had most of too many streams")

    def _has_room(self) -> bool:
        """Make room where there is none: most clients never close what they probed by."""
        if len(self.open) < self._most:
            return True
        idle = next((served for served in self.open if not served.is_load), None)
        if idle:
            idle.close("it rested, and there were too many")
        return idle is not None

    def writable(self) -> None:
        """Nothing is written there."""


def serve(pipe: talk.Talk, request: talk.Request, loop: Loop) -> None:
    """Serve until the laboratory closes the pipe, then report."""
    server = Server(request, loop)
    talk.least_power()
    loop.add(server, write=False)
    pipe.say("ready", port=str(server.sock.getsockname()[1]))
    cpu_ns = time.process_time_ns()
    while not pipe.closed:
        loop.turn(time.monotonic_ns() + TURN_NS)
    pipe.say(
        "done",
        bytes=server.came.total,
        rate=server.came.report(),
        cpu_ns=time.process_time_ns() - cpu_ns,
        asked=dict(server.asked),
        ended=dict(server.ended),
        strangers=server.strangers,
        ahead_bytes=server.ahead_bytes,
        openssl=ssl.OPENSSL_VERSION,
    )


if __name__ == "__main__":
    job.main(serve)
