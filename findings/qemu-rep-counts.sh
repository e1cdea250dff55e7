#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# QEMU 7.2.22 counts `rep stosb` of 1500 bytes as 1501 instructions, QEMU 10.0.13 as 1: one plugin, one guest.
#
# A plugin counts what a guest executes, and the guest's architecture has not changed, so one expects the
# same count of both, as of MIPS or Arm. The translator of x86 ran a string instruction once for each
# byte and once to find that none is left; since 10.0 it loops within one, and a plugin sees one (stosb and
# movsb, 0 to 4096 bytes). Neither is in the notes on plugins. Whom it hurts: who compares two builds
# or two kernels by counted instructions: Linux copies and clears memory by `rep` where the processor
# says that it is fast, so the update of the emulator shows as a gain of hundreds of instructions a packet.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir 12 13
common="qemu-system-common qemu-system-data seabios"
apt-get download -q=2 -o APT::Sandbox::User=root qemu-system-x86=1:7.2+dfsg-7+deb12u18+b3 $common libaio1 libbpf1 \
	libcapstone4 libfdt1 libfuse3-3 libglib2.0-0 libgmp10 libgnutls30 libhogweed6 libibverbs1 libjpeg62-turbo \
	libnettle8 libnuma1 libpixman-1-0 libpmem1 libpng16-16 librdmacm1 libsasl2-2 libseccomp2 libslirp0 libudev1 \
	liburing2 libvdeplug2 libzstd1 zlib1g libndctl6 libdaxctl1 libnl-3-200 libnl-route-3-200 libelf1 >/dev/null
for package in *.deb; do dpkg -x "$package" 12; done
rm ./*.deb
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
apt-get download -q=2 qemu-system-x86=1:10.0.13+ds-0+deb13u1 $common libaio1t64 libbpf1 libc6 libcapstone5 libfdt1 \
	libfuse3-4 libglib2.0-0t64 libgmp10 libgnutls30t64 libhogweed6t64 libibverbs1 libjpeg62-turbo libnettle8t64 \
	libnuma1 libpixman-1-0 libpmem1 libpng16-16t64 librdmacm1t64 libsasl2-2 libseccomp2 libslirp0 libudev1 \
	liburing2 libvdeplug2t64 libzstd1 zlib1g libdw1t64 libelf1t64 libffi8 libpcre2-8-0 libidn2-0 libp11-kit0 \
	libtasn1-6 libunistring5 libndctl6 libdaxctl1 libkmod2 libuuid1 libnl-3-200 libnl-route-3-200 libbz2-1.0 \
	liblzma5 libatomic1 libcap2 libssl3t64 libdb5.3t64 libgcc-s1 libblkid1 libmount1 libselinux1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" 13; done
unset APT_CONFIG
newer=$(echo "$place"/13/usr/lib/*-linux-gnu)
older=$(echo "$place"/12/usr/lib/*-linux-gnu):$(echo "$place"/12/lib/*-linux-gnu)
cat >7.2 <<SH
#!/bin/sh
LD_LIBRARY_PATH=$older exec $place/12/usr/bin/qemu-system-x86_64 -L $place/12/usr/share/qemu "\$@"
SH
cat >10.0 <<SH
#!/bin/sh
exec $newer/ld-linux-x86-64.so.2 --library-path $newer $place/13/usr/bin/qemu-system-x86_64 -L $place/13/usr/share/qemu "\$@"
SH
chmod +x 7.2 10.0
cat >count.c <<'C'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define SHOWN __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, void (*)(unsigned, void *), int, void *);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *);
SHOWN int qemu_plugin_version = INTERFACE;
static uint64_t count;

static void ran(unsigned processor, void *data)
{
	count++;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
		if (!strncmp(qemu_plugin_insn_disas(instruction), "rep", 3))
			qemu_plugin_register_vcpu_insn_exec_cb(instruction, ran, 0, NULL);
	}
}

static void ended(qemu_plugin_id_t id, void *data)
{
	fprintf(stderr, "%lu", (unsigned long)count);
}

SHOWN int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, ended, NULL);
	return 0;
}
C
cc -shared -fPIC -DINTERFACE=1 -o 7.2.so count.c
cc -shared -fPIC -DINTERFACE=2 -o 10.0.so count.c
cat >made.py <<'PYTHON'
"""Writes firmware that does one string instruction and switches the machine off."""

import struct

BEGIN = bytes.fromhex("31c0 8ec0 8ed8 bf0010 be0020")  # segments 0, to 0x1000 from 0x2000
END = bytes.fromhex("b000 e6f4 f4 ebfd")  # out 0xf4: the device that ends QEMU
for name, opcode in (("stosb", 0xAA), ("movsb", 0xA4)):
    for count in (0, 1, 64, 1500):
        code = BEGIN + b"\xb9" + struct.pack("<H", count) + bytes((0xF3, opcode)) + END
        rom = bytearray(code.ljust(65536, b"\0"))
        rom[0xFFF0:0xFFF5] = bytes.fromhex("ea000000f0")
        open(f"{name}.{count}", "wb").write(rom)
PYTHON
python3 made.py
./7.2 --version | head -1
./10.0 --version | head -1
for name in stosb movsb; do
	for count in 0 1 64 1500; do
		printf 'rep %s of %s bytes:' $name $count
		for version in 7.2 10.0; do
			printf ' %s ' $version
			./$version -M pc -m 16 -display none -serial none -monitor none -net none -bios $name.$count \
				-device isa-debug-exit,iobase=0xf4 -plugin ./$version.so 2>&1 | tail -1 | tr -d '\n'
		done
		echo
	done
done | tee seen.txt
cat >expected.txt <<'TEXT'
rep stosb of 0 bytes: 7.2 1 10.0 1
rep stosb of 1 bytes: 7.2 2 10.0 1
rep stosb of 64 bytes: 7.2 65 10.0 1
rep stosb of 1500 bytes: 7.2 1501 10.0 1
rep movsb of 0 bytes: 7.2 1 10.0 1
rep movsb of 1 bytes: 7.2 2 10.0 1
rep movsb of 64 bytes: 7.2 65 10.0 1
rep movsb of 1500 bytes: 7.2 1501 10.0 1
TEXT
cmp seen.txt expected.txt
