# SPDX-License-Identifier: Apache-2.0
"""A known tool crosses the lab as it would cross a box."""

import json
import subprocess
import time
from collections.abc import Iterator

import pytest

from gatemark.run import keep
from gatemark.station.recover import recover

SECONDS = 1


@pytest.fixture
def iperf3_server() -> Iterator[str]:
    """An open lab that NATs, with an iperf3 server on its WAN host; yields the lab's name."""
    recover()
    lab = keep.up("nat", 0, print).lab
    command = ["ip", "netns", "exec", f"gm-{lab}-wan", "iperf3", "-s", "-1"]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    yield lab
    server.terminate()
    server.wait()
    keep.down()


@pytest.mark.parametrize("words", ["-u -b 5M -l 200", "-b 5M"], ids=["udp", "tcp"])
def test_iperf3_gets_through_nat_both_ways(iperf3_server: str, words: str) -> None:
    client = f"iperf3 -c 198.19.1.2 --bidir -t {SECONDS} --json {words}"
    command = ["ip", "netns", "exec", f"gm-{iperf3_server}-lan", *client.split()]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for way in ("", "_bidir_reverse"):
        sent, received = (report["end"][f"sum_{end}{way}"]["bytes"] for end in ("sent", "received"))
        assert received > sent / 2 > 0
