// SPDX-License-Identifier: Apache-2.0
/* Histograms as JSON. Apart from histogram.h, which BPF programs include too. */
#ifndef GM_COUNT_REPORT_H
#define GM_COUNT_REPORT_H

#include "count/histogram.h"
#include "talk/line.h"

/* {"low":[...],"count":[...]}: the buckets in use. key NULL: an element of a list. */
void histogram_report(const struct histogram *histogram, struct line *line, const char *key);

/* The same as members of an object that is open. */
void histogram_report_buckets(const struct histogram *histogram, struct line *line);
void histogram_report_shares(const struct histogram *histogram, struct line *line);

/* {"p50":...,"p99":...,"p999":...,"max":...} */
void histogram_report_quantiles(const struct histogram *histogram, struct line *line,
				const char *key);

#endif
