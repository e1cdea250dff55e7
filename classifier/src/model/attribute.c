// SPDX-License-Identifier: Apache-2.0
/* The names of attributes. */
#include "model/attribute.h"

#include <stdio.h>
#include <string.h>

#define NAMES(word, capitals) capitals##_NAMES,
static const struct feature_names features[] = { FEATURES(NAMES) };

static const struct {
	const char *word;
	__u8 way;
} ways[] = {
	{ "fwd.", WAY_UP },
	{ "bck.", WAY_DOWN },
	{ "up.", WAY_UP },
	{ "down.", WAY_DOWN },
};

static int is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Takes the direction off the name's front. */
static __u8 take_way(const char **name, size_t *length)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		size_t bytes = strlen(ways[i].word);

		if (*length > bytes && memcmp(*name, ways[i].word, bytes) == 0) {
			*name += bytes;
			*length -= bytes;
			return ways[i].way;
		}
	}
	return WAY_BOTH;
}

static int find_statistic(const struct feature_names *feature, const char *name, size_t length)
{
	for (int i = 0; i < FEATURE_STATISTICS_MOST && feature->statistic[i]; i++)
		if (is_word(name, length, feature->statistic[i]))
			return i;
	return -1;
}

int attribute_parse(struct attribute *attribute, const char *name, size_t length)
{
	__u8 way = take_way(&name, &length);
	const char *dot = memchr(name, '.', length);
	size_t before = dot ? (size_t)(dot - name) : 0;

	if (!dot)
		return -1;
	for (int i = 0; i < FEATURES_ALL; i++) {
		int statistic = find_statistic(&features[i], name, before);

		if (statistic < 0 || !is_word(dot + 1, length - before - 1, features[i].name))
			continue;
		if (way != WAY_BOTH && !features[i].directed)
			return -1;
		*attribute = (struct attribute){ (__u8)i, (__u8)statistic,
						 feature_measure((__u32)i, (__u32)statistic, way) };
		return 0;
	}
	return -1;
}

const char *attribute_name(struct attribute attribute, char text[ATTRIBUTE_NAME_MOST])
{
	const struct feature_names *feature = &features[attribute.feature];
	int way = feature->directed ? attribute.measure.quantity % (WAYS + 1) : WAY_BOTH;

	snprintf(text, ATTRIBUTE_NAME_MOST, "%s%s.%s", way == WAY_BOTH ? "" : ways[way].word,
		 feature->statistic[attribute.statistic], feature->name);
	return text;
}
