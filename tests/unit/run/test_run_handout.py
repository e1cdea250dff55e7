# SPDX-License-Identifier: Apache-2.0
"""What is left out of a file that strangers read, and what stays so that they can help."""

from gatemark.run.handout import uci
from gatemark.run.handout.handout import Answers, handout
from gatemark.run.handout.redact import Redaction
from gatemark.run.survey import Row

CURVE = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----"


SECRETS = [  # a text, and what of it is not to be shown
    (PEM, "b3BlbnNza"),
    ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHJ3 anna@pc", "AAAAC3"),
    (f"peer {CURVE} allowed", "yAnz5"),
    ("key SHA256:7nJWl3aXxrCg3FAaIfUapk8nAYzUsmTJUlTei55v81I from", "7nJWl3"),
    ("network.wan.password='hunter two'", "hunter"),
    ('password = "hunter2"', "hunter2"),
    ("wireless.default_radio0.key=correct horse", "horse"),
    ("wpa_psk: 0123456789abcdef0123456789abcdef", "0123"),
    ("username='anna@isp.example'", "anna"),
    ("token=eyJhbGciOi", "eyJ"),
    ("http://anna:pw@192.168.1.2/", "anna"),
    ("psk 0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef", "9ABCD"),
    ("link/ether 3c:37:12:ab:cd:ef brd", "ab:cd"),
    ("AA-BB-CC-11-22-33", "BB-CC"),
    ("host OpenWrt-3c3712abcdef up", "3c3712"),
    ("inet 93.184.216.34/24", "93.184"),
    ("inet6 2a02:8109:1234::5/64", "8109"),
    ("inet6 fdfe:c6b6:e592::1/60", "c6b6"),
    ("inet6 fe80::3e37:12ff:feab:cdef/64", "3e37"),
    ("default via 93.184.216.1 dev wan", "93.184"),
    ("no file /home/anna/keys/box", "anna"),
    ('drop comment "Anna\'s phone"', "phone"),
    ("anna-laptop: no such NIC", "laptop"),
]


def test_a_secret_is_left_out() -> None:
    shown = [(secret, Redaction(["anna-laptop"]).text(text)) for text, secret in SECRETS]
    assert [(secret, text) for secret, text in shown if secret in text] == []


HARMLESS = [
    "2: br-lan    inet 192.168.1.1/24 brd 192.168.1.255 scope global br-lan",
    "inet 198.18.1.1/24 198.19.1.1/24 192.0.2.2/24 netmask 255.255.255.0",
    "inet6 fe80::1/64 2001:2:0:1::1/64 2001:db8::1 ::1/128 ff02::1",
    'iifname "br-lan" jump input_lan comment "!fw4: Handle lan IPv4/IPv6 input traffic"',
    'accept comment "!fw4: Allow-DHCP-Renew"',
    "qdisc fq_codel 0: parent :1 limit 10240p flows 1024 quantum 1514 target 5ms",
    "link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff",
    "kernel Linux 6.1.0-18-cloud-amd64 at 12:34:56, QEMU 7.2.9",
    'password = "ask"',
    "type filter hook forward priority filter; policy drop;",
]


def test_what_identifies_nobody_stays() -> None:
    shown = [(text, Redaction(["OpenWrt"]).text(text)) for text in HARMLESS]
    assert [(text, changed) for text, changed in shown if changed != text] == []


def test_the_same_thing_has_the_same_name_everywhere() -> None:
    redaction = Redaction()
    first = redaction.text("3c:37:12:ab:cd:ef at 93.184.216.34/24")
    second = redaction.text("93.184.216.34 is 3C:37:12:AB:CD:EF, not 93.184.216.35")
    assert first == "mac-1 at ipv4-1/24"
    assert second == "ipv4-1 is mac-1, not ipv4-2"
    assert redaction.counts == {"mac": 1, "ipv4": 2}


CONFIGURATION = """\
network.wan=interface
network.wan.proto='pppoe'
network.wan.device='eth2'
network.wan.username='anna'
network.wan.password='hunter2'
firewall.cfg02dc81=zone
firewall.cfg02dc81.name='lan'
firewall.cfg05=rule
firewall.cfg05.name='Annas-phone'
firewall.cfg05.src_ip='93.184.216.34'
wireless.default_radio0=wifi-iface
wireless.default_radio0.ssid='Annas flat'
wireless.default_radio0.key='a secret
 of two lines'
wireless.default_radio0.encryption='psk2'
"""


def test_of_a_configuration_only_options_without_secrets_are_shown() -> None:
    shown = uci.shown(CONFIGURATION, Redaction())
    assert "network.wan.proto='pppoe'" in shown
    assert "firewall.cfg02dc81.name='lan'" in shown
    assert "wireless.default_radio0.encryption='psk2'" in shown
    assert "network.wan.password=(left out)" in shown
    for secret in ("anna", "Anna", "hunter2", "93.184", "secret", "two lines"):
        assert secret not in shown


def test_a_file_has_check_inventory_and_configuration_and_says_what_it_lacks() -> None:
    told = Answers(
        {"gateway": {"model": "A box", "addresses": "1: eth0\n2: inet 93.184.216.34/24"}},
        {"host": "annas-box", "uci": CONFIGURATION, "log": "annas-box is up"},
    )
    rows = [Row("wan cable", ok=False, text="nothing arrives at 3c:37:12:ab:cd:ef")]
    text = handout("bench", 'key = "/home/anna/key"\n', rows, told)
    assert "NO  wan cable              nothing arrives at mac-1" in text
    assert "- model: A box" in text
    assert "2: inet ipv4-1/24" in text
    assert "name-1 is up" in text
    assert "1 MAC addresses, 1 public IPv4 addresses" in text
    assert "anna" not in text.lower()


def test_what_a_box_logs_ends_no_block_and_its_model_is_no_mark() -> None:
    log = "```\n~~~~\n# A heading\n````"
    told = Answers({"gateway": {"model": "<img src=x> [a](b)"}}, {"log": log})
    text = handout("bench", "", [], told)
    assert f"`````text\n{log}\n`````\n" in text
    assert r"- model: \<img src=x> \[a\](b)" in text
