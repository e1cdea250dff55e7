# SPDX-License-Identifier: Apache-2.0
"""The same page, and a download, over HTTP/3: caddy serves them, since Debian's nginx has none.

Chromium takes QUIC at once for this one origin. It has no exception for a certificate that nobody
signed but by the digest of its key.
"""

import base64
import hashlib
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.page import H1, LOADED, use, write
from gatemark.kind.application.program.torrent import TORRENT
from gatemark.kind.application.web import certified

PORT: Final = 443
PIECE: Final = 1 << 20
PIECES: Final = 64
FIRST_S: Final = 30.0  # of the page that is loaded before
CONFIG: Final = """
{{
  admin off
  auto_https off
  storage file_system {folder}/caddy
}}
https://:443 {{
  bind {far}
  tls {folder}/cert.pem {folder}/key.pem
  root * {folder}/www
  file_server
}}
"""
CAME: Final = "came"
# Counts what has come, until it is asked.
FETCH: Final = """
window.came = 0;
fetch('data', {cache: 'no-store'}).then(async got => {
  for (const reader = got.body.getReader();;) {
    const {done, value} = await reader.read();
    if (done) break;
    came += value.length;
  }
}); 0
"""


def serve(stage: Stage) -> Iterator[Report]:
    """Serve the page, and a file of 64 MiB with holes for content; hand the digest of the key."""
    write(stage)
    with stage.file("www/data", "").open("wb") as data:
        data.truncate(PIECE * PIECES)
    certified(stage)
    config = stage.file("Caddyfile", CONFIG.format(folder=stage.folder, far=stage.far))
    stage.start("caddy", "run", "--adapter", "caddyfile", "--config", str(config))
    stage.listening(PORT, "udp")
    words = ("openssl", "pkey", "-in", f"{stage.folder}/key.pem", "-pubout")
    public = base64.b64decode("".join(stage.run(*words).splitlines()[1:-1]))  # PEM, as DER
    yield {"key": base64.b64encode(hashlib.sha256(public).digest()).decode()}


def options(stage: Stage) -> tuple[str, str]:
    """Return the browser's options for the far host's QUIC."""
    return (
        f"--origin-to-force-quic-on={stage.far}:{PORT}",
        f"--ignore-certificate-errors-spki-list={stage.handed['key']}",
    )


def load(stage: Stage) -> Iterator[Report]:
    """Load the page as often as the time allows."""
    return use(stage, "h3", *options(stage))


def download(stage: Stage) -> Iterator[Report]:
    """Load the file from the judged time's begin."""
    page = stage.browser(*options(stage)).page()
    page.go(f"https://{stage.far}/index.html", FIRST_S)
    if (spoken := page.run(LOADED.format("nextHopProtocol"))) != "h3":
        raise RuntimeError(f"the page was loaded by {spoken}, not h3")
    yield {}
    began = time.monotonic()
    page.run(FETCH)
    stage.pause(stage.seconds)
    came = page.run(CAME)
    yield {"values": {"download_bps": came * 8 / (time.monotonic() - began)}}


NEEDS: Final = {"caddy": "caddy", "openssl": "openssl", "chromium": "chromium"}
H3: Final = replace(H1, name="page-h3", title="page (HTTP/3)", needs=NEEDS, serve=serve, use=load)
QUIC: Final = replace(
    TORRENT,
    name="quic",
    title="download (HTTP/3)",
    label="bulk",
    needs=NEEDS,
    serve=serve,
    use=download,
    waits=1.0,
)
