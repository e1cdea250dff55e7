// SPDX-License-Identifier: Apache-2.0
// RE2's set of expressions over the same patterns and records: `re2 PATTERNS RECORDS PASS_MS`.
// Patterns and records are read by our own readers, and RE2 gets each tree as text without flags,
// so that both sides look for the same languages in the same bytes. Prints one line of JSON.

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
#include "gm/digest.h"
#include "gm/patterns.h"
#include "gm/records.h"
#include "pattern/regex.h"
}

namespace
{

using clock_type = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string &reason)
{
	fprintf(stderr, "re2: %s\n", reason.c_str());
	exit(1);
}

std::vector<uint8_t> contents(const char *path)
{
	std::ifstream file(path, std::ios::binary);

	if (!file)
		fail(std::string(path) + " cannot be read");
	return { std::istreambuf_iterator<char>(file), {} };
}

std::string printed(const gm_patterns &patterns, uint32_t id)
{
	uint32_t root = patterns.patterns[id].root;
	std::string text(gm_regex_print(patterns.forest, root, nullptr, 0), 0);

	gm_regex_print(patterns.forest, root, text.data(), text.size() + 1);
	return text;
}

double seconds(clock_type::time_point from)
{
	return std::chrono::duration<double>(clock_type::now() - from).count();
}

uint64_t scan(const RE2::Set &set, const gm_records &records, std::vector<std::vector<int>> &found)
{
	uint64_t failures = 0;

	for (uint32_t i = 0; i < records.count; i++) {
		const char *bytes = (const char *)records.bytes + records.offsets[i];
		re2::StringPiece text(bytes, records.offsets[i + 1] - records.offsets[i]);
		RE2::Set::ErrorInfo error = {};

		if (!set.Match(text, &found[i], &error) && error.kind != RE2::Set::kNoError)
			failures++;
	}
	return failures;
}

uint64_t digest(std::vector<std::vector<int>> &found)
{
	uint64_t value = GM_DIGEST_EMPTY;

	for (auto &ids : found) {
		std::sort(ids.begin(), ids.end());
		value = gm_digest_u32(value, (uint32_t)ids.size());
		for (int id : ids)
			value = gm_digest_u32(value, (uint32_t)id);
	}
	return value;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 4)
		fail("usage: re2 PATTERNS RECORDS PASS_MS");
	std::vector<uint8_t> pattern_file = contents(argv[1]);
	std::vector<uint8_t> record_file = contents(argv[2]);
	double pass_s = atof(argv[3]) / 1e3;
	gm_patterns *patterns = gm_patterns_read(pattern_file.data(), pattern_file.size());
	gm_records records;
	const char *reason = nullptr;

	if (gm_records_read(&records, record_file.data(), record_file.size(), &reason))
		fail(reason);
	clock_type::time_point began = clock_type::now();
	RE2::Options options;
	options.set_encoding(RE2::Options::EncodingLatin1);
	options.set_max_mem(int64_t{ 1 } << 28);
	options.set_log_errors(false);
	RE2::Set set(options, RE2::UNANCHORED);
	for (uint32_t id = 0; id < patterns->count; id++) {
		std::string error;

		if (set.Add(printed(*patterns, id), &error) < 0)
			fail(error);
	}
	if (!set.Compile())
		fail("the set cannot be compiled");
	double build_s = seconds(began);
	std::vector<std::vector<int>> found(records.count);
	uint64_t failures = scan(set, records, found);
	uint64_t passes = 0;

	began = clock_type::now();
	do {
		scan(set, records, found);
		passes++;
	} while (seconds(began) < pass_s);
	printf("{\"digest\":\"%016llx\",\"failures\":%llu,\"build_s\":%.6f,\"ns\":%.3f}\n",
	       (unsigned long long)digest(found), (unsigned long long)failures, build_s,
	       seconds(began) * 1e9 / ((double)passes * records.count));
	gm_records_free(&records);
	gm_patterns_free(patterns);
	return 0;
}
