// SPDX-License-Identifier: Apache-2.0
/* Reports that several verbs make in the same form. */
#ifndef GM_TELL_H
#define GM_TELL_H

#include "count/histogram.h"
#include "talk/line.h"

/* {"low":[...],"count":[...]}: the buckets in use. key NULL: an element of a list. */
void tell_histogram(struct line *line, const char *key, const struct histogram *histogram);

/* {"p50":...,"p99":...,"p999":...,"max":...} */
void tell_quantiles(struct line *line, const char *key, const struct histogram *histogram);

#endif
