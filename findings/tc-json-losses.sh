#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tc 6.15.0 (Debian 13): JSON of a u32 filter reads as its last match alone; tbf's has no peakrate.
#
# `tc -j` is for programs, so one expects in it what the text has. Each match of a u32 filter is written
# under the same key "match" of the same object; parsers keep the last and say nothing, so "source in
# 10.0.0.0/8 and port 80" is read as "port 80". Their order decides which stays. The peak rate of
# a token bucket is in the text and in no key. Exit status 0 and valid JSON in both. tc 6.1.0 does the
# same. Whom it hurts: who checks or copies a box's filters and shapers by their JSON: he sees a filter
# for all sources, gives it on as such, and loses the second bucket; a test with one match each passes.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir -p lists/partial cache/archives/partial
cat /etc/apt/sources.list.d/debian.sources | sed 's/bookworm/trixie/g' >debian.sources
cat >apt.conf <<APT
Dir::Etc::sourcelist "$place/debian.sources";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$place/lists";
Dir::Cache "$place/cache";
APT::Sandbox::User "root";
APT
export APT_CONFIG="$place/apt.conf"
apt-get update -q=2 >/dev/null
apt-get download -q=2 iproute2=6.15.0-1 libbpf1 libelf1t64 libcap2 libmnl0 libtirpc3t64 libselinux1 \
	libxtables12 libdb5.3t64 zlib1g libzstd1 libpcre2-8-0 libgssapi-krb5-2 libkrb5-3 libk5crypto3 \
	libcom-err2 libkrb5support0 libkeyutils1 libc6 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
libraries=$(echo "$place"/usr/lib/*-linux-gnu)
cat >tc <<SH
#!/bin/sh
exec $(echo "$libraries"/ld-linux-*.so.*) --library-path $libraries $place/usr/sbin/tc "\$@"
SH
chmod +x tc
cat >probe.py <<'PYTHON'
"""Prints how many matches and peak rates are in tc's text, in the JSON's text and in what a parser has."""

import json
import subprocess


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


run("ip", "link", "set", "lo", "up")
run("./tc", "qdisc", "add", "dev", "lo", "handle", "ffff:", "ingress")
filter_ = "filter add dev lo parent ffff: protocol ip prio 1 u32 match ip src 10.0.0.0/8 match ip dport 80 0xffff"
run("./tc", *filter_.split(), "flowid", "1:1")
run("./tc", *"qdisc add dev lo root tbf rate 8mbit burst 10kb latency 70ms peakrate 10mbit mtu 1540".split())
show = ("filter", "show", "dev", "lo", "ingress")
text, raw = run("./tc", *show), run("./tc", "-j", *show)
match = [entry["options"]["match"] for entry in json.loads(raw) if "match" in entry.get("options", {})]
print("u32: matches in text", text.count("  match "), "in JSON", raw.count('"match":'), "parsed", match)
show = ("qdisc", "show", "dev", "lo", "root")
text, raw = run("./tc", *show), run("./tc", "-j", *show)
print("tbf: peakrate in text", text.count("peakrate 10Mbit"), "in JSON", raw.count("peak"), json.loads(raw)[0]["options"])
PYTHON
./tc -V
unshare -n python3 probe.py | tee seen.txt
grep -q "^u32: matches in text 2 in JSON 2 parsed \[{'value': '50', 'mask': 'ffff', 'offmask': '', 'off': 20}\]" seen.txt
grep -q '^tbf: peakrate in text 1 in JSON 0 ' seen.txt
