# SPDX-License-Identifier: Apache-2.0
"""The place where two pages of browsers meet: it serves the page, and hands on what each leaves."""

import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

PORT: Final = 8000
WAIT_S: Final = 60.0  # for what the other page leaves
LOOK_S: Final = 0.5
MOST_BYTES: Final = 1 << 20


class Meeting(ThreadingHTTPServer):
    """Serves from its making on, in threads of this process."""

    daemon_threads = True

    def __init__(self, address: str, page: str) -> None:
        super().__init__((address, PORT), Visit)
        self.page = page.encode()
        self.left: dict[str, bytes] = {}
        self.came: defaultdict[str, threading.Event] = defaultdict(threading.Event)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        self.serve_forever(LOOK_S)


class Visit(BaseHTTPRequestHandler):
    """A request: `/` is the page, any other path what a page has left there, once it has."""

    server: Meeting

    def do_GET(self) -> None:
        """Hand over."""
        if self.path == "/":
            self._say(self.server.page, "text/html")
        elif self.server.came[self.path].wait(WAIT_S):
            self._say(self.server.left[self.path], "application/json")
        else:
            self.send_error(404)

    def do_PUT(self) -> None:
        """Keep it."""
        size = min(MOST_BYTES, int(self.headers["Content-Length"]))
        self.server.left[self.path] = self.rfile.read(size)
        self.server.came[self.path].set()
        self._say(b"", "text/plain")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  as the base has it
        """Print nothing: stdout is the laboratory's."""

    def _say(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
