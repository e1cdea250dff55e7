/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/impl.h"

#include "common/processor.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* CPUID leaf 7, EBX. */
#define AVX2 ((1U << 5) | (1U << 3) | (1U << 8)) /* with BMI1 and BMI2 */
#define AVX512 (AVX2 | (1U << 16) | (1U << 17) | (1U << 30) | (1U << 31)) /* F, DQ, BW, VL */
/* Leaf 1, ECX. */
#define OSXSAVE (1U << 27)
#define SSE42 (1U << 20)
#define POPCNT (1U << 23)

/* Which registers the kernel saves: bits 1 and 2 for AVX, 5 to 7 too for AVX-512. */
static unsigned saved(void)
{
	unsigned low;
	unsigned high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

static int has(unsigned features, unsigned registers)
{
	unsigned a;
	unsigned b;
	unsigned c;
	unsigned d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE) || (saved() & registers) != registers)
		return 0;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & features) == features;
}

static int has_instruction(unsigned bit)
{
	unsigned a;
	unsigned b;
	unsigned c;
	unsigned d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit);
}

int gm_has_popcnt(void)
{
	return has_instruction(POPCNT);
}

int gm_has_sse42(void)
{
	return has_instruction(SSE42);
}

int gm_impl_runs(enum gm_impl impl)
{
	if (impl == GM_AVX2)
		return has(AVX2, 0x06);
	if (impl == GM_AVX512)
		return has(AVX512, 0xe6);
	return impl == GM_PORTABLE;
}

#else

int gm_has_popcnt(void)
{
	return 0;
}

int gm_has_sse42(void)
{
	return 0;
}

int gm_impl_runs(enum gm_impl impl)
{
	return impl == GM_PORTABLE;
}

#endif

const char *gm_impl_name(enum gm_impl impl)
{
	static const char *const names[GM_IMPLS] = { "portable", "avx2", "avx512" };

	return names[impl];
}
