/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/platform.h"

static const double scalar = 3.0;

void gm_stream_init(const struct gm_stream_arrays *arrays)
{
	for (uint32_t i = 0; i < arrays->count; i++) {
		arrays->a[i] = 1.0;
		arrays->b[i] = 2.0;
		arrays->c[i] = 0.0;
	}
	for (uint32_t i = 0; i < arrays->count; i++)
		arrays->a[i] *= 2.0;
}

static void copy(const double *restrict from, double *restrict to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i];
}

static void scale(const double *restrict from, double *restrict to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = scalar * from[i];
}

static void add(const double *restrict left, const double *restrict right, double *restrict to,
		uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = left[i] + right[i];
}

static void triad(const double *restrict left, const double *restrict right, double *restrict to,
		  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = left[i] + scalar * right[i];
}

void gm_stream_pass(const struct gm_stream_arrays *arrays, enum gm_stream kernel)
{
	double *a = arrays->a, *b = arrays->b, *c = arrays->c;

	switch (kernel) {
	case GM_STREAM_COPY:
		copy(a, c, arrays->count);
		break;
	case GM_STREAM_SCALE:
		scale(c, b, arrays->count);
		break;
	case GM_STREAM_ADD:
		add(a, b, c, arrays->count);
		break;
	default:
		triad(b, c, a, arrays->count);
	}
}

static double largest(const double *values, double expected, uint32_t count)
{
	double most = 0;

	for (uint32_t i = 0; i < count; i++) {
		double error = (values[i] - expected) / expected;

		error = error < 0 ? -error : error;
		most = error > most ? error : most;
	}
	return most;
}

double gm_stream_error(const struct gm_stream_arrays *arrays, uint32_t rounds)
{
	double a = 2.0, b = 2.0, c = 0.0;
	double errors[3];

	for (uint32_t i = 0; i < rounds; i++) {
		c = a;
		b = scalar * c;
		c = a + b;
		a = b + scalar * c;
	}
	errors[0] = largest(arrays->a, a, arrays->count);
	errors[1] = largest(arrays->b, b, arrays->count);
	errors[2] = largest(arrays->c, c, arrays->count);
	if (errors[1] > errors[0])
		errors[0] = errors[1];
	return errors[2] > errors[0] ? errors[2] : errors[0];
}
