# SPDX-License-Identifier: Apache-2.0
"""Files of rules: what is read of them, and what is refused with a line."""

import shutil
from pathlib import Path

import pytest

from gatemark.error import NodeError, UsageError
from gatemark.price import queue, read
from gatemark.price.session import refusal

NFT = """define WAN = "ppp0"
define LAN = { br-lan, wg0 }
table inet filter {
  chain forward {
    iifname $LAN oifname $WAN ip saddr 192.168.7.0/24 accept
    iif lo accept
  }
}
"""
SAVED = """*filter
:FORWARD DROP [0:0]
-A FORWARD -i eth1 -o ppp0 -s 10.3.0.0/16 -j ACCEPT
-A FORWARD -m string --string foo --algo bm -j DROP
COMMIT
"""


def write(tmp_path: Path, text: str | bytes) -> Path:
    """A file with this in it."""
    file = tmp_path / "rules"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def test_interfaces_are_known_by_rules_and_by_definitions(tmp_path: Path) -> None:
    rules = read.read(write(tmp_path, NFT))
    assert {"br-lan", "wg0", "ppp0", "lo"} == {*rules.names}
    assert rules.ports() == {"gw0": "br-lan", "gw1": "ppp0"}
    assert rules.ports(lan="wg0") == {"gw0": "wg0", "gw1": "ppp0"}
    assert rules.client == "192.168.7.77"


def test_the_wan_side_has_an_address_that_no_network_of_the_rules_has(tmp_path: Path) -> None:
    assert read.read(write(tmp_path, NFT)).ends() == {"lan": "192.168.7.77", "wan": "198.19.1.254"}
    bogons = "table ip t { chain c { ip saddr { 198.18.0.0/15, 151.101.0.0/16 } drop; } }"
    assert read.read(write(tmp_path, bogons)).server == "8.8.8.8"
    all_of_it = "table ip t { chain c { ip saddr 0.0.0.0/0 accept; } }"
    assert read.read(write(tmp_path, all_of_it)).server == "198.19.1.254"


def test_rules_without_an_interface_keep_the_guests_own(tmp_path: Path) -> None:
    assert read.read(write(tmp_path, "table ip t { chain c { accept; } }")).ports() == {}


@pytest.mark.skipif(not shutil.which("iptables-restore-translate"), reason="apt: iptables")
def test_what_has_no_translation_is_named(tmp_path: Path) -> None:
    rules = read.read(write(tmp_path, SAVED))
    assert 'iifname "eth1" oifname "ppp0" ip saddr 10.3.0.0/16' in rules.text
    assert any("--string foo" in note for note in rules.notes)
    assert rules.client == "10.3.0.77"


@pytest.mark.skipif(not shutil.which("iptables-restore-translate"), reason="apt: iptables")
def test_what_the_translator_refuses_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="rules:3: iptables-restore-translate: .*99"):
        read.read(write(tmp_path, SAVED.replace("/16", "/99")))


@pytest.mark.skipif(not shutil.which("iptables-restore-translate"), reason="apt: iptables")
def test_a_file_may_have_the_line_ends_of_windows(tmp_path: Path) -> None:
    rules = read.read(write(tmp_path, SAVED.replace("\n", "\r\n")))
    assert rules.ports() == {"gw0": "eth1", "gw1": "ppp0"}


def test_json_is_taken_as_it_is(tmp_path: Path) -> None:
    text = '{"nftables": [{"rule": {"expr": [{"match": {"op": "==", "left": {"meta": '
    text += '{"key": "iifname"}}, "right": "lan1"}}]}}]}'
    rules = read.read(write(tmp_path, text))
    assert (rules.form, rules.names) == ("json", ("lan1",))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('table ip t {}\n  include "/etc/passwd"\n', ":2: `include`"),
        (b"table ip t {}\n\xff\n", ":2: not UTF-8"),
        ("table ip t {}\n\n\0", ":3: a zero byte"),
        ("  \n", "empty"),
        ('{"nftables": [', ":1: no JSON"),
        ('{"rules": []}', 'no "nftables"'),
        ("{" * 100_000, "no JSON"),
        ("qdisc fq_codel 0: dev eth0 root refcnt 2 limit $(reboot)\n", "no word of tc's"),
        ("qdisc htb 1: dev eth0 root refcnt 2 r2q 10\n", "no queue in it that can be priced"),
    ],
)
def test_what_is_no_file_of_rules_is_refused_with_a_line(
    tmp_path: Path, text: str | bytes, why: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read.read(write(tmp_path, text))
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = write(tmp_path, "")
    with file.open("ab") as opened:
        opened.truncate(read.MOST_BYTES + 1)
    with pytest.raises(UsageError, match="10000001 bytes"):
        read.read(file)


def test_a_refusal_of_nft_is_one_line_that_steers_no_terminal() -> None:
    output = "/dev/stdin:4:2-9: Error: syntax \x1b]0;title\x07error\n  the line\n  ^^^^\n"
    text = refusal(NodeError("gateway: 'nft' failed", output))
    assert text == "line 4:2-9: Error: syntax \\x1b]0;title\\x07error"


def test_queues_become_the_words_that_tc_takes(tmp_path: Path) -> None:
    text = """qdisc fq_codel 8001: dev eth1 root refcnt 2 limit 10240p target 5ms ecn
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
qdisc noqueue 0: dev lo root refcnt 2
qdisc htb 1: dev wan root refcnt 2 r2q 10 default 0x10
"""
    rules = read.read(write(tmp_path, text))
    assert rules.form == read.QUEUES
    assert rules.ports() == {"gw0": "eth1"}
    (only,) = queue.read("f", text).queues
    assert only.text == "eth1 fq_codel limit 10240 target 5ms ecn"
    assert "classes are not in this file" in rules.notes[0]
