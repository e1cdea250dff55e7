// SPDX-License-Identifier: Apache-2.0
/* From a window to what is done with a packet: tree, confirmation, guard, probation. */
#include "tests/made.h"

#define SECOND 1000000ull

/* Small packets are class 1, which is preferred; others class 0, for which nothing is done. */
static void begin(struct made_flow *made, const char *comment)
{
	struct fault fault = { 0 };
	char text[256];

	made_begin(made, false, 4);
	snprintf(text, sizeof(text),
		 "%s\nclasses other game\nattributes mean.plen\nn_0 a_0 r c_0 200 c_1:90 c_0\n",
		 comment);
	CHECK_EQUAL(made_model(&made->named, text, &fault), 0);
	made->named.model.action[1] = (struct class_action){ .mark = 7, .priority = 1 };
	made->record.key.protocol = CLASSIFY_UDP;
}

static void add_many(struct made_flow *made, uint64_t from_us, uint32_t length, int count)
{
	for (int i = 0; i < count; i++)
		made_add(made, from_us + (uint64_t)i * 20000, length, WAY_UP);
}

TEST(class_is_known_with_the_last_packet_of_a_window)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	add_many(&made, 0, 100, 3);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_NONE);
	CHECK_EQUAL(made.outcome.class, CLASS_NONE);
	made_add(&made, SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_CLASS);
	CHECK_EQUAL(made.outcome.class, 1);
	CHECK_EQUAL(made.outcome.confidence, 90);
	CHECK_EQUAL(made.outcome.mark, 7);
	CHECK_EQUAL(made.outcome.fresh, 1);
}

TEST(model_for_udp_leaves_tcp_alone)
{
	struct made_flow made;

	begin(&made, "# window: 4\n# protocol: udp");
	made.record.key.protocol = CLASSIFY_TCP;
	add_many(&made, 0, 100, 8);
	CHECK_EQUAL(made.outcome.class, CLASS_NONE);
	CHECK(!made.record.is_decided);
	begin(&made, "# window: 4\n# protocol: udp");
	add_many(&made, 0, 100, 4);
	CHECK_EQUAL(made.outcome.class, 1);
}

TEST(flow_whose_windows_agree_is_looked_at_seldom)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.named.model.rest = 20;
	add_many(&made, 0, 100, 4 * REST_AFTER);
	add_many(&made, SECOND, 300, 20);
	CHECK_EQUAL(made.outcome.class, 1);
	add_many(&made, 2 * SECOND, 300, 3);
	CHECK_EQUAL(made.outcome.class, 1);
	made_add(&made, 3 * SECOND, 300, WAY_UP);
	CHECK_EQUAL(made.outcome.class, 0);
}

TEST(guard_counts_what_passed_without_a_look)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.named.model.rest = 1000;
	add_many(&made, 0, 100, 4 * REST_AFTER);
	for (int i = 0; i < 2000; i++)
		made_add(&made, SECOND + (uint64_t)i * 100, 150, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_DEMOTED);
}

TEST(tcp_is_always_looked_at)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.named.model.rest = 20;
	made.record.key.protocol = CLASSIFY_TCP;
	add_many(&made, 0, 100, 4 * REST_AFTER);
	add_many(&made, SECOND, 300, 4);
	CHECK_EQUAL(made.outcome.class, 0);
}

TEST(class_without_action_is_no_decision)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	add_many(&made, 0, 1400, 4);
	CHECK_EQUAL(made.outcome.class, 0);
	CHECK_EQUAL(made.outcome.mark, 0);
	CHECK(!made.record.is_decided);
}

TEST(class_waits_for_so_many_more_windows)
{
	struct made_flow made;

	begin(&made, "# confirm: 2\n# window: 4");
	add_many(&made, 0, 100, 11);
	CHECK_EQUAL(made.outcome.class, CLASS_NONE);
	made_add(&made, SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.class, 1);
	add_many(&made, 2 * SECOND, 1400, 11); /* it keeps its class until the other is confirmed */
	CHECK_EQUAL(made.outcome.class, 1);
	made_add(&made, 3 * SECOND, 1400, WAY_UP);
	CHECK_EQUAL(made.outcome.class, 0);
}

TEST(other_results_between_begin_confirmation_anew)
{
	struct made_flow made;

	begin(&made, "# confirm: 1\n# window: 4");
	add_many(&made, 0, 100, 4);
	add_many(&made, SECOND, 1400, 4);
	add_many(&made, 2 * SECOND, 100, 4);
	CHECK_EQUAL(made.outcome.class, CLASS_NONE);
	add_many(&made, 3 * SECOND, 100, 4);
	CHECK_EQUAL(made.outcome.class, 1);
}

TEST(decision_outlives_what_was_kept_of_the_flow)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	add_many(&made, 0, 100, 4);
	made.record.is_kept = false; /* pushed out by others */
	made_add(&made, SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.mark, 7);
}

TEST(decision_ends_when_no_packet_came_for_long)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	add_many(&made, 0, 100, 4);
	made_add(&made, 59 * SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.mark, 7);
	made_add(&made, 120 * SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.mark, 0);
	CHECK(!made.record.is_decided);
}

TEST(flow_that_takes_more_than_it_may_is_demoted_until_it_takes_less)
{
	struct made_flow made;
	uint64_t time = 0;

	begin(&made, "# window: 4");
	add_many(&made, 0, 100, 4);
	for (int i = 0; i < 1000; i++, time += 500) /* 200 kB a second */
		made_add(&made, SECOND + time, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_CLASS);
	for (int i = 0; i < 1000; i++, time += 500)
		made_add(&made, SECOND + time, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_DEMOTED);
	CHECK_EQUAL(made.outcome.mark, 0);
	made_add(&made, SECOND + time + SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_CLASS);
}

TEST(tcp_is_preferred_from_a_gap_on)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.record.key.protocol = CLASSIFY_TCP;
	for (uint64_t i = 0; i < 8; i++)
		made_add(&made, i * 100, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_WAITING);
	CHECK_EQUAL(made.outcome.mark, 0);
	made_add(&made, SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_CLASS);
}

/* Whichever class a flow had before, and whether or not a decision was kept for it. */
TEST(tcp_waits_for_a_gap_as_it_comes_to_be_preferred)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.named.model.action[0].mark = 1;
	made.record.key.protocol = CLASSIFY_TCP;
	for (uint64_t i = 0; i < 8; i++)
		made_add(&made, i * 100, i < 4 ? 1400 : 100, WAY_UP);
	CHECK_EQUAL(made.outcome.class, 1);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_WAITING);
}

TEST(guard_counts_from_where_a_flow_comes_to_be_preferred)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.named.model.action[0].mark = 1;
	for (uint64_t i = 0; i < 64; i++) /* more than the guard's burst */
		made_add(&made, i * 100, 1400, WAY_UP);
	for (uint64_t i = 64; i < 68; i++)
		made_add(&made, i * 100, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_CLASS);
	CHECK_EQUAL(made.outcome.mark, 7);
}

/* Its windows are real time and bulk in turn, 1.5 MB a second. */
TEST(guard_does_not_forget_a_flow_while_windows_give_it_another_class)
{
	struct made_flow made;
	uint64_t time = 0;

	begin(&made, "# window: 4");
	for (int i = 0; i < 400; i++, time += 500)
		made_add(&made, time, i / 4 % 2 ? 1400 : 100, WAY_UP);
	for (int i = 0; i < 4; i++, time += 500)
		made_add(&made, time, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.class, 1);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_DEMOTED);
}

/* 20 kB/s: less than the guard of the model, more than that of a slow line. */
TEST(guard_of_a_slow_line_demotes_what_takes_more_than_its_share)
{
	static const struct {
		uint32_t rate;
		enum verdict verdict;
	} guards[] = { { 125000, VERDICT_CLASS }, { 10000, VERDICT_DEMOTED } };
	struct made_flow made;

	for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
		begin(&made, "# window: 4");
		model_set_guard(&made.named.model, guards[i].rate);
		for (uint64_t k = 0; k < 200; k++)
			made_add(&made, k * 5000, 100, WAY_UP);
		CHECK_EQUAL(made.outcome.verdict, guards[i].verdict);
	}
}

TEST(decision_of_a_slow_flow_ends_with_a_window_for_which_nothing_is_done)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	for (uint64_t i = 0; i < 8; i++)
		made_add(&made, i * SECOND, i < 4 ? 100 : 1400, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_NONE);
	CHECK(!made.record.is_decided);
}

TEST(new_sparse_flow_of_small_udp_packets_is_on_probation)
{
	struct made_flow made;

	begin(&made, "# window: 4");
	made.named.model.probation_mark = 9;
	made_add(&made, 0, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.mark, 9);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_PROBATION);
	made_add(&made, 100, 100, WAY_UP); /* too soon */
	CHECK_EQUAL(made.outcome.mark, 0);
	made_add(&made, SECOND, 1400, WAY_UP); /* too long */
	CHECK_EQUAL(made.outcome.mark, 0);
	add_many(&made, 2 * SECOND, 1400, 5); /* its first window is over */
	made_add(&made, 3 * SECOND, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_NONE);
}

TEST(probation_has_a_bound_for_all_flows_together)
{
	struct made_flow made;
	uint32_t bytes = 0;

	begin(&made, "# window: 4");
	made.named.model.probation_mark = 9;
	for (uint64_t i = 0; i < 1000; i++) {
		made.record.is_kept = false;
		made_add(&made, i, 100, WAY_UP);
		bytes += made.outcome.mark == 9 ? 100 : 0;
	}
	CHECK_EQUAL(bytes, made.named.model.probation_burst);
}

TEST(new_flows_of_a_host_have_a_bound)
{
	struct made_flow made;
	struct host host = { 0 };
	uint32_t kept = 0;

	begin(&made, "# window: 4");
	made.tables.is_bounded = true;
	made.tables.host = &host;
	for (uint64_t i = 0; i < 10000; i++) {
		made.record.is_kept = false;
		made_add(&made, i * 100, 100, WAY_UP);
		kept += made.record.is_kept;
	}
	CHECK_EQUAL(kept, 512 + 49); /* a burst, and 50 in a second less the last of it */
}

/* Of each of `flows` in turn 20 kB/s; how many bytes of the last second of five had priority. */
static uint32_t preferred_of(uint32_t flows, bool by_header)
{
	struct flow_record records[64] = { 0 };
	struct host host = { 0 };
	struct made_flow made;
	uint32_t bytes = 0;

	begin(&made, "# window: 4");
	made.tables.is_bounded = true;
	made.tables.host = &host;
	for (uint64_t i = 0; i < 5000 / 5 * flows; i++) {
		struct seen seen = made_seen(&made, i * 5000 / flows, 100, WAY_UP);

		made.tables.current = &records[i % flows];
		classify(&made.tables, &made.named.model, &made.scratch, &seen, &made.outcome);
		records[i % flows].decision.by_header = by_header;
		bytes += i >= 4000 / 5 * flows && made.outcome.mark ? 100 : 0;
	}
	return bytes;
}

TEST(many_flows_of_a_host_have_a_bound_together)
{
	CHECK(preferred_of(4, false) == 4 * 20000);
	CHECK(preferred_of(40, false) < 250000);
	CHECK(preferred_of(40, true) < 250000);
}

/* An upload by many flows, and a call that headers name: each has a bound of its own. */
TEST(upload_by_many_flows_does_not_end_the_call_of_its_host)
{
	struct host host = { .preferred = { { 0, 500000 * BUCKET_WHOLE } }, .beyond = { 1 } };
	struct made_flow made;

	begin(&made, "# window: 4");
	made.tables.is_bounded = true;
	made.tables.host = &host;
	made_add(&made, 1000, 100, WAY_UP);
	for (uint64_t i = 1; i < 5; i++)
		made_add(&made, i * 20000, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_DEMOTED);
	made.record.decision.by_header = 1;
	made_add(&made, 120000, 100, WAY_UP);
	CHECK_EQUAL(made.outcome.verdict, VERDICT_CLASS);
}

TEST(bucket_leaks_between_packets_that_are_close)
{
	struct bucket bucket = { 0, 10 * BUCKET_WHOLE };

	for (uint64_t i = 1; i <= 1000; i++)
		bucket_leak(&bucket, i, 100);
	CHECK_EQUAL(bucket.level, 10 * BUCKET_WHOLE - 100000);
}
