# SPDX-License-Identifier: Apache-2.0
"""The dashboard for Grafana: each query names what is exported, and Prometheus answers it."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import cache
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest
from runner.process import ROOT
from sample import unpack

from gatemark.store.directory import RunDirectory
from gatemark.tell.export import form
from gatemark.tell.group.source import Source, judged

FILE = ROOT / "templates" / "grafana.json"
METRIC = re.compile(r"\bgatemark_\w+")
SELECTED = re.compile(r"\b(gatemark_\w+)\{([^}]*)\}")
VARIABLE = re.compile(r"label_values\((.*), (\w+)\)")
LISTENING = re.compile(r'msg="Listening on" address=127\.0\.0\.1:(\d+)')
PATIENCE_S = 60.0
SCRAPING = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs: [{{job_name: gatemark, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}]
"""


@cache
def dashboard() -> Any:
    return json.loads(FILE.read_text())


def queries() -> list[str]:
    """Each query of a panel, and of a variable, as the file has it."""
    panels = [each["expr"] for panel in dashboard()["panels"] for each in panel["targets"]]
    kept = [
        each["definition"] for each in dashboard()["templating"]["list"] if "definition" in each
    ]
    return [*panels, *kept]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """The run that README shows."""
    folder = unpack(tmp_path_factory.mktemp("run"))
    contents = RunDirectory.open(folder).contents()
    return judged(contents, folder, contents.run.run, drawn=False)


@pytest.fixture(scope="module")
def labels(source: Source) -> dict[str, set[str]]:
    """The labels of each metric that is exported."""
    known: dict[str, set[str]] = {}
    for line in form.export("openmetrics", [source]).decode().splitlines():
        if not line.startswith("#"):
            name, _, rest = line.partition("{")
            known.setdefault(name, set()).update(re.findall(r'(\w+)="', rest))
    return known


def test_every_query_names_a_metric_that_is_exported(labels: dict[str, set[str]]) -> None:
    names = {name for query in queries() for name in METRIC.findall(query)}
    assert names - labels.keys() == set()
    assert len(names) > 5


def test_every_query_selects_by_labels_that_the_metric_has(labels: dict[str, set[str]]) -> None:
    assert [
        (name, label)
        for query in queries()
        for name, chosen in SELECTED.findall(query)
        for label in re.findall(r"(\w+)(?:=~|=)", chosen)
        if label not in labels[name]
    ] == []


def test_no_two_panels_cover_each_other() -> None:
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in dashboard()["panels"])
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(cells) == len(set(cells))


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Debian's Prometheus, from its package: to install that would start a server."""
    if there := shutil.which("prometheus"):
        return Path(there)
    folder = tmp_path_factory.mktemp("package")
    try:
        subprocess.run(["apt-get", "-q", "download", "prometheus"], cwd=folder, check=True)
        (package,) = folder.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no prometheus, and no apt-get that downloads one")
    return folder / "usr/bin/prometheus"


@pytest.fixture(scope="module")
def prometheus(
    program: Path, source: Source, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[int]:
    """The port of a Prometheus that has read the run's metrics, as OpenMetrics."""
    data = form.export("openmetrics", [source])

    class Metrics(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            kind = "application/openmetrics-text; version=1.0.0; charset=utf-8"
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    folder = tmp_path_factory.mktemp("prometheus")
    with ThreadingHTTPServer(("127.0.0.1", 0), Metrics) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        (folder / "it.yml").write_text(SCRAPING.format(port=server.server_port))
        with (folder / "log").open("w") as log:
            options = [f"--config.file={folder}/it.yml", f"--storage.tsdb.path={folder}/data"]
            argv = [str(program), *options, "--web.listen-address=127.0.0.1:0"]
            process = subprocess.Popen(argv, stderr=log)
        try:
            yield listening(folder / "log")
        finally:
            process.terminate()
            process.wait()
            server.shutdown()


def listening(log: Path) -> int:
    """Return the port that a Prometheus says it listens on, once it has samples."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        time.sleep(0.2)
        port = LISTENING.search(log.read_text())
        if port and answered(int(port[1]), "gatemark_run_info"):
            return int(port[1])
    pytest.fail(f"no sample was scraped: {log.read_text()[-2000:]}")


def answered(port: int, query: str) -> list[Any]:
    """The series that a query finds just now."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    connection.request("GET", f"/api/v1/query?query={quote(query)}")
    answer = json.loads(connection.getresponse().read())
    assert answer["status"] in ("success", "error"), answer
    if answer["status"] == "error":
        assert "not ready" in answer["error"].lower(), answer
        return []
    return list(answer["data"]["result"])


@pytest.mark.long
def test_prometheus_answers_each_query_with_series(prometheus: int, source: Source) -> None:
    values = {"$run": source.label, "$station": source.run.station.name, "$plan": ".*"}
    empty = []
    for query in queries():
        filled = VARIABLE.sub(r"\1", query)
        for name, value in values.items():
            filled = filled.replace(name, value)
        if not answered(prometheus, filled):
            empty.append(query)
    assert empty == []
