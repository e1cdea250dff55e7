#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# vishvananda/netlink 1.3.1 (Go): a token bucket of Rate 1000000 and Buffer 10000 has 8 Mbit/s and 640 bytes.
#
# Shapers of one library have fields of one name, so one expects one unit. NewHtbClass takes Rate in bits a
# second and Buffer in bytes: 1 Mbit/s and 10000 bytes. Tbf takes Rate in bytes a second, and Buffer
# in the kernel's ticks of 64 ns at that rate. No comment says so. `Limit` is in bytes in both. So a
# bucket meant for 10 000 bytes holds 640, and no packet above that ever passes: QdiscAdd returns no
# error, ARP and pings go through, TCP stands. Whom it hurts: who moves from HTB to TBF or copies one's
# attributes to the other. Linux 6.18 and tc 6.1.0; the numbers are made in the library.
set -eu
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
cd "$place"
apt-get download -q=2 -o APT::Sandbox::User=root iproute2=6.1.0-3 libbpf1 libelf1 libmnl0 libcap2 >/dev/null
for package in *.deb; do dpkg -x "$package" .; done
cat >go.mod <<'MOD'
module probe
go 1.21
require github.com/vishvananda/netlink v1.3.1
MOD
cat >probe.go <<'GO'
package main

import (
	"fmt"
	"net"
	"os/exec"
	"strings"

	"github.com/vishvananda/netlink"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func tc(word string) string {
	text, err := exec.Command("tc", word, "show", "dev", "lo").Output()
	must(err)
	return strings.TrimSpace(string(text))
}

func passes(size int) bool {
	sink, err := net.ListenPacket("udp", "127.0.0.1:7")
	must(err)
	defer sink.Close()
	sender, err := net.Dial("udp", "127.0.0.1:7")
	must(err)
	sender.Write(make([]byte, size))
	exec.Command("sleep", "1").Run()
	sink.SetReadDeadline(now())
	n, _, _ := sink.ReadFrom(make([]byte, 2000))
	return n == size
}

func main() {
	link, err := netlink.LinkByName("lo")
	must(err)
	root := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
	must(netlink.QdiscAdd(netlink.NewHtb(root)))
	class := netlink.ClassAttrs{LinkIndex: root.LinkIndex, Parent: root.Handle, Handle: netlink.MakeHandle(1, 1)}
	must(netlink.ClassAdd(netlink.NewHtbClass(class, netlink.HtbClassAttrs{Rate: 1000000, Buffer: 10000})))
	fmt.Println(tc("class"))
	must(netlink.QdiscDel(netlink.NewHtb(root)))
	must(netlink.QdiscAdd(&netlink.Tbf{QdiscAttrs: root, Rate: 1000000, Buffer: 10000, Limit: 30000}))
	fmt.Println(tc("qdisc"))
	fmt.Println("a datagram of 500 bytes passes:", passes(500), "of 1000:", passes(1000))
}
GO
cat >now.go <<'GO'
package main

import "time"

func now() time.Time { return time.Now().Add(100 * time.Millisecond) }
GO
GOFLAGS=-mod=mod GOPATH="$place/path" go build -o probe . 2>/dev/null
libraries=$(echo "$place"/usr/lib/*-linux-gnu):$(echo "$place"/lib/*-linux-gnu)
unshare -n sh -c "ip link set lo up; PATH=$place/sbin:\$PATH LD_LIBRARY_PATH=$libraries ./probe" | tee seen.txt
grep -q '^class htb 1:1 root prio 0 rate 1Mbit ceil 1Mbit burst 10000b ' seen.txt
grep -q '^qdisc tbf 1: root refcnt 2 rate 8Mbit burst 640b ' seen.txt
grep -q '^a datagram of 500 bytes passes: true of 1000: false$' seen.txt
