#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ipset-translate 7.22 makes a member of a `nomatch`, and ends at the first set that nft lacks, with exit status 0.
#
# It is the way from `ipset save` to nft, so one expects the same addresses in the sets, or an error. An
# exception of a set, "10.0.0.0/8 but not 10.1.0.0/16" for port 80, comes out as two members, which nft takes
# if the exception stands first. At a set with marks (`skbinfo`) it writes that set as a comment and leaves out
# all sets behind it, without a word and with exit status 0. 7.24 does the same.
# Whom it hurts: who moves a box from iptables to nft: what was an exception of a list is on it, and
# the lists behind one of marks are missing.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir -p lists/partial cache/archives/partial
sed 's/bookworm/trixie/g' /etc/apt/sources.list.d/debian.sources >debian.sources
cat >apt.conf <<APT
Dir::Etc::sourcelist "$place/debian.sources";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$place/lists";
Dir::Cache "$place/cache";
APT::Sandbox::User "root";
APT
export APT_CONFIG="$place/apt.conf"
apt-get update -q=2 >/dev/null
apt-get download -q=2 ipset=7.22-1+b1 libipset13t64 nftables=1.1.3-1 libnftables1 libnftnl11 libmnl0 libjansson4 \
	libgmp10 libxtables12 libedit2 libbsd0 libmd0 libtinfo6 libc6 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
libraries=$(echo "$place"/usr/lib/*-linux-gnu)
for name in ipset nft; do
	cat >"$name" <<SH
#!/bin/sh
exec $(echo "$libraries"/ld-linux-*.so.*) --argv0 \${AS:-$name} --library-path $libraries $place/usr/sbin/$name "\$@"
SH
	chmod +x "$name"
done
cat >web <<'SETS'
create web hash:net,port
add web 10.1.0.0/16,tcp:80 nomatch
add web 10.0.0.0/8,tcp:80
SETS
cat >marks <<'SETS'
create marked hash:ip skbinfo
add marked 192.0.2.1 skbmark 0x10/0xff
create admins hash:ip
add admins 192.0.2.7
SETS
cat >probe <<'SH'
set -eu
./ipset restore <web
./ipset test web 10.1.2.3,tcp:80 2>/dev/null && echo "ipset: 10.1.2.3 in" || echo "ipset: 10.1.2.3 out"
AS=ipset-translate ./ipset restore <web >rules
./nft -f rules
./nft get element inet global web '{ 10.1.2.3 . tcp . 80 }' >/dev/null 2>&1 &&
	echo "nft: 10.1.2.3 in" || echo "nft: 10.1.2.3 out"
./ipset restore <marks
AS=ipset-translate ./ipset restore <marks >rules 2>errors && echo "exit status 0, $(wc -c <errors) bytes of errors"
echo "sets: $(grep -c ^create marks) by ipset, $(grep -c 'add set' rules) by nft"
SH
unshare -n sh probe | tee seen.txt
cat >expected.txt <<'TEXT'
ipset: 10.1.2.3 out
nft: 10.1.2.3 in
exit status 0, 0 bytes of errors
sets: 2 by ipset, 0 by nft
TEXT
cmp seen.txt expected.txt
