// SPDX-License-Identifier: Apache-2.0
/* Packets and models as tests make them, and what a window shows of them. */
#ifndef GM_CLASSIFIER_MADE_H
#define GM_CLASSIFIER_MADE_H

#include "capture/flows.h"
#include "model/attribute.h"
#include "model/read.h"
#include "tests/test.h"

#include <errno.h>

#include <string.h>

struct made_flow {
	struct tables tables;
	struct flow_record record;
	struct scratch scratch;
	struct outcome outcome;
	struct named_model named;
};

static inline void made_begin(struct made_flow *made, bool slides, uint32_t window)
{
	memset(made, 0, sizeof(*made));
	model_preset(&made->named.model);
	made->named.model.window = window;
	made->tables.slides = slides;
	made->tables.keeps = KEEPS_ALL;
	made->tables.current = &made->record;
	made->record.key.protocol = CLASSIFY_UDP;
	made->record.key.family = 4;
}

static inline struct seen made_seen(const struct made_flow *made, uint64_t time_us, uint32_t length,
				    uint32_t way)
{
	return (struct seen){ .key = made->record.key, .moment = { time_us, length, way } };
}

/* Whether the window is full with this packet; it is read then. */
static inline bool made_add(struct made_flow *made, uint64_t time_us, uint32_t length, uint32_t way)
{
	struct seen seen = made_seen(made, time_us, length, way);

	classify(&made->tables, &made->named.model, &made->scratch, &seen, &made->outcome);
	return made->scratch.added.full != 0;
}

static inline int32_t made_value(const struct made_flow *made, const char *name)
{
	struct attribute attribute = { 0 };

	CHECK_EQUAL(attribute_parse(&attribute, name, strlen(name)), 0);
	return attribute_value(&made->scratch.view, attribute);
}

static inline int made_model(struct named_model *named, const char *text, struct fault *fault)
{
	return model_read(named, "m", text, strlen(text), fault);
}

#endif
