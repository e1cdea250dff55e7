#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A static musl binary of ziglang 0.17.1 sorts by Zig's own qsort(): a third of musl's comparisons, another order.
#
# zig brings musl's sources, and a target that ends in -musl links them statically, so one expects musl's
# functions, as ziglang 0.15.2 gives them: smoothsort, the same as Debian's musl-gcc. In 0.17.1 a part of
# that library is written in Zig, qsort() among it, with the same target and the same flags. The order of
# entries that compare equal differs (C leaves it open), and so does what a sort costs. Whom it hurts: who
# compares builds of two versions of the compiler and takes the difference for the code generator's; whose
# golden files hold equal entries in the order of one qsort(); who lists musl alone as what is linked.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
cat >sort.c <<'C'
#include <stdio.h>
#include <stdlib.h>

struct entry {
	int key, place;
};

static struct entry entries[1000];
static unsigned compared;

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	compared++;
	return (a->key > b->key) - (a->key < b->key);
}

int main(void)
{
	unsigned count = sizeof(entries) / sizeof(*entries), drawn = 1, turned = 0;

	for (unsigned i = 0; i < count; i++) {
		drawn = drawn * 1103515245U + 12345U;
		entries[i] = (struct entry){ .key = (int)(drawn >> 16 & 31), .place = (int)i };
	}
	qsort(entries, count, sizeof(*entries), by_key);
	for (unsigned i = 1; i < count; i++)
		turned += entries[i - 1].key == entries[i].key && entries[i - 1].place > entries[i].place;
	printf("%u comparisons, %u neighbours with equal keys turned round\n", compared, turned);
}
C
for version in 0.15.2 0.17.1; do
	python3 -m venv "$version"
	"$version/bin/pip" install -q "ziglang==$version"
	ZIG_GLOBAL_CACHE_DIR="$place/cache-$version" ZIG_LOCAL_CACHE_DIR="$place/cache-$version" \
		"$version/bin/python" -m ziglang cc -target x86_64-linux-musl -static -O2 sort.c -o "sort-$version"
	echo "ziglang $version: $("./sort-$version")"
done | tee seen.txt
cat >expected.txt <<'TEXT'
ziglang 0.15.2: 21136 comparisons, 601 neighbours with equal keys turned round
ziglang 0.17.1: 6899 comparisons, 480 neighbours with equal keys turned round
TEXT
cmp seen.txt expected.txt
