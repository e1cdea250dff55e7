// SPDX-License-Identifier: Apache-2.0
/* Histograms as JSON. */
#include "count/report.h"

void histogram_report_buckets(const struct histogram *histogram, struct line *line)
{
	line_list(line, "low");
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->count[i])
			line_count(line, NULL, histogram_low(i));
	line_close(line, ']');
	line_list(line, "count");
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->count[i])
			line_count(line, NULL, histogram->count[i]);
	line_close(line, ']');
}

void histogram_report(const struct histogram *histogram, struct line *line, const char *key)
{
	line_object(line, key);
	histogram_report_buckets(histogram, line);
	line_close(line, '}');
}

void histogram_report_shares(const struct histogram *histogram, struct line *line)
{
	line_count(line, "p50", histogram_quantile(histogram, 0.5));
	line_count(line, "p99", histogram_quantile(histogram, 0.99));
	line_count(line, "p999", histogram_quantile(histogram, 0.999));
	line_count(line, "max", histogram->most);
}

void histogram_report_quantiles(const struct histogram *histogram, struct line *line,
				const char *key)
{
	line_object(line, key);
	histogram_report_shares(histogram, line);
	line_close(line, '}');
}
