# SPDX-License-Identifier: Apache-2.0
"""A web server for the folder `www` of a host: nginx, with a certificate that nobody signed."""

from typing import Final

from gatemark.kind.application.application import Stage

SERVER: Final = {"nginx": "nginx-light", "openssl": "openssl"}  # what it needs
NEEDS: Final = {**SERVER, "chromium": "chromium"}  # with a browser
CONFIG: Final = """
daemon off; master_process off; error_log stderr; pid {folder}/pid;
events {{ worker_connections 512; }}
http {{
  access_log off; sendfile on; keepalive_timeout 60;
  types {{
    text/html html; text/javascript js; application/vnd.apple.mpegurl m3u8; video/mp4 mp4 m4s;
    application/dash+xml mpd;
  }}
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen {far}:443 ssl {words}; server_name gatemark.test; root {folder}/www;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
  }}
}}
"""


def certified(stage: Stage) -> None:
    """Make a key and a certificate for a web server: `key.pem`, `cert.pem`."""
    stage.run(
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-nodes", "-days", "2", "-subj", "/CN=gatemark.test"),
        *("-keyout", f"{stage.folder}/key.pem", "-out", f"{stage.folder}/cert.pem"),
    )


def served(stage: Stage, words: str = "") -> None:
    """Start a web server for the folder `www`; `words`: of its `listen`."""
    certified(stage)
    config = CONFIG.format(folder=stage.folder, far=stage.far, words=words)
    stage.start("nginx", "-e", "stderr", "-c", str(stage.file("nginx.conf", config)))
    stage.listening(443)
