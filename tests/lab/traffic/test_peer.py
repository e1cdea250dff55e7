# SPDX-License-Identifier: Apache-2.0
"""A known tool crosses the lab as it would cross a box."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from gatemark.run import keep
from gatemark.station.recover import recover

SECONDS = 1


@pytest.fixture
def lab() -> Iterator[str]:
    """An open lab that NATs, with an iperf3 server on its WAN host; its name."""
    recover()
    name = keep.up("nat", 0, print).lab
    command = ["ip", "netns", "exec", f"gm-{name}-wan", "iperf3", "-s", "-1", "--forceflush"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    while "listening" not in (line := server.stdout.readline()):
        assert line, "the server ended"
    yield name
    server.terminate()
    server.communicate()
    keep.down()


def counted(lab: str) -> dict[str, dict[str, dict[str, int]]]:
    """What the gateway's ports counted: device -> rx, tx -> packets and more."""
    command = ["ip", "-n", f"gm-{lab}-gw", "-s", "-j", "link", "show"]
    links = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {link["ifname"]: link["stats64"] for link in links}


@pytest.mark.long
@pytest.mark.parametrize("words", ["-u -b 5M -l 200", "-b 5M"], ids=["udp", "tcp"])
def test_iperf3_gets_through_nat_both_ways(lab: str, words: str) -> None:
    """What its program had no time to read of what came is for a busy machine to say."""
    client = f"iperf3 -c 198.19.1.2 --bidir -t {SECONDS} --json {words}"
    command = ["ip", "netns", "exec", f"gm-{lab}-lan", *client.split()]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for way in ("", "_bidir_reverse"):
        assert report["end"][f"sum_received{way}"]["bytes"] > 0
    ports = counted(lab)
    for came, went in (("gw0", "gw1"), ("gw1", "gw0")):
        assert ports[went]["tx"]["packets"] > 0.9 * ports[came]["rx"]["packets"] > 100
