/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/unibit.h"
#include "tests/tables.h"
#include "tests/test.h"

static struct gm_prefixes parsed(const char *text, unsigned family,
				 struct gm_prefixes_problem *problem)
{
	struct gm_prefixes prefixes;

	gm_prefixes_parse(&prefixes, family, text, strlen(text), problem);
	return prefixes;
}

static void prefixes_are_sorted_once_without_host_bits(void)
{
	struct gm_prefixes_problem problem;
	struct gm_prefixes p = parsed("10.1.2.3/8\r\n10.0.0.0/8\n\n# no\n2001:db8::/32\n"
				      "255.255.255.255/32\n0.0.0.0/0",
				      4, &problem);

	CHECK(p.count == 3);
	if (p.count == 3) {
		CHECK(p.routes[0].length == 0);
		CHECK(p.routes[1].key.hi == UINT64_C(0x0a00000000000000));
		CHECK(p.routes[2].key.hi == UINT64_C(0xffffffff00000000));
	}
	gm_prefixes_free(&p);
}

static void addresses_of_ipv6_are_read(void)
{
	struct gm_prefixes_problem problem;
	struct gm_prefixes p = parsed("::/0\n1:2:3:4:5:6:7:8/128\n2001:db8::1/128\n::ffff/128\n"
				      "1::/16\n1:2:3:4:5:6:7::/112\n::2:3:4:5:6:7:8/128\n",
				      6, &problem);

	CHECK(p.count == 7);
	if (p.count == 7) {
		CHECK(p.routes[1].key.lo == 0xffff && p.routes[1].key.hi == 0);
		CHECK(p.routes[2].key.hi == UINT64_C(0x0000000200030004));
		CHECK(p.routes[4].key.lo == UINT64_C(0x0005000600070000));
		CHECK(p.routes[6].key.hi == UINT64_C(0x20010db800000000));
		CHECK(p.routes[6].key.lo == 1);
	}
	gm_prefixes_free(&p);
}

static void bad_lines_are_named(void)
{
	static const char *const bad[] = { "1.2.3.4",
					   "1.2.3/8",
					   "1.2.3.4/33",
					   "1.2.3.256/8",
					   "1.2.3.4/",
					   "1.2.3.4 192.0.2.1",
					   "ip route add",
					   "US - 10.1.0.0/16",
					   "IP 10.1.0.0/16 x",
					   "10.0.0.0 0.0.0.0 255.0.1.0 U",
					   "10.0.0.0/255.0.255.0",
					   "TABLE_DUMP2|1|X|192.0.2.9|1|10.0.0.0/8|1|IGP|192.0.2.1",
					   "TABLE_DUMP2|1|B|192.0.2.9",
					   "::1/129",
					   ":1/8",
					   "1:2:3:4:5:6:7/8",
					   "1::2::3/8",
					   "12345::/8",
					   "1:2:3:4:5:6:7:8::/8",
					   "1:2:3:4:5:6:7:8:9/8",
					   "1:/8",
					   "x/8" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct gm_prefixes_problem problem;
		char text[64];
		struct gm_prefixes p;

		snprintf(text, sizeof(text), "10.0.0.0/8\n%s\n", bad[i]);
		p = parsed(text, 4, &problem);
		CHECK(p.count == 0 && problem.line == 2 && problem.reason);
		CHECK(problem.bad == 1 && problem.named[0].line == 2);
		gm_prefixes_free(&p);
	}
}

static void many_bad_lines_are_counted_and_the_first_are_named(void)
{
	struct gm_prefixes_problem problem;
	struct gm_prefixes p =
		parsed("10.0.0.0/8\nx/8\n10.1.0.0/16\n:1/8\n1:/8\n10.0.0.0/33\n", 4, &problem);

	CHECK(p.count == 0 && problem.bad == 4 && problem.line == 2);
	CHECK(problem.named[0].line == 2 && problem.named[1].line == 4);
	CHECK(problem.named[2].line == 5 && problem.named[2].reason);
	gm_prefixes_free(&p);
}

/* A text, the routes of it as `length=next hop` in order, and the lines that are none. */
static const struct {
	const char *text, *routes;
	uint32_t hops, other, none, repeated;
} forms[] = {
	{ "10.0.0.0/8 192.0.2.1\n10.1.0.0/16\t192.0.2.2\n172.16.0.0/12,192.0.2.1\n",
	  "8=1 16=2 12=1 ", 2, 0, 0, 0 },
	{ "\n,\n10.0.0.0/8 \n10.1.0.0/16\n;", "8=0 16=0 ", 0, 0, 0, 0 },
	{ "10.0.0.0/8 192.0.2.1\n10.1.0.0/16\n", "8=1 16=2 ", 2, 0, 0, 0 },
	/* Of a spreadsheet: a mark of UTF-8, a head, quotes. */
	{ "\xef\xbb\xbfprefix,next_hop\n\"10.0.0.0/8\",\"192.0.2.1\"\n\"10.1.0.0/"
	  "16\",\"192.0.2.1\"\n",
	  "8=1 16=1 ", 1, 0, 1, 0 },
	{ "10.0.0.0 255.0.0.0 192.0.2.1\n10.1.0.0/255.255.0.0 192.0.2.1\n", "8=1 16=1 ", 1, 0, 0,
	  0 },
	{ "1 10.0.0.0/8 192.0.2.1\n2 10.1.0.0/16 192.0.2.1\n", "8=1 16=1 ", 1, 0, 0, 0 },
	{ "10.0.0.0/8 192.0.2.1 # core\n10.1.0.0/16 192.0.2.1\n", "8=1 16=1 ", 1, 0, 0, 0 },
	{ "Kernel IP routing table\nDestination Gateway Genmask Flags Iface\n0.0.0.0 192.0.2.1 "
	  "0.0.0.0 UG "
	  "eth0\n10.0.0.0 0.0.0.0 255.0.0.0 U eth1\n10.1.0.0 192.0.2.1 255.255.0.0 UG eth0\n",
	  "0=1 8=2 16=1 ", 2, 0, 1, 0 },
	/* The first route of a prefix stays, whatever hop others had before. */
	{ "10.0.0.0/8 192.0.2.1\n10.1.0.0/16 192.0.2.2\n10.1.0.0/16 192.0.2.1\n", "8=1 16=2 ", 2, 0,
	  0, 1 },
	{ "10.0.0.0/8 via 192.0.2.1 dev a mtu 1400\n10.1.0.0/16 via 192.0.2.1 dev a onlink\n"
	  "10.2.0.0/16 via 192.0.2.1 dev a linkdown\n10.3.0.0/16 via 192.0.2.9 dev a table 100\n",
	  "8=1 16=1 16=1 ", 1, 0, 1, 0 },
	{ "default proto static \\\tnexthop via 192.0.2.1 dev a weight 1\\\tnexthop via 192.0.2.2 "
	  "dev a weight 1\n10.0.0.0/8 dev a\n",
	  "0=1 8=2 ", 2, 0, 0, 0 },
	{ "ip route add 10.0.0.0/8 via 192.0.2.1\nroute add -net 10.1.0.0/16 via 192.0.2.1\n"
	  "ip route 10.2.0.0 255.255.0.0 192.0.2.2\n",
	  "8=1 16=1 16=2 ", 2, 0, 0, 0 },
	{ "default via 192.0.2.1 dev eth2 proto static\n10.0.0.0/8 via 10.1.1.1 dev eth1\n"
	  "192.168.1.0/24 dev br-lan proto kernel scope link src 192.168.1.1\n"
	  "192.168.1.9 via 192.0.2.1 dev eth2 metric 5\nblackhole 192.168.2.0/24\n",
	  "0=1 8=2 24=3 32=1 24=4 ", 4, 0, 0, 0 },
	{ "default proto static metric 20\n\tnexthop via 192.0.2.1 dev a weight 1\n"
	  "\tnexthop via 192.0.2.2 dev b weight 1\n10.0.0.0/8 dev a\n",
	  "0=1 8=2 ", 2, 0, 0, 0 },
	{ "default via fe80::1 dev eth0\nfe80::/64 dev eth0\n10.0.0.0/8 dev eth1\n", "8=1 ", 1, 2,
	  0, 0 },
	{ "TABLE_DUMP2|1|B|192.0.2.9|1|10.0.0.0/8|1 2|IGP|192.0.2.1|0|0||NAG||\n"
	  "TABLE_DUMP2|1|B|192.0.2.8|1|10.0.0.0/8|1 3|IGP|192.0.2.2|0|0||NAG||\n"
	  "BGP4MP|1|W|192.0.2.8|1|10.2.0.0/16\nBGP4MP|1|STATE|192.0.2.8|1|3|2\n"
	  "TABLE_DUMP2|1|B|2001:db8::9|1|2001:db8::/32|1 2|IGP|2001:db8::9|0|0||NAG||\n",
	  "8=1 ", 1, 1, 2, 1 },
	/* As public reports have them (docs/measured.md). */
	{ "10.0.0.0/8 via 192.0.2.1 on eth2 [a 12:37:29 from 10.1.1.2] * (100/?) [AS1i]\n"
	  "                   via 192.0.2.2 on eth2 [b 12:38:42 from 10.1.1.3] (100/?) [AS1i]\n"
	  "10.1.0.0/16 via 192.0.2.1 on eth2 [a 12:37:30 from 10.1.1.2] * (100/?) [AS2i]\n"
	  "10.2.0.0/16 unreachable [a 11:41:29 from 10.1.1.2] * (100/-) [i]\n",
	  "8=1 16=1 16=2 ", 2, 0, 0, 0 },
	{ "BIRD 2.0.4 ready.\nTable master4:\n10.0.0.0/8 unicast [a 12:47:00.000] * (100) [AS1i]\n"
	  "\tvia 192.0.2.1 on eth1\n\tType: BGP univ\n\tBGP.as_path: 1 2\n"
	  "\tBGP.community: (0,1)\n\t\t(65101,2)\n\tInternal route handling values: 0L 0G\n"
	  "           unicast [b 12:47:00.000] (100/?) [AS1i]\n\tvia 192.0.2.9 on eth2\n"
	  "10.1.0.0/16 unicast [b 12:47:01.000] * (100) [AS2i]\n\tvia 192.0.2.1 on eth1\n"
	  "10.2.0.0/16 blackhole [static1 12:46:55.926] * (200)\n",
	  "8=1 16=1 16=2 ", 2, 0, 0, 0 },
	/* FRR, and a router: what is not selected is none of the table. */
	{ "Codes: K - kernel route, C - connected,\n       > - selected route\n\nIPv4 unicast VRF "
	  "default:\nS>* 10.0.0.0/8 [1/0] via 192.0.2.1, eth0, weight 1, 00:00:10\n"
	  "  *                   via 192.0.2.2, eth1, weight 1, 00:00:10\n"
	  "C>* 10.1.0.0/16 is directly connected, eth1, weight 1, 00:00:10\n"
	  "S   10.2.0.0/16 [9/0] via 192.0.2.9, eth0, weight 1, 00:00:10\n"
	  "S>* 10.3.0.0/16 [1/0] unreachable (blackhole), weight 1, 00:00:10\n",
	  "8=1 16=2 16=3 ", 3, 0, 1, 0 },
	{ "Gateway of last resort is 192.0.2.1 to network 0.0.0.0\n\nS*   0.0.0.0/0 [1/0] via "
	  "192.0.2.1\n     10.0.0.0/8 is variably subnetted, 2 subnets, 2 masks\n"
	  "O E2    10.1.0.0/16 [110/20] via 192.0.2.1, 00:00:10, Ethernet0\n"
	  "C       10.2.0.0/24 is directly connected, Ethernet1\n"
	  " C        10.3.0.0/24\n           directly connected, Ethernet1\n"
	  "S   10.4.0.0/16 [1/0]\n     via 192.0.2.1\n",
	  "0=1 16=1 24=2 24=2 16=1 ", 2, 0, 0, 0 },
	/* Subnets without a length, ages before ports, hops below, what routers print around them. */
	{ "Tue May 22 22:32:30.765 UTC\nr1#show ip route\nRouting Table: A\n  N1 - OSPF NSSA\n"
	  "      10.1.0.0/16 is subnetted, 2 subnets\nS       10.1.0.0 [1/0] via 192.0.2.1\n"
	  "                 [1/0] via 192.0.2.2\nB       10.2.0.0/17 [200/0], 2w0d, Null0\n"
	  "C       10.3.0.0/24 is directly connected, 3w4d, Vlan5\n"
	  "O       10.4.0.0/17 is a summary, 7w0d, Null0\n"
	  "O       10.5.0.0/16 [110/20] via 192.0.2.1, 00:00:10\n               is directly "
	  "connected, b\n",
	  "16=1 17=2 24=3 17=2 16=1 ", 3, 0, 0, 0 },
	{ "IP Route Table for VRF \"a\"\n'*' denotes best ucast next-hop\n\n"
	  "10.0.0.0/8, ubest/mbest: 1/0\n    *via 192.0.2.1, [1/0], 1w0d, static\n"
	  "     via 192.0.2.9, Vlan22, [110/21], 3w1d, ospf-1\n"
	  "10.1.0.0/16, ubest/mbest: 1/0, attached\n    *via 192.0.2.2, Eth1/1, [0/0], 1w0d\n",
	  "8=1 16=2 ", 2, 0, 0, 0 },
	{ "S    *> 0.0.0.0/0 [50/0] is directly connected, pppoe4\nS    *> 10.0.0.0/8 [1/0] via "
	  "192.0.2.1\n     *>                  [1/0] via 192.0.2.2\n! end\n",
	  "0=1 8=2 ", 2, 0, 0, 0 },
	{ "Destination  Gateway  Interface\ndefault  -  PP[01]\n10.0.0.0/8  -  LAN2\n", "0=1 8=2 ",
	  2, 0, 1, 0 },
	{ "R10.0.0.0/8 0\nR10.1.0.0/16 1\n", "8=1 16=2 ", 2, 0, 0, 0 },
	{ "announce route 10.0.0.0/8 next-hop 192.0.2.1\nneighbor 10.1.1.1 , neighbor 10.1.1.2 "
	  "announce route 10.1.0.0/16 next-hop 192.0.2.1 as-path [16]\n"
	  "route 10.2.0.0/16 next-hop 192.0.2.2;\n",
	  "8=1 16=1 16=2 ", 2, 0, 0, 0 },
	{ "; A list - x\n10.0.0.0/8 ; SBL1\n10.1.0.0/16 ; 192.0.2.1\n", "8=1 16=2 ", 2, 0, 0, 0 },
	{ "% RIPE\n%\n1103\t10.0.0.0/8\t300\n{1,2}\t10.1.0.0/16\t5\n1103\t2001:db8::/32\t9\n",
	  "8=1 16=2 ", 2, 1, 0, 0 },
	{ "10.0.0.0\t8\t13335\n10.1.0.0\t16\t38803_56203\n2001:db8::\t32\t1\n", "8=1 16=2 ", 2, 1,
	  0, 0 },
	/* bgpdump without -m, bgpscanner, bgpkit-parser. */
	{ "TIME: 01/01/22 00:00:00\nTYPE: TABLE_DUMP_V2/IPV4_UNICAST\nPREFIX: 10.0.0.0/8\nFROM: "
	  "192.0.2.9 AS1\nNEXT_HOP: 192.0.2.1\n\nTIME: 01/01/22 00:00:00\nTYPE: "
	  "BGP4MP/MESSAGE/Update\nWITHDRAW\n  10.2.0.0/16\n\n",
	  "8=1 ", 1, 0, 1, 0 },
	{ "=|10.0.0.0/8|1 2|192.0.2.1|i|||1:2|192.0.2.9 1|1|1\n"
	  "+|10.1.0.0/16|1 2|192.0.2.2|i|||1:2|192.0.2.9 1|1|1\n-|10.2.0.0/16|||||||192.0.2.9 "
	  "1|1|1\n",
	  "8=1 16=2 ", 2, 0, 1, 0 },
	{ "A|1.5|192.0.2.9|1|10.0.0.0/8|1 "
	  "2|IGP|192.0.2.1|0|0||NAG||\nW|1|192.0.2.9|1|10.2.0.0/16\n",
	  "8=1 ", 1, 0, 1, 0 },
	{ "R|B|1.0|a|b|||V|1\nR|R|1.0|a|b|||1|192.0.2.9|10.0.0.0/8|192.0.2.1|1 2|2|||\n"
	  "R|R|1|a|b|1|192.0.2.9|10.1.0.0/16|192.0.2.2|1 "
	  "2|2|||\nU|W|1.0|a|b|||1|192.0.2.9|10.2.0.0/16\n",
	  "8=1 16=2 ", 2, 0, 2, 0 },
};

static void forms_of_tables_are_read(void)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct gm_prefixes_problem problem;
		struct gm_prefixes p = parsed(forms[i].text, 4, &problem);
		char routes[128] = "";

		for (uint32_t at = 0; at < p.count; at++)
			snprintf(routes + strlen(routes), sizeof(routes) - strlen(routes), "%u=%u ",
				 (unsigned)p.routes[at].length, (unsigned)p.routes[at].next_hop);
		CHECK(strcmp(routes, forms[i].routes) == 0);
		CHECK(p.next_hops == forms[i].hops && problem.other_family == forms[i].other);
		CHECK(problem.no_route == forms[i].none && problem.repeated == forms[i].repeated);
		gm_prefixes_free(&p);
	}
}

static void routes_of_a_second_vrf_are_refused(void)
{
	static const char *const heads[][2] = {
		{ "VRF: a", "VRF: b" },
		{ "Codes: C - connected", "[VRF: b]" },
		{ "IP Route Table for VRF \"a\"", "IP Route Table for VRF \"b\"" },
		{ "Routing table for VRF=0", "Routing table for VRF=1" },
	};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct gm_prefixes_problem problem;
		char text[256];
		struct gm_prefixes p;

		snprintf(text, sizeof(text),
			 "%s\nC  10.0.0.0/8 is directly connected, a\n%s\n"
			 "C  10.0.0.0/8 is directly connected, b\n",
			 heads[i][0], heads[i][1]);
		p = parsed(text, 4, &problem);
		CHECK(p.count == 0 && problem.bad == 1 && problem.line == 3);
		CHECK(problem.reason && strstr(problem.reason, "VRF"));
		gm_prefixes_free(&p);
	}
}

static void a_default_route_is_of_the_family_of_its_mask(void)
{
	struct gm_prefixes_problem problem;
	struct gm_prefixes p =
		parsed("default  gateway  0.0.0.0  UG  eth0\n2001:db8::/32 a\n", 6, &problem);

	CHECK(p.count == 1 && p.routes[0].length == 32 && problem.other_family == 1);
	gm_prefixes_free(&p);
}

static void an_update_in_a_block_is_refused(void)
{
	struct gm_prefixes_problem problem;
	struct gm_prefixes p = parsed("10.0.0.0/8\nTIME: 01/01/22\nNEXT_HOP: 192.0.2.1\nANNOUNCE\n"
				      "  10.1.0.0/16\n\n10.2.0.0/16\n",
				      4, &problem);

	CHECK(p.count == 0 && problem.bad == 1 && problem.line == 2);
	gm_prefixes_free(&p);
}

static void what_is_no_text_is_named(void)
{
	static const char mrt[] = "\x65\x00\x00\x00\x00\x0d\x00\x01\x00\x00\x00\x10";
	static const struct {
		const char *bytes;
		size_t size;
		const char *words;
	} files[] = { { mrt, 12, "MRT" },
		      { "\x1f\x8b\x08", 3, "gzip" },
		      { "BZh9", 4, "bzip2" },
		      { "\xfd"
			"7zXZ",
			6, "xz" },
		      { "[ {\"dst\":", 9, "JSON" },
		      { "a\0b", 3, "zeros" } };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct gm_prefixes_problem problem;
		struct gm_prefixes p;

		CHECK(gm_prefixes_parse(&p, 4, files[i].bytes, files[i].size, &problem) ==
		      GM_LPM_BAD_LINE);
		CHECK(problem.line == 0 && strstr(problem.reason, files[i].words));
	}
}

struct vector {
	const char *table;
	uint32_t nodes;
	enum gm_mix mix;
	size_t queries;
	uint64_t asked, results; /* digests; asked 0: not known */
};

static void check_vector(const struct vector *v)
{
	uint64_t asked = GM_DIGEST_EMPTY;
	uint64_t results = GM_DIGEST_EMPTY;
	struct gm_key *keys = malloc(v->queries * sizeof(*keys));
	struct gm_prefixes prefixes;
	struct gm_unibit trie;

	if (!keys || !table_read(&prefixes, 4, v->table)) {
		free(keys);
		return;
	}
	CHECK(gm_unibit_build(&trie, &prefixes) == 0);
	CHECK(trie.live == v->nodes);
	CHECK(gm_queries_draw(&prefixes, v->mix, keys, v->queries) == 0);
	for (size_t i = 0; i < v->queries; i++) {
		asked = gm_digest_u32(asked, (uint32_t)(keys[i].hi >> 32));
		results = gm_digest_u32(results, gm_unibit_lookup(&trie, &keys[i], 32));
	}
	CHECK(!v->asked || asked == v->asked);
	CHECK(results == v->results);
	gm_unibit_free(&trie);
	gm_prefixes_free(&prefixes);
	free(keys);
}

static void digests_are_the_specified_ones(void)
{
	static const char fit[] = "fit-like-1009.txt";
	static const char but[] = "but-like-10084.txt";
	static const struct vector vectors[] = {
		{ fit, 2508, GM_MIX_UNIFORM, 65536, UINT64_C(0xacf09b535abc0b1e),
		  UINT64_C(0x4a13b4b5c64fa5ab) },
		{ fit, 2508, GM_MIX_IN_TABLE, 65536, UINT64_C(0xc57f963c3d3e8fec),
		  UINT64_C(0xe9e78e8a76971d8f) },
		{ fit, 2508, GM_MIX_ZIPF, 65536, UINT64_C(0x2e742613f5a2126a),
		  UINT64_C(0x11a580464ba9792a) },
		{ fit, 2508, GM_MIX_IN_TABLE, 23204, 0, UINT64_C(0xf1fc0b4c0e3a5714) },
		{ but, 23211, GM_MIX_UNIFORM, 65536, UINT64_C(0xacf09b535abc0b1e),
		  UINT64_C(0x883227835408360f) },
		{ but, 23211, GM_MIX_IN_TABLE, 65536, UINT64_C(0x3e5a49d8aef9ece2),
		  UINT64_C(0x2fbf2288381b6255) },
		{ but, 23211, GM_MIX_ZIPF, 65536, UINT64_C(0x099662d359714b58),
		  UINT64_C(0x20360e483ba885f5) },
		{ but, 23211, GM_MIX_IN_TABLE, 3382, 0, UINT64_C(0xe89cf427a7718209) },
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check_vector(&vectors[i]);
}

static const struct gm_route *longest(const struct gm_prefixes *prefixes, const struct gm_key *key)
{
	const struct gm_route *best = NULL;

	for (uint32_t i = 0; i < prefixes->count; i++) {
		const struct gm_route *route = &prefixes->routes[i];
		struct gm_key mask = gm_key_mask(route->length);

		if ((key->hi & mask.hi) == route->key.hi && (key->lo & mask.lo) == route->key.lo &&
		    (!best || route->length >= best->length))
			best = route;
	}
	return best;
}

static void trie_is_a_linear_scan(void)
{
	struct gm_random random = { 5 };

	for (int round = 0; round < 400; round++) {
		struct gm_prefixes prefixes;
		struct gm_unibit trie;

		table_draw(&prefixes, &random, round % 2 ? 6 : 4, 20);
		CHECK(gm_unibit_build(&trie, &prefixes) == 0);
		for (int i = 0; i < 100; i++) {
			struct gm_key key = { gm_random_u64(&random), gm_random_u64(&random) };
			const struct gm_route *route;

			if (prefixes.count && i % 2)
				key = prefixes.routes[i % (int)prefixes.count].key;
			route = longest(&prefixes, &key);
			CHECK(gm_unibit_lookup(&trie, &key, round % 2 ? 128 : 32) ==
			      (route ? route->next_hop : 0));
		}
		for (uint32_t i = 0; i < prefixes.count; i++)
			CHECK(gm_unibit_delete(&trie, &prefixes.routes[i]) == 0);
		CHECK(trie.live == 1);
		gm_unibit_free(&trie);
		gm_prefixes_free(&prefixes);
	}
}

static void check_generated(uint32_t count, uint32_t permille, uint32_t deepest)
{
	struct gm_prefixes prefixes;
	uint32_t stack[16];
	uint32_t depth = 0;
	uint32_t most = 0;
	uint64_t sum = 0;

	CHECK(gm_prefixes_generate(&prefixes, count, 1, permille, deepest) == 0);
	CHECK(prefixes.count == count);
	for (uint32_t i = 0; i < prefixes.count; i++) {
		while (depth) {
			const struct gm_route *above = &prefixes.routes[stack[depth - 1]];
			struct gm_key mask = gm_key_mask(above->length);

			if ((prefixes.routes[i].key.hi & mask.hi) == above->key.hi)
				break;
			depth--;
		}
		stack[depth++] = i;
		sum += depth;
		most = depth > most ? depth : most;
	}
	CHECK(most == deepest);
	CHECK(sum * 1000 / count + 2 >= permille && sum * 1000 / count <= permille + 2);
	gm_prefixes_free(&prefixes);
}

static void generated_tables_have_the_asked_depth(void)
{
	check_generated(1009, 1200, 5);
	check_generated(10084, 1300, 6);
	check_generated(100000, 1300, 6);
}

static const struct test tests[] = {
	{ "routes of a second VRF are refused", routes_of_a_second_vrf_are_refused },
	{ "tables are read as people have them", forms_of_tables_are_read },
	{ "a default route is of the family of its mask",
	  a_default_route_is_of_the_family_of_its_mask },
	{ "an update of bgpdump in a block is refused", an_update_in_a_block_is_refused },
	{ "a file that is no text is named", what_is_no_text_is_named },
	{ "prefixes are sorted, once each, without host bits",
	  prefixes_are_sorted_once_without_host_bits },
	{ "addresses of IPv6 are read", addresses_of_ipv6_are_read },
	{ "bad lines are named", bad_lines_are_named },
	{ "many bad lines are counted, and the first are named",
	  many_bad_lines_are_counted_and_the_first_are_named },
	{ "queries and results have the specified digests", digests_are_the_specified_ones },
	{ "the trie is a linear scan, also after deletions", trie_is_a_linear_scan },
	{ "generated tables have the asked depth", generated_tables_have_the_asked_depth },
};

TESTS_MAIN(tests)
