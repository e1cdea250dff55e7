// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* All features. A new one is a file in feature/, and a line here. */
#ifndef GM_FEATURE_H
#define GM_FEATURE_H

#include "classifier/core/feature/iat.h"
#include "classifier/core/feature/iatbd.h"
#include "classifier/core/feature/pcnt.h"
#include "classifier/core/feature/plen.h"
#include "classifier/core/feature/plenbd.h"
#include "classifier/core/feature/skype.h"

#define FEATURES(FEATURE)                                                                          \
	FEATURE(plen, PLEN)                                                                        \
	FEATURE(plenbd, PLENBD)                                                                    \
	FEATURE(pcnt, PCNT)                                                                        \
	FEATURE(iat, IAT)                                                                          \
	FEATURE(iatbd, IATBD)                                                                      \
	FEATURE(skype, SKYPE)

#define FEATURE_NUMBER(word, capitals) FEATURE_##capitals,
enum feature { FEATURES(FEATURE_NUMBER) FEATURES_ALL };

#define FEATURE_STATISTICS_MOST 10

/* What a feature is called, and whether fwd. and bck. may stand before it. */
struct feature_names {
	const char *name;
	int directed;
	const char *statistic[FEATURE_STATISTICS_MOST];
};

/* A number that a tree asks for. */
struct attribute {
	__u8 feature, statistic, way, unused;
};

#define FEATURE_VALUE(word, capitals)                                                              \
	case FEATURE_##capitals:                                                                   \
		return word##_value(view, attribute.statistic, way);

SHARED __s32 attribute_value(const struct view *view, struct attribute attribute)
{
	__u32 way = attribute.way < WAY_BOTH ? attribute.way : WAY_BOTH;

	switch (attribute.feature) {
		FEATURES(FEATURE_VALUE)
	default:
		return 0;
	}
}

#endif
