#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# uciparse 0.3.0 refuses a quote as `uci export` writes it; netjsonconfig 1.3.1 turns a bridge into an interface;
# saltext-uci 0.1.1 calls the ports of a bridge in another order a change.
#
# Both read OpenWrt's configuration, so one expects a file of a box to come back as it was. `uci export` writes
# a quote within a value as '\''; uciparse calls that an invalid line. The bridge of any box since OpenWrt
# 21.02 is a section "device"; netjsonconfig reads it, and renders `config interface 'device_br_lan'` with
# the ports and an option bridge_21, of which netifd knows nothing: that box has no LAN. No error. saltext-uci
# compares lists as they stand: a box whose ports were written again in another order is out of step. Whom it
# hurts: who takes a box into a fleet's database by reading its files, and writes them back.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install -q uciparse==0.3.0 netjsonconfig==1.3.1 pyyaml
venv/bin/pip install -q --no-deps saltext-uci==0.1.1
cat >probe.py <<'PYTHON'
from netjsonconfig import OpenWrt
from saltext.uci._internal.ubus_ops import config_diff, config_export
from uciparse.uci import UciFile

try:
    UciFile.from_lines(["config system", "\toption description 'it'\\''s ours'"])
    print("uciparse: read")
except Exception as error:
    print("uciparse:", error)
BOX = """package network

config device 'device_br_lan'
	option name 'br-lan'
	option type 'bridge'
	list ports 'lan1'
	list ports 'lan2'

config interface 'lan'
	option device 'br-lan'
	option ipaddr '192.168.1.1'
	option netmask '255.255.255.0'
	option proto 'static'
"""
for line in OpenWrt(native=BOX).render().splitlines():
    if line.startswith("config") or "bridge" in line:
        print("netjsonconfig:", line.strip())


def ubus(ports):
    """Answers `ubus call uci get` as a box with these ports."""
    bridge = {".anonymous": True, ".type": "device", ".name": "cfg01", ".index": 0, "name": "br-lan", "ports": ports}
    return lambda *_: {"values": {"cfg01": bridge}}


wanted = config_export(ubus(["lan1", "lan2"]), "network")
for ports in (["lan1", "lan2"], ["lan2", "lan1"]):
    print("saltext-uci:", *ports, config_diff(ubus(ports), "network", wanted)["summary"]["changed"], "changed")
PYTHON
venv/bin/python probe.py | tee seen.txt
cat >expected.txt <<'TEXT'
uciparse: Error on line 2: invalid option line
netjsonconfig: config interface 'device_br_lan'
netjsonconfig: option bridge_21 '1'
netjsonconfig: option type 'bridge'
netjsonconfig: config interface 'lan'
saltext-uci: lan1 lan2 0 changed
saltext-uci: lan2 lan1 1 changed
TEXT
cmp seen.txt expected.txt
