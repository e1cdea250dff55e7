// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a received frame, and a sound frame with the bytes laid over it, whose checksums may
 * be made right again: each is in exactly one account, and a sound one is read as it was built.
 */
#include "count/account.h"
#include "frame/parse.h"
#include "frame/tagged.h"
#include "fuzz/fuzz.h"
#include "fuzz/made_frame.h"

#define FLOWS 4
#define RUN 7

static struct account *account_once(void)
{
	static struct account account;
	const struct tally_options options = {
		.run = RUN, .flows = FLOWS, .bin_ns = 1000, .bins = 10, .delay = true
	};
	struct fault fault;

	if (!account.window) {
		REQUIRE(account_open(&account, &options, &fault) == 0);
		account_start(&account, 0);
	}
	return &account;
}

static uint64_t all_of(const struct tally *tally)
{
	return tally->received + tally->foreign + tally->corrupt;
}

static void account_for(const struct arrival *arrival)
{
	struct account *account = account_once();
	const struct tally *tally = &account->tally;
	const struct tally_corrupt *by = &tally->corrupt_by;
	uint64_t before = all_of(tally);

	account_add(account, arrival);
	REQUIRE(all_of(tally) == before + 1);
	REQUIRE(tally->received == tally->unique + tally->duplicated + tally->stale);
	REQUIRE(tally->corrupt == by->ip_sum + by->udp_sum + by->no_sum);
	REQUIRE(tally->foreign >= by->header);
}

static bool same_header(const struct header *a, const struct header *b)
{
	return a->run == b->run && a->flow == b->flow && a->sequence == b->sequence &&
	       a->time_ns == b->time_ns;
}

/* At any place where a capture may have cut it. */
static void read_frame(const struct made_frame *made, size_t captured, bool checked,
		       const struct siphash_key *key)
{
	uint8_t *copy = input_copy((struct input){ made->bytes, captured });
	struct arrival arrival = { 0 };

	parse_frame(&arrival, copy, made->length, captured, checked, key);
	account_for(&arrival);
	if (made->sound && captured == made->length) {
		REQUIRE(arrival.kind == ARRIVAL_TEST);
		REQUIRE(arrival.source_port == made->packet.source_port);
		REQUIRE(same_header(&arrival.header, &made->packet.header));
		REQUIRE(arrival.frame_bytes == made->packet.frame_bytes);
	}
	free(copy);
}

static void read_payload(struct input input, int family, const struct siphash_key *key)
{
	struct arrival arrival = { 0 };
	uint8_t *copy = input_copy(input);

	parse_payload(&arrival, copy, input.left, family, key);
	account_for(&arrival);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct siphash_key key = { 1, 2 };
	static struct made_frame made;
	struct input input = { data, size };
	uint8_t flags = input_8(&input);
	int family = flags & 1 ? 6 : 4;
	uint16_t cut = flags & 2 ? input_16(&input) : UINT16_MAX;
	const struct siphash_key *tag = flags & 32 ? &key : NULL;
	struct header header;

	if (flags & 4) {
		read_payload(input, family, tag);
		return 0;
	}
	if (flags & 8) {
		frame_raw(&made, &input);
	} else {
		header = frame_header(&input, tag ? 0 : RUN, FLOWS);
		header.sequence = input_32(&input);
		header.time_ns &= (1ull << TAG_TIME_BITS) - 1; /* a tagged header has no more */
		frame_make(&made, &input, family, &header, tag);
	}
	read_frame(&made, cut < made.length ? cut : made.length, flags & 16, tag);
	return 0;
}
