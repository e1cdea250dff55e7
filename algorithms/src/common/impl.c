/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/impl.h"

#if defined(__x86_64__)

#include <cpuid.h>

/* CPUID leaf 7, EBX. */
#define AVX2 ((1U << 5) | (1U << 3) | (1U << 8)) /* with BMI1 and BMI2 */
#define AVX512 (AVX2 | (1U << 16) | (1U << 17) | (1U << 30) | (1U << 31)) /* F, DQ, BW, VL */
#define OSXSAVE (1U << 27) /* leaf 1, ECX */

/* Which registers the kernel saves: bits 1 and 2 for AVX, 5 to 7 too for AVX-512. */
static unsigned saved(void)
{
	unsigned low;
	unsigned high;

	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* A compiler's own __builtin_cpu_supports() is not used: with some C libraries it says no to all. */
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

int gm_impl_runs(enum gm_impl impl)
{
	if (impl == GM_AVX2)
		return has(AVX2, 0x06);
	if (impl == GM_AVX512)
		return has(AVX512, 0xe6);
	return impl == GM_PORTABLE;
}

#else

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
