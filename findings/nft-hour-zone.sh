#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nft 1.1.3 (Debian 13): the same `meta hour` rule loads in one time zone and is refused in another.
#
# "01:00"-"03:00" is a rising range, so one expects it to load anywhere. nft turns each end into UTC
# by the host's offset of this moment, and 1.1.3 then refuses a range whose left end is the greater:
# "Range negative size". At UTC+1 the rule loads, at UTC+2 it does not: a file that boots the router
# in winter fails as a whole in summer, when nothing but the clock has changed, and leaves the router
# without rules. In New York "17:00"-"23:00" is refused, in Tokyo the office hours. A test in UTC sees
# only the plain case of a range over midnight, which 1.0.6 took and 1.1.7 takes again.
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
apt-get download -q=2 nftables=1.1.3-1 libnftables1=1.1.3-1 libnftnl11=1.2.9-1 libjansson4 libmnl0 \
	libxtables12 libgmp10 libedit2 libbsd0 libmd0 libtinfo6 libc6 tzdata >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" .; done
libraries=$(echo "$place"/usr/lib/*-linux-gnu)
cat >nft <<SH
#!/bin/sh
export TZDIR=$place/usr/share/zoneinfo
exec $(echo "$libraries"/ld-linux-*.so.*) --library-path $libraries $place/usr/sbin/nft "\$@"
SH
chmod +x nft
cat >probe <<'SH'
#!/bin/sh
while read -r zone hours; do
	export TZ="$zone"
	if ./nft "table ip t { chain c { meta hour $hours; }; }" 2>error; then fate=loads; else
		fate=$(sed -n 's/.*Error: //p' error)
	fi
	./nft flush ruleset
	echo "$zone $hours $fate"
done <<RULES
UTC "01:00"-"03:00"
<WINTER>-1 "01:00"-"03:00"
<SUMMER>-2 "01:00"-"03:00"
America/New_York "08:00"-"18:00"
America/New_York "17:00"-"23:00"
Asia/Tokyo "08:00"-"18:00"
Asia/Tokyo "10:00"-"18:00"
RULES
SH
./nft --version
unshare -n sh ./probe | tee seen.txt
cat >expected.txt <<'TEXT'
UTC "01:00"-"03:00" loads
<WINTER>-1 "01:00"-"03:00" loads
<SUMMER>-2 "01:00"-"03:00" Range negative size
America/New_York "08:00"-"18:00" loads
America/New_York "17:00"-"23:00" Range negative size
Asia/Tokyo "08:00"-"18:00" Range negative size
Asia/Tokyo "10:00"-"18:00" loads
TEXT
cmp seen.txt expected.txt
