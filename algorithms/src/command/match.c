/* SPDX-License-Identifier: Apache-2.0 */
/* gm-algorithms match: a pattern set over a file's payloads, by one engine. */
#include "command/commands.h"
#include "program/file.h"
#include "program/instances.h"
#include "program/record.h"
#include "program/timing.h"

#include "gm/lazy.h"
#include "gm/literals.h"
#include "gm/match.h"
#include "gm/patterns.h"
#include "gm/records.h"
#include "match/engines.h"
#include "payload/result.h"

#include <stdio.h>
#include <string.h>

/* The default comes first. */
static const struct gm_engine *const engines[] = {
	&gm_engine_dfa, &gm_engine_d2fa,       &gm_engine_adfa, &gm_engine_hfa, &gm_engine_lazy,
	&gm_engine_ac,	&gm_engine_ac_compact, &gm_engine_pre,	NULL,
};

static const char *const engine_names[] = {
	"dfa", "d2fa", "adfa", "hfa", "lazy", "ac", "ac-compact", "pre", NULL,
};

/* What is asked for, and what is made of it. */
struct matching {
	const char *patterns_name, *payload_name;
	enum gm_form form; /* of a file of patterns */
	const struct gm_engine *engine;
	struct gm_match_bounds bounds;
	struct gm_patterns *patterns;
	struct gm_records records;
	struct gm_result result;
	void *built;
	uint64_t build_ns;
	int status;
};

/* The last of the rejected lines from `first` on that have its reason, and no pattern between them. */
static uint32_t last_alike(const struct gm_patterns *patterns, uint32_t first)
{
	const struct gm_rejected *rejected = patterns->rejected;
	uint32_t last = first, next = 0;

	while (next < patterns->count && patterns->patterns[next].line <= rejected[first].line)
		next++;
	while (last + 1 < patterns->rejected_count &&
	       rejected[last + 1].reason == rejected[first].reason &&
	       (next == patterns->count || rejected[last + 1].line < patterns->patterns[next].line))
		last++;
	return last;
}

/*
 * Rejected lines, the first of them: `line:offset: reason`, or `line to line: reason` of several
 * with nothing between that is searched. Returns how many there are.
 */
static uint32_t rejected_words(const struct gm_patterns *patterns, char *text, size_t size)
{
	size_t length = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < patterns->rejected_count && length < size; i++) {
		const struct gm_rejected *first = &patterns->rejected[i], *last;

		i = last_alike(patterns, i);
		last = &patterns->rejected[i];
		length += (size_t)snprintf(text + length, size - length, "%s%u", length ? "; " : "",
					   (unsigned)first->line);
		if (length < size)
			length += (size_t)snprintf(
				text + length, size - length,
				last->line > first->line ? " to %u: %s" : ":%u: %s",
				(unsigned)(last->line > first->line ? last->line : first->offset),
				first->reason);
	}
	return patterns->rejected_count;
}

static void load_patterns(struct matching *matching)
{
	const char *text = gm_patterns_builtin(matching->patterns_name);
	struct file file = { NULL, 0 };
	char words[1024];

	if (text) {
		matching->patterns = gm_patterns_read((const uint8_t *)text, strlen(text));
	} else {
		file = file_read(matching->patterns_name);
		matching->patterns = gm_patterns_read_as(matching->form, file.bytes, file.size);
		file_free(&file);
	}
	if (!matching->patterns)
		fail(1, "no memory for the patterns of %s", matching->patterns_name);
	if (matching->patterns->reason)
		fail(2, "%s is %s", matching->patterns_name, matching->patterns->reason);
	if (!matching->patterns->count)
		fail(2, "%s has no pattern that can be searched%s%s", matching->patterns_name,
		     rejected_words(matching->patterns, words, sizeof(words)) ? ": " : "", words);
}

static void load_records(struct matching *matching)
{
	struct file file = file_read(matching->payload_name);
	const char *reason;

	if (gm_records_read(&matching->records, file.bytes, file.size, &reason) != GM_MATCH_OK)
		fail(2, "%s: %s", matching->payload_name, reason);
	file_free(&file);
	if (!matching->records.count)
		fail(2, "%s has no payload of TCP or UDP: %s", matching->payload_name,
		     *matching->records.left_out ? matching->records.left_out
						 : "its packets are empty");
	if (gm_result_init(&matching->result, matching->records.count) != GM_MATCH_OK)
		fail(1, "no memory for the result");
}

static void build(struct matching *matching)
{
	struct gm_match_error error = { NULL, 0, 0 };
	uint64_t began = timing_now();

	matching->built = matching->engine->build(matching->patterns, &matching->bounds, &error);
	matching->build_ns = timing_now() - began;
	if (!matching->built && error.line)
		fail(1, "%s:%u: %s (%llu)", matching->patterns_name, (unsigned)error.line,
		     error.reason, (unsigned long long)error.reached);
	if (!matching->built)
		fail(1, "%s: %s (%llu)", matching->patterns_name, error.reason,
		     (unsigned long long)error.reached);
}

static void pass(void *state)
{
	struct matching *matching = state;

	gm_result_clear(&matching->result);
	if (matching->engine->scan(matching->built, &matching->records, &matching->result) !=
	    GM_MATCH_OK)
		matching->status = GM_MATCH_MEMORY;
}

static void record_rejected(const struct gm_patterns *patterns, const char *name)
{
	char text[1024];

	record_number("rejected", patterns->rejected_count);
	if (rejected_words(patterns, text, sizeof(text)))
		record_text("rejected_reasons", text);
	if (patterns->plain && !gm_patterns_builtin(name))
		record_number("plain", patterns->plain);
	record_number("ignored_options", patterns->ignored_options);
	if (patterns->ignored_options)
		record_text("ignored_names", patterns->ignored_names);
}

/* The filter of strings alone has paths of a processor's own. */
static const char *impl(const struct matching *matching)
{
	int is_filtered = matching->engine == &gm_engine_pre && !matching->bounds.portable;

	return gm_literals_filter_impl(is_filtered ? GM_LITERALS_FILTER : GM_LITERALS_PORTABLE);
}

static void record(struct matching *matching, const struct timing *timing)
{
	struct gm_counters counters = { { { NULL, 0 } }, 0 };

	record_begin("match");
	record_text("engine", matching->engine->name);
	record_text("patterns", file_base(matching->patterns_name));
	record_text("payload", file_base(matching->payload_name));
	record_text("impl", impl(matching));
	record_number("pattern_count", matching->patterns->count);
	record_rejected(matching->patterns, matching->patterns_name);
	record_number("records", matching->records.count);
	if (*matching->records.left_out)
		record_text("left_out", matching->records.left_out);
	record_number("payload_bytes", matching->records.size);
	record_digest("digest", gm_result_digest(&matching->result));
	record_number("pairs", gm_result_pairs(&matching->result));
	record_number("bytes", matching->engine->bytes(matching->built));
	record_number("peak_bytes", file_peak_bytes());
	record_real("build_s", (double)matching->build_ns / 1e9);
	matching->engine->count(matching->built, &counters);
	for (uint32_t i = 0; i < counters.count; i++)
		record_number(counters.counters[i].name, counters.counters[i].value);
	record_number("instance", instances_number());
	timing_record(timing, "", matching->records.count);
	record_end();
}

int match_command(struct ask *ask)
{
	struct matching matching = { 0 };
	struct timing timing = { 0 };
	static const char *const implementations[] = { "auto", "portable", NULL };
	static const char *const forms[] = { "auto", "literals", NULL }; /* as enum gm_form */
	static const char *const switches[] = { "no", "yes", NULL };
	int strip;

	matching.engine = engines[ask_choice(ask, "engine", engine_names)];
	matching.patterns_name = ask_text(ask, "patterns", NULL);
	matching.form = (enum gm_form)ask_choice(ask, "form", forms);
	matching.payload_name = ask_text(ask, "payload", NULL);
	matching.bounds.max_states = (uint32_t)ask_number(ask, "max_states", 0, 1, 1U << 24);
	matching.bounds.max_bytes =
		ask_number(ask, "max_bytes", file_memory() / 4, 1 << 16, UINT64_C(1) << 40);
	matching.bounds.diameter = (uint32_t)ask_number(ask, "diameter", 0, 0, 1U << 20);
	matching.bounds.cache_bytes = (uint32_t)ask_number(ask, "cache", 0, 1 << 10, 1U << 30);
	matching.bounds.portable = (uint32_t)ask_choice(ask, "impl", implementations);
	strip = ask_choice(ask, "strip_nul", switches);
	timing_ask(&timing, ask);
	ask_end(ask);
	load_patterns(&matching);
	load_records(&matching);
	if (strip)
		gm_records_strip_nul(&matching.records);
	build(&matching);
	instances_meet();
	timing_run(&timing, pass, &matching, matching.records.count);
	if (matching.status != GM_MATCH_OK)
		fail(1, "no memory for the result");
	record(&matching, &timing);
	matching.engine->free(matching.built);
	gm_result_free(&matching.result);
	gm_records_free(&matching.records);
	gm_patterns_free(matching.patterns);
	return 0;
}
