/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/impl.h"

int gm_impl_runs(enum gm_impl impl)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (impl == GM_AVX2)
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
	if (impl == GM_AVX512)
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
#endif
	return impl == GM_PORTABLE;
}

const char *gm_impl_name(enum gm_impl impl)
{
	static const char *const names[GM_IMPLS] = { "portable", "avx2", "avx512" };

	return names[impl];
}
