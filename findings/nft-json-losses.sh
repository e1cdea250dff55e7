#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nft 1.0.6 (Debian 12): a ruleset given back as its own JSON loses timeouts and auto-merge, unheard.
#
# `nft -j list ruleset` into `nft -j -f` is the documented way for programs to keep and restore rules,
# and what it cannot express one expects to be refused. A ct timeout object comes back with an empty
# policy: nft writes the policy into the JSON and does not read it, so flows that were to go after 33 s
# stay for the kernel's five days, and the table fills days later. auto-merge is not even written: the
# next element inside a known interval, taken before, is refused as an overlap, with the whole
# transaction around it. Exit status 0 and no message in both. 1.1.3 reads and writes both.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root nftables=1.0.6-2+deb12u2 libnftables1=1.0.6-2+deb12u2 libnftnl11=1.2.4-2 \
	libjansson4=2.14-2 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
LD_LIBRARY_PATH=$(echo "$place"/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
cat >rules <<'NFT'
table ip box {
	ct timeout quick {
		protocol tcp
		l3proto ip
		policy = { established : 33, close : 2 }
	}
	set known {
		type ipv4_addr
		flags interval
		auto-merge
		elements = { 10.0.0.0/24 }
	}
}
NFT
cat >probe <<'SH'
set -eu
nft=usr/sbin/nft
state() {
	echo "$1: policy $($nft list ct timeout ip box quick | sed -n 's/.*policy = //p')"
	if $nft add element ip box known '{ 10.0.0.5 }' 2>/dev/null; then fate=taken; else fate=refused; fi
	echo "$1: an address of a known network is $fate"
}
$nft -f rules
$nft -j list ruleset >rules.json
state before
$nft flush ruleset
$nft -j -f rules.json && echo 'JSON taken'
state after
SH
usr/sbin/nft --version
unshare -n sh ./probe | tee seen.txt
cat >expected.txt <<'TEXT'
before: policy { established : 33, close : 2 }
before: an address of a known network is taken
JSON taken
after: policy {  }
after: an address of a known network is refused
TEXT
cmp seen.txt expected.txt
