// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* All features. A new one is a file in feature/, and a line here. */
#ifndef GM_FEATURE_H
#define GM_FEATURE_H

#include "classifier/core/feature/header.h"
#include "classifier/core/feature/iat.h"
#include "classifier/core/feature/iatbd.h"
#include "classifier/core/feature/pcnt.h"
#include "classifier/core/feature/plen.h"
#include "classifier/core/feature/plenbd.h"
#include "classifier/core/feature/port.h"
#include "classifier/core/feature/skype.h"

#define FEATURES(FEATURE)                                                                          \
	FEATURE(plen, PLEN)                                                                        \
	FEATURE(plenbd, PLENBD)                                                                    \
	FEATURE(pcnt, PCNT)                                                                        \
	FEATURE(iat, IAT)                                                                          \
	FEATURE(iatbd, IATBD)                                                                      \
	FEATURE(skype, SKYPE)                                                                      \
	FEATURE(port, PORT)                                                                        \
	FEATURE(header, HEADER)

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
	__u8 feature, statistic; /* the feature's own number of it */
	struct measure measure;
};

#define FEATURE_MEASURE(word, capitals)                                                            \
	case FEATURE_##capitals:                                                                   \
		return word##_measure(statistic, way);

SHARED struct measure feature_measure(__u32 feature, __u32 statistic, __u32 way)
{
	switch (feature) {
		FEATURES(FEATURE_MEASURE)
	default:
		return measure(LENGTH, STATISTIC_COUNT);
	}
}

#define FEATURE_OWN(word, capitals)                                                                \
	case FEATURE_##capitals:                                                                   \
		return word##_own(view, attribute.statistic);

/* What it measures was looked up when the model was read: here are few branches. */
SHARED __s32 attribute_value(const struct view *view, struct attribute attribute)
{
	__u32 quantity = attribute.measure.quantity;

	if (attribute.measure.statistic != STATISTIC_OWN)
		return spread_value(&view->of[quantity < QUANTITIES ? quantity : 0],
				    attribute.measure.statistic);
	switch (attribute.feature) {
		FEATURES(FEATURE_OWN)
	default:
		return 0;
	}
}

#endif
