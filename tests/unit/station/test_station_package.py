# SPDX-License-Identifier: Apache-2.0
"""Packages come by this machine's own apt, from a server that stands for the distribution's."""

import hashlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from gatemark.station.image import package

CONTROL = """\
Package: {name}
Version: 1
Architecture: all
Maintainer: nobody <nobody@example.org>
Description: a package without a file
"""

pytestmark = pytest.mark.skipif(not shutil.which("apt-get"), reason="no apt-get here")


def made(folder: Path, name: str) -> str:
    """A package in a folder; its paragraph for the list of packages."""
    control = folder / name / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    control.write_text(CONTROL.format(name=name))
    file = folder / f"{name}_1_all.deb"
    subprocess.run(
        ["dpkg-deb", "--build", str(folder / name), str(file)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    size = file.stat().st_size
    return f"{CONTROL.format(name=name)}Filename: ./{file.name}\nSize: {size}\nSHA256: {digest}\n"


class Asked(SimpleHTTPRequestHandler):
    """Serves the packages, and notes the user of each client by its socket (/proc/net/tcp)."""

    users: ClassVar[set[int]] = set()

    def do_GET(self) -> None:
        own = f":{self.client_address[1]:04X}"
        for row in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            words = row.split()
            if words[1].endswith(own):
                self.users.add(int(words[7]))
        super().do_GET()

    def log_message(self, *_: object) -> None:
        """Nothing: the test's output is its own."""


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A server of two packages in the distribution's place."""
    listed = "\n".join(made(tmp_path, each) for each in ("linux-image-test", "tool"))
    (tmp_path / "Packages").write_text(listed)
    sources = tmp_path / "sources.list"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Asked, directory=str(tmp_path)))
    sources.write_text(f"deb [trusted=yes] http://127.0.0.1:{server.server_port} ./\n")
    own = f'Dir::Etc::sourcelist "{sources}";\nDir::Etc::sourceparts "-";\n'
    direct = 'Acquire::http::Proxy "DIRECT";\n'
    monkeypatch.setattr(package, "CONFIG", package.CONFIG + own + direct)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Asked.users.clear()
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


@pytest.mark.long
@pytest.mark.usefixtures("source")
def test_a_kernel_and_its_tools_are_fetched_by_apts_own_user() -> None:
    folder = package.packages("amd64", "linux-image-test", ["tool"], print)
    fetched = {path.name for path in folder.glob("*.deb")}
    assert fetched == {"linux-image-test_1_all.deb", "tool_1_all.deb"}
    if os.geteuid() == 0:  # apt gives up what another user is anyway
        assert {pwd.getpwuid(user).pw_name for user in Asked.users} == {"_apt"}
